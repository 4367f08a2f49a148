"""Clears ``.grad``, for ``zero_grad`` of modules and optimizers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def clear_gradients(parameters: Iterable[Any], set_to_none: bool) -> None:
    """Clear gradients, as `zero_grad` of modules and optimizers does."""
    for parameter in parameters:
        if parameter.grad is None:
            continue
        if set_to_none:
            parameter.grad = None
        else:
            if parameter.grad.grad_fn is not None:
                parameter.grad.detach_()
            else:
                parameter.grad.requires_grad_(False)
            parameter.grad.zero_()
