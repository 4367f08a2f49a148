"""Tools around training, as in `torch.utils`: `checkpoint`, `data`, `dlpack`, `hooks`."""

from ..functions.memory.swap_tensors import swap_tensors
from . import checkpoint, data, deterministic, dlpack, hooks

__all__ = ["checkpoint", "data", "deterministic", "dlpack", "hooks", "swap_tensors"]
