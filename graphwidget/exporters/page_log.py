"""A packed log as it stands in a page: compressed, and no larger than the page allows."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import Any

from ..recording import events as ev
from ..recording.fold import fold
from ..recording.log import read, thin

DIGITS = 5
"""The significant digits of numbers in a log that would be too large otherwise; four are drawn."""

LINE = 256
"""Events in a line of the log: the page parses line by line."""

TRIES = 6

Row = Sequence[Any]


def compressed(packed: bytes, most: int) -> bytes:
    """The log, compressed to at most ``most`` bytes where that is possible: if need be its numbers
    are rounded, then its oldest events give way to a snapshot. The page says both."""
    content = _content(packed)
    if content is None:
        return zlib.compress(packed)
    first, rows = int(content["first"]), content["events"]
    small = zlib.compress(_text(first, rows, {}))
    if len(small) <= most:
        return small
    rows = [_rounded(row) for row in rows]
    end = first + len(rows)
    for _ in range(TRIES):
        small = zlib.compress(_text(first, rows, {"digits": DIGITS}))
        kept = int(len(rows) * 0.9 * most / len(small))
        if len(small) <= most or kept == 0:
            break
        rows = _shortened(rows, kept)
        first = end - len(rows)
    return small


def _content(packed: bytes) -> dict[str, Any] | None:
    """The parsed log, unless it is none of this protocol: then the page says so."""
    try:
        content = json.loads(packed)
    except ValueError:
        return None
    if not isinstance(content, dict) or content.get("protocol") != ev.PROTOCOL:
        return None
    rows = content.get("events")
    if not isinstance(content.get("first"), int) or not isinstance(rows, list):
        return None
    known = all(isinstance(row, list) and row and row[0] in ev.KINDS for row in rows)
    return content if known else None


def _text(first: int, rows: Sequence[Row], more: dict[str, Any]) -> bytes:
    """The log as JSON. Ids mostly count up: a column of ids holds the difference to the row of its
    kind before, which is the same small number again and again."""
    columns = _id_columns(rows)
    last = {kind: [0] * len(places) for kind, places in columns.items()}
    relative = []
    for row in rows:
        places, before = columns[row[0]], last[row[0]]
        row = list(row)
        for i, place in enumerate(places):
            value = row[place]
            if value is not None:
                row[place], before[i] = value - before[i], value
        relative.append(row)
    head = {"protocol": ev.PROTOCOL, "first": first, "count": len(rows), **more}
    head["columns"] = {kind: places for kind, places in columns.items() if places}
    lines = (relative[i : i + LINE] for i in range(0, len(relative), LINE))
    text = ",\n".join(_json(line)[1:-1] for line in lines)
    return f'{_json(head)[:-1]},"events":[\n{text}\n]}}'.encode("ascii")


def _json(content: Any) -> str:
    return json.dumps(content, separators=(",", ":"))


def _id_columns(rows: Sequence[Row]) -> dict[str, list[int]]:
    """For each kind of event the columns that hold integers, or None, in all of its rows."""
    columns: dict[str, set[int]] = {}
    for row in rows:
        here = {i for i, value in enumerate(row) if value is None or type(value) is int}
        known = columns.get(row[0])
        columns[row[0]] = here if known is None else known & here
    return {kind: sorted(places) for kind, places in columns.items()}


def _rounded(content: Any) -> Any:
    if type(content) is float:
        return float(f"{content:.{DIGITS}g}")
    if type(content) is list:
        return [_rounded(item) for item in content]
    if type(content) is dict:
        return {key: _rounded(item) for key, item in content.items()}
    return content


def _shortened(rows: Sequence[Row], kept: int) -> list[Row]:
    """The newest events; a snapshot stands for all others."""
    dropped = len(rows) - kept
    model = fold(read(rows[:dropped]))
    snapshot = ["snapshot", *ev.Snapshot(model.time, thin(model))]
    return [json.loads(json.dumps(snapshot)), *rows[dropped:]]
