"""Causes: from what a recording knows to findings, one function for each way to go wrong."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from ...recording.findings import Finding, Place
from ...recording.fold import Model, Row
from ...recording.sites import Site
from . import fixes


def place_of(site: Site | None) -> Place | None:
    """A site as a finding tells it."""
    if site is None:
        return None
    file = f"cell {site.cell}" if site.cell is not None else site.file or ""
    return Place(file, site.line, site.text, site.function)


def place_in(model: Model, source: int | None) -> Place | None:
    """The same of a source of the log."""
    row = model.sources.get(source) if source is not None else None
    if row is None:
        return None
    file = f"cell {row['cell']}" if row["cell"] is not None else row["file"] or ""
    return Place(file, row["line"], row["text"], row["function"])


def place_of_call(model: Model, call: int | None) -> Place | None:
    """The line of a call."""
    row = model.calls.get(call) if call is not None else None
    return None if row is None else place_in(model, row["source"])


def name_of_value(model: Model, value: int | None) -> str:
    """What the user calls a value; of one that was written since, what it is called then."""
    row = model.values.get(value) if value is not None else None
    while row is not None:
        if row["names"]:
            return str(row["names"][-1][1])
        row = model.values.get(row["next"]) if row["next"] is not None else None
    return ""


def stale(model: Model, node: Row, slot: Row, backward: Place | None) -> Finding:
    """A saved value was written before the backward that needs it."""
    writes = [
        write
        for write in model.storages[slot["storage"]]["writes"]
        if write["time"] in slot["stale"]
    ]
    write = writes[0] if writes else None
    reader = place_of_call(model, node["call"])
    culprit = None if write is None else place_in(model, write["source"])
    name = name_of_value(model, slot["value"])
    call = model.calls.get(write["call"]) if write is not None else None
    step = call is not None and call["op"][:1].isupper()
    written = model.values.get(write["value"]) if write is not None else None
    leaf = written is not None and (written["parameter"] or written["leaf"])
    text = (
        f"{node['name']} saved {name or repr(slot['slot'])} at version {slot['version']} and needs "
        f"it in backward, but it was written since: by {_how(call, step)}."
    )
    fix = ""
    if culprit is not None and backward is not None and (step or leaf):
        text += " Call backward before that line, or compute the loss anew after it."
        fix = fixes.valid(f"{backward.text}\n{culprit.text}")
    elif culprit is not None:
        fix = fixes.out_of_place(culprit.text)
        if not fix and name.isidentifier() and reader is not None:
            fix = fixes.valid(f"{name} = {name}.clone()\n{culprit.text}")
            fix = fix or f"{name} = {name}.clone()"
    return Finding("stale", reader, culprit, fix, text)


def _how(call: Row | None, step: bool) -> str:
    if call is None:
        return "something that was not recorded"
    name = str(call["op"]).rstrip("_")
    return f"a step of {name}" if step else f"{name} in place"


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
    elif place is not None:
        fix = fixes.valid(f"loss.backward()\n{place.text}")
    return Finding("stale", place_of_call(model, call), place, fix, text)


def freed(
    model: Model, run: int, node: Row | None, first: Mapping[int, Site | None]
) -> Finding | None:
    """The graph, or a part of it, has run backward before."""
    if node is None:
        return None
    row = model.runs.get(run)
    backward = None if row is None else place_in(model, row["source"])
    reader = place_of_call(model, node["call"])
    before = place_of(first.get(node["node"]))
    roots = [number for _value, number in row["roots"]] if row is not None else []
    crossing = _crossing(model, roots, set(first))
    where = f" ({before.file.rpartition('/')[2]}, line {before.line})" if before else ""
    text = f"{node['name']} already ran in an earlier backward{where}; its saved values are freed."
    if crossing is None:
        root = model.nodes.get(roots[0]) if roots else None
        again = place_of_call(model, root["call"]) if root is not None else reader
        lines = [each.text for each in (again, backward) if each is not None]
        text += " Compute the loss again before each backward."
        return Finding("freed", reader, before, fixes.valid("\n".join(lines)), text)
    new, old = crossing
    place = place_of_call(model, new["call"])
    name = next((each for each in map(_named(model), old["outputs"]) if each), "")
    earlier = first.get(old["node"])
    began = _time_of_run(model, earlier)
    loss = fixes.loss_of(backward.text) if backward is not None else ""
    if began is not None and new["time"] < began:
        other = fixes.loss_of(before.text) if before is not None else ""
        text += " Two losses share a part of the graph: add them and call backward once."
        fix = fixes.valid(f"({other} + {loss}).backward()") if other and loss else ""
        return Finding("freed", reader, before, fix, text)
    added = _other_term(model, new, old)
    if name and loss == name and added:
        text += f" {name} is summed over turns, and with it all their graphs."
        return Finding("freed", reader, place, fixes.valid(f"{added}.backward()"), text)
    text += f" {name or 'What was computed then'} is used again, with its old history."
    return Finding("freed", reader, place, f"{name} = {name}.detach()" if name else "", text)


def _named(model: Model) -> Any:
    return lambda value: name_of_value(model, value)


def _time_of_run(model: Model, site: Site | None) -> int | None:
    times = [
        row["time"]
        for row in model.runs.values()
        if site is not None and row["source"] == site.id and row["status"] == "ok"
    ]
    return times[-1] if times else None


def _crossing(model: Model, roots: list[int], old: set[int]) -> tuple[Row, Row] | None:
    """The first edge that leads from what is new to what has run before."""
    seen: set[int] = set()
    waiting = deque(number for number in roots if number not in old)
    while waiting:
        row = model.nodes.get(waiting.popleft())
        if row is None:
            continue
        for number, _nr in row["next"]:
            if number is None or number in seen:
                continue
            seen.add(number)
            if number in old:
                return row, model.nodes[number]
            waiting.append(number)
    return None


def _other_term(model: Model, new: Row, old: Row) -> str:
    """Of a sum of something old and something new, the name of the new."""
    call = model.calls.get(new["call"])
    if call is None or call["op"].strip("_") not in ("add", "iadd"):
        return ""
    others = [each for each in call["inputs"] if isinstance(each, int)]
    for value in others:
        if value not in old["outputs"]:
            name = name_of_value(model, value)
            if name:
                return name
    return ""


def leaf_written(text: str, site: Site | None) -> Finding:
    """A leaf that needs a gradient, or a view of one, was written in place."""
    place = place_of(site)
    fix = "" if place is None else fixes.under_no_grad(place.text)
    return Finding("leaf", None, place, fix, f"{text.split('. ')[0].rstrip('.')}.")


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
            place = place_in(model, call["source"])
            fix = "" if place is None else fixes.without_cut(place.text) or fixes.valid(place.text)
            how = call["op"] if call["op"] in ("detach", "data") else "no_grad, or an op without"
            text = f"The graph was cut here, by {how}{' a derivative' if ' ' in how else ''}."
            return Finding("no_grad", reader, place, fix, text)
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
        text = "A tensor became a number or an array here, and its history was lost."
        return Finding("no_grad", reader, place, fix, text)
    place = place_of(origins[made[0]]) if made else None
    name = name_of_value(model, made[0]) if made else name_of_value(model, value)
    fix = f"{name}.requires_grad_()" if name else ""
    return Finding("no_grad", reader, place, fix, "Nothing that it was computed from needs grad.")


def not_a_number(model: Model) -> Finding | None:
    """Where the first NaN was born, if there is one."""
    born: list[tuple[int, Finding]] = []
    for call in model.calls.values():
        given = [each for each in call["inputs"] if isinstance(each, int)]
        if _nan_in(model, call["outputs"]) and not _nan_in(model, given):
            place = place_in(model, call["source"])
            text = f"The first NaN was made here, by {call['op']}."
            born.append((call["time"], Finding("nan", None, place, _guarded(place), text)))
            break
    for run in model.runs.values():
        rows = [model.nodes[number] for number in run["order"] if number in model.nodes]
        node = next((row for row in rows if row["run"] == run["run"] and _made_nan(row)), None)
        if node is not None:
            place = place_of_call(model, node["call"])
            text = (
                f"The first NaN was born in backward, in {node['name']}: the derivative of this "
                f"line is not finite where it was used."
            )
            born.append((run["time"], Finding("nan", None, place, _guarded(place), text)))
            break
    return min(born, key=lambda each: each[0])[1] if born else None


def _nan_in(model: Model, values: Any) -> bool:
    return any(_is_nan(model.values[each]["summary"]) for each in values if each in model.values)


def _is_nan(summary: Any) -> bool:
    return bool(summary) and summary[2] is not None and "nan" in summary[2]  # its values


def _made_nan(node: Row) -> bool:
    return any(map(_is_nan, node["grads_out"])) and not any(map(_is_nan, node["grads_in"]))


def _guarded(place: Place | None) -> str:
    return "" if place is None else fixes.guarded(place.text)


def unused(model: Model, reached: set[int]) -> Finding | None:
    """Parameters that never got a gradient though others of their model did."""
    ran: dict[str, bool] = {}
    idle: dict[str, list[str]] = {}
    for row in model.values.values():
        names = [name for scope, name in row["names"] if scope == "module"]
        if not names or not row["parameter"] or row["next"] is not None:
            continue
        root = names[-1].split(".")[0].split("[")[0]
        if row["storage"] in reached:
            ran[root] = True
        elif row["requires_grad"]:
            idle.setdefault(root, []).append(names[-1])
    found = [name for root, names in idle.items() if ran.get(root) for name in names]
    if not found:
        return None
    text = f"These parameters got no gradient from any backward: {', '.join(found[:8])}."
    return Finding("unused", None, None, "", text)


def growing(model: Model, roots: list[int], before: set[int], count: int) -> Finding | None:
    """Each run goes through the graphs of the runs before it, and more each time."""
    crossing = _crossing(model, roots, before & set(model.nodes))
    if crossing is None:
        return None
    new, old = crossing
    place = place_of_call(model, new["call"])
    name = next((each for each in map(_named(model), old["outputs"]) if each), "")
    text = f"The graph grows with every backward, by now to {count} nodes: {name or 'a value'} "
    text += "carries the history of all turns before."
    fix = fixes.valid(f"{name} = {name}.detach()") if name else ""
    return Finding("leak", place_of_call(model, old["call"]), place, fix, text)
