"""Inputs that require grad and yet have no place in the graph: views made under ``no_grad``.

PyTorch's node has no edge for such an input and saves nothing for its gradient. Which plan a node
is of was chosen before that is found out, so the node is made one of the smaller plan afterwards:
finding it out lets it listen to the end of the call, and no longer.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from ..graph import runtime
from ..graph.listeners import switch
from ..graph.node import Node, Nowhere, accumulator
from ..graph.tensor import Tensor
from ..optable.declare import Op
from .node_classes import next_of, plan_name

_local = threading.local()


def place_of(leaf: Tensor) -> Any:
    """``accumulator`` for a call that is being recorded."""
    found = accumulator(leaf)
    if found.__class__ is Nowhere and not getattr(_local, "waits", False):
        _local.waits = True
        switch(PATHLESS, True)
    return found


class Pathless:
    """Hears the end of the call in which a pathless input was found."""

    def called(
        self,
        op: Op,
        inputs: Sequence[Any],
        params: Mapping[str, Any],
        outputs: tuple[Tensor, ...],
        node: Node | None,
    ) -> None:
        if not getattr(_local, "waits", False):
            return  # another thread's
        _local.waits = False
        switch(self, False)
        # What the only derivative of an op reads is kept in any case; a node without derivatives
        # has an edge for each input that requires grad, with a place or not.
        several = op.single and not op.variadic and len(op.derivatives) > 1
        if node is not None and several and op.node != "NotImplemented":
            shrink(node)

    def wrote(
        self, op: Op, tensor: Tensor, inputs: Any, params: Any, base: Any, node: Node | None
    ) -> None:
        self.called(op, inputs, params, (), node)


PATHLESS = Pathless()


def shrink(node: Node) -> None:
    """Make the node one of the plan for the inputs that have a place."""
    places = [i for i, target in enumerate(node.next) if target.__class__ is not Nowhere]
    targets = tuple(node.targets[i] for i in places)
    cls: Any = node.__class__
    small = plan_without(cls, targets)
    for name in node.saves:
        if name not in small.saves:
            setattr(node, "saved_" + name, None)
    kept = tuple(node.next[i] for i in places)
    node.next = (None,) * len(node.next)
    if node.fit is not None:
        node.fit = tuple(node.fit[i] for i in places)
    node.__class__ = small
    node.next = kept


@functools.cache
def plan_without(cls: type[Node], targets: tuple[str, ...]) -> type[Node]:
    """A node class laid out like ``cls`` that computes gradients of ``targets`` only."""
    op = cls.op
    assert op is not None
    methods: Any = NoTargets
    if targets:
        methods = runtime.__dict__[plan_name(op, targets)]
    scope = {
        "__slots__": (), "__module__": cls.__module__, "targets": targets,
        "saves": op.saved_by(targets), "single": len(targets) == 1, "go": methods.go,
        "next": next_of(targets), "reach": methods.reach,
        "backward_arrays": methods.backward_arrays, "backward_tensors": methods.backward_tensors,
    }  # fmt: skip
    return type(cls.__name__, (cls,), scope)


class NoTargets:
    """The methods of a node that leads nowhere at all, but looks at what it saved."""

    @staticmethod
    def go(node: Node, keep: bool) -> bool:
        """Left to the engine."""
        return False

    @staticmethod
    def reach(node: Node, mark: int, order: list[Any]) -> None:
        """Nothing is left to reach."""

    @staticmethod
    def backward_arrays(node: Node, grad: Any, keep: bool) -> tuple[()]:
        """There are no gradients to give."""
        node.pass_nothing(keep)
        return ()

    backward_tensors = backward_arrays


runtime.accumulator = place_of
