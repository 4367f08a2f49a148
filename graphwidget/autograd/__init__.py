"""``torch.autograd``'s functions."""

from __future__ import annotations

from ..core.backward import backward, grad
from ..core.function import Function, once_differentiable
from ..core.modes import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from ..core.tensor import Tensor as Variable

__all__ = [
    "Function", "Variable", "backward", "enable_grad", "grad", "is_grad_enabled", "no_grad",
    "once_differentiable", "set_grad_enabled",
]  # fmt: skip
