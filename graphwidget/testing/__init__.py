"""Making and comparing tensors in tests, as in `torch.testing`."""

from ..absent import refuse_others
from .allclose import assert_allclose
from .comparison import assert_close
from .creation import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]

refuse_others(__name__)
