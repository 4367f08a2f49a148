"""Kernels of ``erf`` and its kin.

Also what the kernels of all special functions are made with.

They compute in float64, block by block so that the temporaries stay in the cache, and round to
the operand's type at the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ...arrays.memory_order import Array, as_array, empty_like
from ..pointwise.where_clamp_kernels import where_mask
from . import special_coefficients as table

BLOCK = 8192
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
        if a.size and 0 in a.strides and not a.flags.c_contiguous:  # items repeat: orders differ
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


def erfcx_positive(x: Array) -> Array:
    """exp(x²) erfc(x) for x >= 0 (the variable of M. M. Shepherd and J. G. Laframboise,
    Mathematics of Computation 36, 1981)."""
    near = np.minimum(x, 1e300)
    return polynomial(table.ERFCX, (near - 4) / (near + 4)) / (1 + 2 * x)


def erfc_positive(x: Array) -> Array:
    """erfc(x) for x >= 0."""
    return erfcx_positive(x) * exp_of_square(x, -1.0)


@blockwise
def erf_double(x: Array) -> Array:
    """erf(x) = 2 / √π ∫ exp(-t²) dt from 0 to x."""
    size = np.abs(x)
    near = size * polynomial(table.ERF, np.minimum(size * size, 1))
    return np.copysign(where_mask(size <= 1, near, 1 - erfc_positive(size)), x)


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
    return np.abs(2 * (x < 0) - erfc_positive(np.abs(x)))


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
def erfinv(x: Array) -> Array:
    """The y whose erf is x; nan outside [-1, 1]. One Newton step mends the quantile's last bits."""
    y = normal_quantile(x / 2, (1 - np.abs(x)) / 2) * ROOT_HALF
    near = np.abs(x) < 0.9
    step = (erf_double(y) - x) * (ROOT_PI / 2) * np.exp(y * y)
    return np.where(near, y - step, y)
