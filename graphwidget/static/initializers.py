"""``tf.zeros_initializer`` and its like: what variables begin with."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from .convert import constant
from .dtypes import float32
from .fills import filled
from .random_ops import random_normal, random_uniform, truncated_normal
from .symbol import Symbol


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


PUBLIC = (
    "zeros_initializer",
    "ones_initializer",
    "constant_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "truncated_normal_initializer",
    "glorot_uniform_initializer",
)
