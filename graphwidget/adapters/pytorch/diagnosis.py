"""Why a backward of the real PyTorch failed: who saved the value, and which line broke it.

PyTorch's error names neither. The log knows both: every saved value with its version, and every
write with its line. The sentences found are attached to the exception and drawn in the picture.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any

from ...recording import events as ev
from ...recording.fold import Model, Row

STALE = "modified by an inplace operation"
FREED = "backward through the graph a second time"
VERSIONS = re.compile(r"(\[[\d, ]*\])\].* is at version (\d+); expected version (\d+)")
NO_GRAPH = "does not require grad"


def diagnose(
    error: BaseException,
    run: int | None,
    node: int | None,
    model: Model,
) -> ev.Error:
    """The error of a run, with what the log knows of it; ``node`` is where the run stands."""
    message = str(error)
    kind, slot = "other", None
    help: list[str] = []
    row = None if node is None else model.nodes.get(node)
    if STALE in message:
        kind = "version"
        row, slot, help = _stale(model, row, message)
    elif FREED in message:
        kind = "freed"
        help = _freed(model, row)
    value = expected = found = None
    writes: tuple[int, ...] = ()
    if slot is not None:
        value, expected = slot["value"], slot["version"]
        found = model.storages.get(slot["storage"], {}).get("version")
        writes = tuple(slot["stale"])
    return ev.Error(
        kind, type(error).__name__, message, tuple(help), run,
        None if row is None else row["node"], None if slot is None else slot["slot"], value,
        expected, found, writes, None, None, (), None,
    )  # fmt: skip


def reachable_hazards(
    model: Model, roots: Iterable[int], ends: Iterable[int] | None = None
) -> list[tuple[Row, Row]]:
    """(node, saved slot) of each stale value that a backward from the nodes ``roots`` needs: while
    there is one, that backward will raise. Only the way to the nodes ``ends`` counts, if given."""
    order: list[Row] = []
    reached: set[int] = set()
    waiting = [*roots]
    while waiting:
        number = waiting.pop()
        row = model.nodes.get(number)
        if number not in reached and row is not None:
            reached.add(number)
            order.append(row)
            waiting.extend(before for before, _nr in row["next"] if before is not None)
    if ends is not None:
        reached = _leading(order, set(ends))
    return [pair for pair in model.hazards() if pair[0]["node"] in reached]


def _leading(nodes: list[Row], ends: set[int]) -> set[int]:
    """Those of the nodes from which a way leads to the ``ends``, which do not run themselves."""
    after: dict[int, list[int]] = {}
    for row in nodes:
        for before, _nr in row["next"]:
            if before is not None:
                after.setdefault(before, []).append(row["node"])
    found: set[int] = set()
    waiting = [number for end in ends for number in after.get(end, ())]
    while waiting:
        number = waiting.pop()
        if number not in found:
            found.add(number)
            waiting.extend(after.get(number, ()))
    return found


def _stale(model: Model, row: Row | None, message: str) -> tuple[Row | None, Row | None, list[str]]:
    """The node and slot whose value was overwritten: of the node where the run stands, else the
    only one there is; and that of whose versions PyTorch speaks."""
    pairs = model.hazards()
    if row is not None:
        pairs = [pair for pair in pairs if pair[0] is row] or pairs
    versions = VERSIONS.search(message)
    if versions is not None:
        found, expected = int(versions[2]), int(versions[3])
        told = [
            (node, slot)
            for node, slot in pairs
            if slot["version"] == expected and model.storages[slot["storage"]]["version"] == found
        ]
        pairs = told or pairs
        shape = versions[1]
        pairs = [pair for pair in pairs if _shape(model, pair[1]) == shape] or pairs
    if not pairs:
        return row, None, []
    node, slot = pairs[0]
    name = _name(model, slot["value"]) or repr(slot["slot"])
    made = _line_of_call(model, node["call"])
    count = len(slot["stale"])
    found = model.storages[slot["storage"]]["version"]
    help = [
        f"{node['name']}{f', made by {made},' if made else ''} saved {name} at version "
        f"{slot['version']} to use it in backward. Since then it was written in place "
        f"{'once' if count == 1 else f'{count} times'}: it is at version {found} and the value "
        f"that backward needs is gone."
    ]
    for write in model.storages[slot["storage"]]["writes"]:
        if write["time"] in slot["stale"]:
            line = _line(model, write["source"]) or "a line that was not recorded"
            call = model.calls.get(write["call"]) or {"op": "an operation"}
            help.append(f"Version {write['version']} was written by {line}, as {call['op']}.")
    help.append(
        "Ways out: write out of place (x = x * 2 in place of x *= 2), write before the value is "
        "used, or change a .clone() of it."
    )
    return node, slot, help


def _shape(model: Model, slot: Row) -> str:
    """``[3, 4]``, as PyTorch writes it."""
    value = model.values.get(slot["value"])
    return "" if value is None else str(list(value["summary"][0]))


def _freed(model: Model, row: Row | None) -> list[str]:
    """The node that ran before, and the run in which it did."""
    if row is None:
        done = [node for node in model.nodes.values() if node["freed"] and node["run"] is not None]
        row = done[-1] if done else None
    if row is None:
        return []
    made = _line_of_call(model, row["call"])
    run = model.runs.get(row["run"])
    first = _line(model, run["source"]) if run is not None else ""
    return [
        f"{row['name']}{f', made by {made},' if made else ''} already ran in an earlier backward"
        f"{f', {first},' if first else ''} and its saved values were freed then.",
        "Ways out: run the forward again to build a new graph, add the losses and call backward "
        "once, or cut what is carried from turn to turn with .detach().",
    ]


def _name(model: Model, value: int | None) -> str:
    row = model.values.get(value) if value is not None else None
    return str(row["names"][-1][1]) if row is not None and row["names"] else ""


def _line_of_call(model: Model, call: int | None) -> str:
    row = model.calls.get(call) if call is not None else None
    return "" if row is None else _line(model, row["source"])


def _line(model: Model, source: Any) -> str:
    """``\\`b[0] = 1\\` (cell 3, line 2)``, or nothing where it is not known."""
    row = model.sources.get(source) if source is not None else None
    if row is None:
        return ""
    file = f"cell {row['cell']}" if row["cell"] is not None else os.path.basename(row["file"] or "")
    return f"`{row['text']}` ({file}, line {row['line']})"
