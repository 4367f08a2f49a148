"""``tf.math``: what works on numbers, under TensorFlow's names and with its rules.

Each function is an op of the table with TensorFlow's word for it. TensorFlow's types do not
promote: operands of two types are refused, and a Python number takes the type of the symbol beside
it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from .add_operation import emit, make_constant
from .convert import constant_array, convert_to_tensor
from .dtypes import FLOATING, as_dtype, float32, float64
from .graph import get_default_graph, node_text
from .symbol import Symbol
from .tensor_shape import broadcast

Function = TypeVar("Function", bound=Callable[..., Any])
SHARED: dict[str, Callable[..., Any]] = {}
"""The functions of ``tf.math`` that stand in ``tf`` itself too."""


def shared(function: Function) -> Function:
    """Offer a function of ``tf.math`` as ``tf.<name>`` too."""
    SHARED[function.__name__] = function
    return function


# Operands ----------------------------------------------------------------------------------------
def operand(value: Any, like: Symbol | None, type: str, name: str) -> Symbol:
    """An argument as a symbol, a Python number in the type of the symbol beside it.

    Raises:
        TypeError: it is no number of that type (TensorFlow's text).
    """
    if like is None or isinstance(value, Symbol) or hasattr(value, "_as_graph_tensor"):
        return convert_to_tensor(value, name=name)
    wanted = like.dtype.base_dtype
    try:
        return make_constant(constant_array(value, wanted), name)
    except TypeError as error:
        if isinstance(value, float) and type in PYTHON_PROMOTES:
            return convert_to_tensor(value, name=name)
        raise TypeError(
            f"Expected {wanted.name} passed to parameter '{name}' of op '{type.removesuffix('V2')}"
            f"', got {value!r} of type '{value.__class__.__name__}' instead. Error: {error}"
        ) from None


PYTHON_PROMOTES = ("AddV2",)
"""Types whose operators raise for ``1 + 1.5`` on tensors of different types."""


def check_same_type(type: str, x: Symbol, y: Symbol, names: tuple[str, str]) -> None:
    """Check that two operands have one type.

    Raises:
        TypeError: they have two (TensorFlow's text).
    """
    one, two = x.dtype.base_dtype, y.dtype.base_dtype
    if one != two:
        raise TypeError(
            f"Input '{names[1]}' of '{type}' Op has type {two.name} that does not match type "
            f"{one.name} of argument '{names[0]}'."
        )


def check_floating(symbol: Symbol, name: str) -> None:
    """Check that an operand is floating.

    Raises:
        TypeError: it is not (TensorFlow's text).
    """
    if not symbol.dtype.is_floating:
        raise TypeError(
            f"Value passed to parameter '{name}' has DataType {symbol.dtype.base_dtype.name} not "
            f"in list of allowed values: {FLOATING}"
        )


def check_bool(symbol: Symbol, type: str, name: str) -> None:
    """Check that an operand is bool.

    Raises:
        TypeError: it is not (TensorFlow's text).
    """
    if not symbol.dtype.is_bool:
        raise TypeError(
            f"Input '{name}' of '{type}' Op has type {symbol.dtype.base_dtype.name} that does not "
            "match expected type of bool."
        )


def check_broadcast(type: str, name: str, x: Symbol, y: Symbol) -> None:
    """Check that two operands go together.

    Raises:
        ValueError: they do not (TensorFlow's text).
    """
    try:
        broadcast((x.sizes, y.sizes))
    except ValueError as error:
        first, second = error.args
        attribute = f"T=DT_{x.dtype.code.upper()}"
        raise ValueError(
            f"Dimensions must be equal, but are {first} and {second} for "
            f"{node_text(name, type, (x, y), attribute)}."
        ) from None


def _operands(type: str, x: Any, y: Any, reverse: bool) -> tuple[Symbol, Symbol]:
    """Both operands of an op, each of the other's dtype where it has none of its own; the one that
    Python's operator looks at first names what it is refused for."""
    if reverse:
        y = convert_to_tensor(y, name="y")
        return operand(x, y, type, "x"), y
    x = convert_to_tensor(x, name="x")
    return x, operand(y, x, type, "y")


def binary(
    type: str, key: str, x: Any, y: Any, name: str | None, default: str, *,
    logical: bool = False, reverse: bool = False,
) -> Symbol:  # fmt: skip
    """An op of two operands; ``reverse`` says that Python's operator looks at ``y`` first."""
    graph = get_default_graph()
    with graph.name_scope(name or default) as scope:
        x, y = _operands(type, x, y, reverse)
        if logical:
            check_bool(x, type, "x")
            check_bool(y, type, "y")
        check_same_type(type, x, y, ("x", "y"))
        check_broadcast(type, scope[:-1], x, y)
        return emit(key, (x, y), type=type, name=scope)[0]


def unary(type: str, key: str, x: Any, name: str | None, params: Any = None, *,
          floating: bool = False, argument: str = "x") -> Symbol:  # fmt: skip
    """An op of one operand."""
    with get_default_graph().name_scope(name or type) as scope:
        x = convert_to_tensor(x, name=argument)
        if floating:
            check_floating(x, argument)
        return emit(key, (x,), params, type=type, name=scope)[0]


# One operand ---------------------------------------------------------------------------------
def make_unary(name: str, type: str, key: str, floating: bool) -> Callable[..., Symbol]:
    """``tf.<name>`` of one operand."""

    def function(x: Any, name: str | None = None) -> Symbol:
        return unary(type, key, x, name, floating=floating)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"``{key}`` of each item, as an operation ``{type}``."
    return shared(function)


FLOATING_OPS = [
    "exp",
    "expm1",
    "log",
    "log1p",
    "sqrt",
    "rsqrt",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "sigmoid",
    "erf",
    "reciprocal",
]
"""Of which TensorFlow wants floats."""
OTHER_OPS = {
    "negative": ("Neg", "neg"), "abs": ("Abs", "abs"), "sign": ("Sign", "sign"),
    "floor": ("Floor", "floor"), "ceil": ("Ceil", "ceil"), "round": ("Round", "round"),
    "is_nan": ("IsNan", "isnan"), "is_inf": ("IsInf", "isinf"),
    "is_finite": ("IsFinite", "isfinite"),
}  # fmt: skip

for _name in FLOATING_OPS:
    globals()[_name] = make_unary(_name, _name.capitalize(), _name, _name != "reciprocal")
for _name, (_type, _key) in OTHER_OPS.items():
    globals()[_name] = make_unary(_name, _type, _key, False)


@shared
def square(x: Any, name: str | None = None) -> Symbol:
    """The square of each item."""
    with get_default_graph().name_scope(name or "Square") as scope:
        x = convert_to_tensor(x, name="x")
        return emit("mul", (x, x), type="Square", name=scope)[0]


@shared
def logical_not(x: Any, name: str | None = None) -> Symbol:
    """Not, item by item."""
    with get_default_graph().name_scope(name or "LogicalNot") as scope:
        x = convert_to_tensor(x, name="x")
        check_bool(x, "LogicalNot", "x")
        return emit("logical_not", (x,), type="LogicalNot", name=scope)[0]


# Two operands --------------------------------------------------------------------------------
BINARY = {
    "add": ("AddV2", "add", "Add"), "subtract": ("Sub", "sub", "Sub"),
    "multiply": ("Mul", "mul", "Mul"), "mod": ("FloorMod", "remainder", "FloorMod"),
    "pow": ("Pow", "pow.tensor", "Pow"),
    "maximum": ("Maximum", "clamp_min.tensor", "Maximum"),
    "minimum": ("Minimum", "clamp_max.tensor", "Minimum"),
    "equal": ("Equal", "eq", "Equal"), "not_equal": ("NotEqual", "ne", "NotEqual"),
    "less": ("Less", "lt", "Less"), "less_equal": ("LessEqual", "le", "LessEqual"),
    "greater": ("Greater", "gt", "Greater"),
    "greater_equal": ("GreaterEqual", "ge", "GreaterEqual"),
    "logical_and": ("LogicalAnd", "logical_and", "LogicalAnd"),
    "logical_or": ("LogicalOr", "logical_or", "LogicalOr"),
}  # fmt: skip
"""TensorFlow's function: its word, the table's op, the name that an operation gets."""


def make_binary(name: str, type: str, key: str, default: str) -> Callable[..., Symbol]:
    """``tf.<name>`` of two operands."""
    logical = type.startswith("Logical")

    def function(x: Any, y: Any, name: str | None = None) -> Symbol:
        return binary(type, key, x, y, name, default, logical=logical)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"``{key}`` item by item, as an operation ``{type}``."
    return shared(function)


for _name, _parts in BINARY.items():
    globals()[_name] = make_binary(_name, *_parts)


def divided(x: Any, y: Any, name: str, reverse: bool = False) -> Symbol:
    """A true quotient; of integers it is a float64."""
    with get_default_graph().name_scope(name) as scope:
        if reverse:
            y = convert_to_tensor(y, name="y")
            x = operand(x, y, "RealDiv", "x")
        else:
            x = convert_to_tensor(x, name="x")
            y = operand(y, x, "RealDiv", "y")
        one, two = x.dtype.base_dtype, y.dtype.base_dtype
        if one != two:
            raise TypeError(f"`x` and `y` must have the same dtype, got {one!r} != {two!r}.")
        if not one.is_floating:
            wide = float32 if one.size < 4 else float64
            x, y = (emit("to_copy", (each,), {"dtype": wide.numpy}, type="Cast")[0]
                    for each in (x, y))  # fmt: skip
        check_broadcast("RealDiv", scope[:-1], x, y)
        return emit("div", (x, y), type="RealDiv", name=scope)[0]


@shared
def truediv(x: Any, y: Any, name: str | None = None) -> Symbol:
    """A true quotient; of integers it is a float64."""
    return divided(x, y, name or "truediv")


@shared
def divide(x: Any, y: Any, name: str | None = None) -> Symbol:
    """A true quotient; of integers it is a float64."""
    return divided(x, y, name or "truediv")


def rounded_quotient(
    type: str, mode: str, x: Any, y: Any, name: str, reverse: bool = False
) -> Symbol:
    """A quotient rounded down, or towards 0."""
    with get_default_graph().name_scope(name) as scope:
        x, y = _operands(type, x, y, reverse)
        check_same_type(type, x, y, ("x", "y"))
        check_broadcast(type, scope[:-1], x, y)
        return emit("div.mode", (x, y), {"rounding_mode": mode}, type=type, name=scope)[0]


@shared
def floordiv(x: Any, y: Any, name: str | None = None) -> Symbol:
    """A quotient rounded down."""
    return rounded_quotient("FloorDiv", "floor", x, y, name or "floordiv")


@shared
def squared_difference(x: Any, y: Any, name: str | None = None) -> Symbol:
    """(x - y)²."""
    with get_default_graph().name_scope(name or "SquaredDifference") as scope:
        x = convert_to_tensor(x, name="x")
        y = operand(y, x, "SquaredDifference", "y")
        check_same_type("SquaredDifference", x, y, ("x", "y"))
        found = emit("sub", (x, y))[0]
        return emit("mul", (found, found), type="Square", name=scope)[0]


@shared
def cast(x: Any, dtype: Any, name: str | None = None) -> Symbol:
    """The same items in another type."""
    wanted = as_dtype(dtype)
    x = convert_to_tensor(x, name="x")
    if x.dtype.base_dtype == wanted:
        return x  # type: ignore[no-any-return]
    return emit("to_copy", (x,), {"dtype": wanted.numpy}, type="Cast", name=name or "Cast")[0]


@shared
def to_float(x: Any, name: str = "ToFloat") -> Symbol:
    """Cast to float32."""
    return cast(x, np.float32, name)


@shared
def to_int32(x: Any, name: str = "ToInt32") -> Symbol:
    """Cast to int32."""
    return cast(x, np.int32, name)


@shared
def add_n(inputs: Any, name: str | None = None) -> Symbol:
    """The sum of several of one shape and type."""
    symbols = [convert_to_tensor(each) for each in inputs]
    if len(symbols) == 1:
        return emit("alias", symbols, type="Identity", name=name or "AddN")[0]
    with get_default_graph().name_scope(name or "AddN") as scope:
        total = symbols[0]
        for each in symbols[1:-1]:
            total = emit("add", (total, each))[0]
        return emit("add", (total, symbols[-1]), type="AddN", name=scope)[0]


@shared
def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any,
                  name: str | None = None) -> Symbol:  # fmt: skip
    """Between two bounds."""
    with get_default_graph().name_scope(name or "clip_by_value") as scope:
        t = convert_to_tensor(t, name="t")
        found = binary("Minimum", "clamp_max.tensor", t, clip_value_max, None, "Minimum")
        y = operand(clip_value_min, found, "Maximum", "y")
        return emit("clamp_min.tensor", (found, y), type="Maximum", name=scope)[0]
