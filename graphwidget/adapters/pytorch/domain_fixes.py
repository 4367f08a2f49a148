"""Fixes that keep the inputs of functions where these and their derivatives are finite."""

from __future__ import annotations

import ast

from .fixes import LIBRARIES
from .statements import parsed, valid

ROOTS = ("sqrt", "rsqrt", "log", "log2", "log10", "reciprocal", "pow", "float_power")

RANGES = {"exp": "clamp(max=40.0)", "softmax": "clamp(min=-1e4)", "log_softmax": "clamp(min=-1e4)"}
RANGES |= dict.fromkeys(ROOTS, "clamp(min=1e-12)")
RANGES |= dict.fromkeys(("acos", "asin", "arccos", "arcsin", "atanh"), "clamp(-1 + 1e-6, 1 - 1e-6)")
RANGES |= {"log1p": "clamp(min=-1 + 1e-6)", "logit": "clamp(1e-6, 1 - 1e-6)"}
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
        elif isinstance(node, ast.Call) and _named(node.func) == op and op in RANGES and node.args:
            node.args[0] = _within(node.args[0], RANGES[op])
        else:
            continue
        return valid(ast.unparse(statement))  # type: ignore[arg-type]
    return ""


def _named(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else ""


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
