"""Fixes that keep a history where it was lost, and cut one off where it should end."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from types import MappingProxyType
from typing import TypeGuard

from ...recording.findings import Place
from .fixes import Replaced
from .statements import assigned, is_variable, parsed, valid

CUTS = re.compile(
    r"(\.cpu\(\))*(\.(detach|data|item|numpy|tolist)\b(\(\))?)(\.(cpu|numpy|item|tolist)\(\))*"
)
"""Code that cuts a graph."""
NUMBERS = re.compile(r"\.(numpy|tolist|item)\(\)")

PUT = ("append", "add", "appendleft")
"""Methods that put something into a container."""

COPIES = ("tensor", "as_tensor", "from_numpy", "FloatTensor", "Tensor")
"""Functions of ``torch`` that take numbers, and so no history."""


def without_cut(text: str) -> str:
    """The line without the first detach or the like, and what follows it; of what makes numbers
    or arrays, without all of it."""
    changed = CUTS.sub("", text.strip(), count=0 if NUMBERS.search(text) else 1)
    return valid(changed) if changed != text.strip() else ""


def unwrapped(text: str) -> str:
    """The line without a ``Variable`` or a ``Parameter`` that it makes, which begin anew; ``pass``
    if nothing is left to do."""
    tree = parsed(text)
    if tree is None:
        return ""
    for node in ast.walk(tree):
        made = ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and made in ("Variable", "Parameter") and node.args:
            tree = Replaced(node, node.args[0]).visit(tree)
            break
    same = isinstance(tree, ast.Assign) and ast.unparse(tree.targets[0]) == ast.unparse(tree.value)
    return "pass" if same else valid(ast.unparse(tree))


def lines_keeping_tensors(
    cut: str, made: str, lists: Set[str] = frozenset(), op: str = "",
    tensors: Mapping[str, tuple[int, ...]] = MappingProxyType({}),
) -> str:  # fmt: skip
    """The line that turned tensors into numbers, and the one that made a tensor of these, with
    the tensors kept. ``lists`` are the variables known to be lists, and ``tensors`` the shapes of
    those known to be tensors; if the function that lost the history is known, it is ``op``."""
    first = without_cut(cut) or cut
    if made == cut:
        return _as_tensors(first, lists, op=op, tensors=tensors) or (first if first != cut else "")
    second = _as_tensors(made, lists, ast.parse(cut.strip()), ".tolist()" in cut)
    again = assigned(parsed(second))
    if any(ast.unparse(target) == ast.unparse(value) for target, value in again):
        second = "pass"
    return valid(f"{first}\n{second}") if made and second else first


def _as_tensors(
    text: str, lists: Set[str], cut: ast.AST | None = None, any_numbers: bool = False,
    op: str = "", tensors: Mapping[str, tuple[int, ...]] = MappingProxyType({}),
) -> str:  # fmt: skip
    """``torch.tensor(x)`` as ``x``, and ``torch.tensor([x, y])`` as ``torch.stack([x, y])``. What
    is computed there with what the line ``cut`` gives is made a tensor too. ``any_numbers`` tells
    that there may be numbers among them; so there may where it is not known which of several such
    calls is meant."""
    tree = parsed(text)
    calls = [each for each in ast.walk(tree) if _copies(each)] if tree is not None else []
    calls = [each for each in calls if ast.unparse(each.func).endswith(f".{op}")] or calls
    any_numbers = any_numbers or len(calls) > 1
    names = {each.id for each in ast.walk(cut or tree or ast.Pass()) if isinstance(each, ast.Name)}
    for call in calls:
        function, given = call.func, call.args[0]
        while _an_array_of(given):
            given = given.args[0]
        for node in ast.walk(given):
            for side in ("left", "right") if isinstance(node, ast.BinOp) else ():
                other = getattr(node, side)
                if isinstance(other, ast.Name) and other.id not in names:
                    code = f"torch.as_tensor({other.id})"
                    setattr(node, side, ast.parse(code, mode="eval").body)
        assert isinstance(function, ast.Attribute)
        words = [word for word in call.keywords if word.arg in ("dtype", "device")]
        new: ast.expr = given
        if isinstance(given, ast.List | ast.Tuple | ast.ListComp):
            read = [ast.unparse(each) for each in ast.walk(given) if isinstance(each, ast.expr)]
            new = stacked(given, {each: tensors[each] for each in read if each in tensors})
        elif _listed(given, lists) and not _one_tensor(cut, given):
            function.attr, call.keywords, new = "stack", [], call
            if any_numbers and isinstance(given, ast.Name):
                code = f"[torch.as_tensor(each) for each in {given.id}]"
                call.args[0] = ast.parse(code, mode="eval").body
        elif len(calls) > 1:
            function.attr, call.keywords, words, new = "as_tensor", [], [], call
        if words:
            new = ast.Call(ast.Attribute(new, "to", ast.Load()), [], words)
        if tree is not None:
            tree = Replaced(call, new).visit(tree)
    return valid(ast.unparse(tree)) if tree is not None and calls else ""


def stacked(given: ast.expr, tensors: Mapping[str, tuple[int, ...]]) -> ast.expr:
    """``[[x, 0.0], [y, z]]`` as stacks of stacks, in which all are tensors without dimensions;
    ``tensors`` has the shapes of variables that are known to be tensors."""
    if isinstance(given, ast.ListComp):
        given.elt = stacked(given.elt, tensors)
        return _stack(given)
    if isinstance(given, ast.List | ast.Tuple):
        return _stack(ast.List([stacked(each, tensors) for each in given.elts], ast.Load()))
    parts = [each for each in ast.walk(given) if isinstance(each, ast.expr)]
    names = {each for each in map(ast.unparse, parts) if each in tensors}
    code = ast.unparse(given)
    if not names:
        if any(isinstance(each, ast.Call) for each in parts):
            return given
        number = not any(map(is_variable, parts))
        owner = next(iter(tensors), "torch") if number else "torch"
        code = f"{owner}.{'as' if owner == 'torch' else 'new'}_tensor({code})"
        return ast.parse(code, mode="eval").body
    if any(tensors[each] for each in names):  # torch.tensor takes one number as well
        simple = isinstance(given, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
        code = f"{code if simple else f'({code})'}.reshape(())"
    return ast.parse(code, mode="eval").body


def _stack(items: ast.expr) -> ast.Call:
    function = ast.Attribute(ast.Name("torch", ast.Load()), "stack", ast.Load())
    return ast.Call(function, [items], [])


def _an_array_of(value: ast.expr) -> TypeGuard[ast.Call]:
    """Return whether it is ``np.asarray(x)``."""
    made = ast.unparse(value.func) if isinstance(value, ast.Call) and value.args else ""
    return made.endswith((".asarray", "np.array", "numpy.array"))


def _listed(value: ast.expr, lists: Set[str]) -> bool:
    """Return whether a variable is a list, or has the name of one."""
    name = value.id if isinstance(value, ast.Name) else ""
    return name in lists or re.fullmatch(r"\w*[^s]s", name) is not None


def _one_tensor(cut: ast.AST | None, value: ast.expr) -> bool:
    """Return whether the line that lost the history gives a variable one tensor, or what is made of
    one, and no list."""
    pairs = [pair for node in ast.walk(cut or ast.Pass()) for pair in assigned(node)]
    lists = ast.List | ast.ListComp | ast.Tuple
    return any(
        ast.unparse(target) == ast.unparse(value) and not isinstance(given, lists)
        for target, given in pairs
    )


def lists_in(around: Iterable[ast.AST]) -> set[str]:
    """The variables that the innermost function of these statements makes lists of."""
    functions = [each for each in around if isinstance(each, ast.FunctionDef | ast.Module)]
    nodes = ast.walk(functions[-1]) if functions else ()
    pairs = [pair for node in nodes for pair in assigned(node)]
    lists = (target for target, value in pairs if isinstance(value, ast.List | ast.ListComp))
    return {each.id for each in lists if isinstance(each, ast.Name)}


def _copies(node: ast.AST) -> TypeGuard[ast.Call]:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and (
            (node.func.attr in COPIES and ast.unparse(node.func.value) == "torch")
            or node.func.attr == "new_tensor"
        )
        and bool(node.args)
    )


def copies(text: str) -> bool:
    """Return whether a line makes tensors of numbers: ``torch.tensor(x)``."""
    statement = parsed(text)
    return statement is not None and any(map(_copies, ast.walk(statement)))


def with_create_graph(text: str) -> str:
    """The line with ``create_graph=True`` for its ``torch.autograd.grad``; empty if it has none."""
    statement = parsed(text)
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "grad":
            kept = [word for word in node.keywords if word.arg != "create_graph"]
            node.keywords = [*kept, ast.keyword("create_graph", ast.Constant(True))]
            return valid(ast.unparse(statement))  # type: ignore[arg-type]
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
    changed = Replaced(found[-1], _without_history(found[-1])).visit(statement)
    return valid(ast.unparse(changed))


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


def _without_history(value: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(value, "detach", ast.Load()), [], [])


def carried(text: str) -> list[str]:
    """Of a line like ``out, (h, c) = lstm(x, (h, c))``: the states that it takes and makes."""
    statement = parsed(text)
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return []
    made = {ast.unparse(each) for each in ast.walk(statement.targets[0]) if is_variable(each)}
    names = []
    for given in statement.value.args:
        if isinstance(given, ast.Tuple):
            names += [ast.unparse(each) for each in given.elts if is_variable(each)]
        else:
            names += [ast.unparse(given)]
    return [name for name in names if name in made]


def summed(text: str, line: int, loss: str, backward: int) -> str:
    """A sum of losses over iterations as one of numbers, and the backward of one of them."""
    numbers = re.sub(rf"\b{re.escape(loss)}\b", f"{loss}.detach()", text)
    return valid(f"{numbers}  # line {line}\n{loss}.backward()  # line {backward}")


def put(node: ast.AST, name: str, item: bool = False) -> ast.expr | None:
    """Return the value that a statement puts into the named container or an item of it: ``x`` of
    ``losses.append(x)``."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        call = node.value
        method = call.func
        if not isinstance(method, ast.Attribute) or method.attr not in PUT:
            return None
        into = method.value
        if item and isinstance(into, ast.Subscript):
            into = into.value
        return call.args[-1] if _last(into) == name and call.args else None
    if isinstance(node, ast.AugAssign) and _last(node.target) == name:
        value = node.value
        return value.elts[0] if isinstance(value, ast.List) and value.elts else None
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return node.value if _last(node.targets[0].value) == name else None
    return None


def _last(value: ast.expr) -> str:
    """A variable, an attribute or an item of one, without the object that it is of."""
    if isinstance(value, ast.Subscript):
        return f"{_last(value.value)}[{ast.unparse(value.slice)}]"
    if isinstance(value, ast.Attribute):
        return value.attr
    return value.id if isinstance(value, ast.Name) else ""


def cut_off_all(source: str, container: str, place: Place) -> str:
    """Return code that detaches the items of a list before a line adds more; empty unless it is
    known to be a list."""
    if not re.search(rf"{re.escape(container)}( *:[^=\n]+)? = \[", source):
        return ""
    return f"{container} = [each.detach() for each in {container}]  # before line {place.line}"


def put_into(source: str, name: str) -> Iterator[tuple[int, ast.expr]]:
    """Yield the values that statements of a program put into the named container, with the line."""
    try:
        nodes = [*ast.walk(ast.parse(source))]
    except (SyntaxError, ValueError):
        return
    for node in nodes:
        value = put(node, name)
        if value is not None and isinstance(node, ast.stmt):
            yield node.lineno, value
