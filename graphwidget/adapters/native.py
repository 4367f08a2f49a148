"""The native adapter: hears the core and writes down what happened.

The methods that run with every op take what must be taken at once and append one tuple to the
recorder's raw records; the events are made of it when the recorder drains. Nothing that goes
wrong here may reach the user's program: an internal failure is reported once and the adapter
takes itself away.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from sys import _getframe
from time import monotonic
from types import FrameType
from typing import Any

from ..arrays.call_sites import PACKAGE
from ..graph import errors as core_errors
from ..graph import listeners
from ..graph.base import NodeBase, TensorBase
from ..optable import Op
from ..recording import events as ev
from ..recording.fold import Model
from ..recording.recorder import MAX_RAW, NodeRef, Recorder, Ref
from ..recording.sites import Names, Site, cell_of
from ..recording.summary import SMALL, capture, peek, statistics
from .calls import Edges
from .identity import guarded, texts
from .runs import Runs

PULSE = 0.05
"""Seconds between two calls of ``on_pulse`` while the program runs."""

BETWEEN, QUICK = 16, 0.002
"""Raw records between two looks at the clock, as long as they come within so many seconds."""

NOTHING: dict[str, str] = {}


class NativeAdapter(Runs):
    """Observes the core and records into ``recorder``.

    ``on_pulse``, when set, is called while ops run, in the thread that runs them, for whoever
    shows them live: with 0 about every 50 ms, and in between with the seconds still to wait.
    """

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(recorder)
        self.on_pulse: Callable[[float], None] | None = None
        self._call = self.calls.call
        self._new_value = recorder.ids.value
        self._new_node = recorder.ids.node
        self._commanded = False
        self._due = monotonic() + PULSE
        self._looked = 0.0
        self._next = 0  # raw records at which to look at the clock again
        self._sites: dict[tuple[int, int], Site] = {}  # those that need no look at their callers
        self._scopes: list[int] = []
        self._scope: int | None = None

    def fork(self) -> NativeAdapter:
        """An adapter that goes on from here with a log of its own (see ``Recorder.fork``)."""
        self.drain()
        other = NativeAdapter(self.recorder.fork())
        other.calls.bindings.update(self.calls.bindings)
        other.calls.write_times.update(self.calls.write_times)
        other.identity.storages = self.identity.storages
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
        warnings.warn(
            f"graphwidget stopped recording after an internal error: {error!r}", stacklevel=3
        )

    def drain(self) -> None:
        """Make events of all that happened so far."""
        self._next = 0
        try:
            self.recorder.drain()
        except Exception as error:
            self.fault(error)

    def settle(self) -> None:
        """The program is between two statements: a call that was going on is over."""
        self.raw.append((self.calls.settle,))

    # Ops -----------------------------------------------------------------------------------
    @guarded
    def made(self, tensor: TensorBase) -> None:
        frame = _outside(_getframe(2))
        site, names, late = self._place(frame)
        ref = tensor._rec or self.identity.renew(tensor)
        self.identity.tell_value(tensor, ref)
        self.raw.append((self.calls.bound, ref.id, names))
        if late and frame.f_back is not None and not _ours(frame.f_back.f_code.co_filename):
            self.raw.append((self.calls.perhaps, ref, site, late))
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
                self._many(op, refs, params, outputs, node, edges, _caller(_getframe(2)))
                return
            out = outputs[0]
            ref = out._rec = Ref(out, self._died)
            ref.id = ref.storage = self._new_value()
            ref.version = 0
            values.add(ref.id)
            view_of = None
            if out._counter is not None and (node is None or out._view is not None):
                view_of = self.identity.share(out, ref, inputs)
            frame = _getframe(2)
            site = self._sites.get((id(frame.f_code), frame.f_lasti))
            if site is None:
                frame = _caller(frame)
                site, names, late = self._place(frame)
            else:
                names, late = site.names, None
            data = out._data
            if data.size <= SMALL:
                content: bytes | ev.Stats = data.tobytes()
            else:
                content = statistics(data)
                self._next = 0  # an op that takes long: look at the clock
            raw.append(
                (
                    self._call, op, refs, texts(params) if params else NOTHING,
                    ((ref, (data.dtype, data.shape, content), out._requires_grad is not False,
                      view_of, names),),
                    node and node._rec, node.__class__, edges, self._scope, site,
                )
            )  # fmt: skip
            if late:
                raw.append((self.calls.perhaps, ref, site, late))
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
            site, names, late = self._place(frame, path)
            ref = self.identity.renew(tensor)
            self.values.add(ref.id)
            view = None if tensor._view is None else self.identity.current(tensor._view.base).id
            made.append(
                (ref, capture(tensor._data), bool(tensor._requires_grad), view, names or late)
            )
        if node is not None:
            slots = node.input_targets if op.variadic else None
            edges = self.identity.edges(slots) if slots is not None else edges
        self.raw.append(
            (self._call, op, refs, texts(params), made, node and node._rec, node.__class__, edges,
             self._scope, site)
        )  # fmt: skip
        self._beat()

    @guarded
    def wrote(
        self,
        op: Op,
        tensor: TensorBase,
        inputs: Sequence[Any],
        params: Mapping[str, Any],
        base: TensorBase | None,
        node: NodeBase | None,
    ) -> None:
        site, names, _late = self._place(_outside(_getframe(2)))
        identity = self.identity
        others = [identity.current(each) for each in inputs[1:]]
        before = identity.before(tensor)
        after = identity.renew(tensor)
        base_before = base_after = None
        if base is not None:
            base_before, base_after = identity.before(base).id, identity.renew(base).id
            identity.tell_value(base, base._rec)
        identity.tell_value(tensor, after)
        event = ev.Write(
            after.storage, after.version, before.id, after.id, base_before, base_after, None, None
        )
        ids = (before.id, *(ref.id for ref in others))
        call: list[int] = []  # ids of calls are given while draining, in the order of the log
        given = (op, ids, texts(params), call, event, self._scope, site, names)
        self.raw.append((self.calls.wrote, *given))
        for written in (base, tensor):  # the view's node leads to the base's
            if written is not None and written._node is not None and written._node._rec is None:
                identity.target(written._node, written, call)
                call = []  # a view's own node is no part of the call: it only follows
        self.owner_changed(tensor)
        self._beat()

    @guarded
    def scope(self, kind: str, name: str, open: bool) -> None:
        if open:
            number = self.recorder.ids.scope()
            event = ev.Scope(number, self._scope, kind, name, True)
            self._scopes.append(number)
        elif self._scopes:
            number = self._scopes.pop()
            event = ev.Scope(number, None, kind, name, False)
        else:
            return  # it began before we came
        self._scope = self._scopes[-1] if self._scopes else None
        self.raw.append((self.recorder.tell, event))

    # What is not heard but asked -----------------------------------------------------------
    @guarded
    def bind(self, names: Iterable[tuple[str, str, TensorBase]]) -> None:
        """Record what variables are bound to, as far as it is known of and new."""
        for scope, name, tensor in names:
            if tensor._rec is None or tensor._rec.id not in self.values:
                continue  # nothing was done with it while we recorded
            ref = self.identity.current(tensor)
            self.raw.append((self.calls.rebound, ref.id, scope, name))

    def peek(self, tensor: TensorBase) -> None:
        """Tell more of a value's numbers than is told of every value."""
        ref = self.identity.current(tensor)
        self.identity.tell_value(tensor, ref, peek(tensor._data))

    def saved_at(self, node: NodeBase, slot: str) -> tuple[str, str] | None:
        """The variable's name for what a node saved, and the line that made the node."""
        try:
            self.drain()
            return words_of_saved(self.recorder.log.model(), node._rec.id, slot)
        except Exception:  # it only adds to an error message
            return None

    # Where and when ------------------------------------------------------------------------
    def place(self) -> Site | None:
        """Where the user's program stands."""
        return self._place(_getframe(1))[0]

    def _place(
        self, frame: FrameType, path: tuple[int, ...] = ()
    ) -> tuple[Site | None, Names, Names]:
        """The user's line that made the call which ``frame`` is making; the names that the part
        ``path`` of the result is about to get; and, where its trail is lost inside this package,
        those that the result of the user's call gets, which it may be."""
        where: FrameType | None = frame
        while where is not None and _ours(where.f_code.co_filename):
            where = where.f_back
        if where is None or self._commanded:
            return None, (), ()
        sites = self.recorder.sites
        site = sites.at(where.f_code, where.f_lasti)
        names, end = sites.names(frame, path, _ours)
        if where is frame and not path and site.binding(()).returned is None:
            site.names = names
            self._sites[id(site.code), site.lasti] = site
        late = sites.names(where, path, _ours)[0] if _ours(end.f_code.co_filename) else ()
        return site, names, late

    def _beat(self) -> None:
        """Now and then: let those who watch look, and keep the raw records few."""
        now = monotonic()
        if len(self.raw) > MAX_RAW:
            self.recorder.skim()
        if self.on_pulse is not None:
            self.on_pulse(max(0.0, self._due - now))
            if now > self._due:
                # a picture that takes long to make must not take the program's time
                self._due = monotonic() + max(PULSE, 4 * (monotonic() - now))
        # quick ops are counted, the clock is looked at after each slow one
        self._next = len(self.raw) + (BETWEEN if now - self._looked < QUICK else 0)
        self._looked = now


def model_of(tensor: TensorBase) -> tuple[Model, int]:
    """The model that shows the tensor, and its value there: of the recording in force if it
    knows the tensor, else what the tensor's own graph tells."""
    adapter = listeners.get_observer()
    if not isinstance(adapter, NativeAdapter) or tensor._rec is None:
        adapter = NativeAdapter(Recorder())
    ref = adapter.identity.current(tensor)
    adapter.recorder.drain()
    return adapter.recorder.log.model(), ref.id


def words_of_saved(model: Model, node: int, slot: str) -> tuple[str, str]:
    """``("b", "`loss = (b * b).mean()` (cell 3, line 2)")``; what is unknown is empty."""
    row = model.nodes[node]
    saved = next((each for each in row["saved"] if each["slot"] == slot), None)
    value = model.values.get(saved["value"]) if saved is not None else None
    name = value["names"][-1][1] if value is not None and value["names"] else ""
    call = model.calls.get(row["call"])
    source = model.sources.get(call["source"]) if call is not None else None
    if source is None:
        return name, ""
    place = _words(source["cell"], source["file"], source["line"])
    return name, f"`{source['text']}` ({place})"


def _words(cell: int | None, file: str | None, line: int) -> str:
    """A place in words: ``cell 3, line 2``."""
    return f"{f'cell {cell}' if cell is not None else os.path.basename(file or '')}, line {line}"


core_errors.describe_place = lambda file, line: _words(cell_of(file), file, line)


ENGINE = (
    *(
        os.path.join(PACKAGE, room, "")
        for room in ("optable", "graph", "eager", "autograd", "dispatch", "functions")
    ),
    "<graphwidget",
)
"""How the names of files begin in which the caller of an op is not looked for."""

_files: dict[str, bool] = {}


def _caller(frame: FrameType) -> FrameType:
    """Who called the record function, given two frames above ``called``: one more lies between
    when modes of the core hear the call as well."""
    beyond = frame.f_back
    return frame if beyond is None or _getframe(2).f_code is not listeners.HEARD else beyond


def _outside(frame: FrameType) -> FrameType:
    """The frame that called into the core: factories and in-place methods return one tensor."""
    where: FrameType | None = frame
    while where is not None and where.f_code.co_filename.startswith(ENGINE):
        where = where.f_back
    return frame if where is None else where


def _ours(filename: str) -> bool:
    """Whether a file is part of this package (or generated by it)."""
    found = _files.get(filename)
    if found is None:
        found = _files[filename] = filename.startswith((PACKAGE, "<graphwidget"))
    return found
