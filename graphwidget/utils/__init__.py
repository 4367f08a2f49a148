"""Tools around training, as in `torch.utils`: `checkpoint`, `data`."""

from . import checkpoint, data

__all__ = ["checkpoint", "data"]
