"""Symbols that are filled: ``tf.zeros``, ``tf.range``, random numbers, and initializers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .add_operation import emit, make_constant
from .convert import constant, convert_to_tensor, shape_param
from .dtypes import as_dtype, float32, int32
from .graph import get_default_graph, only
from .math import binary, cast, operand
from .symbol import Spec, Symbol

PUBLIC = (
    "zeros_initializer", "ones_initializer", "constant_initializer",
    "random_normal_initializer", "random_uniform_initializer", "truncated_normal_initializer",
    "glorot_uniform_initializer", "random_normal", "random_uniform", "truncated_normal",
    "set_random_seed",
    "zeros",
    "ones",
    "fill",
    "zeros_like",
    "ones_like",
    "range",
    "eye",
)  # fmt: skip


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
    """The same, whose count only a run knows: running sums of ones."""
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


def eye(num_rows: int, num_columns: int | None = None, dtype: Any = float32,
        name: str | None = None) -> Symbol:  # fmt: skip
    """Ones on the diagonal."""
    return make_constant(np.eye(num_rows, num_columns, dtype=as_dtype(dtype).numpy), name or "eye")


# Random numbers, drawn anew in each run ----------------------------------------------------------

Draw = Callable[[np.random.Generator, tuple[int, ...]], Any]


def drawn(type: str, shape: Any, dtype: Any, seed: int | None, name: str, draw: Draw) -> Symbol:
    """An operation that draws numbers whenever it runs."""
    graph = get_default_graph()
    sizes = shape_param(shape)
    known = None if isinstance(sizes, Symbol) else tuple(
        None if isinstance(each, Symbol) else each for each in sizes
    )  # fmt: skip
    if graph.seed is not None or seed is not None:
        key: Any = [graph.seed or 0, len(graph.operations) if seed is None else seed]
    else:
        key = None
    with graph.name_scope(name):
        made = graph.create(
            "Random", (), [Spec(as_dtype(dtype), known)], name=type,
            params={"shape": sizes, "seed": key, "draw": draw},
        )  # fmt: skip
    return only(made)


def random_normal(shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = float32,
                  seed: int | None = None, name: str = "random_normal") -> Symbol:  # fmt: skip
    """Normal random numbers."""
    return drawn("RandomStandardNormal", shape, dtype, seed, name,
                 lambda generator, sizes: generator.normal(mean, stddev, sizes))  # fmt: skip


def random_uniform(shape: Any, minval: float = 0, maxval: Any = None, dtype: Any = float32,
                   seed: int | None = None, name: str = "random_uniform") -> Symbol:  # fmt: skip
    """Uniform random numbers; integers below ``maxval``."""
    if as_dtype(dtype).is_integer:
        if maxval is None:
            raise ValueError("Must specify maxval for integer dtype int32")
        return drawn(
            "RandomUniformInt",
            shape,
            dtype,
            seed,
            name,
            lambda generator, sizes: generator.integers(int(minval), maxval, sizes),
        )
    top = 1.0 if maxval is None else maxval
    return drawn("RandomUniform", shape, dtype, seed, name,
                 lambda generator, sizes: generator.uniform(minval, top, sizes))  # fmt: skip


def truncated_normal(
    shape: Any,
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: Any = float32,
    seed: int | None = None,
    name: str = "truncated_normal",
) -> Symbol:
    """Normal random numbers, those drawn again that are further off than two deviations."""

    def draw(generator: np.random.Generator, sizes: tuple[int, ...]) -> Any:
        found = generator.standard_normal(sizes)
        far = np.abs(found) > 2
        while far.any():
            found = np.where(far, generator.standard_normal(sizes), found)
            far = np.abs(found) > 2
        return found * stddev + mean

    return drawn("TruncatedNormal", shape, dtype, seed, name, draw)


def set_random_seed(seed: int) -> None:
    """Let the graph draw the same numbers in each session."""
    get_default_graph().seed = seed


# tf.zeros_initializer and its like ---------------------------------------------------------------


# What variables begin with -----------------------------------------------------------------------
class Initializer:
    """Makes an initial value of a shape and type."""

    def __init__(self, make: Callable[[Sequence[int], Any], Symbol]) -> None:
        self.make = make

    def __call__(self, shape: Any, dtype: Any = float32, partition_info: Any = None) -> Symbol:
        return self.make(shape, dtype)


def zeros_initializer() -> Initializer:
    """Zeros."""
    return Initializer(lambda shape, dtype: filled(0, shape, dtype, "zeros"))


def ones_initializer() -> Initializer:
    """Ones."""
    return Initializer(lambda shape, dtype: filled(1, shape, dtype, "ones"))


def constant_initializer(value: Any = 0) -> Initializer:
    """A value."""
    return Initializer(lambda shape, dtype: constant(value, dtype, shape))


def random_normal_initializer(mean: float = 0.0, stddev: float = 1.0,
                              seed: int | None = None) -> Initializer:  # fmt: skip
    """Normal random numbers."""
    return Initializer(lambda shape, dtype: random_normal(shape, mean, stddev, dtype, seed))


def random_uniform_initializer(minval: float = -0.05, maxval: float = 0.05,
                               seed: int | None = None) -> Initializer:  # fmt: skip
    """Uniform random numbers."""
    return Initializer(lambda shape, dtype: random_uniform(shape, minval, maxval, dtype, seed))


def truncated_normal_initializer(mean: float = 0.0, stddev: float = 1.0,
                                 seed: int | None = None) -> Initializer:  # fmt: skip
    """Normal random numbers without those far off."""
    return Initializer(lambda shape, dtype: truncated_normal(shape, mean, stddev, dtype, seed))


def glorot_uniform_initializer(seed: int | None = None) -> Initializer:
    """Uniform random numbers up to √(6 / (fan in + fan out))."""

    def make(shape: Sequence[int], dtype: Any) -> Symbol:
        fan_in, fan_out = fans(shape)
        limit = math.sqrt(6 / max(1.0, fan_in + fan_out))
        return random_uniform(shape, -limit, limit, dtype, seed)

    return Initializer(make)


def fans(shape: Sequence[int]) -> tuple[float, float]:
    """Return the number of items that lead into one of a layer, and out of one."""
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field
