"""Finds the user's lines and statements behind calls and sites, and those around a line."""

from __future__ import annotations

import ast
import linecache
import textwrap
from functools import lru_cache

from ...recording.findings import Place
from ...recording.fold import Model
from ...recording.places import file_in_words
from ...recording.positions import Position
from ...recording.sites import Site, Sites
from ...recording.spelling import path_of

MAX_LINES = 20_000


def place_of(site: Site | None) -> Place | None:
    """Return a site in the form of a finding."""
    if site is None:
        return None
    file = file_in_words(site.cell, site.file)
    return Place(file, site.line, site.text, site.function)


def place_in(model: Model, source: int | None) -> Place | None:
    """Like ``place_of``, for a source of the log."""
    row = model.sources.get(source) if source is not None else None
    if row is None:
        return None
    file = file_in_words(row["cell"], row["file"])
    return Place(file, row["line"], row["text"], row["function"])


def place_of_call(model: Model, call: int | None) -> Place | None:
    """The line of a call."""
    row = model.calls.get(call) if call is not None else None
    return None if row is None else place_in(model, row["source"])


def name_of_value(model: Model, value: int | None) -> str:
    """Return the user's name for a value; if it was written since, the name it has then."""
    row = model.values.get(value) if value is not None else None
    while row is not None:
        if row["names"]:
            return str(row["names"][-1][1])
        row = model.values.get(row["next"]) if row["next"] is not None else None
    return ""


def name_as_read(model: Model, value: int) -> str:
    """Return the text of a value where a call reads it, as ``net.weight``; empty if it is
    computed there."""
    for call in model.calls.values():
        if value not in call["inputs"]:
            continue
        place = place_of_call(model, call["call"])
        tree = tree_of("" if place is None else statement(model, place))
        nr = call["inputs"].index(value)
        for node in ast.walk(tree):
            function = node.func if isinstance(node, ast.Call) else None
            if isinstance(function, ast.Attribute) and function.attr == call["op"]:
                receiver = function.value
                given = [receiver, *node.args] if isinstance(node, ast.Call) else []
                for each in (given[1:], given):  # a library's function, a method
                    text = path_of(each[nr]) if nr < len(each) else None
                    if text is not None and text.endswith((".weight", ".bias", ".data")):
                        return text
    return ""


def shapes_in(model: Model, place: Place) -> dict[str, tuple[int, ...]]:
    """The shapes of the tensors that variables and attributes are known to be where a line is."""
    found: dict[str, tuple[int, ...]] = {}
    for row in model.values.values():
        for scope, name in row["names"]:
            shape = tuple(row["summary"][0])
            if scope == "module":
                found[f"self.{name.rpartition('.')[2]}"] = shape
            elif scope in (place.function, ""):
                found[name] = shape
    return found


def seen_from(model: Model, call: int | None, function: str) -> Place | None:
    """The line of ``function`` that made a call, by itself or in what it calls."""
    row = model.calls.get(call) if call is not None else None
    scope = None if row is None else row["scope"]
    place = None if row is None else place_in(model, row["source"])
    while scope is not None and (place is None or place.function != function):
        around = model.scopes.get(scope)
        if around is None:
            return None
        if around["kind"] in ("module", "function"):
            place = place_in(model, around["source"])
        scope = around["parent"]
    return place if place is not None and place.function == function else None


def way_to(model: Model, call: int | None) -> list[tuple[str, Place]]:
    """The lines that lead to a call, from the outermost in: each with what was entered there."""
    row = model.calls.get(call) if call is not None else None
    if row is None:
        return []
    found = [(f"call {row['call']}", place_in(model, row["source"]))]
    scope = row["scope"]
    while scope is not None and scope in model.scopes:
        around = model.scopes[scope]
        if around["kind"] in ("module", "function"):
            found.append((f"scope {scope}", place_in(model, around["source"])))
        scope = around["parent"]
    return [(what, place) for what, place in reversed(found) if place is not None]


def way_of(position: Position | None, sites: Sites) -> list[Place]:
    """The user's lines that lead to where a program stands, the innermost first."""
    if position is None:
        return []
    found: list[Site | None] = [
        sites.at(each.code, each.lasti) for each in position.levels[::-1] if not each.ours
    ] or [position.site]
    return [place for site in found if (place := place_of(site)) is not None]


def apart(model: Model, one: int | None, other: int | None) -> list[tuple[Place, Place]]:
    """Return where the ways to two calls part, and the lines of both from there on inwards: those
    that stand in the same function."""
    ways = list(zip(way_to(model, one), way_to(model, other), strict=False))
    parted = next((nr for nr, (a, b) in enumerate(ways) if a[0] != b[0]), len(ways))
    pairs = [(a[1], b[1]) for a, b in ways[parted:]]
    return [(a, b) for a, b in pairs if (a.file, a.function) == (b.file, b.function)]


def statement(model: Model | None, place: Place) -> str:
    """The whole statement that a line belongs to, at the margin; the line alone where its text is
    not at hand."""
    return statement_in(source_of(model, place), place)


def statement_in(source: str, place: Place) -> str:
    """Like ``statement``, for a text in which the line stands."""
    around = enclosing(source, place)
    if not around or hasattr(around[-1], "body"):
        return place.text
    first, last = around[-1].lineno, around[-1].end_lineno or around[-1].lineno
    return textwrap.dedent("\n".join(source.splitlines()[first - 1 : last]))


def source_of(model: Model | None, place: Place) -> str:
    """The text of the cell or the file in which a line stands."""
    cells = [] if model is None else model.cells
    found = [row["source"] for row in cells if file_in_words(row["count"], None) == place.file]
    return found[-1] if found else "".join(linecache.getlines(place.file)[:MAX_LINES])


def enclosing(source: str, place: Place) -> list[ast.stmt]:
    """The statements that a line is part of, from the outermost in; none if the source is not
    what ran."""
    lines = source.splitlines()
    if not place.line <= len(lines) or place.text not in lines[place.line - 1]:
        return []
    nodes = [each for each in ast.walk(tree_of(source)) if isinstance(each, ast.stmt)]
    return [each for each in nodes if begin(each) <= place.line <= (each.end_lineno or 0)]


def within(source: str, place: Place) -> list[ast.AST]:
    """The same, and around them all the whole program."""
    return [tree_of(source), *enclosing(source, place)]


def siblings(source: str, place: Place) -> list[ast.stmt]:
    """The statements that follow the innermost one at a line in the same block."""
    for node in enclosing(source, place)[-1:]:
        for parent in ast.walk(tree_of(source)):
            for _name, block in ast.iter_fields(parent):
                if isinstance(block, list) and node in block:
                    return list(block[block.index(node) + 1 :])
    return []


def header(node: ast.stmt, line: str) -> str:
    """Return how a block or a function begins, with ``line`` for what begins it or is its decorator
    (a decorator is left out without one); ``...`` stands for its body."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        bare = type(node)(node.name, node.args, [ast.Expr(ast.Constant(...))], [])
        text = ast.unparse(ast.fix_missing_locations(bare)).replace("\n    ...", " ...")
        return f"{line}\n{text}" if line else text
    return f"{line}\n    ..." if line.endswith(":") else line


def begin(node: ast.stmt) -> int:
    """The first line of a statement, with its decorators."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


@lru_cache(maxsize=16)
def tree_of(source: str) -> ast.AST:
    """The syntax tree of a text; an empty one if it is no Python."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return ast.Module([], [])
