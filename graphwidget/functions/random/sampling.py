"""Samples of the exponential, gamma, Poisson, binomial and other distributions.

As PyTorch's CPU kernels draw them: the same numbers from the same generator.
"""

from __future__ import annotations

import math
from collections.abc import Callable

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
    """How many trials it takes until one of probability p succeeds."""
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


def standard_gamma(concentrations: Array, generator: Generator | None = None) -> Array:
    """Gamma numbers of each concentration, of rate 1 (G. Marsaglia and W. W. Tsang, A simple method
    for generating gamma variables, 2000)."""
    source = generator or random.default
    drawn = [gamma_number(each, source) for each in concentrations.ravel().tolist()]
    return np.array(drawn, concentrations.dtype).reshape(concentrations.shape)


def gamma_number(concentration: float, source: Generator) -> float:
    """One gamma number."""
    if concentration == 0:
        return 0.0
    smaller = 1.0
    if concentration < 1:  # one of a greater concentration, made smaller
        smaller = (1 - float(source.unit(1, double=True)[0])) ** (1 / concentration)
        concentration += 1
    d = concentration - 1 / 3
    c = 1 / math.sqrt(9 * d)
    while True:
        root = 0.0
        while root <= 0:
            x = float(source.normals_one_by_one(1)[0])
            root = 1 + c * x
        v, u = root**3, 1 - float(source.unit(1, double=True)[0])
        if u < 1 - 0.0331 * x**4 or math.log(u) < 0.5 * x * x + d * (1 - v + math.log(v)):
            return smaller * d * v


def poisson(rates: Array, generator: Generator | None = None) -> Array:
    """Poisson numbers of each rate (W. Hörmann, The transformed rejection method for generating
    Poisson random variables, 1993; for small rates by counting)."""
    if rates.dtype.kind != "f":
        raise not_implemented("poisson_cpu", rates.dtype)
    if not bool((rates >= 0).all()):
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    source = generator or random.default
    drawn = [poisson_number(rate, source) for rate in rates.ravel().tolist()]
    return np.array(drawn, rates.dtype).reshape(rates.shape)


def poisson_number(rate: float, source: Generator) -> int:
    """One Poisson number."""
    if rate == 0:
        return 0
    if rate < 10:
        limit, product, count = math.exp(-rate), 1.0, -1
        while product > limit or count < 0:
            product *= float(source.unit(1, double=True)[0])
            count += 1
        return count
    root = math.sqrt(rate)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse_alpha, v_r = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2)
    while True:
        u = float(source.unit(1, double=True)[0]) - 0.5
        v = float(source.unit(1, double=True)[0])
        us = 0.5 - abs(u)
        place = (2 * a / us + b) * u + rate + 0.43
        # Beyond what 64 bits hold, C's conversion gives the lowest number.
        k = math.floor(place) if abs(place) < 2**63 else -(2**63)
        if us >= 0.07 and v <= v_r:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        accepted = math.log(v) + math.log(inverse_alpha) - math.log(a / (us * us) + b)
        if accepted <= k * math.log(rate) - rate - math.lgamma(k + 1):
            return k


def binomial(counts: Array, chances: Array, generator: Generator | None = None) -> Array:
    """How many of so many trials succeed, each with its chance.

    Raises:
        ValueError: not of floating types (PyTorch's text).
    """
    for name, each in (("count", counts), ("prob", chances)):
        if each.dtype.kind != "f":
            raise ValueError(
                f"binomial only supports floating-point dtypes for {name}, got: "
                f"{dtypes.scalar_type(each.dtype)}"
            )
    counts, chances = np.broadcast_arrays(counts, chances)
    source = generator or random.default
    pairs = zip(counts.ravel().tolist(), chances.ravel().tolist(), strict=True)
    drawn = [binomial_number(count, chance, source) for count, chance in pairs]
    return np.array(drawn, counts.dtype).reshape(counts.shape)


def binomial_number(count: float, chance: float, source: Generator) -> float:
    """One binomial number (W. Hörmann, The generation of binomial random variates, 1993; for few
    expected successes by the gaps between them)."""
    if count <= 0 or chance <= 0:
        return 0
    if chance >= 1:
        return count
    if chance > 0.5:
        return count - binomial_number(count, 1 - chance, source)
    if math.isnan(count) or math.isnan(chance):
        return math.nan

    def unit() -> float:
        return float(source.unit(1, double=True)[0])

    if count * chance < 10:
        total, successes, scale = 0.0, 0, math.log1p(-chance)
        while True:
            total += math.ceil(math.log(unit()) / scale)
            if total > count:
                return successes
            successes += 1
    return binomial_large(count, chance, unit)


def binomial_large(count: float, chance: float, unit: Callable[[], float]) -> float:
    """One binomial number of at least ten expected, by transformed rejection."""
    spread = math.sqrt(count * chance * (1 - chance))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * chance
    centre = count * chance + 0.5
    v_r, ratio = 0.92 - 4.2 / b, chance / (1 - chance)
    alpha = (2.83 + 5.1 / b) * spread
    mode = math.floor((count + 1) * chance)

    def tail(k: float) -> float:
        """What Stirling's formula leaves out, less a constant that cancels."""
        return math.lgamma(k + 1) - ((k + 0.5) * math.log(k + 1) - (k + 1))

    while True:
        u, v = unit() - 0.5, unit()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + centre)
        if us >= 0.07 and v <= v_r:
            return k
        if k < 0 or k > count:
            continue
        v = math.log(v * alpha / (a / (us * us) + b))
        bound = (
            (mode + 0.5) * math.log((mode + 1) / (ratio * (count - mode + 1)))
            + (count + 1) * math.log((count - mode + 1) / (count - k + 1))
            + (k + 0.5) * math.log(ratio * (count - k + 1) / (k + 1))
            + tail(mode) + tail(count - mode) - tail(k) - tail(count - k)
        )  # fmt: skip
        if v <= bound:
            return k


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
