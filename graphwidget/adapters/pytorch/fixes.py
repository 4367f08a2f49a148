"""Fixes: the user's own lines, changed; none where it is not known how."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable
from typing import Any, TypeGuard

CUTS = re.compile(
    r"(\.cpu\(\))*(\.(detach|data|item|numpy|tolist)\b(\(\))?)(\.(cpu|numpy|item|tolist)\(\))*"
)
"""What a graph is cut with."""


LIBRARIES = ("torch", "F", "nn.functional", "torch.nn.functional", "torch.linalg")


def parsed(text: str) -> ast.stmt | None:
    """The one statement that a line is; None where it is not a whole one."""
    try:
        body = ast.parse(text.strip()).body
    except SyntaxError:
        return None
    return body[0] if len(body) == 1 else None


def parsed_value(text: str) -> ast.expr | None:
    """The expression that a line is; None where it is a statement."""
    statement = parsed(text)
    return statement.value if isinstance(statement, ast.Expr) else None


def valid(code: str) -> str:
    """The code if it is Python, else nothing."""
    try:
        ast.parse(code)
    except SyntaxError:
        return ""
    return code


def out_of_place(text: str, levels: int | None = None) -> str:
    """A line that writes in place, written so that it makes a new tensor; empty if unknown how.
    Of ``x[0][1:] *= 2``, ``levels`` tells how many subscripts are a tensor's and not a list's or
    the like; without it, all are."""
    statement = parsed(text)
    if isinstance(statement, ast.AugAssign):
        target = statement.target
        if isinstance(target, ast.Subscript) and levels != 0:
            return _cloned_first(target, statement, levels)
        whole = ast.BinOp(_copy(target), statement.op, statement.value)
        return valid(f"{ast.unparse(target)} = {ast.unparse(whole)}")
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        return _cloned_first(statement.targets[0], statement, levels)
    if isinstance(statement, ast.Expr):
        return _method(statement, levels)
    changed = text
    if "inplace=True" in text:
        changed = text.replace("inplace=True", "inplace=False")
    elif isinstance(statement, ast.Assign | ast.Return):
        changed = re.sub(r"\.(?!_)(\w+?)_\(", r".\1(", text)
    return valid(changed) if changed != text else ""


def _copy(value: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(value), mode="eval").body


def _cloned_first(target: ast.Subscript, statement: ast.stmt, levels: int | None) -> str:
    """The line after one that makes a copy of the tensor that its subscripts are of."""
    whole: ast.expr = target
    while isinstance(whole, ast.Subscript) and levels != 0:
        whole, levels = whole.value, None if levels is None else levels - 1
    if not isinstance(whole, ast.Name | ast.Attribute | ast.Subscript):
        return ""
    name = ast.unparse(whole)
    return valid(f"{name} = {name}.clone()\n{ast.unparse(statement)}")


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
        return _cloned_first(function.value, statement, levels)
    name = _first(call)
    if not name:
        return ""
    if function.attr == "zero_":
        return valid(f"{name} = torch.zeros_like({name})")
    if function.attr == "copy_":
        return valid(f"{name} = {ast.unparse(call.args[0])}") if call.args else ""
    if function.attr in ("fill_", "normal_", "uniform_", "random_"):
        return valid(f"{name} = {name}.clone()\n{ast.unparse(call)}")
    return valid(f"{name} = {_plain(call)}")


def _first(call: ast.expr) -> str:
    """The variable that a chain of methods begins with: ``x`` of ``x.neg_().add_(1)``."""
    while isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        call = call.func.value
    kinds = ast.Name | ast.Attribute | ast.Subscript
    return ast.unparse(call) if isinstance(call, kinds) else ""


def _plain(call: ast.expr) -> str:
    """A chain of methods, each out of place."""
    for node in ast.walk(call):
        if isinstance(node, ast.Attribute) and not node.attr.startswith("_"):
            node.attr = node.attr.rstrip("_")
    return ast.unparse(call)


def _each(made: ast.ListComp) -> str:
    """``[x.mul_(2) for x in xs]`` keeps its results: ``xs = [x.mul(2) for x in xs]``."""
    of = made.generators[0].iter
    written = isinstance(made.elt, ast.Call) and _first(made.elt)
    if len(made.generators) > 1 or not isinstance(of, ast.Name | ast.Attribute) or not written:
        return ""
    return valid(f"{ast.unparse(of)} = {_plain(made)}")


def under_no_grad(text: str, more: Iterable[ast.stmt] = ()) -> str:
    """The line within ``torch.no_grad()``, with others that follow it."""
    others = [f"\n    {ast.unparse(each)}  # line {each.lineno}" for each in more]
    return valid(f"with torch.no_grad():\n    {text.strip()}{''.join(others)}")


def under_grad(text: str) -> str:
    """The line within ``torch.enable_grad()``."""
    return valid("with torch.enable_grad():\n" + textwrap.indent(text, "    "))


def writes(node: ast.stmt) -> bool:
    """Whether a statement writes in place, as far as its form tells."""
    if isinstance(node, ast.Assign):
        return isinstance(node.targets[0], ast.Subscript)
    return isinstance(node, ast.AugAssign) or bool(target(ast.unparse(node)))


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
            return valid(ast.unparse(_Replaced(node, value).visit(statement)))
    return ""


def kept_graph(text: str) -> str:
    """``loss.backward()`` with ``retain_graph=True``; empty for other lines."""
    loss = loss_of(text)
    return f"{loss}.backward(retain_graph=True)" if loss else ""


def detached_whole(text: str) -> str:
    """The line with all that it gives a name, or each item of the list that it makes, detached."""
    statement = parsed(text)
    if statement is None:
        return ""
    for node in ast.walk(statement):
        if isinstance(node, ast.ListComp):
            node.elt = _without_history(node.elt)
            return valid(ast.unparse(statement))
    if not isinstance(statement, ast.Assign):
        return ""
    statement.value = _without_history(statement.value)
    return valid(ast.unparse(statement))


def with_graph(text: str) -> str:
    """The line with ``create_graph=True`` for its ``torch.autograd.grad``; empty if it has none."""
    statement = parsed(text)
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "grad":
            kept = [word for word in node.keywords if word.arg != "create_graph"]
            node.keywords = [*kept, ast.keyword("create_graph", ast.Constant(True))]
            return valid(ast.unparse(statement))  # type: ignore[arg-type]
    return ""


def copies(text: str) -> bool:
    """Whether a line makes tensors of numbers: ``torch.tensor(x)``."""
    statement = parsed(text)
    return statement is not None and any(map(_copies, ast.walk(statement)))


def not_inplace(text: str, module: str, inner: str) -> str:
    """The line after one that sets ``inplace = False``: of the module that it calls (the last part
    of its name is ``module``), or of the one that is ``inner`` in that: ``[2]``."""
    statement = parsed(text)
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == module:
            return valid(f"{ast.unparse(node.func)}{inner}.inplace = False\n{text.strip()}")
    return ""


def without_cut(text: str) -> str:
    """The line without the first detach, ``.item()`` or the like, and what follows it."""
    changed = CUTS.sub("", text.strip(), count=1)
    return valid(changed) if changed != text.strip() else ""


COPIES = ("tensor", "as_tensor", "from_numpy", "FloatTensor", "Tensor")
"""Functions of ``torch`` that take numbers, and so no history."""


def kept(cut: str, made: str) -> str:
    """The line that turned tensors into numbers, and the one that made a tensor of these, with
    the tensors kept."""
    first = without_cut(cut) or cut
    if made == cut:
        return _as_tensors(first) or (first if first != cut else "")
    second = _as_tensors(made, ast.parse(cut.strip()))
    return valid(f"{first}\n{second}") if made and second else first


def _as_tensors(text: str, cut: ast.AST | None = None) -> str:
    """``torch.tensor(x)`` as ``x``, and ``torch.tensor([x, y])`` as ``torch.stack([x, y])``. What
    is computed there with what the line ``cut`` gives is made a tensor too."""
    tree = parsed(text)
    calls = [each for each in ast.walk(tree) if _copies(each)] if tree is not None else []
    names = {each.id for each in ast.walk(cut or tree or ast.Pass()) if isinstance(each, ast.Name)}
    for call in calls:
        function, given = call.func, call.args[0]
        for node in ast.walk(given):
            for side in ("left", "right") if isinstance(node, ast.BinOp) else ():
                other = getattr(node, side)
                if isinstance(other, ast.Name) and other.id not in names:
                    code = f"torch.as_tensor({other.id})"
                    setattr(node, side, ast.parse(code, mode="eval").body)
        listed = isinstance(given, ast.List | ast.ListComp) or _listed(given)
        if listed and isinstance(function, ast.Attribute):
            function.attr, call.keywords = "stack", []
        elif tree is not None:
            tree = _Replaced(call, given).visit(tree)
    return valid(ast.unparse(tree)) if tree is not None and calls else ""


def _listed(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and re.fullmatch(r"\w*[^s]s", value.id) is not None


def _copies(node: ast.AST) -> TypeGuard[ast.Call]:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in COPIES
        and ast.unparse(node.func.value) == "torch"
        and bool(node.args)
    )


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
    changed = _Replaced(found[-1], _without_history(found[-1])).visit(statement)
    return valid(ast.unparse(changed))


class _Replaced(ast.NodeTransformer):
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
        if _is_variable(node, ast.Load) and ast.unparse(node) == name
    ]
    for use in uses:
        called = ast.Call(ast.Attribute(use, method, ast.Load()), [], [])  # type: ignore[arg-type]
        statement = _Replaced(use, called).visit(statement or use)
    return valid(ast.unparse(statement)) if statement is not None and uses else ""


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


def _is_variable(node: ast.AST, context: type[ast.expr_context] = ast.expr_context) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, context)


def handed(made: str, used: str) -> list[str]:
    """The variables that one statement gives a value and another reads."""
    one, other = parsed(made), parsed(used)
    if one is None or other is None:
        return []
    read = {ast.unparse(each) for each in ast.walk(other) if _is_variable(each, ast.Load)}
    given = [ast.unparse(each) for each in ast.walk(one) if _is_variable(each, ast.Store)]
    return [name for name in given if name in read]


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
    elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        written = statement.targets[0]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        writes = isinstance(function, ast.Attribute) and function.attr.endswith("_")
        written = parsed_value(_first(statement.value)) if writes else None
    while isinstance(written, ast.Subscript):
        written = written.value
    return ast.unparse(written) if isinstance(written, ast.Name | ast.Attribute) else ""


ROOTS = ("sqrt", "rsqrt", "log", "log2", "log10", "reciprocal", "pow", "float_power")
RANGES = {"exp": "clamp(max=80.0)", "softmax": "clamp(min=-1e4)", "log_softmax": "clamp(min=-1e4)"}
RANGES |= dict.fromkeys(ROOTS, "clamp(min=1e-12)")
"""What keeps the inputs of functions where these and their derivatives are finite."""

NOT_NEGATIVE = ("std", "norm", "sum", "abs", "var", "sqrt", "exp")


def guarded(text: str, op: str) -> str:
    """The line with what is given to its ``op`` made safe; empty where it is not known how."""
    statement = parsed(text)
    op = {"truediv": "div", "rtruediv": "div", "true_divide": "div"}.get(op, op)
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and op == "div":
            node.right = _not_zero(node.right)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and op == "pow":
            node.left = _within(node.left, RANGES[op])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr != op or not _made_safe(node, node.func, op):
                continue
        else:
            continue
        return valid(ast.unparse(statement))  # type: ignore[arg-type]
    return ""


def _made_safe(call: ast.Call, function: ast.Attribute, op: str) -> bool:
    library = ast.unparse(function.value) in LIBRARIES
    if op in ("std", "var"):
        call.keywords = [*call.keywords, ast.keyword("correction", ast.Constant(0))]
    elif op == "div" and len(call.args) > library:
        call.args[int(library)] = _not_zero(call.args[int(library)])
    elif op in RANGES and library and call.args:
        call.args[0] = _within(call.args[0], RANGES[op])
    elif op in RANGES and not library:
        function.value = _within(function.value, RANGES[op])
    else:
        return False
    return True


def _within(value: ast.expr, how: str) -> ast.expr:
    return ast.parse(f"({ast.unparse(value)}).{how}", mode="eval").body


def _not_zero(value: ast.expr) -> ast.expr:
    """What something is divided by, never zero."""
    text = ast.unparse(value)
    call = value.func if isinstance(value, ast.Call) else None
    if isinstance(call, ast.Attribute) and call.attr in NOT_NEGATIVE:
        return ast.parse(f"{text} + 1e-12", mode="eval").body
    return ast.parse(f"torch.where({text} == 0, 1.0, {text})", mode="eval").body
