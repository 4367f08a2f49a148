"""Inlines formulas that only calculate into generated code, which spares each node a call."""

from __future__ import annotations

import dis
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any

JUMPS = frozenset((*dis.hasjrel, *dis.hasjabs))
SIGNS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/"}


class Expression:
    """An operand that writes down, as Python source, what is calculated with it."""

    def __init__(self, source: str) -> None:
        self.source = source

    def __neg__(self) -> Expression:
        return Expression(f"(-{self.source})")


def _calculation(sign: str, swapped: bool) -> Callable[[Expression, Any], Any]:
    def calculate(self: Expression, other: Any) -> Any:
        if other.__class__ not in (Expression, int, float):
            return NotImplemented
        pair = (self.source, getattr(other, "source", repr(other)))
        return Expression(f"({f' {sign} '.join(reversed(pair) if swapped else pair)})")

    return calculate


for _name, _sign in SIGNS.items():
    setattr(Expression, f"__{_name}__", _calculation(_sign, False))
    setattr(Expression, f"__r{_name}__", _calculation(_sign, True))


def only_calculates(code: CodeType) -> bool:
    """Return whether the code knows nothing but its arguments, and decides nothing."""
    return not code.co_names and JUMPS.isdisjoint(code.co_code[::2])


def inline_formula(formula: Callable[..., Any], arguments: Sequence[str]) -> str | None:
    """The formula of these arguments as source; None if it does more than calculate."""
    if not only_calculates(formula.__code__):
        return None
    try:
        found = formula(*map(Expression, arguments))
    except TypeError:  # there are more operators
        return None
    return found.source if isinstance(found, Expression) else None
