"""Saved values that were written before the backward that needs them: by what, and the way out."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from ...recording.findings import Finding, Place
from ...recording.fold import Model, Row
from ..optimizer_steps import is_step
from . import fixes, history_fixes, statements
from .carried_state import cut_off
from .graph_paths import anew, reached
from .lines import (
    enclosing,
    name_of_value,
    place_in,
    place_of,
    place_of_call,
    seen_from,
    siblings,
    source_of,
    statement,
)
from .parameter_fixes import rebinds
from .tensors import Silent

Owned = Callable[[], set[int]]


def explain_stale(
    model: Model, run: int, node: Row, slot: Row, way: Sequence[Place], held: Owned
) -> Finding:
    """A saved value was written before the backward that needs it; ``way`` are the lines that lead
    to that, the innermost first, ``held`` gets the storages of optimizers' parameters."""
    writes = [
        write
        for write in model.storages[slot["storage"]]["writes"]
        if write["time"] in slot["stale"]
    ]
    write = writes[0] if writes else None
    reader = place_of_call(model, node["call"])
    culprit = None if write is None else place_in(model, write["source"])
    line = "" if culprit is None else statement(model, culprit)
    saved = model.values.get(slot["value"])
    name = name_of_value(model, slot["value"]) or statements.target(line)
    name = name or name_of_value(model, None if saved is None else saved["view_of"])
    module, unset = _module(model, write, line)
    call = model.calls.get(write["call"]) if write is not None else None
    step = is_step(call)
    written = model.values.get(write["value"]) if write is not None else None
    leaf = written is not None and written["leaf"] and written["requires_grad"]
    leaf = leaf or any(  # a state_dict gives parameters without history
        row["parameter"] and row["requires_grad"]
        for row in model.values.values()
        if row["storage"] == slot["storage"]
    )
    how = f"by {module}, which is made with inplace=True" if module else _how(call, step)
    text = (
        f"{name or _unnamed(model, node, slot)} was overwritten, {how}, after {node['name']} "
        f"had saved it for backward (version {slot['version']})."
    )
    fix = ""
    if culprit is not None and way and (step or leaf):
        more, fix = _written_parameter(model, run, [node["node"]], write, way, name, held)
        text += more
    elif culprit is not None:
        levels = _levels(model, call)
        kept = _kept_copy(model, node, slot, culprit, line, reader)
        fix = (
            kept or unset or statements.in_part(line, lambda x: fixes.out_of_place(x, levels), name)
        )
        if kept:
            text += " The tensor has other names, which would keep the old numbers if this line "
            text += "made a new one: let backward keep a copy."
        if not fix and name.isidentifier() and reader is not None and statements.whole(line):
            fix = statements.valid(f"{name} = {name}.clone()\n{line}")
            fix = fix or f"{name} = {name}.clone()"
    return Finding("stale", reader, culprit, fix, text)


def _kept_copy(
    model: Model, node: Row, slot: Row, culprit: Place, line: str, reader: Place | None
) -> str:
    """The reader's line with copies for backward, where the line that writes cannot make a new
    tensor: others would not see it. Empty where it can."""
    written, source = statements.target(line), source_of(model, culprit)
    saved = model.values.get(slot["value"])
    seen = rebinds(source, culprit, written) and not _part(model, line, saved)
    if reader is None or not written or seen:
        return ""
    text = statement(model, reader)
    pairs = [pair for pair in model.hazards() if place_of_call(model, pair[0]["call"]) == reader]
    done = set()
    for each, one in pairs or [(node, slot)]:
        call = model.calls.get(each["call"])
        op = "" if call is None or one["slot"] != "result" else call["op"].strip("_")
        name = op or name_of_value(model, one["value"])
        if name not in done:
            text = (fixes.with_result_copy if op else fixes.with_copy)(text, name)
        done.add(name)
    return f"{text}  # line {reader.line}" if text else ""


def _part(model: Model, line: str, saved: Row | None) -> bool:
    """Return whether a line writes a view by a name of its own, and the tensor that it is a view of
    has another: a new tensor would not reach that."""
    written = statements.target(line)
    if saved is None or not written.isidentifier() or "[" in line.partition("=")[0]:
        return False
    rows = [row for row in model.values.values() if row["storage"] == saved["storage"]]
    views = [row for row in rows if row["view_of"] is not None]
    named = {name for row in views for _scope, name in row["names"]}
    others = {name for row in rows for _scope, name in row["names"]}
    return written in named and bool(others - {written})


def _unnamed(model: Model, node: Row, slot: Row) -> str:
    call = model.calls.get(node["call"])
    op = node["name"] if call is None else call["op"].strip("_")
    if slot["slot"] == "result":
        return f"The result of {op}"
    return f"What {op} was given ({slot['slot']})"


def _module(model: Model, write: Row | None, line: str) -> tuple[str, str]:
    """The name of PyTorch's module that wrote, as a ReLU can, and the line with that switched off;
    empty where it was the program's own code."""
    call = None if write is None else model.calls.get(write["call"])
    scope = None if call is None else model.scopes.get(call["scope"])
    if call is None or scope is None or scope["source"] != call["source"]:
        return "", ""
    outer = scope
    while (around := model.scopes.get(outer["parent"])) and around["source"] == call["source"]:
        outer = around
    if scope["kind"] != "module" or outer["kind"] != "module" or not call["inplace"]:
        return "", ""
    inner = scope["name"].removeprefix(outer["name"])
    last = outer["name"].rpartition(".")[2]
    fix = fixes.not_inplace(line, last, inner)
    return (f"{scope['name']} ({scope['text']})", fix) if fix else ("", "")


def _written_parameter(
    model: Model, run: int, stale: list[int], write: Row | None, way: Sequence[Place], name: str,
    held: Owned,
) -> tuple[str, str]:  # fmt: skip
    """A parameter was written between what saved it and a backward: text, and a fix. What backward
    needs is computed once more after the write, in the innermost function that does all of it;
    where that cannot be, what was saved is a copy."""
    roots = [number for _value, number in model.runs[run]["roots"]]
    reader = place_of_call(model, model.nodes[stale[0]]["call"])
    ends = {*stale, *(node["node"] for node, _slot in model.hazards())}
    until = model.time if write is None else write["time"]
    ways = ((each, anew(model, roots, ends, each.function, until)) for each in way)
    backward, again = next((each for each in ways if each[1]), (way[0], {}))
    line = None if write is None else seen_from(model, write["call"], backward.function)
    if line is not None and any(place.line == line.line for place in again.values()):
        again = {}  # what writes is a part of it: then once more is no help
    turned = next(filter(statements.carried_on, again), "")
    stepped = write is not None and is_step(model.calls.get(write["call"]))
    if turned and statements.adds_up(turned) and not stepped:
        again, turned = {}, ""
    lazy = _run_lazily(model, again, backward) if stepped else None
    if lazy is not None:
        return lazy
    if turned:
        return _cut_history(model, turned, again[turned])
    again.pop(statement(model, backward), None)  # it comes after it anyway
    untrained = None if stepped else _not_trained(model, again, stale, backward.function, held)
    if untrained is not None:
        return untrained
    if again and line is not None:
        found = _computed_after(model, write, line, again, backward, reader)
        if found is not None:
            return found
    return _written_after(model, backward, reader, name)


def _not_trained(
    model: Model, again: Mapping[str, Place], stale: list[int], function: str, held: Owned
) -> tuple[str, str] | None:
    """The last of the lines ``again`` that computes nothing an optimizer trains, if what is stale
    is of it: it needs no gradient, as of a target network or a teacher."""
    trained = held() if again else set()
    for line, place in reversed([*again.items()] if trained else []):
        made = [
            node["node"]
            for node in model.nodes.values()
            if node["call"] is not None and seen_from(model, node["call"], function) == place
        ]
        within = reached(model, made)
        leaves = [model.nodes[each]["variable"] for each in within]
        storages = {model.values[each]["storage"] for each in leaves if each in model.values}
        fix = history_fixes.detached_whole(line)
        if fix and within.issuperset(stale) and storages and trained.isdisjoint(storages):
            text = f" No optimizer trains what line {place.line} computes: it needs no gradient."
            return text, f"{fix}  # line {place.line}"
    return None


def _run_lazily(
    model: Model, again: Mapping[str, Place], backward: Place
) -> tuple[str, str] | None:
    """A loop steps after each item of a list whose items were all computed before it: a generator
    computes each when it is needed."""
    source = source_of(model, backward)
    loops = [each for each in _around(model, backward) if isinstance(each, ast.For)]
    for line, place in again.items():
        made = statements.parsed(line)
        name = next(iter(statements.given_by(line)), "")
        if not isinstance(made, ast.Assign) or not isinstance(made.value, ast.ListComp):
            continue
        iterated = any(name in statements.read_by(ast.unparse(each.iter)) for each in loops)
        if iterated and len(re.findall(rf"\b{re.escape(name)}\b", source)) == 2:
            made.value = ast.GeneratorExp(made.value.elt, made.value.generators)
            text = f" All items of {name} are computed before the first step. A generator computes"
            text += " each when it is needed."
            return text, f"{ast.unparse(made)}  # line {place.line}"
    return None


def _cut_history(model: Model, turned: str, place: Place) -> tuple[str, str]:
    """A statement carries its value on from iteration to iteration: it is to begin without
    history."""
    names = statements.carried_on(turned)
    text = f" {' and '.join(names)} carried it over from an earlier iteration: cut its history."
    source = source_of(model, place)
    cuts = [cut for name in names for cut in cut_off(source, place, name)]
    return text, "\n".join(f"{cut}  # before line {place.line}" for cut in cuts)


def _computed_after(
    model: Model, write: Row | None, line: Place, again: Mapping[str, Place], backward: Place,
    reader: Place | None,
) -> tuple[str, str] | None:  # fmt: skip
    """The line that writes, followed by what backward needs, computed ``again``: right after it, or
    after the block that it stands in."""
    fix = statements.valid("\n".join([statement(model, line), *again]))
    block = [each for each in _around(model, line) if each not in _around(model, backward)]
    own = write is not None and place_in(model, write["source"]) == line
    end = (block[0].end_lineno if block else None) or line.line
    moved = _moved(model, again.values(), end)
    if fix and own and len(block) <= 1:
        return moved or " Compute again after it what backward needs.", fix
    fix = statements.valid("\n".join(f"{each}  # after line {end}" for each in again))
    if reader is None or not block or block[0] not in _around(model, reader):
        return moved or f" Compute again, after line {end}, what backward needs.", fix
    return None


def _moved(model: Model, made: Iterable[Place], end: int) -> str:
    """Check that these lines are to stand after the line ``end``, if nothing up to there reads what
    they give."""
    places = sorted(made, key=lambda each: each.line)
    given = {name for each in places for name in statements.given_by(statement(model, each))}
    after = siblings(source_of(model, places[0]), places[0])
    between = [each for each in after if each.lineno <= end]
    stay = [each for each in between if each.lineno not in {place.line for place in places}]
    texts = [ast.unparse(each) for each in stay]
    if not stay or stay[-1].end_lineno != end or not given or any("." in name for name in given):
        return ""
    if not given.isdisjoint(name for text in texts for name in statements.read_by(text)):
        return ""
    lines = " and ".join(str(each.line) for each in places)
    return f" Move line{'s' if len(places) > 1 else ''} {lines} to after line {end}."


def _written_after(
    model: Model, backward: Place, reader: Place | None, name: str
) -> tuple[str, str]:
    """The write is to come after the backward, or backward to keep a copy."""
    where = f"rite it after `{backward.text}` (line {backward.line})."
    kept = "" if reader is None else fixes.with_copy(statement(model, reader), name)
    if reader is None or not kept:
        return f" W{where}", ""
    return f" Let backward keep a copy, or w{where}", f"{kept}  # line {reader.line}"


def _around(model: Model, place: Place) -> list[ast.stmt]:
    return enclosing(source_of(model, place), place)


def _levels(model: Model, write: Row | None) -> int | None:
    """Return how many of the subscripts on the line of a write are those of the tensor that it
    writes; None where the write was not recorded."""
    if write is None:
        return None
    count, written = int("index" in write["params"]), write["inputs"][0]
    while isinstance(written, int):
        value = model.values.get(written)
        call = None if value is None else model.calls.get(value["call"])
        if call is None or call["op"] != "index" or not _same_line(model, call, write):
            break
        count, written = count + 1, call["inputs"][0]
    return count


def _same_line(model: Model, call: Row, other: Row) -> bool:
    one, two = (model.sources.get(each["source"]) for each in (call, other))
    keys = ("cell", "file", "line")
    return one is not None and two is not None and all(one[key] == two[key] for key in keys)


def _how(call: Row | None, step: bool) -> str:
    if call is None:
        return "by something that was not recorded"
    name = str(call["op"]).rstrip("_")
    if name == "embedding":
        return "by an embedding with max_norm, which scales the rows that it looks up"
    return f"by a step of {name}" if step else f"in place ({name}_)"


def silently_stale(
    model: Model, run: int, node: int, silent: Silent, name: str, way: Sequence[Place], held: Owned
) -> Finding:
    """A saved value was written where PyTorch does not notice."""
    place, row = place_of(silent.site), model.nodes.get(node)
    reader = None if row is None else place_of_call(model, row["call"])
    text = (
        f"{name or 'A value'} was written through {silent.how} after it was saved for backward: "
        f"no error is raised, and the gradients are wrong."
    )
    written = model.values.get(silent.value)
    leaf = written is not None and written["leaf"] and written["requires_grad"]
    fix = ""
    if place is not None and ".data" in place.text and not leaf:
        plain = place.text.replace(".data", "")
        fix = statements.in_part(plain, fixes.out_of_place, name)
        fix = fix or fixes.under_no_grad(plain)
    elif row is not None and way:
        source = None if silent.site is None else silent.site.id
        writes = [
            call
            for call in model.calls.values()
            if call["source"] == source and call["inplace"] and call["time"] > row["time"]
        ]
        write = next(iter(writes), None)
        more, fix = _written_parameter(model, run, [node], write, way, name, held)
        text += more
    return Finding("stale", reader, place, fix, text)
