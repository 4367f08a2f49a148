"""Conversion of parameters by ``Module.to`` and the like, and PyTorch's switches for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd.grad_mode import no_grad
from ..functions.memory.swap_tensors import swap_tensors
from ..graph.tensor import Tensor
from .parameter import Parameter

_switches = {"overwrite": False, "swap": False}


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Choose whether a module gets new parameters, or the old ones other data (as it is)."""
    _switches["overwrite"] = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Return the last setting."""
    return _switches["overwrite"]


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Choose whether the parameters change places with converted ones (``swap_tensors``)."""
    _switches["swap"] = value


def get_swap_module_params_on_conversion() -> bool:
    """Return the last setting."""
    return _switches["swap"]


def convert_parameter(parameter: Any, fn: Callable[[Tensor], Tensor], what: str) -> Any:
    """A parameter and its gradient, converted: the same object, unless it is to be a new one.

    Raises:
        RuntimeError: it cannot change places; ``what`` names it.
    """
    grad = parameter.grad
    with no_grad():
        found = fn(parameter)
        found_grad = None if grad is None else fn(grad)
    if _switches["swap"]:
        parameter.grad = None
        try:
            swap_tensors(parameter, Parameter(found, parameter.requires_grad))
        except RuntimeError as error:
            parameter.grad = grad
            raise RuntimeError(f"_apply(): Couldn't swap {what}") from error
        parameter.grad = found_grad
        return parameter
    if _switches["overwrite"]:
        made = Parameter(found, parameter.requires_grad)
        made.grad = found_grad
        return made
    with no_grad():
        parameter.data = found
        if found_grad is not None:
            grad.data = found_grad
    return parameter
