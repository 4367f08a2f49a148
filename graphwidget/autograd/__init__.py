"""``torch.autograd``: ``backward``, ``grad``, ``Function``, grad modes, nodes and edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..absent import load_when_used
from ..graph.saved_hooks import SavedTensor
from . import grad_mode
from .backward import backward, grad
from .grad_mode import (
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
)
from .gradcheck import gradcheck, gradgradcheck

if TYPE_CHECKING:
    from . import anomaly_mode, function, functional, graph
    from .anomaly_mode import detect_anomaly, set_detect_anomaly
    from .function import Function
    from .variable import Variable, variable

    profiler: Any


def __dir__() -> list[str]:
    """Return the names that are here and those that load when first used, for completion."""
    return sorted({*globals(), *__all__})


load_when_used(
    __name__,
    {
        "detect_anomaly": "anomaly_mode", "set_detect_anomaly": "anomaly_mode",
        "Function": "function", "Variable": "variable", "variable": "variable",
    },
    ("anomaly_mode", "function", "functional", "graph", "profiler"),
)  # fmt: skip

__all__ = [
    "Function", "SavedTensor", "Variable", "anomaly_mode", "backward", "detect_anomaly",
    "enable_grad", "function", "functional", "grad", "grad_mode",
    "gradcheck", "gradgradcheck", "graph", "inference_mode", "no_grad", "profiler",
    "set_detect_anomaly",
    "set_grad_enabled", "variable",
]  # fmt: skip
