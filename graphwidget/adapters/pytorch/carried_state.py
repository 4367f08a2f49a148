"""What a program carries from one graph into the next: its names there, and how it is cut off."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from functools import partial

from ...recording.findings import Place
from ...recording.fold import Model, Row
from . import history_fixes, statements
from .lines import (
    apart,
    enclosing,
    name_of_value,
    place_of_call,
    seen_from,
    source_of,
    statement,
    within,
)

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def carried(model: Model, new: Row, old: Row) -> tuple[str, Place | None]:
    """What the program calls a result of the old node, and its line that uses it again: the one
    in the function in which that name is known."""
    for value in old["outputs"]:
        row = model.values.get(value)
        for scope, name in reversed(row["names"] if row is not None else []):
            place = seen_from(model, new["call"], scope)
            inner = place_of_call(model, new["call"])
            if place is not None and inner is not None and inner != place:
                lines = [statement(model, each) for each in (place, inner)]
                within = [name in statements.read_by(line) for line in lines]
                place = inner if within == [False, True] else place
            if place is not None:
                return _now_called(model, value, scope, str(name), place), place
    names = [name_of_value(model, value) for value in old["outputs"]]
    name, place = next(filter(None, names), ""), place_of_call(model, new["call"])
    if place is not None and name.startswith("self.") and name in place.text:
        return name, place
    for used, made in apart(model, new["call"], old["call"]):
        handed = statements.handed(statement(model, made), statement(model, used))
        if handed:
            return handed[0], used
    return name, place


def detached(
    model: Model, edges: Iterable[tuple[Row, Row]], line: str, place: Place | None,
    way: Sequence[Place],
) -> tuple[str, int | None]:  # fmt: skip
    """The line, with all that is carried into it cut off from its history: before the loop, whose
    line is told too, if it carries that on itself and only its end is run backward."""
    edges = list(edges)
    names = dict.fromkeys(carried(model, new, old)[0] for new, old in edges)
    told = all(any(map(partial(name_of_value, model), old["outputs"])) for _, old in edges)
    by_line = history_fixes.carried(line, len({old["node"] for _, old in edges}) > 1)
    cut = [f"{name} = {name}.detach()" for name in names if name]
    # What a call takes and makes beside these has the same history, further back.
    cuts = by_line if not told or set(cut) < set(by_line) else []
    source = "" if place is None else source_of(model, place)
    loop = None if place is None or cuts else _carrying(source, place, way, names)
    for name in filter(None, names if not cuts else ()):
        number = re.search(rf"^\s*{re.escape(name)} = [\d.]+\s*(#.*)?$", source, re.MULTILINE)
        if loop:
            value = f"{name}.detach() if torch.is_tensor({name}) else {name}"
            value = value if number else f"{name}.detach()"
            cuts += [f"{name} = {value}  # before line {loop}"]
            continue
        cuts += [f"if torch.is_tensor({name}):"] if number else []
        cuts += [f"{'    ' if number else ''}{name} = {name}.detach()"]
    if loop:
        return "\n".join(cuts), loop
    return statements.valid("\n".join([*cuts, line])) if cuts else "", None


def _carrying(source: str, place: Place, way: Sequence[Place], names: Iterable[str]) -> int | None:
    """The line of the outermost loop around a line, in its function, that gives all of these names
    their next values, while no backward begins in there: the ``way`` leads to that."""
    wanted = {*filter(None, names)}
    if not way or not wanted:
        return None
    around = enclosing(source, place)
    functions = [nr for nr, node in enumerate(around) if isinstance(node, FUNCTIONS)]
    for node in around[functions[-1] + 1 if functions else 0 :]:
        if not isinstance(node, ast.For | ast.While):
            continue
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        if any(each.file == place.file and each.line in lines for each in way):
            continue
        given = {
            each.id
            for each in ast.walk(node)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        }
        if wanted <= given:
            return node.lineno
    return None


def _now_called(model: Model, value: int, scope: str, name: str, place: Place) -> str:
    """What a line calls a value whose name another value has got since, as in ``v = new_v``: the
    variable to which an assignment handed it on."""
    named = [scope, name]
    if not any(row["value"] > value and named in row["names"] for row in model.values.values()):
        return name
    read = statements.read_by(statement(model, place))
    around = [
        each
        for each in within(source_of(model, place), place)
        if isinstance(each, FUNCTIONS | ast.Module)
    ]
    for node in ast.walk(around[-1]) if around else ():
        for target, given in statements.assigned(node):
            if isinstance(given, ast.Name) and given.id == name and ast.unparse(target) in read:
                return ast.unparse(target)
    return name
