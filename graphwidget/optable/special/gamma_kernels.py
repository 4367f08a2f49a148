"""Kernels of the gamma function, its logarithm's derivatives."""

from __future__ import annotations

import math

import numpy as np

from ...arrays.memory_order import Array
from . import special_coefficients as table
from .special_kernels import blockwise, piecewise, polynomial

STEPS = 20000  # neither sum needs more up to parameters of about a million
SMALLEST = 1e-300


def log_gamma_large(x: Array) -> Array:
    """ln Γ(x) for x >= 8 by Stirling's series (Abramowitz and Stegun 6.1.41)."""
    inverse = 1 / x
    square = inverse * inverse
    series = polynomial(
        tuple(b / (2 * k * (2 * k - 1)) for k, b in enumerate(table.BERNOULLI[:9], 1)), square
    )
    main = (x - 0.5) * np.log(x) - x
    found = main + (0.5 * math.log(2 * math.pi) + series * inverse)
    return np.where(np.isinf(x), np.inf, found)


def log_gamma_small(x: Array) -> Array:
    """ln Γ(x) for 0 < x < 8: the recurrence leads into [1, 3)."""
    shifted, factor = x.copy(), np.ones(x.shape)
    for _ in range(6):
        high = shifted >= 3
        if not high.any():
            break
        shifted[high] -= 1
        factor[high] *= shifted[high]
    low = shifted < 1
    factor[low] = 1 / shifted[low]
    shifted[low] += 1
    core = (shifted - 1) * (shifted - 2) * polynomial(table.LGAMMA, shifted - 2)
    return core + np.log(factor)


def log_gamma_positive(x: Array) -> Array:
    """ln Γ(x) for x > 0."""
    return piecewise(x, (x < 8, log_gamma_small), (x >= 8, log_gamma_large))


def log_gamma_negative(x: Array) -> Array:
    """ln |Γ(x)| for x <= 0 by reflection (Abramowitz and Stegun 6.1.17)."""
    sine = np.abs(np.sin(np.pi * (x - np.rint(x))))
    found = math.log(math.pi) - np.log(sine * -x) - log_gamma_positive(-x)
    return np.where((x == np.floor(x)) | np.isinf(x), np.inf, found)


@blockwise
def lgamma(x: Array) -> Array:
    """ln |Γ(x)|; inf at 0 and the negative integers."""
    return piecewise(x, (x > 0, log_gamma_positive), (x <= 0, log_gamma_negative))


def digamma_positive(x: Array) -> Array:
    """ψ(x) for x > 0: recurrence to x >= 10, then the asymptotic series (6.3.18)."""
    shifted, total = x.copy(), np.zeros(x.shape)
    for _ in range(10):
        low = shifted < 10
        if not low.any():
            break
        total[low] -= 1 / shifted[low]
        shifted[low] += 1
    square = 1 / (shifted * shifted)
    series = polynomial(tuple(b / (2 * k) for k, b in enumerate(table.BERNOULLI[:8], 1)), square)
    return total + (np.log(shifted) - 0.5 / shifted - series * square)


def digamma_negative(x: Array) -> Array:
    """ψ(x) for x <= 0 by reflection (6.3.7)."""
    part = x - np.trunc(x)
    found = digamma_positive(1 - x) - np.pi / np.tan(np.pi * part)
    found[part == 0] = np.nan
    return np.where(x == 0, np.copysign(np.inf, -x), found)


@blockwise
def digamma(x: Array) -> Array:
    """The derivative of ln Γ(x)."""
    return piecewise(x, (x > 0, digamma_positive), (x <= 0, digamma_negative))


def hurwitz_positive(s: float, q: Array) -> Array:
    """ζ(s, q) = Σ (q + k)^-s for s > 1 and q > 0 by the Euler-Maclaurin formula (F. Johansson,
    Numerical Algorithms 69, 2015, equation 5)."""
    total, w = np.zeros(q.shape), q.copy()
    for count in range(10):
        low = (w < 10) | (count < 9)
        total[low] += w[low] ** -s
        w[low] += 1
    power = w**-s
    total += power * w / (s - 1) + power / 2
    factor, power = s, power / w
    for k, bernoulli in enumerate(table.BERNOULLI, 1):
        total += bernoulli / math.factorial(2 * k) * factor * power
        factor *= (s + 2 * k - 1) * (s + 2 * k)
        power = power / (w * w)
    total[np.isposinf(q)] = np.nan
    return total


def hurwitz_negative(s: float, q: Array) -> Array:
    """ζ(s, q) for q <= 0: the terms below 0 are what ζ(s, 1 - fraction of q) has before -q."""
    steps = np.ceil(-q)
    total = np.full(q.shape, np.nan)
    if s == int(s):
        below = hurwitz_positive(s, 1 - steps - q) - hurwitz_positive(s, 1 - q)
        total = hurwitz_positive(s, q + steps) + (-1) ** int(s) * below
    total[q == -steps] = np.inf
    return total


def hurwitz(s: float, q: Array) -> Array:
    """Hurwitz' ζ(s, q) = Σ (q + k)^-s."""
    if not 1 < s < np.inf:
        return np.full(q.shape, np.inf if s == 1 else np.nan)
    return piecewise(
        q,
        (q > 0, lambda q: hurwitz_positive(s, q)),
        (q <= 0, lambda q: hurwitz_negative(s, q)),
    )


@blockwise
def trigamma(x: Array) -> Array:
    """ψ'(x): ζ(2, x), by reflection below 1/2 (6.4.7)."""

    def reflected(x: Array) -> Array:
        return (np.pi / np.sin(np.pi * x)) ** 2 - hurwitz(2.0, 1 - x)

    def direct(x: Array) -> Array:
        return np.where(np.isposinf(x), 0, hurwitz(2.0, x))

    return piecewise(x, (x >= 0.5, direct), (x < 0.5, reflected))


def polygamma(a: Array, n: int) -> Array:
    """The n-th derivative of ψ: (-1)^(n+1) n! ζ(n + 1, a).

    Raises:
        RuntimeError: n is negative.
    """
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    if n < 2:
        return trigamma(a) if n else digamma(a)
    factor = (-1) ** (n + 1) * math.factorial(n)
    return blockwise(lambda x: factor * hurwitz(n + 1.0, x))(a)
