"""Names that a statement of the user's program reads, writes and passes, by its text alone."""

from __future__ import annotations

import ast
from collections.abc import Callable


def parsed(text: str) -> ast.stmt | None:
    """The one statement that a line is; None where it is not a whole one."""
    try:
        body = ast.parse(text.strip()).body
    except SyntaxError:
        return None
    return body[0] if len(body) == 1 else None


def parts(text: str) -> tuple[ast.Module, list[ast.stmt]]:
    """The tree of a line, and the list in it of what stands between its semicolons, on a line that
    begins a block after its colon."""
    try:
        tree = ast.parse(text.strip())
    except SyntaxError:
        return ast.Module([], []), []
    block = tree.body
    while len(block) == 1 and isinstance(getattr(block[0], "body", None), list):
        block = block[0].body  # type: ignore[attr-defined]
    return tree, block


def whole(text: str) -> bool:
    """Return whether a line is one statement or a part of one, and nothing else."""
    tree, block = parts(text)
    return block is tree.body and len(block) < 2


def in_part(text: str, change: Callable[[str], str], name: str = "") -> str:
    """The line with a change of the one statement on it that can be changed so; of several, of the
    one that writes ``name``."""
    tree, block = parts(text)
    if whole(text):
        return change(text)
    made = {nr: new for nr, each in enumerate(block) if (new := change(ast.unparse(each)))}
    if len(made) > 1:
        made = {nr: new for nr, new in made.items() if target(ast.unparse(block[nr])) == name}
    if len(made) != 1:
        return ""
    ((nr, new),) = made.items()
    block[nr : nr + 1] = ast.parse(new).body
    return valid(ast.unparse(tree))


def parsed_value(text: str) -> ast.expr | None:
    """The expression that a line is; None where it is a statement."""
    statement = parsed(text)
    return statement.value if isinstance(statement, ast.Expr) else None


def valid(code: str) -> str:
    """The code if it is Python, else nothing."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return ""
    return _with_one_pair(code, tree)


def _with_one_pair(code: str, tree: ast.AST) -> str:
    """``sum(x for x in xs)`` for ``sum((x for x in xs))``, as ``ast.unparse`` writes it."""
    lines = [bytearray(line.encode()) for line in code.split("\n")]
    spare: list[tuple[int, int]] = []
    for call in ast.walk(tree):
        given = call.args if isinstance(call, ast.Call) and not call.keywords else []
        if len(given) == 1 and isinstance(given[0], ast.GeneratorExp):
            first, end = given[0].col_offset, given[0].end_col_offset or 0
            line = lines[given[0].lineno - 1]
            if (
                given[0].lineno == given[0].end_lineno
                and line[first - 1 : first] + line[end : end + 1] == b"()"
            ):
                spare += [(given[0].lineno, first), (given[0].lineno, end - 1)]
    for nr, at in sorted(spare, reverse=True):
        del lines[nr - 1][at]
    return b"\n".join(lines).decode()


def is_variable(node: ast.AST, context: type[ast.expr_context] = ast.expr_context) -> bool:
    """Return whether it is a variable or an attribute, that is read or written as ``context``
    says."""
    return isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, context)


def read_by(text: str) -> list[str]:
    """The variables and attributes that a statement reads."""
    nodes = ast.walk(parsed(text) or ast.Pass())
    return [ast.unparse(each) for each in nodes if is_variable(each, ast.Load)]


def given_by(text: str) -> list[str]:
    """The variables and attributes that a statement gives a value."""
    nodes = ast.walk(parsed(text) or ast.Pass())
    return [ast.unparse(each) for each in nodes if is_variable(each, ast.Store)]


def handed(made: str, used: str) -> list[str]:
    """The variables that one statement gives a value and another reads."""
    one, other = parsed(made), parsed(used)
    if one is None or other is None:
        return []
    read = {ast.unparse(each) for each in ast.walk(other) if is_variable(each, ast.Load)}
    given = [ast.unparse(each) for each in ast.walk(one) if is_variable(each, ast.Store)]
    return [name for name in given if name in read]


def carried_on(text: str) -> list[str]:
    """The variables that a statement both reads and gives a new value: it cannot run twice."""
    statement = parsed(text)
    if not isinstance(statement, ast.Assign):
        return []
    inner = [each for node in ast.walk(statement) for each in getattr(node, "generators", ())]
    own = {
        each.id for node in inner for each in ast.walk(node.target) if isinstance(each, ast.Name)
    }
    names = [each for each in ast.walk(statement) if isinstance(each, ast.Name)]
    names = [each for each in names if each.id not in own]
    read = {each.id for each in names if isinstance(each.ctx, ast.Load)}
    return [each.id for each in names if isinstance(each.ctx, ast.Store) and each.id in read]


def adds_up(text: str) -> bool:
    """Return whether a line adds to a sum: ``total = total + loss``."""
    statement = parsed(text)
    value = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(statement, ast.Assign) or not isinstance(value, ast.BinOp):
        return False
    given = ast.unparse(statement.targets[0])
    return isinstance(value.op, ast.Add) and given in map(ast.unparse, (value.left, value.right))


def loss_of(text: str) -> str:
    """``loss`` of the line ``loss.backward()``; empty for other lines."""
    statement = parsed(text)
    call = statement.value if isinstance(statement, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    if isinstance(function, ast.Attribute) and function.attr == "backward":
        return ast.unparse(function.value)
    return ""


def writes(node: ast.stmt) -> bool:
    """Return whether a statement writes in place, as far as its form shows, or drops a gradient."""
    if isinstance(node, ast.Assign):
        one = node.targets[0]
        return isinstance(one, ast.Subscript) or ast.unparse(node).endswith(".grad = None")
    return isinstance(node, ast.AugAssign) or bool(target(ast.unparse(node)))


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
        written = parsed_value(first_of(statement.value)) if writes else None
    value = getattr(statement, "value", None)
    words = value.keywords if isinstance(value, ast.Call) else []
    written = next((word.value for word in words if word.arg == "out"), written)
    while isinstance(written, ast.Subscript):
        written = written.value
    return ast.unparse(written) if isinstance(written, ast.Name | ast.Attribute) else ""


def first_of(call: ast.expr) -> str:
    """The variable that a chain of methods begins with: ``x`` of ``x.neg_().add_(1)``."""
    while isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        call = call.func.value
    kinds = ast.Name | ast.Attribute | ast.Subscript
    return ast.unparse(call) if isinstance(call, kinds) else ""


def assigned(node: ast.AST | None) -> list[tuple[ast.expr, ast.expr]]:
    """Return the (target, value) pairs of an assignment, those of ``a, b = x, y`` one by one."""
    pairs: list[tuple[ast.expr, ast.expr]] = []
    if isinstance(node, ast.Assign):
        for one in node.targets:
            if isinstance(one, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs += zip(one.elts, node.value.elts, strict=False)
            else:
                pairs.append((one, node.value))
    return pairs
