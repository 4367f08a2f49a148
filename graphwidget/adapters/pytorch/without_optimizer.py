"""Parameters that get gradients and are in no optimizer, though they should be.

Many correct programs have some: a model that only lends its gradients, a body that is not trained.
So they are reported only if the cause is known: a module in a plain list or dictionary of another,
whose own parameters are in an optimizer; an optimizer with parameters that never got a gradient,
and that are of no model any more, of a copy of the one that learns, or all there are in optimizers;
or parameters that were frozen when the optimizer of others of their model was made.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping

from ...recording.findings import Finding, Place
from ...recording.fold import Model, Row
from ...recording.sites import Site
from ..optimizer_steps import is_step
from . import statements
from .lines import enclosing, place_in, place_of, source_of

PART = re.compile(r"\[[^\]]*\]|\.?\w+")
"""Of a path like ``net.layers[2].weight``."""
KINDS: Mapping[type[ast.expr], str] = {
    ast.List: "ModuleList", ast.ListComp: "ModuleList", ast.Tuple: "ModuleList",
    ast.Dict: "ModuleDict", ast.DictComp: "ModuleDict",
}  # fmt: skip
CALLS = {"list": "ModuleList", "tuple": "ModuleList", "dict": "ModuleDict"}
LISTED = 4


def unowned(
    model: Model, named: Mapping[str, Row], graded: set[int], bare: Mapping[str, set[int]],
    owned: set[int], sources: Iterable[tuple[str, str]], frozen: Mapping[int, Site],
) -> Finding | None:  # fmt: skip
    """Report the parameters ``named`` that get gradients but are in no optimizer.

    ``frozen`` has the sites that set ``requires_grad`` to False; ``bare``, for each optimizer by
    class, the storages of its parameters that never had a gradient when it stepped; ``sources`` the
    program's files, (file, text) each."""
    strays = {
        path: row
        for path, row in named.items()
        if row["storage"] in graded and row["storage"] not in owned and row["requires_grad"]
    }
    if not strays:
        return None
    roots = {_root(path) for path, row in named.items() if row["storage"] in owned}
    listed = _in_a_list(model, strays, roots)
    if listed is not None:
        return listed
    alive = {row["storage"] for row in named.values()}
    none_learn = owned.isdisjoint(graded)
    for kind, idle in bare.items():
        made = _made(kind, sources)
        for root in dict.fromkeys(map(_root, strays)) if idle and made is not None else ():
            mine = {path: row for path, row in strays.items() if _root(path) == root}
            whole = [row for path, row in named.items() if _root(path) == root]
            lost = idle - alive and root in roots
            copied = len(whole) == len(mine) and _shapes(whole) == _shapes(_rows(model, idle))
            if (lost or copied or (none_learn and idle == owned)) and made is not None:
                return _of_others(mine, root, *made)
    return _thawed(model, strays, roots, frozen, [_made(kind, sources) for kind in bare])


def _thawed(
    model: Model, strays: Mapping[str, Row], roots: set[str], frozen: Mapping[int, Site],
    made: list[Made | None],
) -> Finding | None:  # fmt: skip
    """They were frozen when the optimizer got the others of their model, and learn since: they had
    gradients when it made its last step."""
    steps = [call["time"] for call in model.calls.values() if is_step(call)]
    learning = {
        node["variable"] for node in model.nodes.values() if steps and node["time"] < steps[-1]
    }
    mine = {
        path: row
        for path, row in strays.items()
        if row["value"] in frozen.keys() & learning and _root(path) in roots
    }
    if not mine or len(made) != 1 or made[0] is None:
        return None
    place, line, _after = made[0]
    reader = place_of(frozen[next(iter(mine.values()))["value"]])
    root = _root(next(iter(mine)))
    text = (
        f"{_joined(mine)} they are. They were frozen when {ast.unparse(line.targets[0])} was made,"
    )
    text += " which was given others. Give it all from the start: it passes over what has no"
    text += " gradient."
    fix = ""
    if isinstance(line.value, ast.Call) and line.value.args:
        words = [*line.value.args[1:], *line.value.keywords]
        given = ", ".join([f"{root}.parameters()", *map(ast.unparse, words)])
        fix = f"{ast.unparse(line.targets[0])} = {ast.unparse(line.value.func)}({given})"
    return Finding("unused", reader, place, statements.valid(fix), text)


def _root(path: str) -> str:
    return str(PART.findall(path)[0])


def _rows(model: Model, storages: set[int]) -> list[Row]:
    """The newest value of each of these parameters."""
    rows = {row["storage"]: row for row in model.values.values() if row["parameter"]}
    return [rows[each] for each in storages if each in rows]


def _shapes(rows: Iterable[Row]) -> Counter[tuple[int, ...]]:
    return Counter(tuple(row["summary"][0]) for row in rows)


def _joined(paths: Iterable[str]) -> str:
    names = list(paths)
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return f"No optimizer holds {', '.join(names[:LISTED])}{more}: they get gradients and stay as"


# In a list of modules that is none ---------------------------------------------------------
def _in_a_list(model: Model, strays: Mapping[str, Row], owned: set[str]) -> Finding | None:
    """A module is called in another one's call, and is no member of that."""
    for scope in model.scopes.values():
        name, outer = str(scope["name"]), model.scopes.get(scope["parent"])
        while outer is not None and outer["kind"] != "module":
            outer = model.scopes.get(outer["parent"])
        whole = name.rpartition("[")[0] if name.endswith("]") else name
        mine = [path for path in strays if path.startswith((f"{whole}.", f"{whole}["))]
        if scope["kind"] != "module" or outer is None or not mine:
            continue
        if _root(name) == _root(outer["name"]) or _root(outer["name"]) not in owned:
            continue
        place = place_in(model, scope["source"])
        found = None if place is None else _list_of(source_of(model, place), place)
        if place is not None and found is not None:
            kind, statement, made = found
            text = f"{_joined(mine)} they are. {ast.unparse(statement.targets[0])} is a plain "
            text += (
                f"{'list or tuple' if kind == 'ModuleList' else 'dictionary'}, and parameters() "
            )
            text += f"does not look into it: make it an nn.{kind}."
            line = source_of(model, place).splitlines()[statement.lineno - 1].strip()
            where = place._replace(line=statement.lineno, text=line, function="__init__")
            return Finding("unused", place, where, made, text)
    return None


def _list_of(source: str, place: Place) -> tuple[str, ast.Assign, str] | None:
    """The assignment of the list or dictionary whose members a line calls, and what it should be;
    with the class of PyTorch's for it."""
    around = enclosing(source, place)
    classes = [each for each in around if isinstance(each, ast.ClassDef)]
    if not classes:
        return None
    parts: list[ast.AST] = [around[-1], *(x.iter for x in around if isinstance(x, ast.For))]
    members = [each for part in parts for each in ast.walk(part) if isinstance(each, ast.Attribute)]
    reached = {ast.unparse(each) for each in members}
    short = re.search(r"import torch\.nn as nn|from torch import .*\bnn\b", source)
    for node in ast.walk(classes[-1]):
        kind = _kind(node.value) if isinstance(node, ast.Assign) else ""
        if isinstance(node, ast.Assign) and len(getattr(node.value, "elts", ())) == 1:
            continue  # so a module is kept from being a part of another on purpose
        if isinstance(node, ast.Assign) and kind and ast.unparse(node.targets[0]) in reached:
            target, given = ast.unparse(node.targets[0]), ast.unparse(node.value)
            call = f"{'nn' if short else 'torch.nn'}.{kind}({'' if len(given) == 2 else given})"
            return kind, node, statements.valid(f"{target} = {call}")
    return None


def _kind(made: ast.expr) -> str:
    """The class of PyTorch's for a plain list, tuple or dictionary; empty for anything else."""
    if isinstance(made, ast.Call):
        return CALLS.get(ast.unparse(made.func), "")
    return KINDS.get(type(made), "")


# Held by an optimizer that was made for others ---------------------------------------------
Made = tuple[Place, ast.Assign, list[ast.stmt]]


def _made(kind: str, sources: Iterable[tuple[str, str]]) -> Made | None:
    """The only statement that makes an optimizer of that class, and those after it."""
    found: list[Made] = []
    for file, source in sources:
        try:
            nodes = [*ast.walk(ast.parse(source))]
        except (SyntaxError, ValueError):
            continue
        for parent in nodes:
            for _name, block in ast.iter_fields(parent):
                for at, each in enumerate(block if isinstance(block, list) else ()):
                    call = each.value if isinstance(each, ast.Assign) else None
                    if not isinstance(call, ast.Call):
                        continue
                    if ast.unparse(call.func).rpartition(".")[2] == kind:
                        line = source.splitlines()[each.lineno - 1].strip()
                        place = Place(file, each.lineno, line, "")
                        found.append((place, each, block[at + 1 :]))
    return found[0] if len(found) == 1 else None


def _of_others(
    mine: Mapping[str, Row], root: str, place: Place, made: ast.Assign, after: list[ast.stmt]
) -> Finding:
    """An optimizer steps what gets no gradient, in the place of what does."""
    text, name = f"{_joined(mine)} they are.", ast.unparse(made.targets[0])
    others = {*re.findall(r"([\w.]+)\.parameters\(\)", ast.unparse(made.value))} - {root}
    later = [each for each in after if _replaces(each, root)]
    if len(others) == 1:
        other = next(iter(others))
        text += f" {name} was made with the parameters of {other}, which get none."
        fix = re.sub(rf"\b{re.escape(other)}\b(?=\.|\[|\))", root, ast.unparse(made.value))
        made = ast.Assign(made.targets, ast.parse(fix, mode="eval").body, lineno=made.lineno)
        if not later or ast.unparse(later[-1]).startswith(f"{root}."):
            return Finding("unused", None, place, statements.valid(f"{name} = {fix}"), text)
        text += f" Make it with those of {root}, after line {later[-1].lineno}."
        return _made_later(later[-1], made, place, text)
    text += f" {name} was made before they were, and steps those that they took the place of: "
    text += f"make it after all parts of {root} are in their places."
    if not later:
        return Finding("unused", None, place, "", text)
    return _made_later(later[-1], made, place, text)


def _made_later(last: ast.stmt, made: ast.Assign, place: Place, text: str) -> Finding:
    """The optimizer is to be made after a statement."""
    again = statements.valid(f"{ast.unparse(last)}\n{ast.unparse(made)}")
    where = place._replace(line=last.lineno, text=ast.unparse(last).partition("\n")[0])
    return Finding("unused", place, where, again, text)


def _replaces(statement: ast.stmt, root: str) -> bool:
    """Return whether a statement makes a model, gives it other parts, or takes other parameters
    in."""
    if isinstance(statement, ast.Assign):
        return f"{ast.unparse(statement.targets[0])}.".startswith(f"{root}.")
    text = ast.unparse(statement)
    return text.startswith(f"{root}.") and "assign=True" in text
