"""Where gradients collect on their way through the graph.

What flows to one target meets in its ``grad`` slot. Of several runs at the same time (of threads,
in hooks, held by steppers) one only may use it: those that come upon targets of an open run have
slots of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from ..graph import gradient_sums, runtime
from ..graph.gradient_sums import meet
from ..graph.node import Output
from .order import collect


class Slot:
    """Holds what collects for a target, in the target's place."""

    __slots__ = ("grad",)

    def __init__(self) -> None:
        self.grad: Any = None


class Slots:
    """The slots of one run. ``private`` holds its own, if it has to have such; ``apart`` says that
    gradients are added without writing into one."""

    def __init__(self, apart: bool) -> None:
        self.apart = apart
        self.targets: list[Any] = []
        self.members: set[Any] | None = None
        self.private: dict[Any, Slot] | None = None

    def open(self, roots: Sequence[Any]) -> list[Any]:
        """All targets that are reached from the roots, in order. Until ``close`` their slots are
        this run's, unless another one has some of them."""
        with runtime.lock:
            self.targets = collect(roots)
            if any(other.meets(self.targets) for other in tuple(_open)):
                self.private = defaultdict(Slot)
            else:
                _open.add(self)
        return self.targets

    def meets(self, targets: Iterable[Any]) -> bool:
        """Whether one of the targets is among these."""
        if self.members is None:
            self.members = {each for target in self.targets for each in (target, *target.next)}
        return not self.members.isdisjoint(targets)

    def close(self, empty: bool) -> None:
        """Give the slots back, which are ``empty`` already, or are made so."""
        if not empty and self.private is None:
            for target in self.targets:
                target.grad = None
        with runtime.lock:
            _open.discard(self)
            self.targets, self.members, self.private = [], None, None

    def of(self, target: Any) -> Any:
        """The slot of a target: itself, or a private one."""
        return target if self.private is None else self.private[target]

    def give(self, target: Any, grad: Any) -> None:
        """Add to what collects for a target."""
        slot = self.of(target)
        if slot.grad is None:
            slot.grad = grad
        elif self.apart or gradient_sums.apart:
            slot.grad = slot.grad + grad
        else:
            meet(slot, grad)

    def give_output(self, target: Output, grad: Any) -> None:
        """The gradient of one output joins those of its node's others."""
        slot = self.of(target.node)
        if slot.grad is None:
            slot.grad = [None] * len(target.node.metas)
        before = slot.grad[target.nr]  # of an edge that was made by hand
        slot.grad[target.nr] = grad if before is None else before + grad


_open: set[Slots] = set()
"""Those of all threads' runs that are the targets' own."""
