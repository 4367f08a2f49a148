"""Python's operators on symbols and variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import math
from .array_ops import get_item
from .symbol import Symbol

BINARY = {
    "add": ("AddV2", "add", "add"), "sub": ("Sub", "sub", "sub"), "mul": ("Mul", "mul", "mul"),
    "mod": ("FloorMod", "remainder", "mod"), "pow": ("Pow", "pow.tensor", "pow"),
    "lt": ("Less", "lt", "Less"), "le": ("LessEqual", "le", "LessEqual"),
    "gt": ("Greater", "gt", "Greater"), "ge": ("GreaterEqual", "ge", "GreaterEqual"),
    "and": ("LogicalAnd", "logical_and", "and"), "or": ("LogicalOr", "logical_or", "or"),
    "xor": ("LogicalXor", "logical_xor", "xor"),
}  # fmt: skip
"""Python's operator: TensorFlow's word, the table's op, the name that an operation gets."""
REVERSED = ("add", "sub", "mul", "mod", "pow", "and", "or", "xor")


def binary_operator(type: str, key: str, name: str) -> tuple[Callable[..., Any], ...]:
    """An operator, and the one that Python calls where the symbol stands on the right."""
    logical = type.startswith("Logical")

    def operator(self: Any, other: Any) -> Any:
        return math.binary(type, key, self, other, None, name, logical=logical)

    def reflected(self: Any, other: Any) -> Any:
        return math.binary(type, key, other, self, None, name, logical=logical, reverse=True)

    return operator, reflected


def operators() -> dict[str, Callable[..., Any]]:
    """All operators by Python's names."""
    found: dict[str, Callable[..., Any]] = {
        "__neg__": lambda self: math.unary("Neg", "neg", self, None),
        "__abs__": lambda self: math.unary("Abs", "abs", self, None),
        "__invert__": lambda self: math.logical_not(self),
        "__truediv__": lambda self, other: math.divided(self, other, "truediv"),
        "__rtruediv__": lambda self, other: math.divided(other, self, "truediv", reverse=True),
        "__floordiv__":
            lambda self, other: math.rounded_quotient("FloorDiv", "floor", self, other, "floordiv"),
        "__rfloordiv__":
            lambda self, other:
                math.rounded_quotient("FloorDiv", "floor", other, self, "floordiv", reverse=True),
        "__matmul__": lambda self, other: product(self, other),
        "__rmatmul__": lambda self, other: product(other, self),
        "__getitem__": lambda self, key: get_item(self, key),
    }  # fmt: skip
    for name, parts in BINARY.items():
        operator, reflected = binary_operator(*parts)
        found[f"__{name}__"] = operator
        if name in REVERSED:
            found[f"__r{name}__"] = reflected
    return found


def product(a: Any, b: Any) -> Symbol:
    """``a @ b``."""
    from .reductions import matmul

    return matmul(a, b, name="matmul")


for _name, _operator in operators().items():
    setattr(Symbol, _name, _operator)
