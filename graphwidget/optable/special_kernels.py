"""Kernels of the error function's, the gamma function's and Bessel's families.

They compute in float64, block by block so that the temporaries stay in the cache, and round to
the operand's type at the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from . import special_coefficients as table
from .layout import Array, as_array, empty_like

BLOCK = 8192
SPAN = 1 << 17  # bytes of each array in a block that is computed in its own type
SMALL = 32  # so few items are faster one by one
FAR = np.float32(3.92)  # from here on erf rounds to 1 in float32
ROOT_HALF, ROOT_PI = math.sqrt(0.5), math.sqrt(math.pi)


def blockwise(function: Callable[..., Array]) -> Callable[..., Array]:
    """A kernel for arrays of any shape and floating type from a function of 1-d float64 arrays.
    Further arguments are handed on as they are."""

    @wraps(function)
    def kernel(a: Array, *args: Any) -> Array:
        a = as_array(a)
        result = empty_like(a, a.dtype)
        if a.size and 0 in a.strides:  # items repeat, so the orders in memory may differ
            result[...] = kernel(np.ascontiguousarray(a), *args)
            return result
        source, target = a.ravel("K"), result.ravel("K")
        with np.errstate(all="ignore"):
            for start in range(0, source.size, BLOCK):
                part = source[start : start + BLOCK].astype(np.float64)
                target[start : start + BLOCK] = function(part, *args)
        return result

    return kernel


def polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    """The sum of coefficients[i] x**i, by Horner's rule."""
    value = x * coefficients[-1]
    value += coefficients[-2]
    for coefficient in coefficients[-3::-1]:
        value *= x
        value += coefficient
    return value


def in_blocks(count: int) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """Make a kernel of ``count`` arrays compute large ones block by block, whose temporaries stay
    in the cache, and halves in floats, where exponentials have room."""

    def wrap(function: Callable[..., Array]) -> Callable[..., Array]:
        @wraps(function)
        def kernel(*args: Any, **params: Any) -> Array:
            arrays, rest = args[:count], args[count:]
            first = arrays[-1]
            if first.dtype.char == "e":
                wide = [np.asarray(each, np.float32) for each in arrays]
                return function(*wide, *rest, **params).astype(first.dtype)
            block = SPAN // first.itemsize
            if first.size <= 2 * block or not all(
                each.shape == first.shape and each.dtype == first.dtype
                and each.flags.c_contiguous for each in arrays
            ):  # fmt: skip
                return function(*args, **params)
            result = np.empty(first.shape, first.dtype)
            flat, sources = result.reshape(-1), [each.reshape(-1) for each in arrays]
            for start in range(0, first.size, block):
                part = slice(start, start + block)
                flat[part] = function(*(each[part] for each in sources), *rest, **params)
            return result

        return kernel

    return wrap


def piecewise(x: Array, *pieces: tuple[Array, Callable[[Array], Array]]) -> Array:
    """Each piece's function where its mask holds; nan elsewhere."""
    result = np.full(x.shape, np.nan)
    for mask, function in pieces:
        if mask.all():
            return function(x)
        if mask.any():
            result[mask] = function(x[mask])
    return result


# The error function ----------------------------------------------------------------------------
def exp_of_square(x: Array, sign: float) -> Array:
    """exp(sign x²) to the last bits: x² is split so that its large part is exact (W. J. Cody,
    Mathematics of Computation 23, 1969)."""
    x = np.minimum(np.abs(x), 40.0)
    high = np.trunc(x * 16) / 16
    return np.exp(sign * high * high) * np.exp(sign * (x - high) * (x + high))


def scaled_tail(x: Array) -> Array:
    """exp(x²) erfc(x) for x >= 0 (the variable of M. M. Shepherd and J. G. Laframboise,
    Mathematics of Computation 36, 1981)."""
    near = np.minimum(x, 1e300)
    return polynomial(table.ERFCX, (near - 4) / (near + 4)) / (1 + 2 * x)


def tail(x: Array) -> Array:
    """erfc(x) for x >= 0."""
    return scaled_tail(x) * exp_of_square(x, -1.0)


def centre(x: Array) -> Array:
    """erf(x) for |x| <= 1."""
    return x * polynomial(table.ERF, x * x)


@blockwise
def erf_double(x: Array) -> Array:
    """erf(x) = 2 / √π ∫ exp(-t²) dt from 0 to x."""
    size = np.abs(x)
    return piecewise(x, (size <= 1, centre),
                     (size > 1, lambda x: np.copysign(1 - tail(np.abs(x)), x)))  # fmt: skip


def erf(a: Array) -> Array:
    """The error function; in float32 a quotient of two polynomials does."""
    a = as_array(a)
    if a.size <= SMALL and a.flags.c_contiguous:
        numbers = [math.erf(number) for number in a.ravel().tolist()]
        return np.array(numbers, a.dtype).reshape(a.shape)
    if a.dtype != np.float32:
        return erf_double(a)
    x = np.clip(a, np.float32(-4), np.float32(4))
    square = x * x
    quotient = polynomial(table.ERF_SINGLE[0], square)
    quotient /= polynomial(table.ERF_SINGLE[1], square)
    quotient *= x
    quotient = as_array(quotient)
    far = np.abs(a) >= FAR
    if far.any():
        np.copyto(quotient, np.sign(a), where=far)
    return quotient


@blockwise
def erfc(x: Array) -> Array:
    """1 - erf(x), precise where that is small."""
    return piecewise(x, (np.abs(x) <= 0.5, lambda x: 1 - centre(x)), (x > 0.5, tail),
                     (x < -0.5, lambda x: 2 - tail(-x)))  # fmt: skip


@blockwise
def erfcx(x: Array) -> Array:
    """exp(x²) erfc(x)."""
    return piecewise(x, (x >= 0, scaled_tail),
                     (x < 0, lambda x: 2 * np.where(x < -30, np.inf, exp_of_square(x, 1.0))
                      - scaled_tail(-x)))  # fmt: skip


@blockwise
def log_ndtr(x: Array) -> Array:
    """The logarithm of the normal distribution function."""
    return piecewise(
        x,
        (x < -1, lambda x: np.log(scaled_tail(-x * ROOT_HALF) / 2) - x * x / 2),
        (x >= -1, lambda x: np.log1p(-erfc(x * ROOT_HALF) / 2)),
    )


def normal_quantile(centred: Array, rest: Array) -> Array:
    """The normal quantile of p from p - 1/2 and min(p, 1 - p) (Wichura's AS 241)."""
    middle = np.abs(centred) <= 0.425
    r = 0.180625 - centred[middle] ** 2
    result = np.empty(centred.shape)
    result[middle] = centred[middle] * polynomial(table.NORMAL[0], r) / polynomial(
        table.NORMAL[1], r
    )
    r = np.sqrt(-np.log(rest[~middle]))
    top: Array
    bottom: Array
    top, bottom = (
        np.where(r <= 5, polynomial(near, r - 1.6), polynomial(far, r - 5))
        for near, far in zip(table.NORMAL[2:4], table.NORMAL[4:6], strict=True)
    )
    outer = np.where(np.isinf(r), r, top / bottom)
    result[~middle] = np.copysign(outer, centred[~middle])
    return result


@blockwise
def ndtri(p: Array) -> Array:
    """The normal quantile: the x whose distribution function is p; nan outside [0, 1]."""
    return normal_quantile(p - 0.5, np.where(p < 0.5, p, 1 - p))


@blockwise
def erfinv(x: Array) -> Array:
    """The y whose erf is x; nan outside [-1, 1]. One Newton step mends the quantile's last bits."""
    y = normal_quantile(x / 2, (1 - np.abs(x)) / 2) * ROOT_HALF
    near = np.abs(x) < 0.9
    step = (erf_double(y) - x) * (ROOT_PI / 2) * np.exp(y * y)
    return np.where(near, y - step, y)


def entr(a: Array) -> Array:
    """-a log(a); 0 at 0, -inf below."""
    a = as_array(a)
    found = -a * np.log(np.where(a > 0, a, 1))
    found = np.where(a < 0, -np.inf, found)
    return as_array(found.astype(a.dtype, copy=False))


# The gamma function ----------------------------------------------------------------------------
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


def hurwitz(s: float, q: Array) -> Array:
    """Hurwitz' ζ(s, q) = Σ (q + k)^-s by the Euler-Maclaurin formula (F. Johansson, Numerical
    Algorithms 69, 2015, equation 5)."""
    if s <= 1:
        return np.full(q.shape, np.inf if s == 1 else np.nan)
    total, w = np.zeros(q.shape), q.copy()
    for count in range(10**6):
        low = (w < 10) | (count < 9)
        if not low.any():
            break
        total[low] += w[low] ** -s
        w[low] += 1
    power = w**-s
    total += power * w / (s - 1) + power / 2
    factor, power = s, power / w
    for k, bernoulli in enumerate(table.BERNOULLI, 1):
        total += bernoulli / math.factorial(2 * k) * factor * power
        factor *= (s + 2 * k - 1) * (s + 2 * k)
        power = power / (w * w)
    whole = (q <= 0) & (q == np.floor(q))
    total[whole] = np.inf
    if s != int(s):
        total[(q < 0) & ~whole] = np.nan
    total[np.isposinf(q)] = 0
    return total


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

    return piecewise(x, (x >= 0.5, lambda x: hurwitz(2.0, x)), (x < 0.5, reflected))


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


# Bessel functions --------------------------------------------------------------------------------
def bessel(near: tuple[float, ...], far: tuple[float, ...], size: Array) -> Array:
    """exp(-x) I(x) for x >= 0 from its two polynomials, below and above 8."""
    return piecewise(
        size, (size <= 8, lambda x: polynomial(near, x / 4 - 1)),
        (size > 8, lambda x: polynomial(far, 16 / x - 1) / np.sqrt(x)),
    )  # fmt: skip


@blockwise
def i0e(x: Array) -> Array:
    """exp(-|x|) I0(x), the modified Bessel function of order 0."""
    return bessel(table.I0_NEAR, table.I0_FAR, np.abs(x))


@blockwise
def i0(x: Array) -> Array:
    """I0(x)."""
    return exp_of_size(bessel(table.I0_NEAR, table.I0_FAR, np.abs(x)), x)


@blockwise
def i1e(x: Array) -> Array:
    """exp(-|x|) I1(x), the modified Bessel function of order 1."""
    size = np.abs(x)
    found = bessel(table.I1_NEAR, table.I1_FAR, size)
    return np.copysign(np.where(size <= 8, found * size, found), x)


@blockwise
def i1(x: Array) -> Array:
    """I1(x)."""
    return exp_of_size(i1e(x), x)


def exp_of_size(scaled: Array, x: Array) -> Array:
    """scaled exp(|x|), without overflow before its time."""
    half = np.exp(np.abs(x) / 2)
    return scaled * half * half


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
