"""Where gradients meet: several that flow to one target are added there.

As in PyTorch (``InputBuffer::accumulate``), the first is written where nobody else has it, and
that write counts: users see it in the ``_version`` of what arrives.
"""

from __future__ import annotations

import sys
from sys import getrefcount
from typing import Any

import numpy as np
from numpy import add, ndarray

apart = False
"""Whether nothing is written: under PyTorch's modes that see every call."""


MADE = {
    "AsStridedBackward0": 1, "AsStridedBackward0_copy": 1,
    "CummaxBackward0": 2, "CumminBackward0": 2, "DivBackward2": 0,
    "GatherBackward0": 1, "IndexBackward0": 1, "IndexSelectBackward0": 1, "KthvalueBackward0": 2,
    "MaskedSelectBackward0": 1, "MaxBackward0": 2, "MaxBackward1": 1, "MedianBackward0": 1,
    "MedianBackward1": 2, "MinBackward0": 2, "MinBackward1": 1, "ModeBackward0": 2,
    "NanmedianBackward0": 1, "NanmedianBackward1": 2,
    "NormalBackward1": 1, "NormalBackward2": 1, "NormalBackward3": 1, "PoissonBackward0": 1,
    "SortBackward0": 2, "SortBackward1": 2, "TakeBackward0": 1, "TopkBackward0": 2,
    "TraceBackward0": 2,
}  # fmt: skip
"""How often PyTorch writes into the gradients of a node while it makes them: into zeros, which it
counts, or what it computed. As seen in their versions; those of other nodes are not written."""


def meet(target: Any, grad: Any) -> None:
    """Add a gradient to the one in a target's slot."""
    before = target.grad
    if getrefcount(before) == ALONE and before.base is None:
        # Ufuncs are reached faster by a call than by an operator; numbers the other way round.
        plain = before.__class__ is ndarray
        target.grad = add(before, grad, before) if plain else before + grad
        target.grad_version = (target.grad_version or 0) + 1
    else:
        target.grad = before + grad
        target.grad_version = None


def pass_on(version: int, grad: Any, target: Any, found: Any) -> None:
    """Keep account of a version where a node gives its own gradient on, or a view of it."""
    if target.grad is None and found is not None and shared(found, grad):
        target.grad_version = version


def shared(found: Any, grad: Any) -> bool:
    """Whether a gradient is another one, or a view of it."""
    if found is grad:
        return True
    arrays = isinstance(grad, np.ndarray) and isinstance(found, np.ndarray)
    return arrays and np.may_share_memory(found, grad)


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
        and sys.getrefcount(base) == ALONE
    )  # fmt: skip


def _alone() -> int:
    """What a function counts where one place refers to an array that it has in a variable (the
    number differs between versions of Python)."""

    def count(place: list[Any]) -> int:
        grad = place[0]
        return sys.getrefcount(grad)

    return count([np.empty(0)])


ALONE = _alone()
