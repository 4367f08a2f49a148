"""Derivatives as text, read off the op table's own formulas.

A formula is called with ``Text`` operands, which write down what is done to them. Nothing is
derived or written a second time here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from .declare import COMPOSITES, GRADIENTS, TABLE, Namespace, Op, bind

SUM, PRODUCT, PREFIX, POWER, ATOM = range(5)
"""How tightly a text holds together."""

MAX_LENGTH = 60
"""A shared function of formulas is written out up to this length, else called by its name."""


class Text:
    """An operand that is a piece of text; operators make longer ones, with the brackets needed."""

    def __init__(self, text: str, tight: int = ATOM) -> None:
        self.text = text
        self.tight = tight

    def at(self, tight: int) -> str:
        """The text where something at least as tight must stand."""
        return self.text if self.tight >= tight else f"({self.text})"

    def __add__(self, other: Any) -> Text:
        return Text(f"{self.at(SUM)} + {_text(other).at(SUM)}", SUM)

    def __radd__(self, other: Any) -> Text:
        return _text(other) + self

    def __sub__(self, other: Any) -> Text:
        return Text(f"{self.at(SUM)} − {_text(other).at(PRODUCT)}", SUM)

    def __rsub__(self, other: Any) -> Text:
        return _text(other) - self

    def __mul__(self, other: Any) -> Text:
        left, right = self, _text(other)
        if "1" in (left.text, right.text):
            return right if left.text == "1" else left
        if left.text == "−1":
            return -right
        return Text(f"{left.at(PRODUCT)} × {right.at(PREFIX)}", PRODUCT)

    def __rmul__(self, other: Any) -> Text:
        return _text(other) * self

    def __truediv__(self, other: Any) -> Text:
        return Text(f"{self.at(PRODUCT)} ÷ {_text(other).at(POWER)}", PRODUCT)

    def __rtruediv__(self, other: Any) -> Text:
        return _text(other) / self

    def __neg__(self) -> Text:
        return Text(f"−{self.at(PREFIX)}", PREFIX)

    def __pow__(self, other: Any) -> Text:
        return Text(f"{self.at(ATOM)} ^ {_text(other).at(ATOM)}", POWER)

    def __repr__(self) -> str:
        return self.text

    def __getattr__(self, name: str) -> Text:
        if name.startswith("__"):
            raise AttributeError(name)
        return Shape(f"{self.at(ATOM)}.{name}")


class Shape(Text):
    """The shape of an operand: as one number, it is the number of items."""

    __iter__ = None  # a formula that looks at every size has no text

    def __getattr__(self, name: str) -> Text:
        # numpy asks what is given to it as a dtype for its own ``dtype``, and that for its own:
        # without end, which in a browser overflows the stack before Python notices.
        if name == "dtype":
            raise AttributeError(name)
        return super().__getattr__(name)

    def __len__(self) -> int:
        return 1

    def __getitem__(self, dim: Any) -> Text:
        return Text("n")


def _text(value: Any) -> Text:
    if isinstance(value, Text):
        return value
    return Text(f"{value:g}" if isinstance(value, float) else str(value))


class _Writers(Namespace):
    """``F`` on texts: an op writes its own formula, a shared function what it does."""

    def __getattr__(self, name: str) -> Any:
        if name in COMPOSITES:
            return _shared_function(name, COMPOSITES[name])
        op = _ops().get(name)
        return _writer(op) if op is not None else _caller(name)


@cache
def _ops() -> dict[str, Op]:
    """The ops by the names that formulas call them."""
    return {key.replace(".", "_"): op for key, op in TABLE.items()}


F = _Writers()


def _writer(op: Op) -> Callable[..., Text]:
    def write(*operands: Any, **named: Any) -> Text:
        names = [*op.inputs, *op.params]
        given = dict(zip(names, operands, strict=False)) | named
        infix = " " in op.text
        texts = {key: _text(value).at(ATOM if infix else SUM) for key, value in given.items()}
        for key, default in op.params.items():
            texts.setdefault(key, str(default))
        return Text(op.text.format(**texts), SUM if infix else ATOM)

    return write


def _shared_function(name: str, function: Callable[..., Any]) -> Callable[..., Text]:
    def write(*operands: Any) -> Text:
        short = _caller(name)(*operands)
        try:
            whole = _text(bind(function, F)(*operands))
        except Exception:
            return short
        return whole if len(whole.text) <= MAX_LENGTH else short

    return write


def _caller(name: str) -> Callable[..., Text]:
    def write(*operands: Any) -> Text:
        return Text(f"{name}({', '.join(_text(operand).text for operand in operands)})")

    return write


class DerivativeText(NamedTuple):
    """The derivative of an op by one input: times the incoming gradient, and alone (item by item
    ops; None for others)."""

    input: str
    vjp: str
    local: str | None


def derivatives(op: Op) -> tuple[DerivativeText, ...]:
    """The derivatives of an op as text, with ``{name}`` placeholders."""
    if TABLE.get(op.key) is not op:
        return ()  # a user's own Function: only its author knows
    return _derivatives(op.key)


def gradient(op: Op, target: str) -> str:
    """The derivative of an op by one input, times the incoming gradient; "" where it cannot be
    written. Docstrings need no more."""
    return _written(op, target, Text("{grad}")) or ""


@cache
def _derivatives(key: str) -> tuple[DerivativeText, ...]:
    op = TABLE[key]
    found = []
    for derivative in op.derivatives.values():
        local = _written(op, derivative.input, Text("1")) if op.pointwise else None
        local = local and local.removeprefix("1 · ")
        found.append(DerivativeText(derivative.input, gradient(op, derivative.input), local))
    return tuple(found)


def _written(op: Op, target: str, grad: Text) -> str | None:
    """The formula with a gradient written as ``grad``; None where it cannot be written."""
    derivative = op.derivatives[target]
    given: dict[str, Any] = dict.fromkeys(GRADIENTS, grad) | {"targets": (target,)}
    for need in derivative.needs:
        source, _, what = need.removeprefix("_").rpartition("_")
        if need not in given:
            shaped = what in ("shape", "strides", "dtype") and source in op.inputs
            given[need] = Shape(f"{{{source}}}.{what}") if shaped else Text(f"{{{need}}}")
    try:
        found = bind(derivative.formula, F)(*(given[n] for n in derivative.needs))
        if derivative.place is not None and isinstance(found, tuple):
            found = found[derivative.place]
        return _text(found).text
    except Exception:  # a formula that looks at numbers has no text of its own
        return None
