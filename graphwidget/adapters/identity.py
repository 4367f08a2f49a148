"""The ids of tensors and nodes, and their first records.

A tensor keeps its ``Ref`` in its own slot. It stays the same value until its storage is written
in place: then the written tensor is a new value, and so is every other tensor of that storage
as soon as it is used again.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from typing import Any, cast

import numpy as np

from ..graph.base import TensorBase
from ..graph.node import AccumulateGrad, Node, NoGradViewEnd, Output
from ..graph.tensor import Tensor
from ..graph.version import version_of
from ..graph.views import CopySlices
from ..recording import events as ev
from ..recording.recorder import NodeRef, Recorder, Ref
from ..recording.summary import Captured, capture, summarize, summary
from .earlier_calls import Earlier, EarlierCalls
from .error_words import word_of

MAX_TEXT = 120
FEW = 8
"""So many items of an index are written out."""


class Number:
    """The identity of a Python number in a tensor's place: its text."""

    __slots__ = ("id", "named", "storage", "version")

    def __init__(self, text: str) -> None:
        self.id = text
        self.storage = None
        self.version = 0
        self.named = True


class Identity:
    """Gives tensors and nodes their ids and records them when they are first seen."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.append = recorder.raw.append
        self.values = recorder.values
        self.emits_value = self._value
        self.earlier = EarlierCalls(recorder.ids.value)
        self.emit_call: Callable[[Earlier], int] | None = None
        self.owners: dict[int, tuple[weakref.ref[TensorBase], Captured | None]] = {}
        """Tensor whose ``.grad`` an array is, by the id of the array, and its content then."""
        self._first = recorder.ids.next_node  # nodes with smaller ids were made before
        self._fresh: set[int] = set()  # nodes that were not known

    def begin(self) -> None:
        """Begin to observe what is made from now on."""
        if not self.recorder.nodes and not self.recorder.raw:
            self._first = self.recorder.ids.next_node

    # Values --------------------------------------------------------------------------------
    def current(self, tensor: TensorBase) -> Any:
        """The tensor's identity as it is now, emitted if it is new."""
        ref, version = tensor._rec, version_of(tensor)
        if ref is not None and ref.version == version and ref.id in self.recorder.values:
            return ref
        if tensor._number:
            tensor._rec = Number(number_text(tensor))
            return tensor._rec
        fresh = ref is None
        if ref is None or ref.version != version:
            before, ref = ref, self.renew(tensor)
            self.emit_value(tensor, ref)
            if before is not None and before.id in self.recorder.values:
                write = ev.Write(ref.storage, version, before.id, ref.id, None, None, None, None)
                self.append((self.recorder.emit, write))
        else:
            self.emit_value(tensor, ref)
        node = tensor._node
        if node is None:
            return ref
        if node._rec is None or node._rec.id not in self.recorder.nodes:
            self.target(node, tensor)
        elif fresh:  # another tensor has this node too
            flag = ev.Flag(ref.id, True, cast(Any, tensor).retains_grad, node._rec.edge)
            self.append((self.recorder.emit, flag))
        return ref

    def renew(self, tensor: TensorBase) -> Ref:
        """A new identity for the tensor: a new value of its storage, not emitted yet."""
        counter = tensor._counter
        ref = Ref(tensor, self.append)
        known = self.earlier.take_unseen(tensor._node) if self.earlier.unseen else None
        ref.id = self.recorder.ids.value() if known is None else known
        ref.version = version_of(tensor)
        before = tensor._rec
        ref.named = False
        if before is not None:
            ref.storage = before.storage
            ref.named = before.named
        elif tensor._view is not None:
            ref.storage = self.current(tensor._view.base).storage
        else:
            shared = None if counter is None else counter._rec
            ref.storage = ref.id if shared is None else shared
        if counter is not None and (before is None or counter._rec is None):
            counter._rec = ref.storage
        tensor._rec = ref
        return ref

    def storage_of(self, tensor: TensorBase) -> int | None:
        """The storage that the tensor shares with values that were emitted before."""
        counter = tensor._counter
        return None if counter is None else counter._rec

    def before(self, tensor: TensorBase) -> Ref:
        """Return the value that the tensor had before it was written in place."""
        ref: Ref | None = tensor._rec
        if ref is None or ref.id not in self.recorder.values:
            ref = ref or self.renew(tensor)
            ref.version = version_of(tensor) - 1
            _of, content = self.owners.get(id(tensor._data), (None, None))
            # of other tensors the former numbers are gone
            unknown = ev.Summary(tensor._data.shape, str(tensor._data.dtype), None, None, None)
            self.emit_content(tensor, ref, content, None if content else unknown)
        return ref

    def share(self, out: TensorBase, ref: Ref, inputs: Sequence[Any]) -> int | None:
        """Complete the identity of a fresh result that has a counter already; the value it is
        a view of, if it is one."""
        counter = out._counter
        assert counter is not None
        ref.version = counter.version
        root = inputs[0] if out._view is None else out._view.base
        if root is None or root._counter is not counter:
            return None
        source = self.current(root)
        ref.storage = counter._rec = source.storage
        found: int = source.id
        return found

    def owner(self, tensor: TensorBase) -> TensorBase | None:
        """The tensor whose ``.grad`` this one is, if it is one."""
        ref, _content = self.owners.get(id(tensor._data), (None, None))
        owner = None if ref is None else ref()
        grad = None if owner is None else owner._grad
        return owner if grad is not None and grad._data is tensor._data else None

    def emit_value(self, tensor: TensorBase, ref: Ref, given: ev.Summary | None = None) -> None:
        """Emit the value as it is now, with the summary ``given`` or the usual one."""
        captured: Captured | None = None
        if given is None:
            captured = capture(tensor._data)
        self.emit_content(tensor, ref, captured, given)

    def emit_content(
        self, tensor: TensorBase, ref: Ref, content: Captured | None,
        given: ev.Summary | None = None,
    ) -> None:  # fmt: skip
        """Emit the value with that content, or summary."""
        view, kind = tensor._view, cast(Any, type(tensor))
        base = None if view is None else self.current(view.base).id
        needed = tensor._requires_grad is not False
        leaf = not needed or tensor._node is None
        parameter = is_parameter(kind)
        ref.named = ref.named or parameter  # by its module
        self.values.add(ref.id)
        owner = self.owner(tensor) if self.owners else None
        if owner is not None and tensor is not owner._grad:  # `.data` of it is another tensor
            owner = owner if tensor._counter is owner._grad._counter else None
        of = None if owner is None else self.current(owner).id
        self.append(
            (self.emits_value, ref, needed, leaf, parameter, base, content, given, of)
        )  # fmt: skip

    def _value(
        self, ref: Ref, needed: bool, leaf: bool, parameter: bool, base: int | None,
        data: Captured | None, given: ev.Summary | None, of: int | None,
    ) -> None:  # fmt: skip
        if given is None:
            assert data is not None
            given = summary(data)
        self.recorder.value(
            ref,
            ev.Value(ref.id, ref.storage, ref.version, needed, leaf, parameter, base, given, of),
        )

    # Nodes ---------------------------------------------------------------------------------
    def edge(self, target: Any, tensors: Sequence[Any] = ()) -> tuple[int | None, int]:
        """Return how edges name a target: (node id, output number)."""
        return self.target_of(target, tensors).edge

    def edges(self, slots: Sequence[Any]) -> list[tuple[int | None, int]]:
        """Like ``edge``, of a node's ``slots``, where some may need no gradient."""
        return [(None, 0) if slot is None else self.edge(slot) for slot in slots]

    def target_of(self, target: Any, tensors: Sequence[Any]) -> NodeRef:
        """The identity of a target, emitted if it is new; one of ``tensors`` may be the
        value that it computes the gradient of."""
        ref = self._ref(target)
        if ref.id in self.recorder.nodes:
            return ref
        output = next((x for x in tensors if x._node is target), None)
        return self.target(target, output)

    def target(
        self, target: Any, tensor: TensorBase | None, call: list[int] | None = None
    ) -> NodeRef:
        """Emit a target and all before it that are unknown; ``tensor`` has it as its node, and
        the call made it whose id will be in ``call``."""
        waiting = [(target, tensor)]
        while waiting:  # not recursive: graphs are deep
            each, output = waiting[-1]
            node = each.node if isinstance(each, Output) else each
            nr = each.nr if isinstance(each, Output) else 0
            unknown = [
                child
                for child in (node.next if self._ref(node).id not in self.recorder.nodes else ())
                if self._ref(child).id not in self.recorder.nodes
            ]
            if unknown:
                waiting.extend((child, None) for child in unknown)
                continue
            waiting.pop()
            ref = self._ref(each)
            ref.edge = (ref.id, nr)
            if ref.id not in self.recorder.nodes:
                self._emit_node(node, self._ref(node), output, call if each is target else None)
        found: NodeRef = target._rec
        return found

    def _ref(self, target: Any) -> NodeRef:
        """The target's identity, given now if it has none."""
        ref = target._rec
        if ref is None:
            if isinstance(target, Output):
                ref = NodeRef(target)
                ref.id = self._ref(target.node).id
                ref.edge = (ref.id, target.nr)
            elif isinstance(target, NoGradViewEnd):  # which is never emitted
                ref = NodeRef(target)
                ref.id, ref.edge = self.recorder.ids.node(), (None, 0)
                self.recorder.nodes.add(ref.id)
            else:
                ref = NodeRef(target, self.append)
                ref.id = self.recorder.ids.node()
                self._fresh.add(ref.id)
                ref.edge = (ref.id, 0)
            target._rec = ref
        return ref  # type: ignore[no-any-return]

    def _emit_node(
        self, node: Node, ref: NodeRef, output: TensorBase | None, call: list[int] | None
    ) -> None:
        """Emit a node that was not emitted when it was made, all whose targets are known."""
        self.recorder.nodes.add(ref.id)
        variable = self.current(node.variable).id if isinstance(node, AccumulateGrad) else None
        before = node.op is not None and call is None and self._before(ref)
        outputs: tuple[int, ...] = ()
        if before:
            outputs = self.earlier.outputs(node, ref, output)
        elif output is not None and output._rec is not None:
            outputs = (output._rec.id,)
        # what a CopySlices keeps is kept by the node of the op that wrote the view
        keeper = node.function if isinstance(node, CopySlices) and node.function else node
        saved = self.saved(keeper, output, () if output is None else (output,))
        edges = tuple(self.edges(node.input_targets))
        event = ev.Node(ref.id, type(node).__name__, None, outputs, edges, saved, variable)
        made = None
        if before:
            leaves = [x.variable for x in node.input_targets if isinstance(x, AccumulateGrad)]
            ids = {self.current(leaf).id: leaf for leaf in leaves}
            made = self.earlier.call(node, ref, saved, ids)
        self.append((self._node, ref, event, call, made))

    def _before(self, ref: NodeRef) -> bool:
        """Return whether a node was made before this recording, and is not known here."""
        fresh = ref.id in self._fresh
        self._fresh.discard(ref.id)
        return fresh or ref.id < self._first

    def _node(
        self, ref: NodeRef, event: ev.Node, call: list[int] | None, made: Earlier | None
    ) -> None:
        number = call[0] if call else None
        if made is not None and self.emit_call is not None:
            number = self.emit_call(made)
        self.recorder.node(ref, event._replace(call=number))

    def saved(
        self, node: Node, output: TensorBase | None, outputs: Sequence[TensorBase]
    ) -> tuple[ev.Saved, ...]:
        """Return what a node saved. A custom Function keeps only the arrays of ``outputs``."""
        own = {id(each._data): each for each in outputs} if node.op is None else {}
        found = [
            self._saved(slot, own.get(id(tensor._data), tensor), version, node, output)
            for slot, tensor, version in node.iter_saved()
        ]
        for slot, each in node.iter_packed():
            found.append(ev.Saved(slot, None, None, None, word_of(each.unpack)))
        return tuple(found)

    def _saved(
        self, slot: str, tensor: TensorBase, version: int, node: Node, output: TensorBase | None
    ) -> ev.Saved:
        if tensor._number:
            return ev.Saved(slot, None, None, None, number_text(tensor))
        if node.op is not None and slot in node.op.outputs:
            value = self.earlier.numbers(tensor) if output is None else None
            if value is not None:
                if version_of(tensor) == version == 0:
                    content = summarize(tensor._data)
                    event = ev.Value(value, value, version, True, False, False, None, content)
                    self.append((self.recorder.emit, event))
                return ev.Saved(slot, value, value, version, None)
            tensor = tensor if output is None else output  # the node keeps its array
        ref = self.current(tensor)
        return ev.Saved(slot, ref.id, ref.storage, version, None)


def guarded(method: Callable[..., None]) -> Callable[..., None]:
    """Keep what goes wrong in a method of an adapter from the user's program."""

    @wraps(method)
    def careful(self: Any, *args: Any) -> None:
        try:
            method(self, *args)
        except Exception as error:
            self.fault(error)

    return careful


@cache
def is_parameter(kind: Any) -> bool:
    """Return whether such tensors are ``nn.Parameter``s (which the core does not know)."""
    return kind is not Tensor and kind.__name__ == "Parameter"


def number_text(tensor: TensorBase) -> str:
    """A Python number as the user is likely to have typed it."""
    data: Any = tensor._data  # None: nothing was given
    return str(None if data is None else data).removesuffix(".0")  # by numpy: 0.01 in any type


PLAIN = frozenset({bool, int, float, str, type(None)})


def frozen_params(params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Metadata as it is now, to be made ``texts`` of when the log is read."""
    for value in params.values():
        if value.__class__ not in PLAIN:
            return texts(params)
    return params


def texts(params: Mapping[str, Any]) -> dict[str, str]:
    """Metadata as text, without what was left out; an index tensor by its shape."""
    found = {}
    for name, value in params.items():
        if value is None:
            continue
        text = f"tensor{list(value.shape)}" if isinstance(value, Tensor) else _plain(value)
        found[name] = text[:MAX_TEXT]
    return found


def _plain(value: Any) -> str:
    if isinstance(value, slice):
        parts = ["" if part is None else str(part) for part in (value.start, value.stop)]
        return ":".join([*parts, str(value.step)] if value.step not in (None, 1) else parts)
    if isinstance(value, tuple):
        return ", ".join(map(_plain, value))
    if isinstance(value, Tensor) or (isinstance(value, np.ndarray) and value.size > FEW):
        return f"tensor{list(value.shape)}"
    if isinstance(value, np.ndarray):
        return str(value.tolist())
    return "..." if value is Ellipsis else str(value)
