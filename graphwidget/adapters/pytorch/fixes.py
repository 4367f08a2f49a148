"""Fixes: the user's own lines, changed; none where it is not known how.

Those about histories are in ``history_fixes``, those of losses made of numbers in ``loss_fixes``,
those that keep numbers finite in ``domain_fixes``.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Any

from .statements import first_of, is_variable, parsed, parts, read_by, valid

LIBRARIES = ("torch", "F", "nn.functional", "torch.nn.functional", "torch.linalg")


def out_of_place(text: str, levels: int | None = None) -> str:
    """A line that writes in place, written so that it makes a new tensor; empty if unknown how.
    Of ``x[0][1:] *= 2``, ``levels`` is how many subscripts are a tensor's and not a list's or
    the like; without it, all are."""
    statement = parsed(text)
    if isinstance(statement, ast.AugAssign):
        target = statement.target
        if isinstance(target, ast.Subscript) and levels != 0:
            return _clonedfirst_of(target, statement, levels)
        whole = ast.BinOp(_copy(target), statement.op, statement.value)
        return valid(f"{ast.unparse(target)} = {ast.unparse(whole)}")
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        return _clonedfirst_of(statement.targets[0], statement, levels)
    if isinstance(statement, ast.Assign | ast.Expr) and (fix := _with_out(statement)):
        return fix
    if isinstance(statement, ast.Expr):
        return _method(statement, levels)
    changed = text
    if "inplace=True" in text:
        changed = text.replace("inplace=True", "inplace=False")
    elif isinstance(statement, ast.Assign | ast.Return):
        changed = re.sub(r"\.(?!_)(\w+?)_\(", r".\1(", text)
    return valid(changed) if changed != text else ""


def _with_out(statement: ast.Assign | ast.Expr) -> str:
    """``y = torch.add(x, 1, out=z)`` as ``y = z = torch.add(x, 1)``; of a part of ``z``, after a
    line that makes a copy of it."""
    call, code = statement.value, ast.unparse(statement)
    for word in call.keywords if isinstance(call, ast.Call) else ():
        whole = word.value
        while isinstance(whole, ast.Subscript):
            whole = whole.value
        if word.arg != "out" or not isinstance(whole, ast.Name | ast.Attribute):
            continue
        name = ast.unparse(whole)
        if whole is not word.value:
            return valid(f"{name} = {name}.clone()\n{code}")
        call.keywords.remove(word)  # type: ignore[attr-defined]
        given = map(ast.unparse, getattr(statement, "targets", ()))
        return valid(" = ".join([*dict.fromkeys([*given, name]), ast.unparse(call)]))
    return ""


def _copy(value: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(value), mode="eval").body


def _clonedfirst_of(target: ast.Subscript, statement: ast.stmt, levels: int | None) -> str:
    """The line after one that makes a copy of the tensor that its subscripts are of."""
    whole: ast.expr = target
    while isinstance(whole, ast.Subscript) and levels != 0:
        whole, levels = whole.value, None if levels is None else levels - 1
    if not isinstance(whole, ast.Name | ast.Attribute | ast.Subscript):
        return ""
    name = ast.unparse(whole)
    first = ""
    if isinstance(statement, ast.Assign | ast.AugAssign) and name in read_by(
        f"_ = {ast.unparse(statement.value)}"
    ):  # what is read must be the tensor before the copy
        first = f"value = {ast.unparse(statement.value)}\n"
        statement.value = ast.Name("value", ast.Load())
    return valid(f"{first}{name} = {name}.clone()\n{ast.unparse(statement)}")


def _method(statement: ast.Expr, levels: int | None) -> str:
    """``x.mul_(2)`` is ``x = x.mul(2)``; of a function with ``inplace=True`` the result is kept."""
    call = statement.value
    if isinstance(call, ast.ListComp):
        return _each(call)
    if not isinstance(call, ast.Call):
        return ""
    function = call.func
    for word in call.keywords:
        if word.arg == "inplace" and call.args:
            word.value = ast.Constant(False)
            return valid(f"{ast.unparse(call.args[0])} = {ast.unparse(call)}")
    if not isinstance(function, ast.Attribute) or not function.attr.endswith("_"):
        return ""
    if ast.unparse(function.value) in LIBRARIES and call.args:
        return valid(f"{ast.unparse(call.args[0])} = {_plain(call)}")
    if isinstance(function.value, ast.Subscript) and levels != 0:
        return _clonedfirst_of(function.value, statement, levels)
    name = first_of(call)
    if not name:
        return ""
    if function.attr == "zero_":
        return valid(f"{name} = torch.zeros_like({name})")
    if function.attr == "copy_":
        return valid(f"{name} = {ast.unparse(call.args[0])}") if call.args else ""
    if function.attr in ("fill_", "normal_", "uniform_", "random_"):
        return valid(f"{name} = {name}.clone()\n{ast.unparse(call)}")
    return valid(f"{name} = {_plain(call)}")


def _plain(call: ast.expr) -> str:
    """A chain of methods, each out of place."""
    for node in ast.walk(call):
        if isinstance(node, ast.Attribute) and not node.attr.startswith("_"):
            node.attr = node.attr.rstrip("_")
    return ast.unparse(call)


def _each(made: ast.ListComp) -> str:
    """``[x.mul_(2) for x in xs]`` keeps its results: ``xs = [x.mul(2) for x in xs]``."""
    of = made.generators[0].iter
    written = isinstance(made.elt, ast.Call) and first_of(made.elt)
    if len(made.generators) > 1 or not isinstance(of, ast.Name | ast.Attribute) or not written:
        return ""
    return valid(f"{ast.unparse(of)} = {_plain(made)}")


def under_no_grad(text: str) -> str:
    """The line within ``torch.no_grad()``."""
    return valid(f"with torch.no_grad():\n    {text.strip()}")


def all_under_no_grad(
    text: str, how: Callable[[ast.stmt], str], after: Sequence[ast.stmt] = ()
) -> str:
    """The line with the first of its statements for which ``how`` gives code within
    ``torch.no_grad()``, as this code, and with those that follow it for which it does so too, also
    on the lines ``after`` it."""
    tree, block = parts(text)
    first = next((nr for nr, each in enumerate(block) if how(each)), None)
    if first is None:
        return ""
    inside = list(takewhile(how, block[first:]))
    end, lines = first + len(inside), [how(each) for each in inside]
    if block is tree.body and end == len(block):
        more = list(takewhile(how, after))
        left = after[len(more)].lineno if len(more) < len(after) else 0
        for each in more:
            code, _, rest = how(each).partition("\n")
            if each.lineno != left:  # what stands beside it on its line stays there
                lines += [f"{code}  # line {each.lineno}", *([rest] if rest else [])]
    new = "with torch.no_grad():\n" + textwrap.indent("\n".join(lines), "    ")
    if block is tree.body:
        around = [*map(ast.unparse, block[:first]), new, *map(ast.unparse, block[end:])]
        return valid("\n".join(around))
    block[first:end] = ast.parse(new).body
    return valid(ast.unparse(tree))


def update_of_leaf(node: ast.stmt | None) -> tuple[str, str]:
    """Return the target of an assignment that computes a new value by the target's gradient, and
    the lines that write the value in place and drop the gradient."""
    if not isinstance(node, ast.Assign) or not is_variable(node.targets[0], ast.Store):
        return "", ""
    name, value = ast.unparse(node.targets[0]), node.value
    if f"{name}.grad" not in read_by(ast.unparse(node)):
        return "", ""
    line = f"{name}.copy_({ast.unparse(value)})"
    if isinstance(value, ast.BinOp) and ast.unparse(value.left) == name:
        target = ast.parse(f"{name} += 0").body[0]
        assert isinstance(target, ast.AugAssign)
        target.op, target.value = value.op, value.right
        line = ast.unparse(target)
    return name, f"{line}\n{name}.grad = None"


def under_grad(text: str) -> str:
    """The line within ``torch.enable_grad()``."""
    return valid("with torch.enable_grad():\n" + textwrap.indent(text, "    "))


def without(text: str, op: str) -> str:
    """The line without its last call of ``op``, or without its comparison."""
    statement = parsed(text)
    for node in ast.walk(statement or ast.Module([], [])):
        value: ast.expr | None = None
        if isinstance(node, ast.Compare):
            value = node.left
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            library = ast.unparse(node.func.value) in LIBRARIES
            if node.func.attr == op and (node.args or not library):
                value = node.args[0] if library else node.func.value
        if value is not None and statement is not None:
            return valid(ast.unparse(Replaced(node, value).visit(statement)))
    return ""


def kept_graph(text: str) -> str:
    """The line with ``retain_graph=True`` for its backward or ``autograd.grad``; empty without."""
    tree = parsed(text)
    for node in ast.walk(tree or ast.Pass()):
        function = node.func if isinstance(node, ast.Call) else None
        if not isinstance(node, ast.Call) or not isinstance(function, ast.Attribute | ast.Name):
            continue
        name = ast.unparse(function)
        if name.endswith(".backward") or name.rpartition(".")[2] == "grad":
            kept = [word for word in node.keywords if word.arg != "retain_graph"]
            node.keywords = [*kept, ast.keyword("retain_graph", ast.Constant(True))]
            return valid(ast.unparse(tree or node))
    return ""


def not_inplace(text: str, module: str, inner: str) -> str:
    """The line after one that sets ``inplace = False``: of the module that it calls (the last part
    of its name is ``module``), or of the one that is ``inner`` in that: ``[2]``."""
    statement = parsed(text)
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == module:
            return valid(f"{ast.unparse(node.func)}{inner}.inplace = False\n{text.strip()}")
    return ""


class Replaced(ast.NodeTransformer):
    """Puts one expression in the place of another."""

    def __init__(self, what: ast.AST, by: ast.AST) -> None:
        self.what, self.by = what, by

    def visit(self, node: ast.AST) -> Any:
        """Change that one, and leave the others."""
        return self.by if node is self.what else super().visit(node)


def with_method(text: str, name: str, method: str) -> str:
    """The line with ``name.method()`` for the variable; empty if it does not read it."""
    statement = parsed(text)
    uses = [
        node
        for node in (ast.walk(statement) if statement is not None else ())
        if is_variable(node, ast.Load) and ast.unparse(node) == name
    ]
    for use in uses:
        called = ast.Call(ast.Attribute(use, method, ast.Load()), [], [])  # type: ignore[arg-type]
        statement = Replaced(use, called).visit(statement or use)
    return valid(ast.unparse(statement)) if statement is not None and uses else ""


def with_copy(text: str, name: str) -> str:
    """The line with a clone of a tensor that it reads, by its name or the last two parts of it, as
    ``net.layer.weight`` is ``self.layer.weight`` in ``net``."""
    tail = f".{'.'.join(name.split('.')[-2:])}"
    names = [name, *(each for each in read_by(text) if name and each.endswith(tail))]
    return next(filter(None, (with_method(text, each, "clone") for each in names)), "")


def with_result_copy(text: str, op: str) -> str:
    """The line with a clone of what each of its calls of ``op`` gives; empty if it has none."""
    tree, found = parsed(text), False
    for node in [*ast.walk(tree or ast.Pass())]:
        named = isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == op
        if named and isinstance(node, ast.Call) and tree is not None:
            copy = ast.Call(ast.Attribute(node, "clone", ast.Load()), [], [])
            tree, found = Replaced(node, copy).visit(tree), True
    return valid(ast.unparse(tree)) if tree is not None and found else ""


def kept_result(text: str) -> str:
    """``self.layer(x)`` as ``x = self.layer(x)``: of a line that drops what it computes of a
    variable, or gives it a name of its own."""
    statement = parsed(text)
    named = isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
    if not isinstance(statement, ast.Assign | ast.Expr) or named != hasattr(statement, "targets"):
        return ""
    value = statement.value
    calls = [each for each in ast.walk(value) if isinstance(each, ast.Call)]
    given = [arg.id for call in calls for arg in call.args if isinstance(arg, ast.Name)]
    return valid(f"{given[0]} = {ast.unparse(value)}") if given else ""


def frozen(text: str, name: str) -> str:
    """``self.name = Layer()`` with that layer frozen."""
    statement = parsed(text)
    if not isinstance(statement, ast.Assign):
        return ""
    pairs = [(each, statement.value) for each in statement.targets]
    for target, value in pairs:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs += zip(target.elts, value.elts, strict=False)
        elif isinstance(target, ast.Attribute) and target.attr == name:
            still = ast.parse(f"({ast.unparse(value)}).requires_grad_(False)", mode="eval").body
            return valid(ast.unparse(Replaced(value, still).visit(statement)))
    return ""
