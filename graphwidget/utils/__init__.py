"""Tools around training, as in `torch.utils`: `checkpoint`, `data`, `hooks`."""

from ..absent import refuse_others
from . import _pytree, checkpoint, data, deterministic, hooks  # noqa: F401

__all__ = ["checkpoint", "data", "deterministic", "hooks"]

refuse_others(__name__)
