"""Making and comparing tensors in tests, as in `torch.testing`."""

from .comparison import assert_close
from .creation import make_tensor

__all__ = ["assert_close", "make_tensor"]
