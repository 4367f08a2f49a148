"""Where gradients meet: several that flow to one target are added there.

As in PyTorch (``InputBuffer::accumulate``), the first is written where nobody else has it, and
that write counts: users see it in the ``_version`` of what arrives.
"""

from __future__ import annotations

import sys
from sys import getrefcount
from typing import Any

import numpy as np

apart = False
"""Whether nothing is written: under PyTorch's modes that see every call."""


def meet(target: Any, grad: Any) -> None:
    """Add a gradient to the one in a target's slot."""
    before = target.grad
    if getrefcount(before) == ALONE and before.base is None:
        before += grad
        target.grad = before
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
