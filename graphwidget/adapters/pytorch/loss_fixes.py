"""Fixes for losses whose tensors became numbers of Python or numpy: the same lines in PyTorch."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Set
from copy import deepcopy

import torch

from ...recording.findings import Place
from ...recording.fold import Model, Row
from . import history_fixes
from .fixes import LIBRARIES, Replaced
from .lines import place_in, shapes_in, siblings, source_of, statement, tree_of, within
from .statements import given_by, parsed, read_by, valid

PICKED = ("argmax", "max", "topk")
"""Ops that pick the class with the highest score."""
SAME = ("eq", "ne")
INDEXING = frozenset(
    {"one_hot", "index", "gather", "embedding", "index_select", "take_along_dim", "scatter"}
)
SHAPES = (
    "permute", "movedim", "transpose", "view", "reshape", "flatten", "unsqueeze", "squeeze",
)  # fmt: skip
NUMBERS = (
    *SHAPES, "float", "double", "half", "to", "type_as", "contiguous", "mul", "sum", "mean",
)  # fmt: skip
"""Ops on a one_hot that is meant as a number."""

MATH = {"fabs": "abs"}
"""Functions of Python's ``math`` that PyTorch calls otherwise."""
FLAG = re.compile(r"(\w+)\.requires_grad(?: = True|_\((?:True)?\))")


def fix_keeping_history(model: Model, cut: Place, made: Place | None) -> str:
    """The line that turned tensors into numbers, and the one that made tensors of these, without
    that; and what numpy computes on the way, computed by PyTorch."""
    line, source = statement(model, cut), source_of(model, cut)
    if made is None and not history_fixes.copies(line):
        again = next(
            (x for x in siblings(source, cut) if history_fixes.copies(ast.unparse(x))), None
        )
        if again is not None:
            made = cut._replace(line=again.lineno, text=ast.unparse(again))
    at = cut if made is None else made
    lists = history_fixes.lists_in(within(source_of(model, at), at))
    if history_fixes.copies(line):
        known = shapes_in(model, cut)
        rows = {cut.line: history_fixes.lines_keeping_tensors(line, line, lists, tensors=known)}
    elif made is None:
        rows = {cut.line: history_fixes.lines_keeping_tensors(line, "")}
    else:
        first, _, second = history_fixes.lines_keeping_tensors(
            line, statement(model, made), lists, tensors=shapes_in(model, made)
        ).partition("\n")
        rows = {cut.line: first} | ({made.line: second} if second else {})
    last = max(rows) if made is None or made.file == cut.file else cut.line
    tensors = shapes_in(model, cut).keys() | {*given_by(rows[cut.line])}
    for each, tensor_names in _of_numbers(
        source, range(cut.line, last + 1), rows.values(), tensors
    ):
        kept = rows.get(each.lineno) or ast.unparse(each)
        rows[each.lineno] = _by_torch(kept, tensor_names) or kept
    for each in siblings(source, at) if at.file == cut.file else ():
        flag = FLAG.fullmatch(ast.unparse(each))  # what has a history refuses this
        if flag and any(re.match(rf"{flag[1]} = ", text) for text in rows.values()):
            rows[each.lineno] = "pass"
    if len(rows) == 1:
        return rows[cut.line]
    return valid("\n".join(f"{text}  # line {nr}" for nr, text in rows.items() if text))


def _of_numbers(
    source: str, region: range, lines: Iterable[str], tensors: Set[str]
) -> Iterator[tuple[ast.stmt, set[str]]]:
    """The statements that compute with numpy or with Python's ``math``, and the variables that are
    tensors there: those in a region of the program, and those of the functions that are called on
    ``lines``."""
    called = set(re.findall(r"\b(\w+)\(", " ".join(lines)))
    known = {*tensors}
    for node in ast.walk(tree_of(source)):
        inside = isinstance(node, ast.FunctionDef) and node.name in called
        own = {x.arg for x in ast.walk(node) if isinstance(x, ast.arg)} if inside else known
        for each in ast.walk(node) if inside else [node] if hasattr(node, "lineno") else ():
            if not isinstance(each, ast.stmt) or hasattr(each, "body"):
                continue
            text = ast.unparse(each)
            if inside or each.lineno in region:
                if not own.isdisjoint(read_by(text)):
                    own.update(given_by(text))
                if _by_torch(text, own):
                    yield each, own


def _by_torch(text: str, tensors: Set[str]) -> str:
    """The line with ``torch.mean`` for ``np.mean``, and ``torch.log`` for ``math.log`` of a tensor;
    empty if it has none of that."""
    line, found = parsed(text), False
    for node in [*ast.walk(line or ast.Pass())]:
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("np", "numpy"):
            if not hasattr(torch, node.attr):
                return ""
            node.value, found = ast.Name("torch", ast.Load()), True
        elif isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            read = {ast.unparse(x) for x in ast.walk(node.args[0]) if isinstance(x, ast.expr)}
            name = ast.unparse(node.func).removeprefix("math.")
            if read.isdisjoint(tensors) or line is None:
                continue
            if ast.unparse(node.func) == f"math.{name}" and hasattr(torch, MATH.get(name, name)):
                owner = ast.Name("torch", ast.Load())
                node.func, found = ast.Attribute(owner, MATH.get(name, name), ast.Load()), True
            elif name == "float":
                line, found = Replaced(node, node.args[0]).visit(line), True
    return valid(ast.unparse(line)) if line is not None and found else ""


def as_loss(model: Model, place: Place) -> str:
    """``pred = scores.argmax(1)`` and the line that counts where ``pred == target``: that line with
    ``cross_entropy(scores, target)`` for the count; empty where there is no such line."""
    line = parsed(statement(model, place))
    scores = _scores(line) if line is not None else None
    if line is None or scores is None:
        return ""
    chosen = {ast.unparse(each) for each in (scores[0], *_names_given(line))}
    after = siblings(source_of(model, place), place)
    for nr, each in ((place.line, line), *((each.lineno, deepcopy(each)) for each in after)):
        found = _compared_with(each, chosen)
        value = each.value if isinstance(each, ast.Assign | ast.Return) else None
        if found is None or value is None:
            continue
        target, equal = _as_classes(model, found[0]), found[1]
        given = " ".join(each.id for each in _names_given(each))
        count = equal and "loss" not in f"{given} {place.function}"
        code = f"{'-' if count else ''}torch.nn.functional.cross_entropy({scores[1]}, {target})"
        by = ast.parse(code, mode="eval").body
        text = valid(ast.unparse(Replaced(value, by).visit(each)))
        return text if nr == place.line else f"{text}  # line {nr}"
    return ""


def soft_choice(model: Model, chosen: Row, place: Place) -> tuple[str, str]:
    """Of ``pred = scores.argmax(1)`` that is an index, or that a line makes ``one_hot`` of: the way
    out in words, and that line with the probabilities in the same shape, if it computes with them
    as with numbers. Both are empty where it is neither."""
    same, uses = {chosen["value"]}, []
    for each in model.calls.values():
        if not same.isdisjoint(each["inputs"]):
            uses.append(each)
            same.update(each["outputs"] if each["op"] in SHAPES else ())
    if not any(each["op"].strip("_") in INDEXING for each in uses):
        return "", ""
    text = " As an index it has none either: softmax gives weights of all in its place. To keep the"
    text += " hard choice in forward, add (hard - soft).detach() to them."
    hot = next((each for each in uses if each["op"] == "one_hot"), None)
    at = None if hot is None else place_in(model, hot["source"])
    if hot is None or at is None or (at.file, at.function) != (place.file, place.function):
        return text, ""
    line, other = parsed(statement(model, place)), parsed(statement(model, at))
    scores, call = _scores(line) if line is not None else None, model.calls[chosen["call"]]
    dim = str(call["params"].get("dim", call["params"].get("arg1", "")))
    shapes = [model.values[x]["summary"][0] for x in (call["inputs"][0], hot["outputs"][0])]
    known = re.fullmatch(r"-?\d+", dim) and shapes[0][int(dim)] == shapes[1][-1]
    if other is None or not scores or not known or not _stays_a_number(model, hot):
        return text, ""
    found = [x for x, _given in _methods(other, ("one_hot",))]
    if len(found) != 1 or (at != place and not re.fullmatch(r"[\w.]+", scores[1])):
        return text, ""
    soft = f"{scores[1]}.softmax({dim})"
    soft += "" if int(dim) in (-1, len(shapes[0]) - 1) else f".movedim({dim}, -1)"
    by = ast.parse(soft, mode="eval").body
    fix = valid(ast.unparse(Replaced(found[0], by).visit(other)))
    return text, fix if at == place else f"{fix}  # line {at.line}"


def _stays_a_number(model: Model, call: Row) -> bool:
    """Return whether what a call made of integers becomes one of floats, and is nowhere an index or
    a mask."""
    made = [model.values[each] for each in call["outputs"]]
    return all(
        use["op"] in NUMBERS and _stays_a_number(model, use)
        for row in made
        if "int" in str(row["summary"][1])
        for use in model.calls.values()
        if row["value"] in use["inputs"]
    )


def _names_given(line: ast.stmt) -> list[ast.Name]:
    return [x for x in ast.walk(line) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)]


def _methods(line: ast.AST, names: Iterable[str]) -> Iterator[tuple[ast.Call, list[ast.expr]]]:
    """The calls of methods or PyTorch's functions of these names, with what they are given."""
    for node in ast.walk(line):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            library = ast.unparse(node.func.value) in LIBRARIES
            given = node.args if library else [node.func.value, *node.args]
            if node.func.attr in names and given:
                yield node, given


def _scores(line: ast.stmt) -> tuple[ast.expr, str] | None:
    """The call that picks the highest score, and the scores."""
    found = next(_methods(line, PICKED), None)
    return None if found is None else (found[0], ast.unparse(found[1][0]))


def _compared_with(line: ast.stmt, chosen: set[str]) -> tuple[str, bool] | None:
    """With what a line compares one of the ``chosen``, by a difference or a loss as well, and
    whether it asks if they are equal."""
    pairs = [
        (node.left, node.comparators[0], isinstance(node.ops[0], ast.Eq))
        for node in ast.walk(line)
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq)
    ]
    pairs += [
        (node.left, node.right, False)
        for node in ast.walk(line)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
    ]
    pairs += [
        (node.args[0], node.args[1], False)
        for node in ast.walk(line)
        if isinstance(node, ast.Call) and len(node.args) == 2
        if re.search(r"(loss|criterion)\w*$", ast.unparse(node.func), re.IGNORECASE)
    ]
    for node, given in _methods(line, SAME):
        equal = isinstance(node.func, ast.Attribute) and node.func.attr == "eq"
        pairs += [(given[0], given[1], equal)] if len(given) > 1 else []
    for one, other, equal in pairs:
        sides = [bool(_read(each) & chosen) for each in (one, other)]
        if sides[0] != sides[1]:
            return ast.unparse(other if sides[0] else one), equal
    return None


def _as_classes(model: Model, target: str) -> str:
    """A target as ``cross_entropy`` takes it: as integers."""
    plain = re.sub(r"\.(float|double)\(\)$", "", target)
    rows = [row for row in model.values.values() if any(name == plain for _, name in row["names"])]
    floats = bool(rows) and "float" in str(rows[-1]["summary"][1])
    return f"{plain}.long()" if floats else plain


def _read(value: ast.expr) -> set[str]:
    return {ast.unparse(each) for each in ast.walk(value) if isinstance(each, ast.expr)}
