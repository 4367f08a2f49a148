"""Random numbers, drawn anew in each run, and what variables begin with."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .convert import constant, shape_param
from .dtypes import as_dtype, float32
from .fills import filled
from .graph import get_default_graph, only
from .symbol import Spec, Symbol

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
    """How many items lead into one of a layer, and out of one."""
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


PUBLIC = (
    "random_normal",
    "random_uniform",
    "truncated_normal",
    "set_random_seed",
    "zeros_initializer",
    "ones_initializer",
    "constant_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "truncated_normal_initializer",
    "glorot_uniform_initializer",
)
