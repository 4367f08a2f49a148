"""Comparing tensors in tests, as in `torch.testing`."""

from .comparison import assert_close

__all__ = ["assert_close"]
