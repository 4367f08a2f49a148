"""State that a program carries from one graph into the next: its names, and how to detach it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from types import FrameType
from typing import Any

import torch

from ...recording.findings import Place
from ...recording.fold import Model, Row
from ...recording.places import cell_of, file_in_words
from ...recording.sites import function_of
from . import history_fixes, statements
from .lines import (
    apart,
    enclosing,
    name_of_value,
    place_of_call,
    seen_from,
    source_of,
    statement,
    tree_of,
    within,
)

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def carried(model: Model, new: Row, old: Row) -> tuple[str, Place | None]:
    """Return the name of a result of the old node, and the line that uses it again, in the
    function that knows the name."""
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
    line is reported too, if it carries that on itself and only its end is run backward."""
    edges = list(edges)
    names = dict.fromkeys(carried(model, new, old)[0] for new, old in edges)
    all_named = all(any(map(partial(name_of_value, model), old["outputs"])) for _, old in edges)
    several = len({old["node"] for _, old in edges}) > 1
    source = "" if place is None else source_of(model, place)
    by_line = [] if place is None else history_fixes.carried(line)
    # What a call takes and makes beside these has the same history, further back.
    wanted = by_line if not all_named or {*filter(None, names)} < {*by_line} else [*names]
    loop = None if place is None or wanted == by_line else _carrying(source, place, way, names)
    cuts = [
        cut if loop is None else f"{cut}  # before line {loop}"
        for name in filter(None, wanted)
        for cut in (cut_off(source, place, name, several) if place is not None else ())
    ]
    if loop:
        return "\n".join(cuts), loop
    return statements.valid("\n".join([*cuts, line])) if cuts else "", None


def cut_off(source: str, place: Place, name: str, several: bool = False) -> list[str]:
    """The lines that take the history off what a variable holds, whatever that is: a tensor, or a
    tuple, a list or a dictionary of tensors, and perhaps None in the first iteration. ``several``
    says that it is a tuple if nothing else is known."""
    value = value_in_frames(name, place)
    if value is None and several:
        value = (torch.zeros(0), torch.zeros(0))
    code = _without_history(name, value)
    assigned = rf"\b{re.escape(name)}(?: *: *[^=,()]+)?"
    if re.search(rf"^\s*{assigned} = -?[\d.]+\s*(#.*)?$", source, re.MULTILINE):
        guard = f"if torch.is_tensor({name}):"
    elif re.search(rf"{assigned}(?: =|=) *None\b", source) or _may_be_none(source, name):
        guard = f"if {name} is not None:"
    else:
        return [f"{name} = {code}"]
    return [guard, f"    {name} = {code}"]


def _may_be_none(source: str, name: str) -> bool:
    """Return whether an assignment of several gives None to a variable."""
    return any(
        ast.unparse(target) == name and isinstance(value, ast.Constant) and value.value is None
        for node in ast.walk(tree_of(source))
        for target, value in statements.assigned(node)
    )


def _without_history(name: str, value: Any) -> str:
    """An expression of what a variable holds, without history."""
    if isinstance(value, dict):
        items = _without_history("s", next(iter(value.values()), None))
        return f"{{key: {items} for key, s in {name}.items()}}"
    if isinstance(value, tuple | list):
        plain = all(isinstance(each, torch.Tensor) for each in value)
        alike = len({type(each) for each in value}) == 1
        inner = "s.detach()" if plain else "s.detach() if torch.is_tensor(s) else s"
        if alike and value and isinstance(value[0], tuple | list | dict):
            inner = _without_history("s", value[0]).replace("s.detach()", "t.detach()")
            inner = inner.replace("for s in s", "for t in s")
        if isinstance(value, list):
            return f"[{inner} for s in {name}]"
        if hasattr(value, "_fields"):
            return f"type({name})(*({inner} for s in {name}))"
        return f"tuple({inner} for s in {name})"
    return f"{name}.detach()"


def value_in_frames(name: str, place: Place) -> Any:
    """Return the present value of a variable or an attribute in the function of a line, without
    running code of the program; None if that function has ended."""
    frame: FrameType | None = sys._getframe()
    parts = name.split(".")
    while frame is not None:
        code = frame.f_code
        where = file_in_words(cell_of(code.co_filename), code.co_filename)
        if where == place.file and function_of(code) == place.function:
            value = frame.f_locals.get(parts[0], frame.f_globals.get(parts[0]))
            for part in parts[1:]:
                value = getattr(value, "__dict__", {}).get(part)
            return value
        frame = frame.f_back
    return None


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
    """Return a line's name for a value whose own name was bound to another value since, as in
    ``v = new_v``: the variable it was assigned to."""
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
