"""Where gradients meet: several that flow to one target are added there.

As in PyTorch (``InputBuffer::accumulate``), the first is written where nobody else has it.
"""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np
from numpy import add, ndarray

apart = False
"""Whether nothing is written: under PyTorch's modes that see every call."""


def meet(target: Any, grad: Any) -> None:
    """Add a gradient to the one in a target's slot: into its memory, where nobody else has it."""
    before = target.grad
    # Ufuncs are reached faster by a call than by an operator; numbers the other way round.
    if before.__class__ is ndarray and before.base is None and getrefcount(before) == ALONE:
        add(before, grad, before)
    else:
        target.grad = before + grad


def is_own(grad: np.ndarray) -> bool:
    """Whether a gradient may be kept as it is: it owns its memory and may be written, or is the
    only view of an array that does."""
    if not grad.flags.writeable:
        return False
    base = grad.base
    if base is None:
        return bool(grad.flags.owndata)
    return (
        base.__class__ is np.ndarray and base.size == grad.size and base.flags.owndata
        and getrefcount(base) == ALONE
    )  # fmt: skip


def _alone() -> int:
    """What a function counts where one place refers to an array that it has in a variable (the
    number differs between versions of Python)."""

    def count(place: list[Any]) -> int:
        grad = place[0]
        return getrefcount(grad)

    return count([np.empty(0)])


ALONE = _alone()
