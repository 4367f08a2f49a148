"""The log: an append-only list of events that stays within a bound.

The time of an event is its index, counted from the first event ever recorded. When the log
is full its oldest part is folded into one ``snapshot``, which stands at the time of the last
event that it replaces; what every part of the program may still ask for survives in it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from threading import RLock
from typing import Any

from . import events as ev
from .fold import Model, Row, fold

MAX_EVENTS = 20_000
MAX_BYTES = 32 * 2**20

CHUNK = 1_000
"""Events are encoded this many at a time: the size of the log is known to within one chunk."""

KEPT = 2_000
"""A snapshot keeps at most this many values and this many nodes besides parameters and names."""


class Log:
    """Events in the order in which they happened, at most ``max_events`` and ``max_bytes``.

    ``first`` is the time of the oldest event held, ``count`` that of the next to come. Every
    method may be called from any thread.
    """

    def __init__(
        self,
        max_events: int = MAX_EVENTS,
        max_bytes: int = MAX_BYTES,
        start: ev.Snapshot | None = None,
    ) -> None:
        self.lock = RLock()
        self.first = 0 if start is None else start.dropped - 1
        self.on_forget: Callable[[set[int], set[int]], None] | None = None
        """Called with the values and nodes that a snapshot no longer knows."""
        self._max_events = max_events
        self._max_bytes = max_bytes
        self._events: list[ev.Event] = [] if start is None else [start]
        self._chunks: list[tuple[int, bytes]] = []  # (events, their JSON), oldest first
        self._encoded = 0
        self._bytes = 0

    @property
    def count(self) -> int:
        """Events recorded so far, dropped ones included."""
        return self.first + len(self._events)

    @property
    def dropped(self) -> int:
        """Events that are no longer told one by one."""
        with self.lock:
            oldest = self._events[0] if self._events else None
            return oldest.dropped if isinstance(oldest, ev.Snapshot) else 0

    @property
    def size(self) -> int:
        """Bytes of the packed log."""
        with self.lock:
            self._encode()
            return self._bytes

    def extend(self, events: Iterable[ev.Event]) -> None:
        """Append events, and let the oldest go if the log has become too long or too large."""
        with self.lock:
            for event in events:
                self._events.append(event)
                if len(self._events) - self._encoded >= CHUNK:
                    self._encode()
                if len(self._events) > self._max_events or self._bytes > self._max_bytes:
                    self._compact()

    def append(self, event: ev.Event) -> None:
        self.extend((event,))

    def since(self, start: int) -> tuple[int, list[ev.Event]]:
        """(time of the first event given, the events from ``start`` on that are still held)."""
        with self.lock:
            start = max(start, self.first)
            return start, self._events[start - self.first :]

    def model(self) -> Model:
        """What the whole log folds to."""
        with self.lock:
            return fold(self._events)

    def pack(self) -> bytes:
        """The log as UTF-8 JSON: ``{"protocol": 1, "first": n, "events": [[kind, ...], ...]}``."""
        with self.lock:
            self._encode()
            head = b'{"protocol":%d,"first":%d,"events":[' % (ev.PROTOCOL, self.first)
            return head + b",".join(chunk for _count, chunk in self._chunks) + b"]}"

    def _encode(self) -> None:
        pending = self._events[self._encoded :]
        if pending:
            chunk = encode(pending)
            self._chunks.append((len(pending), chunk))
            self._encoded += len(pending)
            self._bytes += len(chunk)

    def _compact(self) -> None:
        """Replace the older half of the log by one snapshot of the state it folds to."""
        self._encode()
        count, held = 0, self._bytes
        while self._chunks and (
            count < len(self._events) // 2 or held > self._max_bytes // 2 or count == 0
        ):
            part, chunk = self._chunks.pop(0)
            count, held = count + part, held - len(chunk)
        model = fold(self._events[:count])
        state = thin(model.to_json())
        snapshot = ev.Snapshot(model.time, state)
        chunk = encode([snapshot])
        self._events[:count] = [snapshot]
        self.first += count - 1
        self._chunks.insert(0, (1, chunk))
        self._encoded += 1 - count
        self._bytes = held + len(chunk)
        if self.on_forget is not None:
            values, nodes = ({int(key) for key in state[table]} for table in ("values", "nodes"))
            self.on_forget(model.values.keys() - values, model.nodes.keys() - nodes)


def wire(events: Iterable[ev.Event]) -> list[tuple[Any, ...]]:
    """Events as they travel: arrays, the kind first."""
    return [(_KIND[type(event)], *event) for event in events]


def encode(events: Iterable[ev.Event]) -> bytes:
    """Events as UTF-8 JSON, separated by commas."""
    text = json.dumps(wire(events), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    # a lone surrogate in the user's text has no UTF-8; it must not cost them the log
    return text[1:-1].encode("utf-8", "replace")


def unpack(packed: bytes | str) -> tuple[int, list[ev.Event]]:
    """(time of the first event, the events) of a packed log.

    Raises ``ValueError`` when the log is of another protocol or no log at all.
    """
    content = json.loads(packed)
    if not isinstance(content, dict) or content.get("protocol") != ev.PROTOCOL:
        raise ValueError(f"not a graphwidget log of protocol {ev.PROTOCOL}")
    return content["first"], read(content["events"])


def read(rows: Sequence[Sequence[Any]]) -> list[ev.Event]:
    """Events from the arrays as which they travel."""
    return [ev.KINDS[kind](*fields) for kind, *fields in rows]


_KIND = {cls: kind for kind, cls in ev.KINDS.items()}


def thin(state: Row) -> Row:
    """The state without what nobody can ask for any more, and within a bound.

    Kept are all ops, sources and names, every parameter, and the values that a variable is
    bound to; of other living values and of nodes that may still run, the newest ``KEPT``;
    of calls and storages those of the values kept; open scopes and those of the calls kept.
    """
    bound = set(state["names"].values())
    values = state["values"]
    sure = {key for key, v in values.items() if v["parameter"] or v["value"] in bound}
    living = [key for key, v in values.items() if v["alive"] and key not in sure]
    nodes = [key for key, n in state["nodes"].items() if not n["freed"] and n["state"] != "done"]
    kept_nodes = set(nodes[-KEPT:])
    kept = sure | set(living[-KEPT:])
    for key in kept_nodes:
        node = state["nodes"][key]
        for value in (*node["outputs"], node["variable"], *(s["value"] for s in node["saved"])):
            kept.add(str(value))
    kept &= values.keys()
    kept_nodes |= {str(values[key]["node"]) for key in kept} & state["nodes"].keys()
    calls = {str(values[key]["call"]) for key in kept}
    calls |= {str(state["nodes"][key]["call"]) for key in kept_nodes}
    storages = {str(values[key]["storage"]) for key in kept}
    scopes = {str(c["scope"]) for key, c in state["calls"].items() if key in calls}
    scopes |= {key for key, s in state["scopes"].items() if s["open"]}
    runs = {key for key, r in state["runs"].items() if r["status"] == "running"}
    runs |= set(list(state["runs"])[-1:])
    keep = {"values": kept, "nodes": kept_nodes, "calls": calls, "storages": storages,
            "scopes": scopes, "runs": runs}  # fmt: skip
    thinned = dict(state)
    for table, keys in keep.items():
        thinned[table] = {key: row for key, row in state[table].items() if key in keys}
    thinned["cells"], thinned["errors"] = state["cells"][-100:], state["errors"][-100:]
    for storage in thinned["storages"].values():
        storage["writes"] = storage["writes"][-20:]
    for run in thinned["runs"].values():
        run["order"] = [node for node in run["order"] if str(node) in kept_nodes]
    return thinned
