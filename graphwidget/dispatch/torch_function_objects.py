"""Overrides by objects with ``__torch_function__`` that are no tensors.

A subclass of Tensor tells of itself when it is defined, and a mode when it is entered. Of another
object nobody knows before a function fails because it was given one: then overrides are switched
on, and the function is called once more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..graph import runtime
from .overriding import flatten_values, has_override
from .torch_function import OVERRIDES, enable_overrides

_missed: list[Any] = []
"""Functions that failed because of such an object, and are not registered: one around them is."""


def has_undeclared_override(values: Iterable[Any], function: Any = None) -> bool:
    """Whether a call failed because one of its arguments wants to be asked, and was not, and the
    ``function`` asks it when it is called again."""
    if (runtime.overridden and not _missed) or not any(map(has_override, flatten_values(values))):
        return False
    enable_overrides()
    if function is not None and function not in OVERRIDES:
        _missed.append(function)
        return False
    _missed.clear()
    return True


def not_implemented(name: str, *operands: Any) -> Any:
    """What the operator of a name says of operands that it does not know."""
    return (
        getattr(runtime.Tensor, name)(*operands)
        if has_undeclared_override(operands)
        else NotImplemented
    )
