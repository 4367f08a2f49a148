"""Calls that PyTorch refused for what they were given: the shapes, why they do not fit, a fix."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import NamedTuple

from ...recording.findings import Finding, Place
from ...recording.fold import Model
from .fixes import Replaced
from .lines import name_of_value, source_of, statement, tree_of
from .statements import parsed, valid

PRODUCTS = re.compile(r"(mm|bmm|matmul|linear|addmm|mv)\b")
PLAIN = re.compile(r"[A-Za-z_]\w*(\.\w+|\[\d+\])*")
BROADCAST = re.compile(r"must match the (existing )?size|broadcast", re.IGNORECASE)
TYPES = re.compile(r"dtype|scalar type|but found|data type", re.IGNORECASE)
MOST = 4
"""Inputs that are listed."""


class Given(NamedTuple):
    """Tensor that a call was given: its name, its shape and its type."""

    name: str
    dims: tuple[int, ...]
    dtype: str

    def __str__(self) -> str:
        return f"{self.name} {self.dims}" if self.name else f"a tensor of shape {self.dims}"

    @property
    def called(self) -> str:
        """Its name, or its shape."""
        return self.name or f"the {self.dims} tensor"


def failed_call(
    model: Model, op: str, inputs: Sequence[int], place: Place | None, message: str
) -> Finding | None:
    """Explain from shapes and types why a call of ``op`` on a line failed."""
    rows = [model.values[each] for each in inputs if each in model.values]
    given = [
        Given(name_of_value(model, row["value"]), tuple(row["summary"][0]), row["summary"][1])
        for row in rows
    ]
    if not given or place is None:
        return None
    listed = [*map(str, given[:MOST])]
    op = op.partition(".")[0]  # of an overload
    text = f"{op} was given {' and '.join([', '.join(listed[:-1]), listed[-1]][not listed[1:] :])}."
    if TYPES.search(message):
        text += f" Their types are {', '.join(each.dtype for each in given[:MOST])}."
        return Finding("call", None, place, "", text)
    a, b = [*given[1:], *given[:1]][:2] if op.startswith("addmm") else [*given, None][:2]
    why, fix = "", ""
    if a is None or b is None:
        pass
    elif PRODUCTS.match(op):
        why, fix = _product(model, op, a, b, place)
    elif op.startswith("conv"):
        why, fix = _channels(model, a, b, place)
    elif BROADCAST.search(message):
        why, fix = _broadcast(a, b, place)
    return Finding("call", None, place, fix, f"{text} {why}".strip())


def _product(model: Model, op: str, a: Given, b: Given, place: Place) -> tuple[str, str]:
    """The inner sizes of a product of matrices, and what makes them equal."""
    linear = op.startswith("linear")
    if not a.dims or not b.dims:
        return "", ""
    own, rows = a.dims[-1], b.dims[-1] if linear or len(b.dims) < 2 else b.dims[-2]
    if own == rows:
        return "", ""
    if linear:
        why = "A linear layer takes the rows of its input times the rows of its weight: those of "
        why += f"{a.called} have {own} items, those of {b.called} have {rows}."
        return why, _made_with(model, place, b, "Linear", rows, own)
    why = "A product takes rows of the first times columns of the second: the rows of "
    why += f"{a.called} have {own} items, the columns of {b.called} have {rows}."
    if len(a.dims) != 2 or len(b.dims) != 2:
        return why, ""
    if own == b.dims[1]:
        return why, _transposed(place, b.name)
    return why, _transposed(place, a.name) if a.dims[0] == rows else ""


def _transposed(place: Place, name: str) -> str:
    return _with(place, name, f"{name}.T")


def _with(place: Place, name: str, code: str) -> str:
    """The line with code in the place of a variable."""
    tree = parsed(statement(None, place))
    found = [x for x in ast.walk(tree or ast.Pass()) if isinstance(x, ast.expr)]
    found = [x for x in found if name and ast.unparse(x) == name]
    if tree is None or len(found) != 1:
        return ""
    return valid(ast.unparse(Replaced(found[0], ast.parse(code, mode="eval").body).visit(tree)))


def _channels(model: Model, a: Given, b: Given, place: Place) -> tuple[str, str]:
    """The channels of an image and those that a convolution's weight takes."""
    at = 2 - len(b.dims) - 1  # before the sizes of the picture
    if len(a.dims) < -at or len(b.dims) < 3 or a.dims[at] % b.dims[1] == 0:
        return "", ""
    own, taken = a.dims[at], b.dims[1]
    why = f"A convolution takes as many channels as its weight has: {a.called} has {own}, "
    why += f"{b.called} takes {taken}."
    return why, _made_with(model, place, b, f"Conv{len(b.dims) - 2}d", taken, own)


def _made_with(model: Model, place: Place, weight: Given, kind: str, size: int, new: int) -> str:
    """The line that makes the module of a weight, with another size of what it is given."""
    found = []
    member = re.sub(r"\[\d+\]", "", weight.name.rpartition(".")[0]).rpartition(".")[2]
    for node in ast.walk(tree_of(source_of(model, place))):
        if not isinstance(node, ast.Assign | ast.Return | ast.Expr) or node.value is None:
            continue
        made = [
            call
            for call in ast.walk(node.value)
            if isinstance(call, ast.Call)
            and ast.unparse(call.func).rpartition(".")[2] == kind
            and len(call.args) > 1
            and [_number(each) for each in call.args[:2]] == [size, weight.dims[0]]
        ]
        found += [(node, call) for call in made]
    named = [
        pair
        for pair in found
        if isinstance(pair[0], ast.Assign)
        and ast.unparse(pair[0].targets[0]).rpartition(".")[2] == member
    ]
    if len(found := named or found) != 1:
        return ""
    node, call = found[0]
    call.args[0], before = ast.Constant(new), call.args[0]
    fix = valid(ast.unparse(node))
    call.args[0] = before
    return f"{fix}  # line {node.lineno}" if fix else ""


def _number(value: ast.expr) -> int | None:
    """Return the value of an expression of numbers alone."""
    if isinstance(value, ast.Constant) and isinstance(value.value, int):
        return value.value
    if isinstance(value, ast.BinOp):
        a, b = _number(value.left), _number(value.right)
        if a is None or b is None:
            return None
        if isinstance(value.op, ast.Mult):
            return a * b
        if isinstance(value.op, ast.Add | ast.Sub):
            return a + b if isinstance(value.op, ast.Add) else a - b
        return a // b if isinstance(value.op, ast.FloorDiv) and b else None
    return None


def _broadcast(a: Given, b: Given, place: Place) -> tuple[str, str]:
    """The first sizes from the right that differ while none is 1."""
    for m, n in zip(reversed(a.dims), reversed(b.dims), strict=False):
        if m != n and 1 not in (m, n):
            why = "Shapes are compared from the right; sizes must be equal or 1. Here "
            why += f"{a.called} has {m} and {b.called} has {n}."
            return why, _column(a, b, place) or _column(b, a, place)
    return "", ""


def _column(short: Given, long: Given, place: Place) -> str:
    """The line with one number for each row of a matrix as a column."""
    fits = len(short.dims) == 1 and len(long.dims) == 2 and short.dims[0] == long.dims[0]
    return _with(place, short.name, f"{short.name}[:, None]") if fits else ""
