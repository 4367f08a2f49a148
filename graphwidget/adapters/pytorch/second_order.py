"""Functions of the program's own whose backward is differentiated with a constant in it.

What ``forward`` computes on the way has no history, for nothing is recorded in it. Kept on ``ctx``
and used by ``backward``, it is a constant in all derivatives of higher order, and they are wrong
without an error. An input or a result that is kept is not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

import torch

from ...recording.findings import Finding, Place
from ...recording.looking import is_a
from .fixes import Replaced
from .lines import begin, source_of, tree_of
from .statements import assigned, valid

SMOOTH = frozenset(
    {
        "acos", "asin", "atan", "bmm", "cos", "cosh", "div", "erf", "erfc", "exp", "expm1",
        "gelu", "log", "log1p", "log2", "logsigmoid", "log_softmax", "logsumexp", "matmul",
        "mean", "mm", "mul", "mv", "norm", "pow", "prod", "reciprocal", "rsqrt", "sigmoid",
        "silu", "sin", "sinh", "softmax", "softplus", "sqrt", "square", "sum", "tan", "tanh",
        "add", "sub", "neg", "einsum", "linear", "unsqueeze", "squeeze", "view", "reshape",
        "transpose", "t",
    }
)  # fmt: skip
"""Functions whose derivative of second order is not 0, or which keep their input's."""


STEPS = ast.Compare | ast.IfExp | ast.Subscript | ast.Lambda
"""Expressions that may make a value that does not change with its input."""


class Kept(NamedTuple):
    """Value that ``forward`` computes and keeps: its line, its name and its expression."""

    line: int
    name: str
    attribute: bool
    value: ast.expr


def kept_constant(node: Any, read: set[type]) -> Finding | None:
    """Return the finding about a node's Function whose backward uses intermediate values of its
    forward. Each class is ``read`` once."""
    own = getattr(node, "_forward_cls", None)
    if own is None or own in read or own.__module__.startswith("torch."):
        return None
    read.add(own)
    codes: list[Any] = [
        getattr(getattr(own, each), "__code__", None) for each in ("forward", "backward")
    ]
    if None in codes or own.vjp is not torch.autograd.Function.vjp:
        return None
    file = codes[0].co_filename
    source = source_of(None, Place(file, 1, "", ""))
    forward, backward = [_function(source, code.co_firstlineno) for code in codes]
    if forward is None or backward is None or not (forward.args.args and backward.args.args):
        return None
    for kept in _kept(forward):
        if not kept.attribute or _is_float(getattr(node, kept.name, None)):
            fix = _fix(kept, forward, backward)
            if fix is None:
                continue
            line = source.splitlines()[kept.line - 1].strip()
            place = Place(file, kept.line, line, f"{own.__name__}.forward")
            text = f"{own.__name__}.backward is differentiated, and {kept.name} is a constant in "
            text += "it: forward computed it, and nothing is recorded there. Keep the input, and "
            text += f"compute {kept.name} from it in backward."
            return Finding("custom", None, place, fix, text)
    return None


def _is_float(value: Any) -> bool:
    return is_a(value, torch.Tensor) and value.is_floating_point()


def _fix(kept: Kept, forward: ast.FunctionDef, backward: ast.FunctionDef) -> str | None:
    """The line of backward that computes again what was kept; empty where an input for it is not
    kept, None where backward does not read it."""
    names, unpacked = _names(forward, backward)
    name = f"{backward.args.args[0].arg}.{kept.name}" if kept.attribute else names.get(kept.name)
    lines = [
        each.lineno
        for each in ast.walk(backward)
        if isinstance(each, ast.Attribute | ast.Name) and isinstance(each.ctx, ast.Load)
        if ast.unparse(each) == name
    ]
    pairs = [pair for node in ast.walk(backward) for pair in assigned(node)]
    if not lines or any(ast.unparse(target) == name for target, _value in pairs):
        return None  # it is not read, or computed again
    code = _again(kept.value, forward, names)
    if not code or not valid(f"{name} = {code}"):
        return ""
    spans = [x for x in backward.body if x.lineno <= min(lines) <= (x.end_lineno or 0)]
    first = spans[-1].lineno if spans else min(lines)
    if first <= unpacked and kept.attribute:
        return ""
    where = f"before line {first}" if kept.attribute else f"after line {unpacked}"
    return f"{name} = {code}  # {where}"


def _function(source: str, line: int) -> ast.FunctionDef | None:
    """The function that begins on a line, with its decorators."""
    nodes = [each for each in ast.walk(tree_of(source)) if isinstance(each, ast.FunctionDef)]
    return next((each for each in nodes if line in (each.lineno, begin(each))), None)


def _values(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """The variables of a function, and what each is computed from."""
    pairs = [pair for node in ast.walk(function) for pair in assigned(node)]
    return {target.id: value for target, value in pairs if isinstance(target, ast.Name)}


def _arguments(forward: ast.FunctionDef) -> list[str]:
    return [each.arg for each in forward.args.args[1:]]


def _kept(forward: ast.FunctionDef) -> Iterator[Kept]:
    """Yield the values kept by forward that smooth functions alone compute from its arguments."""
    values, args = _values(forward), _arguments(forward)
    returned = {
        ast.unparse(each)
        for node in ast.walk(forward)
        if isinstance(node, ast.Return) and node.value is not None
        for each in getattr(node.value, "elts", [node.value])
    }
    ctx = forward.args.args[0].arg
    for node in ast.walk(forward):
        pairs = [
            (target.attr, value, target.lineno, True)
            for target, value in assigned(node)
            if isinstance(target, ast.Attribute) and ast.unparse(target.value) == ctx
        ]
        if isinstance(node, ast.Call) and ast.unparse(node.func) == f"{ctx}.save_for_backward":
            names = [each for each in node.args if isinstance(each, ast.Name)]
            pairs += [(each.id, each, node.lineno, False) for each in names]
        for name, value, line, attribute in pairs:
            if ast.unparse(value) in returned | {*args}:
                continue
            whole = values.get(value.id, value) if isinstance(value, ast.Name) else value
            if not isinstance(whole, ast.Name) and _smooth(whole, args, values):
                yield Kept(line, name, attribute, whole)


def _smooth(
    value: ast.expr, args: list[str], values: Mapping[str, ast.expr], depth: int = 8
) -> bool:
    """Return whether a value is computed from arguments, by nothing but smooth functions."""
    found = False
    for node in ast.walk(value):
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if isinstance(node, STEPS) or (called and called.rpartition(".")[2] not in SMOOTH):
            return False
        if isinstance(node, ast.Attribute) and node.attr in ("data", "shape", "grad"):
            return False
        if isinstance(node, ast.Name):
            inner = values.get(node.id) if node.id not in args and depth else None
            if inner is not None and not _smooth(inner, args, values, depth - 1):
                return False
            found = found or node.id in args or inner is not None
    return found


def _names(forward: ast.FunctionDef, backward: ast.FunctionDef) -> tuple[dict[str, str], int]:
    """Return backward's names for what forward keeps, and the line that unpacks saved tensors."""
    found: dict[str, str] = {}
    given: list[str] = []
    ctx, own = forward.args.args[0].arg, backward.args.args[0].arg
    for node in ast.walk(forward):
        for target, value in assigned(node):
            if isinstance(target, ast.Attribute) and ast.unparse(target.value) == ctx:
                found[ast.unparse(value)] = f"{own}.{target.attr}"
        if isinstance(node, ast.Call) and ast.unparse(node.func) == f"{ctx}.save_for_backward":
            given = list(map(ast.unparse, node.args))
    for node in ast.walk(backward):
        for target, value in assigned(node):
            if ast.unparse(value) == f"{own}.saved_tensors" and isinstance(target, ast.Tuple):
                pairs = zip_longest(given, map(ast.unparse, target.elts), fillvalue="")
                return found | {name: text for name, text in pairs if name}, target.lineno
    return found, 0


def _again(value: ast.expr, forward: ast.FunctionDef, names: Mapping[str, str]) -> str:
    """The computation with the names that backward has for its inputs; empty if one is not kept."""
    values, args = _values(forward), _arguments(forward)
    tree: Any = ast.parse(ast.unparse(value), mode="eval").body
    for _ in range(8):
        reads = [each for each in ast.walk(tree) if isinstance(each, ast.Name)]
        inner = [each for each in reads if each.id in values and each.id not in args]
        if not inner:
            break
        tree = Replaced(inner[0], values[inner[0].id]).visit(tree)
    for node in [x for x in ast.walk(tree) if isinstance(x, ast.Name) and x.id in args]:
        if not names.get(node.id):
            return ""
        tree = Replaced(node, ast.parse(names[node.id], mode="eval").body).visit(tree)
    return ast.unparse(tree)
