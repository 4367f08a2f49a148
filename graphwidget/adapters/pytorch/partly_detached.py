"""States of several tensors, as an LSTM's, of which a program forgets to detach some."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from ...recording.findings import Place
from ...recording.fold import Model
from . import statements
from .graph_paths import reached
from .lines import place_in, source_of, statement


def cut_in_part(
    model: Model, roots: Iterable[int], names: Iterable[str], began: int
) -> tuple[Place, str, str] | None:
    """Return where the program detached other results of the iteration before that this one uses
    too: that line, this in words, and the line with ``names``, which it did not detach, detached
    as well (empty if unknown how). ``began`` is when the last run did."""
    calls = {model.nodes[node]["call"] for node in reached(model, roots)}
    used = {
        value
        for number in calls
        if number in model.calls and model.calls[number]["time"] > began
        for value in model.calls[number]["inputs"]
    }
    for call in reversed(model.calls.values()):
        if call["time"] <= began or call["op"] != "detach" or used.isdisjoint(call["outputs"]):
            continue
        source = model.values.get(call["inputs"][0])
        place = place_in(model, call["source"])
        if source is not None and source["requires_grad"] and place is not None:
            line = statement(model, place)
            cut = _detached(statements.valid(line))
            if cut and source["time"] < began:
                fix = _completed(line, cut, [*names], source_of(model, place))
                left = [each for each in _detached(fix) if each not in cut] or [*names]
                parts = (" and ".join(dict.fromkeys(each)) for each in (cut, left))
                return place, " Line {} detaches {}, but not {}.".format(place.line, *parts), fix
    return None


def _detached(code: str) -> list[str]:
    """Return the expressions that the code detaches."""
    return [
        ast.unparse(node.func.value)
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "detach"
    ]


def _completed(line: str, cut: list[str], names: list[str], source: str) -> str:
    """The line with the forgotten names detached too: as a further argument, as what stands beside
    what it detaches, or on lines of their own."""
    tree = statements.parsed(line)
    lasts = [name.rpartition(".")[2] for name in names]
    owner = next((each.rpartition(".")[0] for each in cut if "." in each), "")
    for node in ast.walk(tree or ast.Pass()):
        if isinstance(node, ast.Tuple | ast.List) and any(map(_cuts, node.elts)):
            node.elts = [each if _cuts(each) else _cut(each) for each in node.elts]
            return statements.valid(ast.unparse(tree or node))
        words = {word.arg: word for word in getattr(node, "keywords", ())}
        if any(_cuts(word.value) for word in words.values()):
            for last in lasts:
                if last in words:
                    words[last].value = _cut(words[last].value)
                elif owner and re.search(rf"\b{last}\b *:|\.{last}\b", source):
                    part = ast.parse(f"{owner}.{last}", mode="eval").body
                    node.keywords.append(ast.keyword(last, _cut(part)))  # type: ignore[attr-defined]
                else:
                    return ""
            return statements.valid(ast.unparse(tree or node))
    if isinstance(tree, ast.Assign) and ast.unparse(tree.targets[0]) in cut:
        return statements.valid("\n".join([line, *(f"{x} = {x}.detach()" for x in names)]))
    return ""


def _cuts(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and ast.unparse(value.func).endswith(".detach")


def _cut(value: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(value, "detach", ast.Load()), [], [])
