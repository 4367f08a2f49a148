"""The recorder: gives ids, keeps what must be emitted once, and makes events of records.

While the user's program runs, adapters only append *raw records* to ``Recorder.raw``: tuples of
a function and its arguments, cheap to make. ``drain`` calls the functions later, in order, and
they ``emit`` the events. Tensors and nodes are never kept: a ``Ref`` in the tensor's own slot
carries its ids, and its death is a raw record like any other.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from threading import RLock
from typing import Any

from . import events as ev
from .fold import Model
from .log import KEPT, Log, thin
from .sites import Site, Sites


class Ref(weakref.ref[Any]):
    """A value's identity, kept in its tensor's slot and referring weakly to the tensor.

    ``id`` is the value's; ``storage`` the id of the first value that was seen of its storage;
    ``version`` the storage's version at which the tensor is this value. Made with
    ``Recorder.raw.append`` as its callback, it is itself the raw record of the tensor's death.
    ``facts`` is what an adapter wants to know of the tensor when it is gone; ``named`` is True once
    graphwidget's own engine has seen a name for the value.
    """

    __slots__ = ("facts", "id", "named", "storage", "version")

    id: int
    storage: int
    version: int
    facts: Any
    named: bool


class NodeRef(weakref.ref[Any]):
    """Like ``Ref``, for a node of the backward graph; ``edge`` is how the nodes before name it: by
    no node where the path ends at nothing that users see."""

    __slots__ = ("edge", "id")

    id: int
    edge: tuple[int | None, int]


class Ids:
    """Fresh ids, a count for each kind; shared by all recorders of the process."""

    def __init__(self) -> None:
        self.value = count(1).__next__
        self.call = count(1).__next__
        self._nodes = count(1)  # which threads may share without a lock
        self.node = self._nodes.__next__
        self.run = count(1).__next__
        self.source = count(1).__next__
        self.scope = count(1).__next__

    @property
    def next_node(self) -> int:
        """The id that the next node will have: a count says so in its text alone."""
        return int(repr(self._nodes)[len("count(") : -1])


@contextmanager
def no_collection() -> Iterator[None]:
    """Suspend garbage collection within the block: it would look at every event made, for
    nothing."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Recorder:
    """Recorded events, as a ``log``, and records not yet emitted, as ``raw``."""

    ids = Ids()
    sites = Sites()

    def __init__(self, log: Log | None = None) -> None:
        self.log = Log() if log is None else log
        self.raw: list[Any] = []
        self.lock = RLock()
        self.values: set[int] = set()  # those known to readers of the log
        self.nodes: set[int] = set()
        self.refs: dict[int, Ref] = {}  # of the living values that were emitted
        self.lost: dict[int, Any] = {}
        """Records of values that adapters did not emit because they did not seem to be wanted."""
        self._inherited: list[tuple[Any, int, weakref.ref[Any]]] = []
        """For values and nodes whose death another recorder observes: the callback and the id."""
        self._origin: Recorder | None = None  # that this one goes on from, until it has begun
        self._ops: set[str] = set()
        self._sources: set[int] = set()
        self._pending: list[ev.Event] = []
        self.heads: dict[int, tuple[int, int]] = {}
        """By storage, the last emitted value of those that have all of it, and its version."""
        self._closing: dict[int, NodeRef] = {}  # nodes emitted and not freed
        self.live = False
        """True if what is drained now is only looked at while the program runs."""
        self.sort: Callable[[list[Any]], list[Any]] = lambda batch: batch
        """Puts in order what is about to be emitted; adapters may have records to add."""
        self.log.on_forget = self._forget

    def drain(self, live: bool = False) -> None:
        """Turn the raw records so far into events of the log: in a program that goes on, for a
        picture that follows it (``live``), perhaps of little alone."""
        with self.lock, no_collection():
            self.live = live
            if self.untouched:
                return
            if self._origin is not None:
                self._go_on()
            raw = self.raw
            gone = [entry for entry in self._inherited if entry[2]() is None]
            if gone:
                self._inherited = [entry for entry in self._inherited if entry[2]() is not None]
                raw += [(function, number) for function, number, _ref in gone]
            while True:
                batch = raw[:]
                del raw[: len(batch)]
                for record in self.sort(batch):
                    self._take(record)
                self.log.extend(self._pending)
                self._pending.clear()
                if not raw:
                    break

    def _take(self, record: Any) -> None:
        if type(record) is tuple:
            record[0](*record[1:])
        elif type(record) is Ref:
            self._dead(record.id)
        else:
            self.free(record.id)
            self.nodes.discard(record.id)

    def emit(self, event: ev.Event) -> None:
        """Add an event. Only called while draining."""
        self._pending.append(event)

    @property
    def now(self) -> int:
        """The time of the next event."""
        return self.log.count + len(self._pending)

    def cell(self, number: int, source: str) -> None:
        """A notebook cell begins."""
        self.raw.append((self.emit, ev.Cell(number, source)))

    def name(self, value: int, name: str, scope: str = "") -> None:
        """A variable is bound to a value."""
        self.raw.append((self.emit, ev.Name(value, name, scope)))

    def define(self, name: str) -> bool:
        """True at the first use of an op: it must be emitted now."""
        if name in self._ops:
            return False
        self._ops.add(name)
        return True

    def source(self, site: Site | None) -> int | None:
        """The id of a site, emitted at its first use."""
        if site is None:
            return None
        if not site.id:
            site.id = self.ids.source()
        if site.id not in self._sources:
            self._sources.add(site.id)
            self.emit(ev.Source(site.id, site.cell, site.file, site.line, site.function, site.text))
        return site.id

    def fork(self) -> Recorder:
        """A recorder that goes on from here with a log of its own, which begins with one snapshot
        of what is alive: made when there is another event."""
        self.drain()
        other = Recorder()
        other._origin = self
        other.values, other.nodes = self.values - self.lost.keys(), set(self.nodes)
        if max(len(self.values), len(self.nodes)) > KEPT:
            other._go_on()  # not all of them will be in the snapshot
        return other

    def _go_on(self) -> None:
        """Begin with a snapshot of what lives in the recorder that this one goes on from."""
        origin, self._origin = self._origin, None
        assert origin is not None
        origin.drain()
        if origin._origin is not None:  # nothing was emitted there: another recorded meanwhile
            origin._go_on()
        model = origin.log.model()
        state = ev.Snapshot(model.time, thin(model, curves=False))
        self.log.begin(state)
        known = {int(key) for key in state.state["values"]}, {int(k) for k in state.state["nodes"]}
        self._ops = set(state.state["ops"])
        self._sources = {int(key) for key in state.state["sources"]}
        self.refs = {value: ref for value, ref in origin.refs.items() if value in known[0]}
        self._closing = {node: ref for node, ref in origin._closing.items() if node in known[1]}
        self._inherited = [(self._dead, value, ref) for value, ref in self.refs.items()]
        self._inherited += [(self.free, node, ref) for node, ref in self._closing.items()]
        self.heads = {key: head for key, head in origin.heads.items() if head[0] in known[0]}
        if not self.raw or self._idle():
            for mine, its in zip((self.values, self.nodes), known, strict=True):
                mine.clear()  # adapters refer to these sets
                mine |= its

    def latest_log(self) -> Log:
        """The log; while nothing is emitted in it, that of the recorder before."""
        return (self._origin or self).log

    def latest(self) -> Model:
        """Return the state that log folds to."""
        return self.latest_log().model()

    def shows(self, value: int | None, node: Any) -> bool:
        """Return whether the log still knows a value, and if there is a node that made it, some
        node."""
        row = None if value is None else self.latest().values.get(value)
        return row is not None and (node is None or row["node"] is not None)

    @property
    def untouched(self) -> bool:
        """True if it goes on from another one and nothing was recorded since."""
        return self._origin is not None and self._idle()

    def _idle(self) -> bool:
        """Return whether nothing was recorded but where cells begin."""
        return all(type(each) is tuple and type(each[-1]) is ev.Cell for each in self.raw)

    def value(self, ref: Ref, event: ev.Value) -> None:
        """Emit a value."""
        self.refs[ref.id] = ref
        self.emit(event)
        if event.view_of is None:
            self.heads[event.storage] = event.value, event.version

    def object(self, value: int) -> Any:
        """The tensor that is the value, or None when there is none any more."""
        ref = self.refs.get(value)
        tensor = None if ref is None else ref()
        return tensor if tensor is not None and tensor._rec is ref else None

    def node(self, ref: NodeRef, event: ev.Node) -> None:
        """Emit a node."""
        self._closing[ref.id] = ref
        self.emit(event)

    def free(self, node: int) -> None:
        """A node dropped what it saved, or is gone itself."""
        if self._closing.pop(node, None) is not None:
            self.emit(ev.Free(node))

    def _dead(self, value: int) -> None:
        if self.refs.pop(value, None) is not None:
            self.emit(ev.Dead(value))
        self.values.discard(value)
        self.lost.pop(value, None)

    def _forget(self, values: set[int], nodes: set[int]) -> None:
        """Forget what the log dropped: such values must be emitted again when they are used."""
        self.values -= values
        self.nodes -= nodes
        for value in values:
            self.refs.pop(value, None)
        for node in nodes:
            self._closing.pop(node, None)
