"""Objects that want to be asked and are the first to do so (see ``fronts``).

A class of tensors tells of itself when it is defined, and a mode when it is entered. Of another
object with ``__torch_function__`` nobody knows before a function fails because it was given one:
then fronts are set, and the function is called once more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..graph import runtime
from .torch_function import FRONTS, ask, awaken
from .torch_function_modes import asks, flat

_missed: list[Any] = []
"""Functions that failed because of a newcomer, and have no front: one around them has."""


def newcomer(values: Iterable[Any], function: Any = None) -> bool:
    """Whether a call failed because one of its arguments wants to be asked, and was not, and the
    ``function`` asks it when it is called again."""
    if (runtime.overridden and not _missed) or not any(map(asks, flat(values))):
        return False
    awaken()
    if function is not None and function not in FRONTS:
        _missed.append(function)
        return False
    _missed.clear()
    return True


def left_alone(name: str, *operands: Any) -> Any:
    """What the operator of a name says of operands that it does not know."""
    return getattr(runtime.Tensor, name)(*operands) if newcomer(operands) else NotImplemented


runtime.provide(awaken=awaken, ask=ask, left_alone=left_alone, newcomer=newcomer)
