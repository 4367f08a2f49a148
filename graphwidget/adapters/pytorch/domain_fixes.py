"""Fixes that keep the inputs of functions where these and their derivatives are finite.

What such a fix changes are the results of bad inputs alone. Where the program masks these results
afterwards, the input is replaced under the same mask before (a double ``where``): a bound that was
put on it instead would give large numbers that a test for infinities does not find.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from .fixes import LIBRARIES, Replaced
from .statements import parsed, valid

ROOTS = ("sqrt", "rsqrt", "log", "log2", "log10", "reciprocal", "pow", "float_power")
"""Ops that may have given a NaN where it is not known which op did."""
ZERO = ("div", "reciprocal")
"""Ops of which 0 is the only bad input."""

RANGES = {"exp": "clamp(max=40.0)", "softmax": "clamp(min=-1e4)", "log_softmax": "clamp(min=-1e4)"}
RANGES |= dict.fromkeys(ROOTS, "clamp(min=1e-12)")
RANGES |= dict.fromkeys(("acos", "asin", "arccos", "arcsin", "atanh"), "clamp(-1 + 1e-6, 1 - 1e-6)")
RANGES |= {"log1p": "clamp(min=-1 + 1e-6)", "logit": "clamp(1e-6, 1 - 1e-6)"}
"""Calls that keep the inputs of functions where these and their derivatives are finite."""

BAD = dict.fromkeys(ROOTS, "{0} <= 0") | dict.fromkeys(ZERO, "{0} == 0")
"""Inputs that give a result or a derivative that is not finite."""

NOT_NEGATIVE = ("std", "norm", "sum", "abs", "var", "sqrt", "exp")
FINITE = re.compile(r"isinf|isnan|isfinite|nan_to_num|isposinf|isneginf|\binf\b|nan")
"""Tests of a result for numbers that are not finite."""
OPS = {
    "truediv": "div", "rtruediv": "div", "true_divide": "div", "rdiv": "div", "divide": "div",
    "rpow": "pow",
}  # fmt: skip


def guarded(text: str, op: str, after: Iterable[ast.stmt] = ()) -> str:
    """The line with what is given to its ``op`` made safe; empty where it is not known how.
    ``after`` are the statements that follow it: they may mask what it makes."""
    statement, op = parsed(text), OPS.get(op, op)
    for node in ast.walk(statement) if statement is not None else ():
        given = _input(node, op) if isinstance(node, ast.expr) else None
        if statement is None or given is None or not isinstance(node, ast.expr):
            continue
        fill = _masked(statement, node, after)
        kind = _kind(node, op)
        if fill is not None and kind in BAD:
            bad = BAD[kind].format(_grouped(given))
            safe = f"torch.where({bad}, 1.0, {ast.unparse(given)})"
            Replaced(given, ast.parse(safe, mode="eval").body).visit(node)
            if fill:
                code = f"torch.where({bad}, {fill}, {ast.unparse(node)})"
                statement = Replaced(node, ast.parse(code, mode="eval").body).visit(statement)
        elif not _made_safe(node, given, kind):
            continue
        return valid(ast.unparse(statement or node))
    return ""


MASKED = frozenset({
    "softmax", "log_softmax", "multi_head_attention_forward", "scaled_dot_product_attention",
})  # fmt: skip
"""Ops that give a NaN where all that they compare is minus infinity."""
INFINITY = re.compile(r"""-?float\(['"]-?inf['"]\)|-(torch|math|np|numpy)\.inf\b""")


def finite_masks(line: str, around: Iterable[ast.stmt]) -> str:
    """The lines that make masks of minus infinity for what is called on a line, with a large finite
    number; empty if there is none."""
    rows = {}
    if INFINITY.search(line):
        return valid(INFINITY.sub("-1e9", line))
    read = {node.id for node in ast.walk(parsed(line) or ast.Pass()) if isinstance(node, ast.Name)}
    for each in around:
        text = ast.unparse(each) if isinstance(each, ast.Assign) else ""
        names = {x.id for x in ast.walk(each) if isinstance(x, ast.Name)} if text else set()
        given = {ast.unparse(x) for x in each.targets} if isinstance(each, ast.Assign) else set()
        if INFINITY.search(text) and not read.isdisjoint(given | (names & given)):
            rows[each.lineno] = INFINITY.sub("-1e9", text)
    return valid("\n".join(f"{text}  # line {nr}" for nr, text in sorted(rows.items())))


def _kind(node: ast.expr, op: str) -> str:
    """The op, by what is bad for it: of negative whole exponents that is 0."""
    exponent = node.right if isinstance(node, ast.BinOp) else None
    if isinstance(node, ast.Call) and op == "pow":
        exponent = node.args[-1] if node.args else None
    if op == "pow" and exponent is not None and re.fullmatch(r"-\d+(\.0)?", ast.unparse(exponent)):
        return "reciprocal"
    return op


def _input(node: ast.expr, op: str) -> ast.expr | None:
    """Return the input of an op if an expression is a call of it: a quotient's denominator."""
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Div) and op == "div":
            return node.right
        return node.left if isinstance(node.op, ast.Pow) and op == "pow" else None
    if not isinstance(node, ast.Call):
        return None
    function = node.func
    if isinstance(function, ast.Name):
        return node.args[0] if function.id == op and op in RANGES and node.args else None
    if not isinstance(function, ast.Attribute) or function.attr != op:
        return None
    library = ast.unparse(function.value) in LIBRARIES
    given = [*node.args] if library else [function.value, *node.args]
    at = 1 if op == "div" else 0
    return given[at] if at < len(given) else None


def _made_safe(node: ast.expr, given: ast.expr, op: str) -> bool:
    """Change what is given to an op so that it stays where the op is finite."""
    by = ""
    if op in ("std", "var") and isinstance(node, ast.Call):
        return _of_several(node, given)
    if op in ZERO:
        by = _not_zero(given)
    elif op in RANGES:
        by = f"({ast.unparse(given)}).{RANGES[op]}"
    if by:
        Replaced(given, ast.parse(by, mode="eval").body).visit(node)
    return bool(by)


def _of_several(call: ast.Call, given: ast.expr) -> bool:
    """A deviation divides by one less than it has numbers, but of a single one."""
    inside = call.args[1:] if given in call.args else call.args
    dims = [word.value for word in call.keywords if word.arg in ("dim", "axis")] or inside
    known = {"dim", "axis", "keepdim"} >= {word.arg for word in call.keywords}
    if not known or len(dims) > 1 or not all(re.fullmatch(r"-?\d+", ast.unparse(x)) for x in dims):
        return False
    count = (
        f"{_grouped(given)}.shape[{ast.unparse(dims[0])}]" if dims else f"{_grouped(given)}.numel()"
    )
    few = ast.parse(f"min(1, {count} - 1)", mode="eval").body
    call.keywords = [*call.keywords, ast.keyword("correction", few)]
    return True


def _masked(statement: ast.stmt, node: ast.expr, after: Iterable[ast.stmt]) -> str | None:
    """Return the program's replacement for bad results of an expression, on its own line or a
    later one. Empty if their input decides which are replaced; None if none are."""
    name = ""
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        name = statement.targets[0].id
    code = ast.unparse(node)
    own = [each for each in ast.walk(statement) if each is not node]
    for each in (*own, *(part for line in after for part in ast.walk(line))):
        found = _replacement(each, {code, name} - {""})
        if found is not None:
            mask, fill = found
            tests = {ast.unparse(x) for x in ast.walk(mask)} if mask is not None else {name}
            by_itself = bool(tests & {code, name}) or FINITE.search(ast.unparse(mask or node))
            return fill if by_itself else ""
    return None


def _replacement(node: ast.AST, results: set[str]) -> tuple[ast.expr | None, str] | None:
    """The mask and what is put in under it, of code that replaces some of the ``results``."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        target = node.targets[0]
        if ast.unparse(target.value) in results:
            return target.slice, ast.unparse(node.value)
    if not isinstance(node, ast.Call):
        return None
    owner, _, method = ast.unparse(node.func).rpartition(".")
    given = list(map(ast.unparse, node.args))
    if method == "where" and len(given) == 3:
        kept = [nr for nr in (1, 2) if given[nr] in results]
        return (node.args[0], given[3 - kept[0]]) if len(kept) == 1 else None
    if method == "where" and owner in results and len(given) == 2:
        return node.args[0], given[1]
    if method in ("masked_fill", "masked_fill_") and owner in results and len(given) == 2:
        return node.args[0], given[1]
    if method in ("nan_to_num", "nan_to_num_") and results & {owner, *given[:1]}:
        words = {word.arg: ast.unparse(word.value) for word in node.keywords}
        return None, words.get("posinf") or words.get("nan") or "0.0"
    return None


def _grouped(value: ast.expr) -> str:
    text = ast.unparse(value)
    simple = ast.Name | ast.Attribute | ast.Call | ast.Subscript
    return text if isinstance(value, simple) else f"({text})"


def _not_zero(value: ast.expr) -> str:
    """Return code for a denominator that is never zero."""
    text = ast.unparse(value)
    call = value.func if isinstance(value, ast.Call) else None
    if isinstance(call, ast.Attribute) and call.attr in NOT_NEGATIVE:
        return f"{text}.clamp(min=1e-12)"
    return f"torch.where({_grouped(value)} == 0, 1.0, {text})"
