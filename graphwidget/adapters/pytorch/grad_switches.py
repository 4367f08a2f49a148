"""Code that switches gradients off, around a call or from there on, and how to undo it."""

from __future__ import annotations

import ast
import re
import textwrap
from typing import NamedTuple

from ...recording.findings import Place
from ...recording.fold import Model
from .lines import begin, enclosing, siblings, source_of, tree_of, way_to
from .statements import valid

SWITCH = re.compile(r"torch(\.autograd)?\.set_grad_enabled\(False\)")
OFF = re.compile(r"\b(no_grad|inference_mode|set_grad_enabled)\b")
MAX_BLOCK = 8
"""So many lines are written anew, to stand in a block."""


class Off(NamedTuple):
    """Place that switched gradients off: the line, its block or function, and the line within
    that led to the call."""

    place: Place
    node: ast.stmt
    within: Place


def switched_off(model: Model, call: int | None) -> Off | None:
    """Return where gradients were switched off for a call."""
    for _what, place in reversed(way_to(model, call)):
        source = source_of(model, place)
        for node in reversed(enclosing(source, place)):
            parts: list[ast.expr] = getattr(node, "decorator_list", [])
            if isinstance(node, ast.With):
                parts = [item.context_expr for item in node.items]
            for part in parts:
                if OFF.search(ast.unparse(part)):
                    text = source.splitlines()[part.lineno - 1].strip()
                    return Off(place._replace(line=part.lineno, text=text), node, place)
        for each in ast.walk(tree_of(source)):
            if isinstance(each, ast.Expr) and SWITCH.fullmatch(ast.unparse(each)):
                text = source.splitlines()[each.lineno - 1].strip()
                return Off(place._replace(line=each.lineno, text=text), each, place)
    return None


def left_off(model: Model, switch: Place, forward: Place | None) -> tuple[str, str]:
    """The line ``switch`` has switched gradients off, and they still are: how they are on where
    ``forward`` is computed, in words and as code."""
    text = "Gradients were switched off here, and not on again: nothing is recorded from here on."
    source = source_of(model, switch)
    after = siblings(source, switch)
    same = forward is not None and forward.file == switch.file
    follows = same and any(
        forward is not None and begin(each) <= forward.line <= (each.end_lineno or 0)
        for each in after
    )
    line = next(iter(enclosing(source, switch)[-1:]), None)
    calls = [each for each in ast.walk(line or ast.Pass()) if isinstance(each, ast.Call)]
    head, always = next(filter(None, map(_switch, calls)), ("", True))
    if follows and always and isinstance(line, ast.Expr):
        return text, valid(switch.text.replace("False", "True")) if "False" in switch.text else ""
    if not head or not after or not isinstance(line, ast.Expr):
        return text, ""
    first, last = begin(after[0]), after[-1].end_lineno or 0
    text += (
        f" Where it is meant for lines {first} to {last} alone, write `with {head}:` around them."
    )
    rows = textwrap.dedent("\n".join(source.splitlines()[first - 1 : last])).splitlines()
    if len(rows) > MAX_BLOCK or any('"""' in row for row in rows):
        return text, ""
    moved = [f"    {row}  # line {nr}" for nr, row in enumerate(rows, first) if row.strip()]
    return text, valid("\n".join([f"with {head}:", *moved]))


def _switch(call: ast.Call) -> tuple[str, bool] | None:
    """Return the context manager to use instead of a call that switches; and True if it
    always switches off."""
    name = ast.unparse(call.func)
    if name.endswith(".__enter__"):
        return name.removesuffix(".__enter__"), True
    if name.rpartition(".")[2] != "set_grad_enabled":
        return None
    return ast.unparse(call), bool(call.args) and isinstance(call.args[0], ast.Constant)
