"""Spelling: what the program writes for the values that a call reads, as ``data.x``.

A tensor that no assignment named (an attribute of a container, an item of a dictionary, an argument
of a function) is called what the program calls it where it is read. The instruction of a call knows
its columns in the source; the syntax tree says what stands there. Only names, attributes and items
with constant keys are taken: what is typed again gives the same value.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from types import CodeType
from typing import NamedTuple

Text = str | None
"""Text of a value in the program; None for an expression that computes."""

Span = tuple[int, int, int, int]
"""First line, last line, first column, last column."""

MAX_LINES = 20_000

CALLS = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Subscript, ast.Compare, ast.Attribute)
"""Kinds of expressions that can call an op or a module."""


class Spelling(NamedTuple):
    """Text of a call's arguments in the program."""

    args: tuple[Text, ...]
    keywords: Mapping[str, str]
    spread: Text
    """Text after ``**``."""
    receiver: Text = None
    """Text before the dot of a method."""
    operator: bool = False
    """True if the arguments are the sides of an operator."""
    constant: bool = False
    """True if one of these is a constant."""
    own: Text = None
    """Text of the call itself, if it is a path too: ``h[0]``, ``x.T``."""

    @property
    def empty(self) -> bool:
        """True if all arguments are computed."""
        texts = (*self.args, *self.keywords.values(), self.spread, self.receiver)
        return all(text is None for text in texts)

    @property
    def texts(self) -> tuple[str, ...]:
        """All that is written for arguments, each once."""
        found = (self.receiver, *self.args, *self.keywords.values())
        return tuple(dict.fromkeys([text for text in found if text is not None]))

    def of(self, place: int | str) -> Text:
        """The text of an argument, by its position or its keyword."""
        if isinstance(place, int):
            return self.args[place] if place < len(self.args) else None
        text = self.keywords.get(place)
        return f"{self.spread}[{place!r}]" if text is None and self.spread is not None else text


NOTHING = Spelling((), {}, None)


def spelling(code: CodeType, lasti: int) -> Spelling:
    """Return the text of the arguments of the instruction at ``lasti``."""
    nodes = _nodes(code.co_filename)
    if not nodes:
        return NOTHING
    span = next(islice(code.co_positions(), lasti // 2, None), (None,) * 4)
    node = None if None in span else nodes.get(span)  # type: ignore[arg-type]
    return NOTHING if node is None else _spelled(node)


@lru_cache(maxsize=64)
def _nodes(filename: str) -> dict[Span, ast.AST]:
    """Return the expressions of a file that can call an op or a module, by span."""
    lines = linecache.getlines(filename)
    if not lines or len(lines) > MAX_LINES:
        return {}
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError):  # a notebook's magics
        return {}
    found: dict[Span, ast.AST] = {}
    for node in ast.walk(tree):
        if isinstance(node, CALLS):
            last, end = node.end_lineno or 0, node.end_col_offset or 0
            found[node.lineno, last, node.col_offset, end] = node
    return found


def _spelled(node: ast.AST) -> Spelling:
    texts: list[Text]
    match node:
        case ast.Call(func=func, args=args, keywords=keywords):
            texts = []
            for each in args:
                if isinstance(each, ast.Starred):
                    break
                texts.append(path_of(each))
            named = {x.arg: path_of(x.value) for x in keywords if x.arg is not None}
            spread = [path_of(x.value) for x in keywords if x.arg is None]
            words = {word: text for word, text in named.items() if text is not None}
            receiver = path_of(func.value) if isinstance(func, ast.Attribute) else None
            return Spelling(tuple(texts), words, spread[0] if len(spread) == 1 else None, receiver)
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            texts = [path_of(left), path_of(right)]
            constant = isinstance(left, ast.Constant) or isinstance(right, ast.Constant)
            return Spelling(tuple(texts), {}, None, operator=True, constant=constant)
        case ast.Subscript(value=value, slice=key):
            return Spelling((path_of(value), path_of(key)), {}, None, own=_read_path(node))
        case ast.Attribute(value=value):
            return Spelling((path_of(value),), {}, None, own=_read_path(node))
        case ast.UnaryOp(operand=operand):
            return Spelling((path_of(operand),), {}, None)
    return NOTHING


def _read_path(node: ast.Subscript | ast.Attribute) -> Text:
    return path_of(node) if isinstance(node.ctx, ast.Load) else None


def path_of(node: ast.expr) -> Text:
    """A name, an attribute or an item with a constant key, as it is typed; None for all else."""
    inner = node
    while True:
        match inner:
            case ast.Name():
                return ast.unparse(node)
            case ast.Attribute(value=value):
                inner = value
            case ast.Subscript(value=value, slice=ast.Constant(value=int() | str())):
                inner = value
            case ast.Subscript(value=value, slice=ast.UnaryOp(ast.USub(), ast.Constant())):
                inner = value
            case _:
                return None
