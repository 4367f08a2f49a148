"""Fixes: the user's own lines, changed; none where it is not known how."""

from __future__ import annotations

import ast
import re
from typing import Any

CUTS = re.compile(
    r"\.(detach|data|item|numpy|tolist)\b(\(\))?"  # what a graph is cut with
)


def parsed(text: str) -> ast.stmt | None:
    """The one statement that a line is; None where it is not a whole one."""
    try:
        body = ast.parse(text.strip()).body
    except SyntaxError:
        return None
    return body[0] if len(body) == 1 else None


def valid(code: str) -> str:
    """The code if it is Python, else nothing."""
    try:
        ast.parse(code)
    except SyntaxError:
        return ""
    return code


def out_of_place(text: str, item: bool = False) -> str:
    """A line that writes in place, written so that it makes a new tensor; empty if unknown how.
    ``item`` says that what it indexes is a list or the like, and that an item is written."""
    statement = parsed(text)
    if isinstance(statement, ast.AugAssign):
        return _augmented(statement, item)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        return _cloned_first(statement.targets[0], text)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return _method(statement.value, item)
    changed = text
    if "inplace=True" in text:
        changed = text.replace("inplace=True", "inplace=False")
    elif isinstance(statement, ast.Assign | ast.Return):
        changed = re.sub(r"\.(?!_)(\w+?)_\(", r".\1(", text)
    return valid(changed) if changed != text else ""


def _augmented(statement: ast.AugAssign, item: bool) -> str:
    target = statement.target
    if isinstance(target, ast.Subscript) and not item:
        return _cloned_first(target, ast.unparse(statement))
    name = ast.unparse(target)
    value = ast.BinOp(ast.parse(name, mode="eval").body, statement.op, statement.value)
    return valid(f"{name} = {ast.unparse(value)}")


def _cloned_first(target: ast.Subscript, text: str) -> str:
    whole: ast.expr = target.value
    while isinstance(whole, ast.Subscript):
        whole = whole.value
    if not isinstance(whole, ast.Name | ast.Attribute):
        return ""
    name = ast.unparse(whole)
    return valid(f"{name} = {name}.clone()\n{text.strip()}")


def _method(call: ast.Call, item: bool) -> str:
    """``x.mul_(2)`` is ``x = x.mul(2)``; of a function with ``inplace=True`` the result is kept."""
    function = call.func
    for word in call.keywords:
        if word.arg == "inplace" and call.args:
            word.value = ast.Constant(False)
            return valid(f"{ast.unparse(call.args[0])} = {ast.unparse(call)}")
    if not isinstance(function, ast.Attribute) or not function.attr.endswith("_"):
        return ""
    if isinstance(function.value, ast.Subscript) and not item:
        return _cloned_first(function.value, ast.unparse(call))
    if not isinstance(function.value, ast.Name | ast.Attribute | ast.Subscript):
        return ""
    name = ast.unparse(function.value)
    if function.attr == "zero_":
        return valid(f"{name} = torch.zeros_like({name})")
    if function.attr == "copy_":
        return valid(f"{name} = {ast.unparse(call.args[0])}") if call.args else ""
    if function.attr in ("fill_", "normal_", "uniform_", "random_"):
        return valid(f"{name} = {name}.clone()\n{ast.unparse(call)}")
    function.attr = function.attr.rstrip("_")
    return valid(f"{name} = {ast.unparse(call)}")


def under_no_grad(text: str) -> str:
    """The line within ``torch.no_grad()``."""
    return valid(f"with torch.no_grad():\n    {text.strip()}")


def without_cut(text: str) -> str:
    """The line without the first detach, ``.item()`` or the like."""
    changed = CUTS.sub("", text.strip(), count=1)
    return valid(changed) if changed != text.strip() else ""


def kept(cut: str, made: str) -> str:
    """The line that turned tensors into numbers, and the one that made a tensor of these, with
    the tensors kept."""
    first = without_cut(cut)
    if made == cut or not made:
        return valid(re.sub(r"torch\.tensor\((.+?)\)", r"\1", first)) if made else first
    second = re.sub(r"torch\.(tensor|as_tensor|FloatTensor|Tensor)\(", "torch.stack(", made)
    return valid(f"{first}\n{second}") or first


def loss_of(text: str) -> str:
    """``loss`` of the line ``loss.backward()``; empty for other lines."""
    statement = parsed(text)
    call = statement.value if isinstance(statement, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    if isinstance(function, ast.Attribute) and function.attr == "backward":
        return ast.unparse(function.value)
    return ""


def detached(text: str, value: str) -> str:
    """The line with what it keeps detached: ``losses.append(loss.detach())``."""
    statement = parsed(text)
    if statement is None:
        return ""
    if isinstance(statement, ast.AugAssign):
        if isinstance(statement.value, ast.List):
            statement.value.elts = [_without_history(each) for each in statement.value.elts]
        else:
            statement.value = _without_history(statement.value)
        return valid(ast.unparse(statement))
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.BinOp):
        target, total = ast.unparse(statement.targets[0]), statement.value
        if ast.unparse(total.left) == target:
            total.right = _without_history(total.right)
            return valid(ast.unparse(statement))
    found = [
        node
        for node in ast.walk(statement)
        if isinstance(node, ast.expr) and ast.unparse(node) == value
    ]
    if not found or not value:
        return ""
    changed = _Replaced(found[-1]).visit(statement)
    return valid(ast.unparse(changed))


class _Replaced(ast.NodeTransformer):
    """Detaches one expression."""

    def __init__(self, what: ast.expr) -> None:
        self.what = what

    def visit(self, node: ast.AST) -> Any:
        """Change that one, and leave the others."""
        return _without_history(self.what) if node is self.what else super().visit(node)


def _without_history(value: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(value, "detach", ast.Load()), [], [])


def carried(text: str, several: bool) -> list[str]:
    """Of a line like ``out, (h, c) = lstm(x, (h, c))``: what cuts the states that it takes and
    makes off from their history, before it. ``several`` says that a state is a tuple."""
    statement = parsed(text)
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return []
    made = {ast.unparse(each) for each in ast.walk(statement.targets[0]) if _is_variable(each)}
    cuts = []
    for given in statement.value.args:
        if isinstance(given, ast.Tuple):
            names = [ast.unparse(each) for each in given.elts if _is_variable(each)]
            cuts += [f"{name} = {name}.detach()" for name in names if name in made]
        elif (name := ast.unparse(given)) in made:
            cut = f"tuple(s.detach() for s in {name})" if several else f"{name}.detach()"
            cuts += [f"if {name} is not None:", f"    {name} = {cut}"]
    return cuts


def _is_variable(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Attribute)


def carried_on(text: str) -> list[str]:
    """The variables that a statement both reads and gives a new value: it cannot run twice."""
    statement = parsed(text)
    if not isinstance(statement, ast.Assign):
        return []
    names = [each for each in ast.walk(statement) if isinstance(each, ast.Name)]
    read = {each.id for each in names if isinstance(each.ctx, ast.Load)}
    return [each.id for each in names if isinstance(each.ctx, ast.Store) and each.id in read]


def summed(text: str, line: int, loss: str, backward: int) -> str:
    """A sum of losses over turns as a sum of numbers, and the backward of one of them."""
    numbers = re.sub(rf"\b{re.escape(loss)}\b", f"{loss}.item()", text)
    return valid(f"{numbers}  # line {line}\n{loss}.backward()  # line {backward}")


def target(text: str) -> str:
    """The variable or attribute that a line writes in place; empty where it is not one."""
    statement = parsed(text)
    written: ast.expr | None = None
    if isinstance(statement, ast.AugAssign):
        written = statement.target
    elif isinstance(statement, ast.Assign):
        written = statement.targets[0]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        name = function.attr if isinstance(function, ast.Attribute) else ""
        if isinstance(function, ast.Attribute) and name.endswith("_"):
            written = function.value
    while isinstance(written, ast.Subscript):
        written = written.value
    return ast.unparse(written) if isinstance(written, ast.Name | ast.Attribute) else ""


SMALL = "clamp(min=1e-12)"
UNSAFE = "sqrt|log|rsqrt|log2|log10|log1p|norm|std|reciprocal"


def guarded(text: str) -> str:
    """The line with the input of a root or a logarithm made safe."""
    statement = parsed(text)
    if statement is None:
        return ""
    for node in ast.walk(statement):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if not re.fullmatch(UNSAFE, node.func.attr):
            continue
        library = isinstance(node.func.value, ast.Name) and node.func.value.id == "torch"
        if library and node.args:
            node.args[0] = _safe(node.args[0])
        elif not library:
            node.func.value = _safe(node.func.value)
        return valid(ast.unparse(statement))
    return ""


def _safe(value: ast.expr) -> ast.expr:
    return ast.parse(f"({ast.unparse(value)}).{SMALL}", mode="eval").body
