"""Tools around training, as in `torch.utils`: `data`."""

from . import data

__all__ = ["data"]
