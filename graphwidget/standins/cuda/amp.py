"""``torch.cuda.amp``, the older place of ``torch.amp``: there is no CUDA, so nothing is scaled."""

from __future__ import annotations

from typing import Any

from graphwidget import amp
from graphwidget.arrays.warnings import warn

__all__ = ["GradScaler", "autocast"]

OLD = (
    "`torch.cuda.amp.{0}(args...)` is deprecated. Please use `torch.amp.{0}('cuda', args...)` "
    "instead."
)


class autocast(amp.autocast):
    """A region for CUDA, which there is not.

    Warns:
        FutureWarning: deprecated.
        UserWarning: disabled.
    """

    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        warn(OLD.format("autocast"), FutureWarning)
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """A scaler for CUDA, which there is not: it hands through.

    Warns:
        FutureWarning: deprecated.
        UserWarning: disabled.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn(OLD.format("GradScaler"), FutureWarning)
        super().__init__("cuda", *args, **kwargs)


autocast.__module__ = "torch.cuda.amp.autocast_mode"
GradScaler.__module__ = "torch.cuda.amp.grad_scaler"
