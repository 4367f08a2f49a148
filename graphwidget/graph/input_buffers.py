"""Input buffers: where gradients wait for their node, and how several are added.

A target (a node, an output of one, a leaf's AccumulateGrad) holds what has arrived in its ``grad``.
Of several runs at the same time (of threads, in hooks, paused by steppers) only one may use that:
those that come upon targets of an open run have buffers of their own.

As in PyTorch's ``InputBuffer::accumulate``, a sum is written into the first gradient's memory where
it is not shared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from sys import getrefcount
from typing import Any

import numpy as np
from numpy import add, ndarray

from . import runtime
from .version import counter_at_version

out_of_place = False
"""True if sums are never written into a gradient: under PyTorch's modes that see every call."""


def _count_of_one_reference() -> int:
    """Return ``getrefcount`` of an array that has one reference beside the caller's variable (it
    differs between versions of Python)."""

    def count(place: list[Any]) -> int:
        grad = place[0]
        return getrefcount(grad)

    return count([np.empty(0)])


ONE_REFERENCE = _count_of_one_reference()


def add_gradient(target: Any, grad: Any) -> None:
    """Add to the gradient that waits at a target: into its memory, where it is not shared. Leaves
    count these writes: users see them as the version of the gradient."""
    before = target.grad
    # Ufuncs are reached faster by a call than by an operator; numbers the other way round.
    if before.__class__ is ndarray and before.base is None and getrefcount(before) == ONE_REFERENCE:
        add(before, grad, before)
        if target.counts_sums:
            target.sums += 1
    else:
        target.grad = before + grad
        if target.counts_sums:
            target.sums = 0


def owns_memory(grad: np.ndarray) -> bool:
    """Return whether a gradient may be kept as it is: its memory is its own and may be written, or
    it is the only view of an array of which that is true."""
    if not grad.flags.writeable:
        return False
    base = grad.base
    if base is None:
        return bool(grad.flags.owndata)
    return (
        base.__class__ is np.ndarray and base.size == grad.size and base.flags.owndata
        and getrefcount(base) == ONE_REFERENCE
    )  # fmt: skip


def differentiable_copy(grad: Any) -> Any:
    """A gradient's copy with a history, under create_graph (``CopyBackwards``)."""
    out = runtime.Tensor._wrap(np.zeros_like(grad._data))
    if grad.requires_grad:
        runtime.tensors.write("copy", out, grad)
    else:
        np.copyto(out._data, grad._data)
    out._counter = counter_at_version()
    return out


class Buffer:
    """Holds what has arrived for a target, in the target's place."""

    __slots__ = ("grad",)
    counts_sums = False

    def __init__(self) -> None:
        self.grad: Any = None


class InputBuffers:
    """The buffers of one run: its targets themselves, or ``private`` ones if another run has some
    of these open. With ``create_graph`` gradients are Tensors, and sums are never written in place.
    """

    def __init__(self, create_graph: bool) -> None:
        self.create_graph = create_graph
        self.targets: list[Any] = []
        self.members: set[Any] | None = None
        self.private: dict[Any, Buffer] | None = None

    def open(self, targets: list[Any]) -> None:
        """Until ``close`` these targets are this run's, unless another one has some of them. The
        caller holds ``runtime.lock``."""
        self.targets = targets
        if any(other.shares(targets) for other in tuple(_open)):
            self.private = defaultdict(Buffer)
        else:
            _open.add(self)

    def shares(self, targets: Iterable[Any]) -> bool:
        """Return whether one of the targets is among these."""
        if self.members is None:
            self.members = {each for target in self.targets for each in (target, *target.next)}
        return not self.members.isdisjoint(targets)

    def close(self, empty: bool) -> None:
        """Give the targets back; what still waits is dropped, unless all is ``empty`` already."""
        if not empty and self.private is None:
            for target in self.targets:
                target.grad = None
                if target.counts_sums:
                    target.sums = 0
        with runtime.lock:
            _open.discard(self)
            self.targets, self.members, self.private = [], None, None

    def buffer_of(self, target: Any) -> Any:
        """Return the buffer of a target's gradient: the target itself, or a private buffer."""
        return target if self.private is None else self.private[target]

    def add(self, target: Any, grad: Any) -> None:
        """Add to what waits for a target."""
        buffer = self.buffer_of(target)
        if buffer.grad is None:
            buffer.grad = grad
        elif self.create_graph or out_of_place:
            buffer.grad = buffer.grad + grad
        else:
            add_gradient(buffer, grad)

    def add_output(self, target: Any, grad: Any) -> None:
        """Put the gradient of one output of a node among those of the others."""
        buffer = self.buffer_of(target.node)
        if buffer.grad is None:
            buffer.grad = [None] * len(target.node.metas)
        before = buffer.grad[target.nr]  # of an edge that was made by hand
        buffer.grad[target.nr] = grad if before is None else before + grad


_open: set[InputBuffers] = set()
"""Buffers of all threads' runs that have exclusive targets."""
