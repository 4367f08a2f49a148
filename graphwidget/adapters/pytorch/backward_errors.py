"""Node and saved value that an error of a backward of the real PyTorch is about.

PyTorch's error names neither. The log knows every saved value with its version, and every write.
"""

from __future__ import annotations

import re

from ...recording import events as ev
from ...recording.fold import Model, Row
from ...recording.looking import message_of

STALE = "modified by an inplace operation"
FREED = "backward through the graph a second time"
VERSIONS = re.compile(r"(\[[\d, ]*\])\].* is at version (\d+); expected version (\d+)")
NO_GRAPH = "does not require grad"


def error_event(
    error: BaseException, run: int, root: int | None, node: int | None, model: Model
) -> ev.Error:
    """The error of a run from the value ``root``, with what the log knows of it; ``node`` is where
    the run stands."""
    message = message_of(error)
    kind, slot = "other", None
    row = None if node is None else model.nodes.get(node)
    if STALE in message:
        kind = "version"
        row, slot = _stale(model, row, message)
    elif FREED in message:
        kind = "freed"
    elif NO_GRAPH in message:
        kind = "no_grad"
    value = root if kind == "no_grad" else None
    expected = found = None
    writes: tuple[int, ...] = ()
    if slot is not None:
        value, expected = slot["value"], slot["version"]
        found = model.storages.get(slot["storage"], {}).get("version")
        writes = tuple(slot["stale"])
    return ev.Error(
        kind, type(error).__name__, message, (), run,
        None if row is None else row["node"], None if slot is None else slot["slot"], value,
        expected, found, writes, None, None, (), None,
    )  # fmt: skip


def _stale(model: Model, row: Row | None, message: str) -> tuple[Row | None, Row | None]:
    """The node and slot whose value was overwritten: of the node where the run stands, else the
    only one there is; and that of whose versions PyTorch speaks."""
    pairs = model.hazards()
    if row is not None:
        pairs = [pair for pair in pairs if pair[0] is row] or pairs
    versions = VERSIONS.search(message)
    if versions is not None:
        found, expected = int(versions[2]), int(versions[3])
        named = [
            (node, slot)
            for node, slot in pairs
            if slot["version"] == expected and model.storages[slot["storage"]]["version"] == found
        ]
        pairs = named or pairs
        shape = versions[1]
        pairs = [pair for pair in pairs if _shape(model, pair[1]) == shape] or pairs
    if not pairs:
        return row, None
    return pairs[0]


def _shape(model: Model, slot: Row) -> str:
    """``[3, 4]``, as PyTorch writes it."""
    value = model.values.get(slot["value"])
    return "" if value is None else str(list(value["summary"][0]))
