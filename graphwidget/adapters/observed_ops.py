"""Observes ops: what they are given, make and write.

The methods that run with every op take what must be taken at once and append one tuple to the
recorder's raw records; the events are made of it when the recorder drains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from sys import _getframe
from types import FrameType
from typing import Any

from ..graph.base import NodeBase, TensorBase
from ..graph.listeners import HEARD
from ..graph.node import Node
from ..graph.saved_hooks import contexts as packings
from ..optable import Op
from ..recording import events as ev
from ..recording.positions import Position
from ..recording.recorder import NodeRef, Recorder, Ref
from ..recording.sites import Names
from ..recording.summary import COPIED, SMALL, Captured, capture
from .backward_runs import nothing
from .call_events import Edges, Written
from .error_words import word_of
from .identity import frozen_params, guarded
from .observed_data import ObservedData
from .position_finder import in_optimizers, outside, unobserved
from .sorting import Sorter

NO_NAMES: Names = ()


class ObservedOps(ObservedData):
    """The part of the native adapter that observes ops and optimizers' steps."""

    sorter: Sorter
    on_pulse: Callable[[float], None] | None

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(recorder)
        self._call = self.calls.call
        self._wrote, self._stepped = self.calls.wrote, self.calls.stepped
        self._new_value = recorder.ids.value
        self._new_node = recorder.ids.node
        self._next = 0  # raw records at which to look at the clock again

    @property
    def active(self) -> bool:
        """True if this adapter is the observer."""
        raise NotImplementedError

    def _beat(self) -> None:
        raise NotImplementedError

    # Ops -----------------------------------------------------------------------------------
    @guarded
    def made(self, tensor: TensorBase) -> None:
        frame = outside(_getframe(2))
        position, names = self._position(frame)
        if position is not None and position.initial:
            return
        ref = tensor._rec or self.identity.renew(tensor)
        ref.named = bool(names)
        self.identity.emit_value(tensor, ref)
        self.raw.append((self.calls.made, position, "made", ref.id, names))
        self._beat()

    def called(
        self,
        op: Op,
        inputs: Sequence[Any],
        params: Mapping[str, Any],
        outputs: tuple[TensorBase, ...],
        node: NodeBase | None,
    ) -> None:
        # The hot path: some 2 µs. What is written out here is written out for speed.
        frame = _getframe(2 if _getframe(1).f_code is not HEARD else 3)
        try:
            position, names = self._position(frame)
            if position is not None and position.initial:
                return
            if len(outputs) != 1 or op.variadic:
                self._many(op, inputs, params, outputs, node, frame)
                return
            out = outputs[0]
            data = out._data
            if data.size <= SMALL:
                content: Captured = data.dtype, data.shape, data.tobytes()
            else:
                content = capture(data)
                if data.size > COPIED:
                    self._next = 0  # an op that takes long: look at the clock
            refs = self._refs(inputs)
            if position is not None and position.reads:
                self._read(position, frame, inputs, refs)
            edges = None if node is None else self._made(node, inputs)
            ref = out._rec = Ref(out, self._died)
            ref.id = ref.storage = number = self._new_value()
            ref.version = 0
            ref.named = bool(names)
            self.values.add(number)
            view_of = None
            if out._counter is not None and (node is None or out._view is not None):
                view_of = self.identity.share(out, ref, inputs)
            needed = out._requires_grad is not False
            self.raw.append(
                (
                    self._call, position, op, refs, frozen_params(params),
                    ((ref, content, needed, view_of, names),),
                    node and node._rec, node.__class__, edges, (),
                    word_of(packings.stack[-1][1]) if packings.stack else None,
                )
            )  # fmt: skip
            if len(self.raw) > self._next:
                self._beat()
        except Exception as error:
            self.fault(error)

    def _refs(self, inputs: Sequence[Any]) -> list[Any]:
        """The identities of what a call was given."""
        refs, values = [], self.values
        for tensor in inputs:
            ref = tensor._rec
            if (
                ref is None
                or ref.id not in values
                or ((counter := tensor._counter) is not None and counter.version != ref.version)
            ):
                ref = self.identity.current(tensor)
            refs.append(ref)
        return refs

    def _made(self, node: NodeBase, inputs: Sequence[Any]) -> Edges:
        """Give a new node its identity; its edges."""
        nodes = self.nodes
        edges: Edges = []
        for target in node.next:
            ref = target._rec
            if ref is None or ref.id not in nodes:
                ref = self.identity.target_of(target, inputs)
            edges.append(ref.edge)
        made = node._rec = NodeRef(node, self._died)
        made.id = number = self._new_node()
        made.edge = (number, 0)
        nodes.add(number)
        return edges

    def _many(
        self,
        op: Op,
        inputs: Sequence[Any],
        params: Mapping[str, Any],
        outputs: tuple[TensorBase, ...],
        node: NodeBase | None,
        frame: FrameType,
    ) -> None:
        """Record a call with several outputs, or none, or a list of inputs."""
        if op.variadic:
            inputs = inputs[0]
        refs = self._refs(inputs)
        edges = None if node is None else self._made(node, inputs)
        if not outputs:
            return
        position, _names = self._position(frame)
        if position is not None and position.reads:
            self._read(position, frame, inputs, refs)
        made = []
        for nr, tensor in enumerate(outputs):
            path = (nr,) if len(outputs) > 1 else ()
            position, names = self._position(frame, path)
            ref = self.identity.renew(tensor)
            ref.named = bool(names)
            self.values.add(ref.id)
            view = None if tensor._view is None else self.identity.current(tensor._view.base).id
            made.append((ref, capture(tensor._data), bool(tensor._requires_grad), view, names))
        saved: tuple[ev.Saved, ...] = ()
        packing = word_of(packings.stack[-1][1]) if packings.stack else None
        if node is not None:
            slots = node.input_targets if op.variadic else None
            edges = self.identity.edges(slots) if slots is not None else edges
            if isinstance(node, Node) and node.op is None:  # a custom Function: it alone knows
                saved = self.identity.saved(node, None, outputs)
        self.raw.append(
            (
                self._call, position, op, refs, frozen_params(params), made, node and node._rec,
                node.__class__, edges, saved, packing,
            )
        )  # fmt: skip
        self._beat()

    def wrote(
        self,
        op: Op,
        tensor: TensorBase,
        inputs: Sequence[Any],
        params: Mapping[str, Any],
        base: TensorBase | None,
        node: NodeBase | None,
    ) -> None:
        try:
            frame, names = unobserved(_getframe(1)), NO_NAMES
            if self._step is not None and in_optimizers(frame.f_code.co_filename):
                position: Position | None = self._step
            else:
                position, names = self._position(outside(frame))
            if position is not None and position.initial:
                return
            identity = self.identity
            self._last = nothing
            written = tensor._counter
            refs = [
                identity.before(each) if each._counter is written else identity.current(each)
                for each in inputs[1:]
            ]
            before = identity.before(tensor)
            if position is not None and position.reads:
                self._read(position, frame, [tensor, *inputs[1:]], [before, *refs])
            after = identity.renew(tensor)
            also = self._also_written(tensor if base is None else base)
            pairs = self._follow(also if base is None else (*also, base))
            base_before, base_after = pairs[0] if pairs else (None, None)
            identity.emit_value(tensor, after)
            call: list[int] = []  # ids of calls are given while draining, in the order of the log
            self.raw.append(
                (self._wrote, position, op, before, refs, frozen_params(params), call,
                 after, base_before, base_after, names)
            )  # fmt: skip
            self._emit_followers(pairs[1:])
            if node is not None or base is not None:
                for each in (base, tensor):  # the view's node leads to the base's
                    if each is not None and each._node is not None and each._node._rec is None:
                        identity.target(each._node, each, call)
                        call = []  # a view's own node is no part of the call: it only follows
            if identity.owners:
                for each in (tensor, *also):
                    if each is tensor or each._data is not tensor._data:
                        self.owner_changed(each)
            if len(self.raw) > self._next:
                self._beat()
        except Exception as error:
            self.fault(error)

    def stepped(self, optimizer: Any, parameters: Sequence[TensorBase]) -> None:
        try:
            if self._step is None:
                return  # its first values, or the step began before we came
            self._last = nothing
            identity = self.identity
            written: list[Written] = []
            followers: list[tuple[Ref, Ref]] = []
            for tensor in parameters:
                before, view = identity.before(tensor), tensor._view
                after = identity.renew(tensor)
                also = self._also_written(tensor if view is None else view.base)
                pairs = self._follow(also if view is None else (*also, view.base))
                base_before, base_after = pairs[0] if pairs else (None, None)
                followers += pairs[1:]
                identity.emit_content(tensor, after, capture(tensor._data))
                written.append((before, after, base_before, base_after))
            self.raw.append((self._stepped, self._step, type(optimizer).__name__, written))
            self._emit_followers(followers)
            if len(self.raw) > self._next:
                self._beat()
        except Exception as error:
            self.fault(error)
