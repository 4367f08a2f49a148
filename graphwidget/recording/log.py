"""The log: an append-only list of events that stays within a bound.

The time of an event is its index, counted from the first event ever recorded. When the log
is full its oldest part is folded into one ``snapshot``, which stands at the time of the last
event that it replaces; what every part of the program may still ask for survives in it.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from threading import RLock
from typing import Any

from . import events as ev
from .fold import Model, Row, fold

MAX_EVENTS = 160_000
MAX_BYTES = 32 * 2**20

RECENT, CHUNK = 20_000, 256
"""The log keeps the newest events as they are, so that no JSON is made while a program runs: this
many. All others, and those sent to a page at the end of a cell, it keeps as JSON, in pieces of
this many."""

KEPT = 1_000
"""A snapshot keeps at most this many values and this many nodes besides parameters and names."""


MAX_WRITES, MAX_ROWS, MAX_TEXT = 20, 100, 2_000
"""... the latest writes of each storage, and the latest cells (so much of each) and errors."""


class Log:
    """Events in the order in which they happened, at most ``max_events`` and ``max_bytes``.

    ``first`` is the time of the oldest event kept, ``count`` that of the next to come. Every
    method may be called from any thread.
    """

    def __init__(
        self,
        max_events: int = MAX_EVENTS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.lock = RLock()
        self.first = self._begin = 0
        self._model = Model()
        self.lost = 0  # events dropped by this log itself
        self.on_forget: Callable[[set[int], set[int]], None] | None = None
        """Called with the values and nodes that a snapshot no longer knows."""
        self._max_events = max_events
        self._max_bytes = max_bytes
        self._recent = min(RECENT, max_events // 2)
        self._chunks: deque[tuple[int, bytes]] = deque()  # (events, their JSON), oldest first
        self._bytes = 0
        self._stored = 0  # events in chunks
        self._tail: list[ev.Event] = []

    @property
    def count(self) -> int:
        """Events recorded so far, dropped ones included."""
        return self.first + self._stored + len(self._tail)

    def extend(self, events: Iterable[ev.Event]) -> None:
        """Append events, and let the oldest go if the log has become too long or too large."""
        with self.lock:
            self._tail += events
            while len(self._tail) >= self._recent + CHUNK:
                self._encode(CHUNK)
                if self._stored > self._max_events or self._bytes > self._max_bytes:
                    self._compact(self._stored // 2, self._bytes // 2)

    def append(self, event: ev.Event) -> None:
        """Append one event."""
        self.extend((event,))

    def since(self, start: int) -> tuple[int, list[ev.Event]]:
        """(time of the first event given, the events from ``start`` on that are still kept)."""
        with self.lock:
            start, found, tail = self._from(start)
            return start, [*read(found), *tail]

    def has(self, kinds: Iterable[type[Any]], start: int) -> bool:
        """Return whether there are events of these kinds from ``start`` on."""
        with self.lock:
            marks = [f'["{_KIND[kind]}",'.encode() for kind in kinds]  # in no text: it escapes "
            time = self.first
            for count, chunk in self._chunks:
                if time >= start and any(mark in chunk for mark in marks):
                    return True
                if time < start < time + count and self._among(kinds, rows(chunk)[start - time :]):
                    return True
                time += count
            return self._among(kinds, wire(self._tail[max(0, start - time) :]))

    @staticmethod
    def _among(kinds: Iterable[type[Any]], found: list[Any]) -> bool:
        wanted = {_KIND[kind] for kind in kinds}
        return any(row[0] in wanted for row in found)

    def rows_since(self, start: int) -> tuple[int, list[Sequence[Any]]]:
        """The same, as events travel."""
        with self.lock:
            start, found, tail = self._from(start)
            return start, found + wire(tail)

    def _from(self, start: int) -> tuple[int, list[Sequence[Any]], list[ev.Event]]:
        """The same: the rows of the older ones, and the newest events."""
        start = max(start, self.first)
        time, found = self.first, []
        for count, chunk in self._chunks:
            if time + count > start:
                found += rows(chunk)[max(0, start - time) :]
            time += count
        return start, found, self._tail[max(0, start - time) :]

    def model(self) -> Model:
        """Return the state that the whole log folds to. It belongs to the log, which updates it
        from call to call: do not change it."""
        with self.lock:
            start, events = self.since(self._model.time)
            if start != self._model.time:  # the log was compacted beyond it
                self._model, (_, events) = Model(), self.since(0)
            return fold(events, self._model)

    def begin(self, start: ev.Snapshot) -> None:
        """Let an empty log go on from a snapshot."""
        with self.lock:
            self.first, self._begin = start.dropped - 1, start.dropped
            self._tail.insert(0, start)

    def pack(self) -> bytes:
        """The log as UTF-8 JSON: ``{"protocol": 2, "first": n, "count": n, "events": [[kind, ...],
        ...]}``. The events stand in lines, so that a page need not parse all of them in one go."""
        with self.lock:
            while self._tail:
                self._encode(CHUNK)
            while len(self._chunks) > 1 and (
                self._bytes > self._max_bytes or self._stored > self._max_events
            ):
                self._compact(self._stored // 2, self._bytes // 2)
            span = (self.first, self.count - self.first)
            head = b'{"protocol":%d,"first":%d,"count":%d,"events":[\n' % (ev.PROTOCOL, *span)
            return head + b",\n".join(chunk for _count, chunk in self._chunks) + b"\n]}"

    def _encode(self, most: int) -> None:
        """Replace the oldest events by their JSON."""
        oldest = self._tail[:most]
        del self._tail[:most]
        chunk = encode(oldest)
        self._chunks.append((len(oldest), chunk))
        self._stored += len(oldest)
        self._bytes += len(chunk)

    def _compact(self, most: int, size: int) -> None:
        """Replace the oldest chunks, until ``most`` events and ``size`` bytes at most are left
        besides, by one snapshot of what they fold to."""
        model = Model()
        while self._chunks and (not model.time or self._stored > most or self._bytes > size):
            count, chunk = self._chunks.popleft()
            self._stored -= count
            self._bytes -= len(chunk)
            fold(read(rows(chunk)), model)
        self.lost = model.time - self._begin
        state = thin(model)
        snapshot = encode((ev.Snapshot(model.time, state),))
        self._chunks.appendleft((1, snapshot))
        self._stored += 1
        self._bytes += len(snapshot)
        self.first = model.time - 1
        if self.on_forget is not None:
            self.on_forget(
                model.values.keys() - {int(key) for key in state["values"]},
                model.nodes.keys() - {int(key) for key in state["nodes"]},
            )


def wire(events: Iterable[ev.Event]) -> list[tuple[Any, ...]]:
    """Events as they travel: arrays, the kind first."""
    return [(_KIND[type(event)], *event) for event in events]


def encode(events: Iterable[ev.Event]) -> bytes:
    """Events as JSON, separated by commas: in ASCII, which a browser keeps in half the memory and
    reads in half the time, and which has an escape for a lone surrogate in the user's text."""
    return json.dumps(wire(events), separators=(",", ":"), allow_nan=False)[1:-1].encode("ascii")


def rows(chunk: bytes) -> list[Sequence[Any]]:
    """The arrays of ``encode``'s JSON."""
    return json.loads(b"[" + chunk + b"]")  # type: ignore[no-any-return]


def unpack(packed: bytes | str) -> tuple[int, list[ev.Event]]:
    """(time of the first event, the events) of a packed log.

    Raises:
        ValueError: it is of another protocol, or no log at all.
    """
    content = json.loads(packed)
    if not isinstance(content, dict) or content.get("protocol") != ev.PROTOCOL:
        raise ValueError(f"not a graphwidget log of protocol {ev.PROTOCOL}")
    return content["first"], read(content["events"])


def read(rows: Sequence[Sequence[Any]]) -> list[ev.Event]:
    """Events from the arrays as which they travel; what they nest stays arrays."""
    return [ev.KINDS[kind](*fields) for kind, *fields in rows]


_KIND = {cls: kind for kind, cls in ev.KINDS.items()}


def _may_run(model: Model, node: Row) -> bool:
    """Return whether a node that is not freed may run in a later backward: one that has run may if
    its graph was retained, or if it is a leaf's, to which new graphs lead."""
    if node["state"] != "done" or node["variable"] is not None:
        return True
    run = model.runs.get(node["run"])
    return run is not None and run["retain_graph"]


def _kept(model: Model, curves: bool) -> dict[str, set[Any]]:
    """The rows of each table that are kept."""
    values, nodes = model.values, model.nodes
    bound = set(model.names.values())
    sure = {
        key
        for key, value in values.items()
        if value["alive"] and (key in bound or (value["parameter"] and value["next"] is None))
    }
    living = [key for key, value in values.items() if value["alive"] and key not in sure]
    open_nodes = [k for k, node in nodes.items() if not node["freed"] and _may_run(model, node)]
    kept_nodes = set(open_nodes[-KEPT:])
    kept = sure | set(living[-KEPT:])
    for key in kept_nodes:
        node = nodes[key]
        kept.update(node["outputs"], (node["variable"],), (s["value"] for s in node["saved"]))
    kept &= values.keys()
    kept_nodes |= {values[key]["node"] for key in kept} & nodes.keys()
    calls = {values[key]["call"] for key in kept} | {nodes[key]["call"] for key in kept_nodes}
    scopes = {key for key, scope in model.scopes.items() if scope["open"]}
    scopes |= {call["scope"] for key, call in model.calls.items() if key in calls}
    around = {model.scopes[key]["parent"] for key in scopes & model.scopes.keys()}
    loops = {key for key in model.loops if curves or key in scopes or key in around}
    return {
        "values": kept,
        "nodes": kept_nodes,
        "calls": calls,
        "storages": {values[key]["storage"] for key in kept},
        "scopes": scopes | loops,
        "loops": loops,
        "runs": {k for k, run in model.runs.items() if run["status"] == "running"}
        | set(list(model.runs)[-1:]),
    }


def thin(model: Model, curves: bool = True) -> Row:
    """The model as JSON without what cannot be asked for any more, and within a bound.

    Kept are all ops, sources and names, every parameter as it is now, and the values that a
    variable is bound to; of other living values and of nodes that may still run, the newest
    ``KEPT``; of calls, storages and scopes those of the values and nodes kept. Of loops that are
    over only the ``curves`` are left: without them only what is around something kept.
    """
    keys = _kept(model, curves)
    kept, kept_nodes = keys["values"], keys["nodes"]
    thinned = Model()
    vars(thinned).update(vars(model))
    for table, wanted in keys.items():
        rows = getattr(model, table)
        setattr(thinned, table, {key: row for key, row in rows.items() if key in wanted})
    thinned.names = {name: value for name, value in model.names.items() if value in kept}
    for key, storage in thinned.storages.items():
        thinned.storages[key] = storage | {"writes": storage["writes"][-MAX_WRITES:]}
    for key, loop in thinned.loops.items():
        current = [row for row in loop["iterations"] if row["to"] is None]
        over = not model.scopes.get(key, {}).get("open")
        left = {} if over and not curves else loop["curves"]
        thinned.loops[key] = loop | {"iterations": current, "curves": left}
    for key, run in thinned.runs.items():
        order = [node for node in run["order"] if node in kept_nodes]
        thinned.runs[key] = run | {"order": order}
    thinned.errors = model.errors[-MAX_ROWS:]
    thinned.cells = [
        cell | {"source": cell["source"][:MAX_TEXT]} for cell in model.cells[-MAX_ROWS:]
    ]
    return thinned.to_json()
