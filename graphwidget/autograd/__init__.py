"""``torch.autograd``: ``backward``, ``grad``, ``Function``, grad modes, nodes and edges."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ..absent import refuse
from ..graph.saved_hooks import SavedTensor
from . import anomaly_mode, function, grad_mode, graph
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .backward import backward, grad
from .function import Function
from .grad_mode import (
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
)
from .gradcheck import gradcheck, gradgradcheck
from .variable import Variable

if TYPE_CHECKING:
    from . import functional

    profiler: Any


def variable(*args: Any, **kwargs: Any) -> Any:
    """PyTorch's former way to make a tensor.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError("torch.autograd.variable(...) is deprecated, use torch.tensor(...) instead")


def __dir__() -> list[str]:
    """Return the names that are here and those that load when first used, for completion."""
    return sorted({*globals(), *__all__})


if not TYPE_CHECKING:  # checkers know the names above

    def __getattr__(name: str) -> Any:
        if name in ("functional", "profiler"):
            return importlib.import_module(f".{name}", __name__)
        return refuse(__name__, name)


__all__ = [
    "Function", "SavedTensor", "Variable", "anomaly_mode", "backward", "detect_anomaly",
    "enable_grad", "function", "functional", "grad", "grad_mode",
    "gradcheck", "gradgradcheck", "graph", "inference_mode", "no_grad", "profiler",
    "set_detect_anomaly",
    "set_grad_enabled", "variable",
]  # fmt: skip
