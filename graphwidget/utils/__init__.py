"""Tools around training, as in `torch.utils`: `checkpoint`, `data`, `dlpack`, `hooks`."""

from ..absent import refuse_others
from ..functions.memory.swap_tensors import swap_tensors
from . import _pytree, checkpoint, data, deterministic, dlpack, hooks  # noqa: F401

__all__ = ["checkpoint", "data", "deterministic", "dlpack", "hooks", "swap_tensors"]

refuse_others(__name__)
