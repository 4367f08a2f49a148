"""Graphs that ran before: why a backward meets one again, and what grows by each iteration."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from ...recording.findings import Finding, Place
from ...recording.fold import Model, Row
from ...recording.libraries import is_library
from ...recording.sites import Site
from ..optimizer_steps import is_step
from . import fixes, history_fixes, statements
from .carried_state import carried, cut_off, detached
from .graph_paths import anew, between
from .lines import (
    apart,
    enclosing,
    name_of_value,
    place_in,
    place_of,
    place_of_call,
    source_of,
    statement,
    way_to,
)
from .partly_detached import cut_in_part

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def freed(
    model: Model, run: int, node: Row | None, first: Mapping[int, Site | None],
    way: Sequence[Place],
) -> Finding | None:  # fmt: skip
    """The graph, or a part of it, has run backward before; ``first`` says in which line each of
    its nodes did. ``way`` are the lines that lead to this backward, the innermost first."""
    if node is None:
        return None
    row = model.runs.get(run)
    backward = None if row is None else place_in(model, row["source"])
    reader = place_of_call(model, node["call"])
    before = place_of(first.get(node["node"]))
    roots = [number for _value, number in row["roots"]] if row is not None else []
    where = f" ({before.file.rpartition('/')[2]}, line {before.line})" if before else ""
    text = f"{node['name']} already ran in an earlier backward{where}; its saved values are freed."
    began = _time_of_run(model, first.get(node["node"]))
    edges = _crossings(model, roots, node["node"], began)
    finding = Finding("freed", reader, before, "", text)
    if before is not None and _on_purpose(model, run, roots, edges, began):
        return _kept_graph(model, finding, before)
    if not edges:
        if first.keys().isdisjoint(roots):
            return _shared(model, roots, first, began, finding)
        if before is not None and before == backward:
            return _kept_graph(model, finding, before)
        text += " Run one backward, or compute the loss again before the second."
        return finding._replace(fix=_between_two(model, roots, first, before, backward), text=text)
    return _used_again(model, roots, edges, first, began, backward, way, finding)


def of_earlier_cell(
    model: Model, roots: Iterable[int], first: Mapping[int, Site | None]
) -> Finding | None:
    """The same, where the log knows nothing more of what ran than where it did."""
    for row in between(model, roots, first):
        for number, _nr in row["next"]:
            place, before = place_of_call(model, row["call"]), place_of(first.get(number))
            if number not in model.nodes and place is not None and before is not None:
                where = f"{before.file.rpartition('/')[2]}, line {before.line}"
                text = f"A part of the graph already ran in an earlier backward ({where}); its "
                text += "saved values are freed. It is used again, with its old history."
                line = statement(model, place)
                source, names = source_of(model, place), history_fixes.carried(line)
                cuts = [cut for name in names for cut in cut_off(source, place, name)]
                fix = statements.valid("\n".join([*cuts, line])) if cuts else ""
                return Finding("freed", None, place, fix, text)
    return None


def _used_again(
    model: Model, roots: list[int], edges: list[tuple[Row, Row]],
    first: Mapping[int, Site | None], began: int, backward: Place | None, way: Sequence[Place],
    finding: Finding,
) -> Finding:  # fmt: skip
    """A new graph leads by these edges to what ran before: what carries it there, and the cut."""
    reader, before, text = finding.reader, finding.culprit, finding.text
    new, old = edges[0]
    name, place = carried(model, new, old)
    by_library = _by_a_library(model, new, old, name, place, began, finding)
    if by_library is not None:
        return by_library
    line = "" if place is None else statement(model, place)
    loss = statements.loss_of(backward.text) if backward is not None else ""
    kept = _put_into(model, place, line, name)
    added = _other_term(model, new, old)
    first_use = _for_another(model, old, name, began)
    if name and loss == name and added and place is not None and backward is not None:
        text += f" {name} is a sum over iterations, with the graphs of all of them."
        text += f" Sum the numbers, and call backward on {added}."
        fix = history_fixes.summed(line, place.line, added, backward.line)
    elif kept is not None:
        text += f" {kept[0]} keeps what all iterations computed, with its history. "
        summed = loss and backward is not None and loss in statements.given_by(line)
        fix = history_fixes.cut_off_all(source_of(model, kept[1]), *kept) if not summed else ""
        if fix:
            text += "Keep the numbers of earlier iterations."
        else:
            fix = history_fixes.detached(statement(model, kept[1]), name)
            fix = f"{fix}  # line {kept[1].line}"
            text += "Keep the numbers"
            text += f", and call backward on {name}." if summed else "."
        if summed and backward is not None:
            fix += f"\n{name}.backward()  # line {backward.line}"
        fix = statements.valid(fix)
    elif first_use is not None:
        place, fix = first_use
        text += f" That backward needs no gradient of {name}: give it {name}.detach()."
    elif before and place and before == backward and _iterates(model, place, name):
        return _kept_graph(model, finding, before)
    elif place is not None and reader != place and _ran_once(model, old, began):
        text += f" {name or 'What was computed then'} was made once and is used again:"
        text += " make it again each time (or, if what made it is not trained, .detach() it)."
        made = [*anew(model, [old["node"]], first, place.function)]
        made = made or _elsewhere(model, reader, place, name)
        fix = statements.valid("\n".join([*made, line])) if made else ""
    else:
        text += f" {name or 'What was computed then'} is used again, with its old history."
        names = filter(None, dict.fromkeys(carried(model, *edge)[0] for edge in edges))
        partly = cut_in_part(model, roots, names, began)
        if partly is not None:
            where, more, fix = partly
            text += more
            if fix:
                return finding._replace(culprit=where, fix=fix, text=text)
        fix, loop = detached(model, edges, line, place, way)
        if loop:
            text += f" Detach it before the loop at line {loop}: its own iterations stay connected."
    return finding._replace(culprit=place, fix=fix, text=text)


def _by_a_library(
    model: Model, new: Row, old: Row, name: str, place: Place | None, began: int, finding: Finding
) -> Finding | None:
    """The same, where the line ``place`` that uses it again is a library's: the program's own."""
    text = finding.text
    asking, origin = _asking(model, new, place), _asking(model, old, place)
    if asking is not None and origin is not None and _once(model, origin, began):
        text += f" What line {origin.line} made once is used again: make it again each time (or, if"
        text += " what made it is not trained, .detach() it)."
        lines = [statement(model, each) for each in (origin, asking)]
        fix = statements.valid("\n".join(lines))
        return finding._replace(culprit=asking, fix=fix, text=text)
    if asking is not None and place is not None and name.startswith("self."):
        text += (
            f" {name or 'What was computed then'} is used again, with its old history: an object"
        )
        text += f" of a library keeps it ({place.file.rpartition('/')[2]}, line {place.line}), and"
        text += " this line gives it that object again. Make it in each iteration, or detach what"
        text += " it keeps."
        return finding._replace(culprit=asking, text=text)
    return None


def _asking(model: Model, new: Row, place: Place | None) -> Place | None:
    """The program's own line that leads to a node, where the line ``place`` is of a library."""
    if place is None or not is_library(place.file):
        return None
    way = [each for _what, each in way_to(model, new["call"])]
    return next((each for each in reversed(way) if not is_library(each.file)), None)


def _once(model: Model, origin: Place, began: int) -> bool:
    """Return whether nothing was done on a line since that time."""
    since = [call["call"] for call in model.calls.values() if call["time"] > began]
    return all(place != origin for call in since for _what, place in way_to(model, call))


PICKS = frozenset({
    "index", "select", "slice", "narrow", "unbind", "split", "chunk", "view", "reshape", "flatten",
    "squeeze", "unsqueeze", "sum", "mean", "getitem", "index_select", "movedim", "transpose", "t",
    "permute",
})  # fmt: skip
"""Ops that take a part of what was computed: rows of a Jacobian begin so."""
WEIGHS = frozenset({"mul", "div", "neg", "dot"})
"""Ops that weigh its parts, as products with a Jacobian do."""


def _on_purpose(
    model: Model, run: int, roots: Iterable[int], edges: Sequence[tuple[Row, Row]], began: int
) -> bool:
    """Return whether a graph is run through again to differentiate other parts of its results: what
    is new are picks of these, a gradient is asked for, or the loop goes over them; and nothing that
    the graph was computed from was written since."""
    asked = model.runs[run]["inputs"] is not None
    nodes = between(model, roots, model.nodes)
    new = [row for row in nodes if row["time"] >= began and row["variable"] is None]
    leaves = {row["variable"] for row in nodes} & model.values.keys()
    storages = {model.values[each]["storage"] for each in leaves}
    if any(write["time"] > began for each in storages for write in model.storages[each]["writes"]):
        return False
    calls = [model.calls.get(row["call"]) for row in new]
    ops = PICKS | WEIGHS if asked else PICKS
    picked = all(call is None or call["op"].strip("_") in ops for call in calls)
    return picked and (asked or bool(new and edges))


def _kept_graph(model: Model, finding: Finding, before: Place) -> Finding:
    """Several backwards at one line need the graph: that keeps it."""
    text = f"{finding.text} All of them need it: keep the graph for all but the last one"
    fix = fixes.kept_graph(statement(model, before))
    text += ", or call backward once on their sum." if statements.loss_of(before.text) else "."
    return finding._replace(fix=fix, text=text)


def _put_into(model: Model, place: Place | None, line: str, name: str) -> tuple[str, Place] | None:
    """The container that a line reads and that was given what has that name, and where it was."""
    if place is None or not name or name in statements.read_by(line):
        return None
    source = source_of(model, place)
    for container in statements.read_by(line):
        for nr, value in history_fixes.put_into(source, container.rpartition(".")[2]):
            if ast.unparse(value) == name:
                text = source.splitlines()[nr - 1].strip()
                return container, place._replace(line=nr, text=text)
    return None


def _iterates(model: Model, place: Place, name: str) -> bool:
    """Return whether the variable is that of a loop around the line: then each iteration has its
    own. Without a name, whether the line reads one that is."""
    loops = [
        node for node in enclosing(source_of(model, place), place) if isinstance(node, ast.For)
    ]
    targets = [each for loop in loops for each in ast.walk(loop.target)]
    names = {each.id for each in targets if isinstance(each, ast.Name)}
    return name in names if name else bool(names & set(statements.read_by(statement(model, place))))


def _elsewhere(model: Model, reader: Place | None, place: Place, name: str) -> list[str]:
    """The statement that gives a name its value, where it stands in another function than its use
    and can be said there too: for an attribute a method of the same class, for a variable the
    program's top."""
    if reader is None or name not in statements.handed(made := statement(model, reader), name):
        return []
    one, other = (each.function.rpartition(".")[0] for each in (reader, place))
    known = one == other if name.startswith("self.") else reader.function == ""
    return [made] if known else []


def _for_another(model: Model, old: Row, name: str, began: int) -> tuple[Place, str] | None:
    """Return where the backward that freed a node was for what other parameters make of its result,
    as a discriminator's of what a generator made: the line that used it then, which should detach
    it."""
    stepped = {
        model.values[value]["storage"]
        for call in model.calls.values()
        if call["time"] > began and is_step(call)
        for value in call["outputs"]
        if value in model.values
    }
    leaves = {
        model.values[node["variable"]]["storage"]
        for node in between(model, [old["node"]], model.nodes)
        if node["variable"] in model.values
    }
    if not name or not stepped or not leaves or stepped & leaves:
        return None
    for node in model.nodes.values():
        if node["time"] < began and any(before == old["node"] for before, _nr in node["next"]):
            for place, _made in apart(model, node["call"], old["call"]):
                fix = fixes.with_method(statement(model, place), name, "detach")
                if fix:
                    return place, fix
    return None


def _between_two(
    model: Model, roots: list[int], first: Mapping[int, Site | None],
    before: Place | None, backward: Place | None,
) -> str:  # fmt: skip
    """The first backward, and after it the lines that make all of the graph once more."""
    if before is None or backward is None or before.function != backward.function:
        return ""
    made = anew(model, roots, first, backward.function)
    return statements.valid("\n".join([before.text, *made])) if made else ""


def _shared(
    model: Model, roots: list[int], first: Mapping[int, Site | None], began: int, finding: Finding
) -> Finding:
    """Two losses were computed, and share a part of the graph."""
    text = f"{finding.text} Two losses share a part of the graph:"
    before, run = finding.culprit, list(model.runs.values())[-1]
    backward = place_in(model, run["source"])
    fix = ""
    steps = [
        place
        for call in model.calls.values()
        if call["time"] > began and is_step(call)
        and (place := place_in(model, call["source"])) is not None
    ]  # fmt: skip
    if steps:
        text += " compute the second one after the step that the first one is for."
        step = steps[0]
        if backward is not None and step.function == backward.function:
            made = anew(model, roots, first, step.function)
            fix = statements.valid("\n".join([step.text, *made])) if made else ""
        return finding._replace(culprit=step, fix=fix, text=text)
    text += " add them and call backward once, after both are computed."
    if before is not None and backward is not None and before.function == backward.function:
        losses = statements.loss_of(before.text), statements.loss_of(backward.text)
        if all(losses) and before.file == backward.file:
            fix = f"pass\n({' + '.join(losses)}).backward()  # line {backward.line}"
        elif all(losses):  # in two cells
            where = f"# in place of line {before.line} of {before.file}, and of this"
            fix = statements.valid(f"({' + '.join(losses)}).backward()  {where}")
    return finding._replace(fix=fix, text=text)


def _ran_once(model: Model, node: Row, began: int) -> bool:
    """Return whether the line that made the node has made none since that time."""
    made = model.calls.get(node["call"])
    source = None if made is None else made["source"]
    return made is not None and not any(
        call["source"] == source and call["time"] > began for call in model.calls.values()
    )


def _crossings(model: Model, roots: Iterable[int], end: int, began: int) -> list[tuple[Row, Row]]:
    """The edges by which the ways from the roots to a node lead back to before that time."""
    way = {row["node"]: row for row in between(model, roots, [end])}
    return [
        (row, way[number])
        for row in way.values()
        if row["time"] >= began
        for number, _nr in row["next"]
        if number in way and way[number]["time"] < began
    ]


def _time_of_run(model: Model, site: Site | None) -> int:
    """The time at which the last run that went well from there began."""
    times = [
        row["time"]
        for row in model.runs.values()
        if site is not None and row["source"] == site.id and row["status"] == "ok"
    ]
    return times[-1] if times else 0


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


def growing(model: Model, roots: list[int], before: set[int], count: int) -> Finding | None:
    """Each run goes through the graphs of the runs before it, and more each time."""
    crossing = _crossing(model, roots, before & set(model.nodes))
    if crossing is None:
        return None
    new, old = crossing
    name, place = carried(model, new, old)
    text = f"The graph grows with every backward, by now to {count} nodes: {name or 'a value'} "
    text += "carries the history of all iterations before."
    line = "" if place is None else statement(model, place)
    fix, _loop = detached(model, [crossing], line, place, ())
    return Finding("leak", place_of_call(model, old["call"]), place, fix, text)
