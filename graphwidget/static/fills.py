"""``tf.zeros``, ``tf.ones``, ``tf.fill``, ``tf.range`` and their kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from .add_operation import emit, make_constant
from .convert import convert_to_tensor, shape_param
from .dtypes import as_dtype, float32, int32
from .graph import get_default_graph
from .math import binary, cast, operand
from .symbol import Symbol


def filled(value: Any, shape: Any, dtype: Any, name: str) -> Symbol:
    """One number everywhere."""
    sizes = shape_param(shape)
    number = np.array(value, as_dtype(dtype).numpy)
    if not isinstance(sizes, Symbol) and not any(isinstance(each, Symbol) for each in sizes):
        return make_constant(np.full(sizes, number), name)
    with get_default_graph().name_scope(name) as scope:
        one = make_constant(number)
        return emit("expand", (one,), {"shape": sizes}, type="Fill", name=scope)[0]


def zeros(shape: Any, dtype: Any = float32, name: str | None = None) -> Symbol:
    """Zeros."""
    return filled(0, shape, dtype, name or "zeros")


def ones(shape: Any, dtype: Any = float32, name: str | None = None) -> Symbol:
    """Ones."""
    return filled(1, shape, dtype, name or "ones")


def fill(dims: Any, value: Any, name: str | None = None) -> Symbol:
    """A value everywhere."""
    with get_default_graph().name_scope(name or "Fill") as scope:
        symbol = convert_to_tensor(value, name="value")
        params = {"shape": shape_param(dims)}
        return emit("expand", (symbol,), params, type="Fill", name=scope)[0]


def zeros_like(tensor: Any, dtype: Any = None, name: str | None = None) -> Symbol:
    """Zeros of the same shape."""
    symbol = convert_to_tensor(tensor)
    found = emit("zeros_like", (symbol,), type="ZerosLike", name=name or "zeros_like")[0]
    return found if dtype is None else cast(found, dtype)


def ones_like(tensor: Any, dtype: Any = None, name: str | None = None) -> Symbol:
    """Ones of the same shape."""
    symbol = convert_to_tensor(tensor)
    found = emit("ones_like", (symbol,), type="OnesLike", name=name or "ones_like")[0]
    return found if dtype is None else cast(found, dtype)


def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None,
          name: str = "range") -> Symbol:  # fmt: skip
    """Numbers at equal distances."""
    start, limit = (0, start) if limit is None else (start, limit)
    if any(isinstance(each, Symbol) for each in (start, limit, delta)):
        return symbolic_range(start, limit, delta, name)
    array = np.arange(start, limit, delta)
    kind = dtype or (float32 if array.dtype.kind == "f" else int32)
    return make_constant(array.astype(as_dtype(kind).numpy), name)


def symbolic_range(start: Any, limit: Any, delta: Any, name: str) -> Symbol:
    """The same, of which the run tells how many: running sums of ones."""
    with get_default_graph().name_scope(name) as scope:
        first = convert_to_tensor(start)
        length = binary("Sub", "sub", limit, first, None, "Sub")
        step = operand(delta, length, "Range", "delta")
        up = emit("sub", (emit("add", (length, step))[0], make_constant(np.array(1, np.int32))))[0]
        count = emit("div.mode", (up, step), {"rounding_mode": "floor"})[0]
        one = emit("expand", (step,), {"shape": (count,)})[0]
        sums = emit("cumsum", (one,), {"dim": 0, "dtype": one.dtype.numpy})[0]
        offset = emit("sub", (first, step))[0]
        return emit("add", (sums, offset), type="Range", name=scope)[0]


def linspace(start: Any, stop: Any, num: int, name: str | None = None) -> Symbol:
    """Return numbers at equal distances between two."""
    return make_constant(np.linspace(start, stop, num, dtype=np.float32), name or "linspace")


lin_space = linspace


def eye(num_rows: int, num_columns: int | None = None, dtype: Any = float32,
        name: str | None = None) -> Symbol:  # fmt: skip
    """Ones on the diagonal."""
    return make_constant(np.eye(num_rows, num_columns, dtype=as_dtype(dtype).numpy), name or "eye")


PUBLIC = (
    "zeros",
    "ones",
    "fill",
    "zeros_like",
    "ones_like",
    "range",
    "linspace",
    "lin_space",
    "eye",
)
