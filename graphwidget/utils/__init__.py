"""Tools around training, as in `torch.utils`: `checkpoint`, `data`, `dlpack`, `hooks`."""

from ..absent import refuse_others
from . import _pytree, checkpoint, data, deterministic, dlpack, hooks  # noqa: F401

__all__ = ["checkpoint", "data", "deterministic", "dlpack", "hooks"]

refuse_others(__name__)
