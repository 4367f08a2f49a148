"""Causes: from what a recording knows to findings, one function for each way to go wrong.

Those of graphs that have run before are in ``second``."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from ...recording.findings import Finding, Place
from ...recording.fold import Model, Row
from ...recording.sites import Site
from . import fixes
from .lines import anew, name_of_value, place_in, place_of, place_of_call, statement


def stale(model: Model, run: int, node: Row, slot: Row, backward: Place | None) -> Finding:
    """A saved value was written before the backward that needs it."""
    writes = [
        write
        for write in model.storages[slot["storage"]]["writes"]
        if write["time"] in slot["stale"]
    ]
    write = writes[0] if writes else None
    reader = place_of_call(model, node["call"])
    culprit = None if write is None else place_in(model, write["source"])
    line = "" if culprit is None else statement(model, culprit)
    name = name_of_value(model, slot["value"]) or fixes.target(line)
    call = model.calls.get(write["call"]) if write is not None else None
    step = call is not None and call["op"][:1].isupper()
    written = model.values.get(write["value"]) if write is not None else None
    leaf = written is not None and written["leaf"] and written["requires_grad"]
    text = (
        f"{name or repr(slot['slot'])} was overwritten, {_how(call, step)}, after {node['name']} "
        f"had saved it for backward (version {slot['version']})."
    )
    fix = ""
    if culprit is not None and backward is not None and (step or leaf):
        same = culprit.function == backward.function
        again = _again(model, run, write, backward) if step and same else []
        turned = next(filter(fixes.carried_on, again), "")
        if turned:
            names = fixes.carried_on(turned)
            text += f" {' and '.join(names)} brought it from an earlier turn: cut its history."
            fix = "\n".join(f"{each} = {each}.detach()  # before {turned}" for each in names)
        elif again:
            text += " Compute anew after it what backward needs."
            fix = fixes.valid("\n".join([line, *again]))
        else:
            text += f" Write it after `{backward.text}` (line {backward.line})."
    elif culprit is not None:
        fix = fixes.out_of_place(line, item=not _indexes(model, call))
        if not fix and name.isidentifier() and reader is not None:
            fix = fixes.valid(f"{name} = {name}.clone()\n{line}")
            fix = fix or f"{name} = {name}.clone()"
    return Finding("stale", reader, culprit, fix, text)


def _indexes(model: Model, write: Row | None) -> bool:
    """Whether the line of a write indexes a tensor: else what it indexes holds tensors."""
    return write is None or any(
        "index" in call["params"] or call["op"].startswith("index")
        for call in model.calls.values()
        if call["source"] == write["source"] or _same_line(model, call, write)
    )


def _same_line(model: Model, call: Row, other: Row) -> bool:
    one, two = (model.sources.get(each["source"]) for each in (call, other))
    keys = ("cell", "file", "line")
    return one is not None and two is not None and all(one[key] == two[key] for key in keys)


def _again(model: Model, run: int, write: Row | None, backward: Place) -> list[str]:
    """The statements that have to run once more after a write, for a backward to find all that it
    needs as it was saved: those between what became stale and the root."""
    roots = [number for _value, number in model.runs[run]["roots"]]
    stale = {node["node"] for node, _slot in model.hazards()}
    until = model.time if write is None else write["time"]
    return anew(model, roots, stale, backward.function, until)


def _how(call: Row | None, step: bool) -> str:
    if call is None:
        return "by something that was not recorded"
    name = str(call["op"]).rstrip("_")
    return f"by a step of {name}" if step else f"in place ({name}_)"


def silently_stale(
    model: Model, call: int | None, name: str, culprit: Site | None, how: str
) -> Finding:
    """A saved value was written where PyTorch does not notice."""
    place = place_of(culprit)
    text = (
        f"{name or 'A value'} was written through {how} after it was saved for backward: no "
        f"error is raised, and the gradients are wrong."
    )
    fix = ""
    if place is not None and ".data" in place.text:
        plain = place.text.replace(".data", "")
        fix = fixes.out_of_place(plain) or fixes.under_no_grad(plain)
    else:
        text += " Write it after backward, or compute anew after it what backward needs."
    return Finding("stale", place_of_call(model, call), place, fix, text)


def leaf_written(error: str, site: Site | None) -> Finding:
    """A leaf that needs a gradient, or a view of one, was written in place."""
    place = place_of(site)
    fix = "" if place is None else fixes.under_no_grad(place.text)
    name = "" if place is None else fixes.target(place.text)
    how = ", through a view of it" if error.startswith("a view") else ""
    text = (
        f"{name or 'This tensor'} is a leaf that requires grad, and is written in place{how}. "
        f"Set its numbers where nothing is recorded."
    )
    return Finding("leaf", None, place, fix, text)


def no_graph(
    model: Model, value: int | None, backward: Site | None, origins: Mapping[int, Site],
    leaks: Mapping[int, Site], frozen: Mapping[int, Site],
) -> Finding:  # fmt: skip
    """Nothing that the loss was computed from needs a gradient, or the graph was cut."""
    reader = place_of(backward)
    seen: set[int] = set()
    waiting = deque([] if value is None else [value])
    leaves: list[int] = []
    while waiting:
        number = waiting.popleft()
        row = model.values.get(number)
        if row is None or number in seen:
            continue
        seen.add(number)
        call = model.calls.get(row["call"]) if row["call"] is not None else None
        if call is None:
            leaves.append(number)
            continue
        given = [each for each in call["inputs"] if isinstance(each, int)]
        if any(model.values[each]["requires_grad"] for each in given if each in model.values):
            return _cut(model, call, row, reader)
        waiting.extend(given)
    for number in leaves:
        place = place_of(frozen.get(number))
        if place is not None:
            fix = fixes.valid(place.text.replace("False", "True"))
            return Finding("no_grad", reader, place, fix, "The parameters were frozen here.")
    made = [number for number in leaves if number in origins]
    if leaks and (made or not leaves or leaves == [value]):
        place = place_of(list(leaks.values())[-1])
        origin = place_of(origins[made[0]]) if made else None
        fix = "" if place is None else fixes.kept(place.text, origin.text if origin else "")
        if place is not None and origin is not None and len(lines := fix.splitlines()) == 2:
            fix = f"{lines[0]}  # line {place.line}\n{lines[1]}  # line {origin.line}"
        text = "A tensor became a number or an array here, and its history was lost."
        return Finding("no_grad", reader, place, fix, text)
    place = place_of(origins[made[0]]) if made else None
    name = name_of_value(model, made[0]) if made else name_of_value(model, value)
    fix = f"{name}.requires_grad_()" if name else ""
    return Finding("no_grad", reader, place, fix, "Nothing that it was computed from needs grad.")


def _cut(model: Model, call: Row, result: Row, reader: Place | None) -> Finding:
    """A call that was given something with a history and made something without."""
    place = place_in(model, call["source"])
    line = "" if place is None else statement(model, place)
    op, dtype = str(call["op"]), str(result["summary"][1])
    if op in ("detach", "data"):
        text, fix = f"The graph was cut here, by {op}.", fixes.without_cut(line)
    elif "float" not in dtype and "complex" not in dtype:
        text, fix = f"The graph ends here: {op} gives {dtype}, which has no derivative.", ""
        text += " Compute the loss from what goes into it."
    else:
        text, fix = "Nothing was recorded here: it ran under torch.no_grad(), or the like.", ""
        text += " Take it out of there."
    return Finding("no_grad", reader, place, fix, text)


def unused(model: Model, reached: set[int]) -> Finding | None:
    """Parameters that never got a gradient though others of their model did, in what was done
    since the model's snapshot, if it has one."""
    since = model.dropped
    runs = [run["status"] for run in model.runs.values() if run["time"] >= since]
    if not runs or runs[-1] != "ok":
        return None
    used = {
        model.values[each]["storage"]
        for call in model.calls.values()
        for each in call["inputs"]
        if call["time"] >= since and each in model.values
    }
    ran: dict[str, bool] = {}
    idle: dict[str, list[tuple[str, int]]] = {}
    for row in model.values.values():
        names = [name for scope, name in row["names"] if scope == "module"]
        if not names or not row["parameter"] or row["next"] is not None:
            continue
        root = names[-1].split(".")[0].split("[")[0]
        if row["storage"] in reached:
            ran[root] = ran.get(root, False) or row["storage"] in used
        elif row["requires_grad"] and (row["storage"] in used or not since):
            idle.setdefault(root, []).append((names[-1], row["value"]))
    found = [each for root, rows in idle.items() if ran.get(root) for each in rows]
    if not found:
        return None
    listed = ", ".join(name for name, _value in found[:8])
    text = f"These parameters got no gradient from any backward: {listed}."
    cuts = _cuts(model, {value for _name, value in found})
    if len(cuts) != 1:
        return Finding("unused", None, None, "", text)
    (place,) = cuts
    text += " What comes from them is cut off here; if that is not meant, leave the cut out."
    return Finding("unused", None, place, fixes.without_cut(statement(model, place)), text)


def _cuts(model: Model, values: set[int]) -> set[Place]:
    """The lines that detach what was computed from these values."""
    found: set[Place] = set()
    for call in model.calls.values():
        if values.isdisjoint(call["inputs"]):
            continue
        if call["op"] not in ("detach", "data"):
            values = values.union(call["outputs"])
        elif (place := place_in(model, call["source"])) is not None:
            found.add(place)
    return found
