"""Kernels of the gamma function, its logarithm's derivatives, and the incomplete ones."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...arrays.kernel_errors import not_implemented
from ...arrays.memory_order import Array, empty_for_result, empty_like
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


def zeta(s: Array, q: Array) -> Array:
    """``hurwitz`` of two arrays: of each distinct s with its q."""
    s, q = np.broadcast_arrays(s, q)
    result = empty_like(q, q.dtype)
    with np.errstate(all="ignore"):
        for number in np.unique(s):
            chosen = s == number if number == number else s != s
            result[chosen] = hurwitz(float(number), q[chosen].astype(np.float64))
    return result


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


def multigammaln(a: Array, p: int) -> Array:
    """The multivariate log gamma function of order p.

    Raises:
        RuntimeError: p < 1, or an item is not above (p - 1) / 2 (PyTorch's texts).
    """
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    total = lgamma(a)
    for j in range(1, p):
        total = total + lgamma(a - np.asarray(j / 2, a.dtype))
    constant = p * (p - 1) / 4 * math.log(math.pi)
    return np.add(total, np.asarray(constant, total.dtype), out=..., order="C")


# The incomplete ones ------------------------------------------------------------------------------
def gamma_prefactor(a: Array, x: Array) -> Array:
    """x^a exp(-x) / Γ(a)."""
    return np.exp(a * np.log(x) - x - log_gamma_positive(a))


def lower_series(a: Array, x: Array) -> Array:
    """P(a, x) for x < a + 1 by powers of x (Abramowitz and Stegun 6.5.29)."""
    total = term = 1 / a
    for k in range(1, STEPS):
        term = term * x / (a + k)
        total = total + term
        if (term <= total * 1e-17).all():
            break
    return total * gamma_prefactor(a, x)


def upper_fraction(a: Array, x: Array) -> Array:
    """Q(a, x) for x >= a + 1 by its continued fraction (6.5.31), from the front (W. J. Lentz,
    Applied Optics 15, 1976)."""
    b = x + 1 - a
    c = np.full(x.shape, 1 / SMALLEST)
    d = 1 / b
    value = d.copy()
    for k in range(1, STEPS):
        factor = -k * (k - a)
        b = b + 2
        d = 1 / nonzero_or_tiny(factor * d + b)
        c = nonzero_or_tiny(b + factor / c)
        ratio = c * d
        value = value * ratio
        if (np.abs(ratio - 1) <= 1e-16).all():
            break
    return value * gamma_prefactor(a, x)


def nonzero_or_tiny(value: Array) -> Array:
    """The value, or something tiny where it is 0."""
    return np.where(np.abs(value) < SMALLEST, SMALLEST, value)


def incomplete_gammas(a: Array, x: Array) -> tuple[Array, Array]:
    """P(a, x) and Q(a, x), of float64 arrays of one dim."""
    lower, upper = np.full(a.shape, np.nan), np.full(a.shape, np.nan)
    plain = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    for part, where in (
        (lower, plain & (x < a + 1)), (upper, plain & (x >= a + 1)),
    ):  # fmt: skip
        if where.any():
            found = (lower_series if part is lower else upper_fraction)(a[where], x[where])
            part[where] = np.minimum(found, 1)
            (upper if part is lower else lower)[where] = 1 - part[where]
    none = ((x == 0) & (a > 0)) | (np.isposinf(a) & (x >= 0) & np.isfinite(x))
    whole = ((a == 0) & (x > 0)) | (np.isposinf(x) & (a >= 0) & np.isfinite(a))
    for where, value in ((none, 0.0), (whole, 1.0)):
        lower[where], upper[where] = value, 1 - value
    return lower, upper


def incomplete_gamma(place: int, a: Array, x: Array) -> Array:
    """One of the two shares, of arrays of one type."""
    a, x = np.broadcast_arrays(a, x)
    with np.errstate(all="ignore"):
        found = incomplete_gammas(a.ravel().astype(np.float64), x.ravel().astype(np.float64))[place]
    result = empty_for_result(x.shape, x.dtype, a, x)
    result[...] = found.reshape(x.shape)
    return result


def gammainc(a: Array, x: Array) -> Array:
    """P(a, x): the share of Γ(a) = ∫ t^(a-1) exp(-t) dt below x."""
    return incomplete_gamma(0, a, x)


def gammaincc(a: Array, x: Array) -> Array:
    """Q(a, x): the share above x."""
    return incomplete_gamma(1, a, x)


def refuse_integers(kernel: str) -> Callable[..., None]:
    """A guard: operands that are all integers are refused."""

    def guard(*dtypes: np.dtype[np.generic]) -> None:
        if all(dtype.kind != "f" for dtype in dtypes):
            raise not_implemented(kernel, np.result_type(*dtypes))

    return guard
