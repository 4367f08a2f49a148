"""The adapter of graphwidget's own engine: hears what it does and writes it down.

The methods that run with every op take what must be taken at once and append one tuple to the
recorder's raw records; the events are made of it when the recorder drains. Nothing that goes
wrong here may reach the user's program: an internal failure is reported once and the adapter
takes itself away.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from sys import _getframe
from time import monotonic
from types import FrameType
from typing import Any, Self

from ..graph import listeners
from ..graph.base import NodeBase, TensorBase
from ..graph.listeners import HEARD
from ..graph.node import Node
from ..graph.version import version_of
from ..optable import Op
from ..recording import events as ev
from ..recording.positions import Position
from ..recording.recorder import NodeRef, Recorder, Ref
from ..recording.sites import Names
from ..recording.summary import COPIED, Captured, capture, detailed_summary, statistics
from .backward_runs import nothing
from .call_events import Edges, Written
from .error_words import stopped, words_of_saved
from .heard_grad_calls import HeardGradCalls
from .identity import frozen_params, guarded
from .library_results import named_by_call
from .position_finder import in_optimizers, ours, outside, unheard
from .raw_records import MADE
from .scope_marks import Given
from .sorting import Sorter

BETWEEN, QUICK = 64, 0.002
"""Raw records between two looks at the clock, as long as they come within so many seconds."""

NO_NAMES: Names = ()


class NativeAdapter(HeardGradCalls):
    """Observes the core and records into ``recorder``.

    ``on_pulse``, when set, is called while ops run, in the thread that runs them, for whoever
    shows them live: with 0 about every 50 ms, and in between with the seconds still to wait.
    """

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(recorder)
        self.on_pulse: Callable[[float], None] | None = None
        self._call = self.calls.call
        self._settle, self._perhaps = self.calls.settle, self.calls.perhaps
        self._wrote, self._stepped = self.calls.wrote, self.calls.stepped
        self._new_value = recorder.ids.value
        self._new_node = recorder.ids.node
        self._looked = 0.0
        self._next = 0  # raw records at which to look at the clock again
        self.sorter = Sorter(recorder, self.scopes)
        self.sorter.settling.add(self._settle)
        self.sorter.named.update({
            self._call: _named, self._gives: _named, self._perhaps: named_by_call,
        })  # fmt: skip
        self.sorter.kinds.update({
            self._call: "call", self._gives: "call", self.identity.told: "value",
            self._begin: "begin",
            self._finishes: "finish", self._runs: "finish", self._accumulates: "finish",
            self._starts: "run", self._tells_grad: "run", self._error: "error",
            self._perhaps: "turn", self.calls.made: "turn", self._wrote: "turn",
            self._stepped: "turn", self._unpacked: "turn",
        })  # fmt: skip
        self.faults: list[str] = []
        """What went wrong in here, in sentences."""

    def fork(self) -> Self:
        """An adapter that goes on from here with a log of its own (see ``Recorder.fork``)."""
        self.drain()
        other = type(self)(self.recorder.fork())
        other.calls.bindings.update(self.calls.bindings)
        other.calls.write_times.update(self.calls.write_times)
        other.erred = self.erred
        return other

    # Switching on and off ------------------------------------------------------------------
    def start(self) -> None:
        """Observe from now on; whoever observed before is replaced."""
        listeners.set_observer(self)

    def stop(self) -> None:
        """Observe no more (unless another has taken over already)."""
        if listeners.get_observer() is self:
            listeners.set_observer(None)

    @property
    def active(self) -> bool:
        """Whether this adapter is the observer."""
        return listeners.get_observer() is self

    @contextmanager
    def observing(self, commanded: bool = False) -> Iterator[None]:
        """Observe within the block, whoever observes outside of it. What a command of the page
        does (``commanded``) stands on no line of the program."""
        before = listeners.get_observer()
        listeners.set_observer(self)
        self._commanded, outer = commanded or self._commanded, self._commanded
        try:
            yield
        finally:
            self._commanded = outer
            listeners.set_observer(before)

    def fault(self, error: BaseException) -> None:
        """Recording has failed: say it once and leave the user's program alone."""
        self.stop()
        self.faults.append(stopped(error))
        with suppress(Warning):  # the program may make errors of warnings
            warnings.warn(self.faults[-1], stacklevel=3)

    def drain(self) -> None:
        """Make events of all that happened so far, but for turns of loops in the middle."""
        self._next = 0
        try:
            self.recorder.drain()
        except Exception as error:
            self.fault(error)

    def settle(self) -> None:
        """The program is between two statements: a call that was going on is over."""
        self.raw.append((self._settle, None))

    # Ops -----------------------------------------------------------------------------------
    @guarded
    def made(self, tensor: TensorBase) -> None:
        frame = outside(_getframe(2))
        position, names, late = self._position(frame)
        if position is not None and position.initial:
            return
        ref = tensor._rec or self.identity.renew(tensor)
        self.identity.tell_value(tensor, ref)
        self.raw.append((self.calls.made, position, "made", ref.id, names))
        if late and frame.f_back is not None and not ours(frame.f_back.f_code.co_filename):
            content = capture(tensor._data)
            self.raw.append((self._perhaps, None, ref, position, late, content, True))
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
        try:
            raw = self.raw
            values = self.values
            frame = _getframe(2 if _getframe(1).f_code is not HEARD else 3)
            position, names, late = self._position(frame)
            if position is not None and position.initial:
                return
            refs = []
            if op.variadic:
                inputs = inputs[0]
            for tensor in inputs:
                ref = tensor._rec
                if (
                    ref is None
                    or ref.id not in values
                    or ((counter := tensor._counter) is not None and counter.version != ref.version)
                ):
                    ref = self.identity.current(tensor)
                refs.append(ref)
            edges = None if node is None else self._made(node, inputs)
            if len(outputs) != 1 or op.variadic:
                self._many(op, refs, params, outputs, node, edges, frame)
                return
            out = outputs[0]
            ref = out._rec = Ref(out, self._died)
            ref.id = ref.storage = number = self._new_value()
            ref.version = 0
            values.add(number)
            view_of = None
            if out._counter is not None and (node is None or out._view is not None):
                view_of = self.identity.share(out, ref, inputs)
            data = out._data
            if data.size <= COPIED:
                captured: Captured = data.dtype, data.shape, data.tobytes()
            else:
                captured = data.dtype, data.shape, statistics(data)
                self._next = 0  # an op that takes long: look at the clock
            raw.append(
                (
                    self._call, position, op, refs, frozen_params(params),
                    ((ref, captured, out._requires_grad is not False, view_of, names),),
                    node and node._rec, node.__class__, edges,
                )
            )  # fmt: skip
            if late:
                raw.append((self._perhaps, None, ref, position, late, captured, True))
            if len(raw) > self._next:
                self._beat()
        except Exception as error:
            self.fault(error)

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
        refs: list[Any],
        params: Mapping[str, Any],
        outputs: tuple[TensorBase, ...],
        node: NodeBase | None,
        edges: Edges | None,
        frame: FrameType,
    ) -> None:
        """A call with several outputs, or none, or a list of inputs."""
        if not outputs:
            return
        made = []
        for nr, tensor in enumerate(outputs):
            path = (nr,) if len(outputs) > 1 else ()
            position, names, late = self._position(frame, path)
            ref = self.identity.renew(tensor)
            self.values.add(ref.id)
            view = None if tensor._view is None else self.identity.current(tensor._view.base).id
            made.append(
                (ref, capture(tensor._data), bool(tensor._requires_grad), view, names or late)
            )
        saved: tuple[ev.Saved, ...] = ()
        if node is not None:
            slots = node.input_targets if op.variadic else None
            edges = self.identity.edges(slots) if slots is not None else edges
            if isinstance(node, Node) and node.op is None:  # a custom Function: it alone knows
                saved = self.identity.saved(node, None, outputs)
        self.raw.append(
            (
                self._call, position, op, refs, frozen_params(params), made, node and node._rec,
                node.__class__, edges, saved,
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
            frame, names = unheard(_getframe(1)), NO_NAMES
            if self._step is not None and in_optimizers(frame.f_code.co_filename):
                position: Position | None = self._step
            else:
                position, names, _late = self._position(outside(frame))
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
            after = identity.renew(tensor)
            base_before = base_after = None
            if base is not None:
                base_before, base_after = identity.before(base), identity.renew(base)
                identity.tell_value(base, base_after)
            identity.tell_value(tensor, after)
            call: list[int] = []  # ids of calls are given while draining, in the order of the log
            self.raw.append(
                (self._wrote, position, op, before, refs, frozen_params(params), call,
                 after, base_before, base_after, names)
            )  # fmt: skip
            if node is not None or base is not None:
                for each in (base, tensor):  # the view's node leads to the base's
                    if each is not None and each._node is not None and each._node._rec is None:
                        identity.target(each._node, each, call)
                        call = []  # a view's own node is no part of the call: it only follows
            if identity.owners:
                self.owner_changed(tensor)
            if len(self.raw) > self._next:
                self._beat()
        except Exception as error:
            self.fault(error)

    def stepped(self, optimizer: Any, parameters: Sequence[TensorBase]) -> None:
        try:
            if self._step is None:
                return  # its first values, or the step began before we came
            identity = self.identity
            self._last = nothing
            written: list[Written] = []
            for tensor in parameters:
                before, view = identity.before(tensor), tensor._view
                after = identity.renew(tensor)
                base_before = base_after = None
                if view is not None:
                    base_before, base_after = identity.before(view.base), identity.renew(view.base)
                    identity.tell_value(view.base, base_after)
                identity.tell_value(tensor, after)
                written.append((before, after, base_before, base_after))
            self.raw.append((self._stepped, self._step, type(optimizer).__name__, written))
            if len(self.raw) > self._next:
                self._beat()
        except Exception as error:
            self.fault(error)

    # What is not heard but asked -----------------------------------------------------------
    @guarded
    def bind(self, names: Iterable[tuple[str, str, TensorBase]]) -> None:
        """Record what variables are bound to, as far as it is known of and new."""
        for scope, name, tensor in names:
            ref, earlier = tensor._rec, self.identity.earlier
            if not earlier.knows(tensor._node) if ref is None else ref.id not in self.values:
                continue  # nothing was done with it while we recorded
            ref = self.identity.current(tensor)
            self.raw.append((self.calls.rebound, ref.id, scope, name))

    def peek(self, tensor: TensorBase) -> None:
        """Tell more of a value's numbers than is told of every value."""
        ref = self.identity.current(tensor)
        self.identity.tell_value(tensor, ref, detailed_summary(tensor._data))

    def value_of(self, tensor: TensorBase) -> int | None:
        """The value that the tensor is in this recording; None when it does not know it, or is over
        and has not heard what became of it since."""
        ref = tensor._rec
        if ref is None or ref.id not in self.values:
            return None
        if self.active:
            ref = self.identity.current(tensor)
        self.drain()
        heard = ref.version == version_of(tensor)
        return ref.id if heard and self.recorder.shows(ref.id, tensor._node) else None

    def object(self, value: int) -> Any:
        """The tensor that is the value, or None when there is none any more."""
        return self.recorder.object(value)

    def describe_saved(self, node: NodeBase, slot: str) -> tuple[str, str] | None:
        """The variable's name for what a node saved, and the line that made the node."""
        try:
            self.drain()
            return words_of_saved(self.recorder.log.model(), node._rec.id, slot)
        except Exception:  # it only adds to an error message
            return None

    # Now and then --------------------------------------------------------------------------
    def _beat(self) -> None:
        """Now and then: let those who watch look, and keep the raw records few."""
        now = monotonic()
        if len(self.raw) > self.sorter.most:
            self.sorter.sift()
        if self.on_pulse is not None:
            self.sorter.pulse(self.on_pulse, now)
        # quick ops are counted, the clock is looked at after each slow one
        self._next = len(self.raw) + (BETWEEN if now - self._looked < QUICK else 0)
        self._looked = now


def _named(record: Any) -> Sequence[Given]:
    """What a call gives names to."""
    return [(ref.id, names, data) for ref, data, _needs, _view_of, names in record[MADE] if names]
