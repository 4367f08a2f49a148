"""Samples of the exponential, Cauchy, geometric and other distributions.

As PyTorch's CPU kernels draw them: the same numbers from the same generator.
"""

from __future__ import annotations

import math

import numpy as np

from ...arrays import dtypes
from ...arrays.dtypes import Array
from ...arrays.kernel_errors import not_implemented
from . import generator as random
from .generator import Generator, NumpyDtype, Shape


def uniform_doubles(shape: Shape, generator: Generator | None) -> Array:
    """Uniform float64 numbers in [0, 1)."""
    drawn: Array = (generator or random.default).unit(math.prod(shape), double=True)
    return drawn.reshape(shape)


def exponential(
    shape: Shape, dtype: NumpyDtype, rate: float, generator: Generator | None = None
) -> Array:
    """Exponential numbers with a rate."""
    if rate <= 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
    if dtype.kind != "f" and 0 not in shape:
        raise RuntimeError(
            "Exponential distribution is a continuous probability distribution. dtype must be a "
            f"floating point but you specified {dtypes.scalar_type(dtype)}"
        )
    return np.asarray(-np.log1p(-uniform_doubles(shape, generator)) / rate).astype(dtype)


def cauchy(
    shape: Shape, dtype: NumpyDtype, median: float, sigma: float, generator: Generator | None = None
) -> Array:
    """Cauchy's distribution, by its quantile."""
    if dtype.kind != "f":
        raise RuntimeError(
            "Cauchy distribution is a continuous probability distribution. dtype must be a "
            f"floating point but you specified {dtypes.c_type(dtype)}"
        )
    if sigma <= 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    angles = np.pi * (uniform_doubles(shape, generator) - 0.5)
    return np.asarray(median + sigma * np.tan(angles)).astype(dtype)


def geometric(
    shape: Shape, dtype: NumpyDtype, p: float, generator: Generator | None = None
) -> Array:
    """Return the numbers of trials of probability ``p`` until the first success."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    if dtype.kind == "b" and 0 not in shape:
        raise not_implemented("geometric_cpu", dtype)
    trials = np.ceil(np.log(uniform_doubles(shape, generator)) / math.log1p(-p))
    return np.asarray(trials).astype(dtype)


def log_normal(
    shape: Shape, dtype: NumpyDtype, mean: float, std: float, generator: Generator | None = None
) -> Array:
    """exp of normal numbers."""
    if std <= 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    if dtype.kind != "f" and 0 not in shape:
        raise not_implemented("log_normal_cpu", dtype)
    normals = (generator or random.default).normals_one_by_one(math.prod(shape))
    return np.exp(normals.reshape(shape) * std + mean).astype(dtype)


def random_integers(shape: Shape, dtype: NumpyDtype, generator: Generator | None = None) -> Array:
    """Integers over all that a type represents exactly, from 0 on."""
    source, count = generator or random.default, math.prod(shape)
    if dtype.kind == "f":
        limit = 2 ** (np.finfo(dtype).nmant + 1) + 1
    else:
        limit = 2 if dtype.kind == "b" else int(np.iinfo(dtype).max) + 1
    words = source.long_words(count) if dtype.itemsize == 8 else source.words(count)
    return (words % np.uint64(limit)).astype(dtype).reshape(shape)


def random_integers_between(
    shape: Shape, dtype: NumpyDtype, low: int, high: int, generator: Generator | None = None
) -> Array:
    """Integers in [low, high), which the type must be able to hold.

    Raises:
        RuntimeError: the range is empty or goes beyond the type's.
    """
    if low >= high:
        raise RuntimeError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
        )
    if dtype.kind != "f":
        least, most = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        for name, end in (("from", low), ("to - 1", high - 1)):
            if not least <= end <= most:
                raise RuntimeError(f"{name} is out of bounds for {dtypes.c_type(dtype)}")
    return random.randint(low, high, shape, generator).astype(dtype)


def multinomial(
    weights: Array, count: int, replacement: bool, generator: Generator | None = None
) -> Array:
    """Indices along the last dim, drawn in proportion to the weights, as int64.

    Raises:
        RuntimeError: what cannot be drawn (PyTorch's texts).
    """
    if weights.dtype.kind != "f":
        raise RuntimeError(
            "multinomial only supports floating-point dtypes for input, got: "
            f"{dtypes.scalar_type(weights.dtype)}"
        )
    if weights.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if count <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and count > weights.shape[-1]:
        raise RuntimeError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
        )
    if weights.shape[-1] > 1 << 24:
        raise RuntimeError("number of categories cannot exceed 2^24")
    bad = ~((weights >= 0) & (weights < np.inf))
    if bad.any():
        if replacement and count > 1:
            endless = weights[bad][0] > 0
            met = "= infinity or NaN" if endless else "< 0"
            raise RuntimeError(
                f"invalid multinomial distribution (encountering probability entry {met})"
            )
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if bool((weights.sum(-1) == 0).any()):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    if replacement and count > 1:
        sums = np.cumsum(weights, -1)
        sums = sums / sums[..., -1:]
        drawn = uniform_doubles((*weights.shape[:-1], count), generator)
        rows = zip(np.atleast_2d(sums), np.atleast_2d(drawn), strict=True)
        found = np.array([np.searchsorted(row, unit) for row, unit in rows], np.int64)
        return found.reshape(drawn.shape)
    # The exponential race: who arrives first, then second (P. Efraimidis and P. Spirakis, 2006).
    arrivals = exponential(weights.shape, weights.dtype, 1.0, generator)
    order = np.argsort(-(weights / arrivals), -1, kind="stable")
    return np.ascontiguousarray(order[..., :count])
