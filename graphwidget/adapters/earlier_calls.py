"""Calls that were made before recording began, known from the nodes of the graph.

A node knows its op, the nodes before it and what it saved, but no other value: what lies between
is a value of which at most the shape and type are known. When the program shows the tensor later
it is that value.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ..graph.base import TensorBase
from ..graph.node import AccumulateGrad, Node, Output
from ..optable import Op
from ..recording import events as ev
from ..recording.recorder import NodeRef

Known = tuple[tuple[int, ...], str]
"""Shape and type."""

NOT_KNOWN = "…"
"""Stands where a call was given something that its node did not keep."""


NO_TYPE = "?"
"""The type of a value whose shape alone is known; where not even that is, it is empty."""


class Earlier(NamedTuple):
    """A call that was made before: its op, what it was given, and what it made."""

    op: Op
    inputs: tuple[int | str, ...]
    params: dict[str, Any]
    outputs: tuple[int, ...]
    values: tuple[ev.Value, ...]
    """Values without known numbers, emitted again if their shape was found out."""


class EarlierCalls:
    """Finds calls from nodes; ``unseen`` are the values by (node, output number) whose tensor
    has not been seen."""

    def __init__(self, new_value: Any) -> None:
        self._new = new_value
        self.unseen: dict[tuple[int, int], int] = {}
        self._unseen: set[int] = set()
        self._outputs: dict[tuple[int, int], int] = {}
        self._known: dict[int, Known] = {}

    def knows(self, node: Any) -> bool:
        """Return whether a tensor of this node was emitted, and not seen yet."""
        ref = None if node is None else node._rec
        return ref is not None and ref.edge in self.unseen

    def take_unseen(self, node: Any) -> int | None:
        """Take the id of the value of this node, if it was emitted before its tensor was seen."""
        ref = None if node is None else node._rec
        value = None if ref is None else self.unseen.pop(ref.edge, None)
        self._unseen.discard(value or 0)
        return value

    def numbers(self, tensor: TensorBase) -> int | None:
        """The id of a value that was not seen yet, and that a node saved as this."""
        ref = None if tensor._node is None else tensor._node._rec
        value = None if ref is None else self.unseen.get(ref.edge)
        if value is not None and tensor._counter is not None and not tensor._counter.version:
            self._unseen.discard(value)
            self._see(value, tensor)
        return value

    def outputs(self, node: Node, ref: NodeRef, tensor: TensorBase | None) -> tuple[int, ...]:
        """The values that a node is the node of; ``tensor`` is one of them."""
        op = node.op
        count = 1 if op is None or op.variadic else len(op.outputs)
        given = None if tensor is None or tensor._node is None else tensor._node
        nr = given.nr if isinstance(given, Output) else 0
        found = []
        for each in range(count):
            if given is not None and each == nr and tensor is not None and tensor._rec is not None:
                value: int = tensor._rec.id
                self._see(value, tensor)
            else:
                value = self.unseen[ref.id, each] = self._new()
                self._unseen.add(value)
            self._outputs[ref.id, each] = value
            found.append(value)
        return tuple(found)

    def call(
        self, node: Node, ref: NodeRef, saved: Iterable[ev.Saved], leaves: dict[int, TensorBase]
    ) -> Earlier:
        """The call that made a node whose ``outputs`` were asked for. ``leaves`` are the values of
        the leaves before it."""
        op = node.op
        assert op is not None
        for value, tensor in leaves.items():
            self._see(value, tensor)
        kept = {
            each.slot: each.text if each.value is None else each.value
            for each in saved
            if each.text not in (ev.PACKED, ev.RECOMPUTED)
        }
        before = [self._before(each, leaves) for each in node.input_targets]
        if op.variadic:
            inputs = [NOT_KNOWN if each is None else each for each in before]
        else:
            made = dict(zip(op.derivatives, before, strict=True))
            inputs = [self._input(name, made, kept) for name in op.inputs]
        outputs = tuple(self._outputs[ref.id, nr] for nr in range(self._count(op)))
        changed = self._shapes(node, inputs, outputs)
        names = [name for name in op.metadata(node.targets) if name in op.params]
        params = {name: getattr(node, "p_" + name, None) for name in names}
        values = [self._value(each) for each in dict.fromkeys((*changed, *outputs))]
        return Earlier(op, tuple(inputs), params, outputs, tuple(v for v in values if v))

    @staticmethod
    def _count(op: Op) -> int:
        return 1 if op.variadic else len(op.outputs)

    def _before(self, target: Any, leaves: dict[int, TensorBase]) -> int | None:
        """The value that a target computes the gradient of."""
        if isinstance(target, AccumulateGrad):
            return next(value for value, leaf in leaves.items() if leaf is target.variable)
        return None if target is None else self._outputs.get(target._rec.edge)

    @staticmethod
    def _input(name: str, made: dict[str, int | None], kept: dict[str, Any]) -> int | str:
        value = made.get(name)
        found = kept.get(name) if value is None else value
        return NOT_KNOWN if found is None else found

    # Shapes --------------------------------------------------------------------------------
    def _see(self, value: int, tensor: TensorBase) -> None:
        self._known[value] = tensor._data.shape, str(tensor._data.dtype)

    def _shapes(self, node: Node, inputs: list[Any], outputs: tuple[int, ...]) -> list[int]:
        """Find out shapes from what a node keeps; those that were found out of its inputs."""
        op = node.op
        assert op is not None
        changed = []
        metas = node.fit or (None,) * len(node.targets)
        for name, meta in zip(node.targets, metas, strict=False) if not op.variadic else ():
            value = inputs[op.inputs.index(name)]
            if value in self._known or not isinstance(value, int):
                continue
            size = getattr(node, f"p_{name}_shape", None) if meta is None else meta.shape
            if size is not None:
                self._known[value] = tuple(size), NO_TYPE if meta is None else str(meta.dtype)
                changed.append(value)
        given = [self._known.get(each) for each in inputs if isinstance(each, int)]
        if op.pointwise and len(outputs) == 1 and outputs[0] not in self._known and given:
            sizes = [each[0] for each in given if each is not None]
            if len(sizes) == len(given) and NOT_KNOWN not in inputs:
                kinds = {each[1] for each in given if each is not None}
                kind = kinds.pop() if len(kinds) == 1 else NO_TYPE
                self._known[outputs[0]] = np.broadcast_shapes(*sizes), kind
        return changed

    def _value(self, value: int) -> ev.Value | None:
        """A value of which no numbers are known; None when they are."""
        if value not in self._unseen:
            return None
        shape, dtype = self._known.get(value, ((), ""))
        unknown = ev.Summary(shape, dtype, None, None, None)
        return ev.Value(value, value, 0, True, False, False, None, unknown)
