"""Making and comparing tensors in tests, as in `torch.testing`."""

from ..absent import refuse_others
from .comparison import assert_close

__all__ = ["assert_close", "make_tensor"]

refuse_others(__name__)
