"""Which values of a recording a still picture shows, and how far back it goes."""

from __future__ import annotations

from ..recording.fold import Model, Row
from .still import Scopes


def turn_shown(model: Model, scopes: Scopes, roots: set[int] | None) -> int | None:
    """The turn of a film that the picture is of: that of the newest call, or of the roots."""
    calls = [model.calls.get(model.values[key]["call"]) for key in roots or ()]
    newest_call = next(reversed(model.calls.values()), None) if roots is None else None
    for call in [newest_call, *calls]:
        turn = scopes.film_turn(call)
        if turn is not None:
            return turn
    return None


def values_shown(
    model: Model, roots: set[int] | None, scopes: Scopes, turn: int | None
) -> dict[int, str]:
    """The roots, or what the program still holds (of a turn: what it made), and all that they were
    computed from: ``made``, or ``given`` where the picture begins."""
    living = {key: value for key, value in model.values.items() if value["alive"]}
    known = {key for key, v in living.items() if v["names"] or v["node"] is not None}
    for run in list(model.runs.values())[-1:]:  # what backward began at is seldom kept
        known |= {value for value, _node in run["roots"] if value in model.values}
    if roots is None and turn is not None:
        own = {
            k for k in known if scopes.film_turn(model.calls.get(model.values[k]["call"])) == turn
        }
        roots = {key for key in own if not _hidden(model, scopes, model.values[key])} or None
    waiting = [
        key
        for key in roots or known or living
        if not _is_written_gradient(model, scopes, model.values[key])
    ]
    through = base_writes(model)
    shown: dict[int, str] = {}
    while waiting:
        key = waiting.pop()
        value = model.values.get(key)
        if value is None or key in shown:
            continue
        call = model.calls.get(value["call"])
        before = []
        if key in through and through[key]["call"] in model.calls:
            call = model.calls[through[key]["call"]]
            before = [through[key]["base_before"]]
        elsewhere = scopes.film_turn(call) not in (None, turn)
        shown[key] = "given" if elsewhere or _hidden(model, scopes, value) else "made"
        if shown[key] == "given":
            continue
        waiting += before
        if call is not None:
            waiting += [each for each in call["inputs"] if isinstance(each, int)]
        else:
            waiting += _leaves(model, value["node"])
        if value["view_of"] is not None:
            waiting.append(value["view_of"])
    return shown


def _hidden(model: Model, scopes: Scopes, value: Row) -> bool:
    """Return whether how a value was made is no part of the picture: an optimizer's work, and
    numbers written into a leaf without a history."""
    call = model.calls.get(value["call"])
    if call is None:
        return False
    written = call["inplace"] and call["node"] is None and value["leaf"] and value["requires_grad"]
    return bool(written) or scopes.step(call) is not None


def _is_written_gradient(model: Model, scopes: Scopes, value: Row) -> bool:
    """Return whether a value is a gradient that was written in place, as to clip it: it has no name
    and no history. What an optimizer writes so is its state."""
    call = model.calls.get(value["call"])
    if call is None or not call["inplace"] or value["requires_grad"] or value["names"]:
        return False
    return scopes.step(call) is None


def base_writes(model: Model) -> dict[int, Row]:
    """For a value that is the base after a write through one of its views: that write."""
    rows = [write for storage in model.storages.values() for write in storage["writes"]]
    return {write["base"]: write for write in rows if write["base"] is not None}


def nodes_behind(model: Model, node: int | None) -> list[Row]:
    """A node whose call was not recorded and all such nodes behind it."""
    found: dict[int, Row] = {}
    waiting = [node]
    while waiting:
        key = waiting.pop()
        row = None if key is None else model.nodes.get(key)
        if row is not None and row["node"] not in found and row["call"] is None:
            found[row["node"]] = row
            waiting += [edge[0] for edge in row["next"]]
    return list(found.values())


def _leaves(model: Model, node: int | None) -> list[int]:
    """The values at the ends of what lies behind an unrecorded node: leaves and saved values."""
    values: list[int | None] = []
    for row in nodes_behind(model, node):
        values += [row["variable"], *row["outputs"]]
        for behind, _nr in row["next"]:
            recorded = model.nodes.get(behind)
            if recorded is not None and recorded["call"] is not None:
                values += recorded["outputs"]
    return [value for value in values if value is not None]
