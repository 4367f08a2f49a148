"""Observes backward runs: nodes that start and finish, gradients and errors."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import prod
from sys import _getframe
from types import FrameType
from typing import Any

from numpy import ndarray

from ..graph.base import NodeBase, RunBase, TensorBase
from ..graph.errors import ErrorFacts
from ..optable import TABLE
from ..recording import events as ev
from ..recording.looking import message_of
from ..recording.positions import Position
from ..recording.recorder import NodeRef, Recorder
from ..recording.summary import SMALL, Captured, capture, summary
from .call_events import CallEvents, edge_and_saved_indices
from .identity import Identity, guarded
from .local_derivatives import FIRST_NODES, MAX_ITEMS, Copied, copied, matrices
from .module_paths import ModuleNames
from .raised_calls import position_of, raised_call, way_to_absent
from .scopes import Scopes

Grads = tuple[Captured | None, ...]


class BackwardRuns:
    """The part of the native adapter that observes backward runs."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.scopes = Scopes(recorder)
        self.calls = CallEvents(recorder, self.scopes)
        self.identity = Identity(recorder)
        self.identity.emit_call = self.calls.earlier
        self.modules = ModuleNames()
        self.erred = False
        """True if the program got errors of this engine, which explain themselves."""
        self.raw = recorder.raw
        self.values = recorder.values
        self.nodes = recorder.nodes
        # One object each, not a new one for every record: a garbage collection looks at them all.
        self._starts, self._finishes, self._runs = self._start, self._finish, self._ran
        self._accumulates, self._emits_grad = self._accumulated, self._emit_grad
        self._started: Any = None  # the record of the node that started last
        self._died = self.identity.append
        self._left = 0  # nodes of this run whose local derivatives are still computed
        self._local: list[ev.Matrix | None] | None = None  # of the node that started last
        self._last: Callable[[], Any] = nothing
        """The array captured last, by a weak reference."""
        self._last_captured: Grads = ()  # as that of a node with one

    def fault(self, error: BaseException) -> None:
        raise NotImplementedError

    def position(self, frame: FrameType | None = None) -> Position | None:
        raise NotImplementedError

    def _name_root(self, position: Position, root: TensorBase | None) -> None:
        raise NotImplementedError

    # The run -------------------------------------------------------------------------------
    def run_begins(self, run: RunBase) -> None:
        if run._rec is not None:
            return  # a live run: it was emitted when it paused before its first node
        try:
            position = self.position(_getframe(2))  # the engine's own frame is always there
            identity = self.identity
            roots: list[tuple[int | None, int]] = []
            tensors = run.tensors or (None,) * len(run.roots)
            for tensor, target in zip(tensors, run.roots, strict=True):
                value = None if tensor is None else identity.current(tensor).id
                given = () if tensor is None else (tensor,)
                roots.append((value, identity.target_of(target, given).id))
            inputs = run.inputs
            if inputs is not None:
                inputs = tuple([identity.current(each).id for each in inputs])
            run._rec = self.recorder.ids.run()
            self._left = FIRST_NODES
            event = ev.Backward(
                run._rec, tuple(roots), bool(run.retain_graph), bool(run.create_graph),
                bool(run.live), inputs, None, self._begins_with(run),
            )  # fmt: skip
            if position is not None and len(tensors) == 1:
                self._name_root(position, tensors[0])
            self.raw.append((self._begin, position, "backward", event))
        except Exception as error:
            self.fault(error)

    def _begins_with(self, run: RunBase) -> tuple[ev.Summary | None, ...] | None:
        """The gradients that a run begins with, unless it is the 1 of a single number."""
        if len(run.roots) == 1 and not run.given:
            return None
        return tuple([None if each is None else summary(each) for each in self.take(run.seeds)])

    def node_starts(self, run: RunBase, node: NodeBase, grads: tuple[Any, ...]) -> None:
        try:
            taken = self.take(grads)
            ref = node._rec
            if ref is None or ref.id not in self.nodes:
                ref = self.identity.target(node, None)
            local = self._local_of(node, taken)
            self._started = started = (self._starts, run._rec, ref, taken, local)
            self.raw.append(started)
        except Exception as error:
            self.fault(error)

    def _local_of(self, node: NodeBase, taken: Grads) -> Copied | None:
        """Return the data for the local derivatives of a node that starts, if they are wanted."""
        if self._left > 0 and node.op is not None and len(taken) == 1:
            grad = taken[0]
            if grad is not None and _items(grad[1]) <= MAX_ITEMS:
                self._left -= 1
                return copied(node)
        return None

    def node_finishes(
        self, run: RunBase, node: NodeBase, grads: tuple[Any, ...], freed: bool
    ) -> None:
        try:
            taken = self.take(grads)
            op, raw, started = node.op, self.raw, self._started
            indices = slots(node) if op is None or op.variadic else None
            finished = (run._rec, node._rec, freed, node.__class__, indices, taken)
            if raw and raw[-1] is started:  # nothing came in between
                raw[-1] = (self._runs, *finished, *started[3:])
            else:
                raw.append((self._finishes, *finished))
        except Exception as error:
            self.fault(error)

    def leaf_ran(self, run: RunBase, node: Any, grad: Any) -> None:
        try:
            grads = self.take((grad,))
            ref = node._rec
            if ref is None or ref.id not in self.nodes:
                ref = self.identity.target(node, None)
            record = self._grad(node.variable, "accumulated", grads[0], run._rec)
            self.raw.append((self._accumulates, run._rec, ref, False, grads, record))
        except Exception as error:
            self.fault(error)

    @guarded
    def run_ends(self, run: RunBase, status: str, error: BaseException | None) -> None:
        if error is not None:
            self._failed(error, run._rec, run.current)
        self.raw.append((self.recorder.emit, ev.Done(run._rec, status)))

    # Gradients and flags -------------------------------------------------------------------
    def accumulated(self, run: RunBase, tensor: TensorBase, how: str, added: Any) -> None:
        try:
            record = self._grad(tensor, how, self.take((added,))[0], run._rec)
            self.raw.append((self._emits_grad, *record))
        except Exception as error:
            self.fault(error)

    @guarded
    def grad_assigned(self, tensor: TensorBase) -> None:
        how = "cleared" if tensor._grad is None else "assigned"
        self.raw.append((self._emits_grad, *self._grad(tensor, how, None, None)))

    def owner_changed(self, written: TensorBase) -> None:
        """Emit the new value of a ``.grad`` that was written in place."""
        owner = self.identity.owner(written)
        if owner is not None:
            how = "assigned" if written._data.any() else "zeroed"
            self.raw.append((self._emits_grad, *self._grad(owner, how, None, None)))

    def _grad(
        self, tensor: TensorBase, how: str, added: Captured | None, run: int | None
    ) -> tuple[Any, ...]:
        """The fields of the event of a tensor's ``.grad``, to which was ``added``."""
        ref, grad = self.identity.current(tensor), tensor._grad
        value = content = None
        if grad is not None:
            # a first gradient often is the very array that was added
            content = added if added and grad._data is self._last() else capture(grad._data)
            known = grad._rec is not None and grad._rec.id in self.values
            if known:  # its card shows what was added
                self.identity.current(grad)
            if grad._node is not None:
                value = self.identity.current(grad).id
            owners = self.identity.owners
            if len(owners) > 1_000:
                owners.clear()
            owners[id(grad._data)] = weakref.ref(tensor), content
        return ref.id, how, content, added, run, value

    @guarded
    def flagged(self, tensor: TensorBase) -> None:
        ref = self.identity.current(tensor)
        needed = bool(tensor._requires_grad)
        if not needed:
            self.identity.emit_value(tensor, ref)  # a detached tensor is a leaf now
        retains = tensor._node is not None and tensor.retains_grad
        self.raw.append((self.recorder.emit, ev.Flag(ref.id, needed, retains)))

    # Errors --------------------------------------------------------------------------------
    @guarded
    def failed(self, error: BaseException) -> None:
        self._failed(error, None, None)

    def _failed(self, error: BaseException, run: int | None, running: NodeBase | None) -> None:
        """Emit an error: of a run, in which the node ``running`` was at work or about to be."""
        facts: ErrorFacts | None = getattr(error, "facts", None)
        kind, help = ("other", ()) if facts is None else (facts.kind, facts.help)
        value = storage = None
        versions: list[int] = []
        at = running if facts is None or facts.node is None else facts.node
        node = None if at is None else self.identity.edge(at)[0]
        if facts is not None:
            tensor = facts.tensor
            if tensor is not None and facts.slot is not None and tensor._rec is None:
                storage = self.identity.storage_of(tensor)  # only its node has it
            elif tensor is not None:
                ref = self.identity.current(tensor)
                value, storage = ref.id, ref.storage
            versions = [write.version for write in facts.writes]
        event = ev.Error(
            kind, type(error).__name__, message_of(error), tuple(help), run, node,
            getattr(facts, "slot", None), value, getattr(facts, "expected", None),
            getattr(facts, "found", None), (), None, None, (), None,
        )  # fmt: skip
        self.erred = True
        self.raw.append((self._error, None, event, storage, versions, self.position()))

    @guarded
    def raised(self, error: BaseException) -> None:
        """After an error that ended a cell, emit the call of this package that raised it, unless
        the error is in the log."""
        call = None if hasattr(error, "facts") else raised_call(error)
        if call is None:
            self._asked_for_absent(error)
            return
        inputs = tuple(self.identity.current(tensor).id for tensor in call.inputs)
        event = ev.Error(
            "call", type(error).__name__, message_of(error), (), None, None, None, None, None, None,
            (), None, call.op, inputs, self.modules.scope_of(call.module),
        )  # fmt: skip
        self.erred = True
        position = position_of(call.way, call.module, self.recorder.sites)
        self.raw.append((self._raised, position, event))

    def _asked_for_absent(self, error: BaseException) -> None:
        """Record that the program asked for a name that only PyTorch has."""
        way = way_to_absent(error)
        if not way:
            return
        event = ev.Error(
            "other", type(error).__name__, str(error), (), None, None, None, None, None, None, (),
            None, None, (), None,
        )  # fmt: skip
        self.erred = True
        self.raw.append((self._raised, position_of(way, None, self.recorder.sites), event))

    # While draining ------------------------------------------------------------------------
    def _begin(self, position: Position | None, _what: str, event: ev.Backward) -> None:
        if self.recorder.lost:
            self.calls.recall(value for value, _node in event.roots)
        source = None if position is None else self.recorder.source(position.site)
        self.recorder.emit(event._replace(source=source))

    def _error(
        self, _: None, event: ev.Error, storage: int, versions: Iterable[int],
        position: Position | None,
    ) -> None:  # fmt: skip
        times = (self.calls.write_times.get((storage, version)) for version in versions)
        writes = tuple(time for time in times if time is not None)
        source = None if position is None else self.recorder.source(position.site)
        self.recorder.emit(event._replace(writes=writes, source=source))

    def _raised(self, position: Position, event: ev.Error) -> None:
        op = None if event.op is None else TABLE.get(event.op)
        if op is not None:
            self.calls.define(op)
        self.calls.recall(event.inputs)
        scope = self.scopes.current if event.scope is None else event.scope
        self.recorder.emit(event._replace(source=self.recorder.source(position.site), scope=scope))

    def _start(self, run: int, node: NodeRef, grads: Grads, local: Copied | None) -> None:
        self.recorder.emit(ev.Start(run, node.id, self._summaries(grads)))
        self._local = None
        if local is not None and grads[0] is not None:
            self._local = matrices(local, grads[0])

    def _ran(
        self, run: int, node: NodeRef, freed: bool, cls: Any, indices: Sequence[int | None] | None,
        into: Grads, out: Grads, local: Copied | None,
    ) -> None:  # fmt: skip
        """A node started and finished, and nothing happened meanwhile."""
        self._start(run, node, out, local)
        self._finish(run, node, freed, cls, indices, into)

    def _accumulated(
        self, run: int, node: NodeRef, _freed: bool, grads: Grads, record: tuple[Any, ...]
    ) -> None:
        """Like ``_ran``, of a leaf's node, which adds to its gradient."""
        self._start(run, node, grads, None)
        self._emit_grad(*record)
        self.recorder.emit(ev.Finish(run, node.id, (), None))

    def _finish(
        self, run: int, node: NodeRef, freed: bool, cls: Any,
        indices: Sequence[int | None] | None, grads: Grads,
    ) -> None:  # fmt: skip
        if indices is None:
            indices = edge_and_saved_indices(cls)[0]
        summaries = self._summaries(grads)
        every = tuple([None if at is None else summaries[at] for at in indices])
        local, found = self._local, None
        if local is not None:
            found = tuple([None if at is None else local[at] for at in indices])
            self._local = None
        self.recorder.emit(ev.Finish(run, node.id, every, found))
        if freed:
            self.recorder.free(node.id)

    def _emit_grad(
        self, value: int, how: str, data: Captured | None, added: Captured | None,
        run: int | None, grad_value: int | None,
    ) -> None:  # fmt: skip
        if self.recorder.lost:
            self.calls.recall((value,))
        summaries = None if data is None else summary(data)
        more = None if added is None else self.summarized(added)
        self.recorder.emit(ev.Grad(value, how, summaries, more, run, grad_value))

    # Arrays --------------------------------------------------------------------------------
    def take(self, grads: Sequence[Any]) -> Grads:
        """Capture gradients (arrays, Tensors under create_graph, or None)."""
        if len(grads) == 1:
            grad = grads[0]
            if grad is self._last() is not None:
                return self._last_captured  # most nodes start with what another finished with
            if grad.__class__ is ndarray and grad.size <= SMALL:
                self._last = weakref.ref(grad)
                self._last_captured = ((grad.dtype, grad.shape, grad.tobytes()),)
                return self._last_captured
        taken: list[Captured | None] = []
        for grad in grads:
            if grad is None:
                taken.append(None)
                continue
            # Before another array is captured nothing can be added to the last one in its memory.
            if grad is not self._last():
                data = grad if grad.__class__ is ndarray else getattr(grad, "_data", grad)
                captured = capture(data)
                self._last = weakref.ref(grad) if grad.__class__ is ndarray else nothing
                self._last_captured = (captured,)
            taken += self._last_captured
        return tuple(taken)

    def _summaries(self, grads: Grads) -> tuple[ev.Summary | None, ...]:
        return tuple([None if grad is None else self.summarized(grad) for grad in grads])

    _summarized: tuple[Captured | None, ev.Summary | None] = (None, None)

    def summarized(self, captured: Captured) -> ev.Summary:
        """``summary``, made once for what was captured once."""
        known, found = self._summarized
        if captured is not known or found is None:
            found = summary(captured)
            self._summarized = captured, found
        return found


def nothing() -> None:
    """Return None: the array is gone, or may have been written."""


_items = cache(prod)
"""The number of items of an array of a shape."""


def slots(node: NodeBase) -> list[int | None]:
    """For each differentiable input, its index in ``next``; None where none needs a gradient."""
    following = iter(range(len(node.next)))
    return [None if slot is None else next(following) for slot in node.input_targets]
