"""Kernels of arithmetic, rounding, clamping, shifts and signs that are not one numpy function."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays.blocks import halves_in_float32, in_blocks
from ...arrays.kernel_errors import check_nonzero_divisor, not_implemented
from ...arrays.memory_order import Array, as_array
from ...arrays.scalars import Default, scalar_array
from .common_kernels import log1p


# Division --------------------------------------------------------------------------------------
def floor_divide(a: Array, b: Array) -> Array:
    """⌊a / b⌋."""
    return divide_rounded(a, b, "floor")


def divide_rounded(a: Array, b: Array, rounding_mode: str) -> Array:
    """a / b rounded down ("floor") or towards zero ("trunc"), in the operands' type.

    Raises:
        RuntimeError: integers by zero.
    """
    if a.dtype != b.dtype:  # derivatives have the operands as they were given
        a = a.astype(np.result_type(a, b))
    if a.dtype.kind == "b":
        raise not_implemented(f"div_{rounding_mode}_cpu", a.dtype)
    check_nonzero_divisor(a, b)
    if rounding_mode == "floor":
        return np.floor_divide(a, b, out=...)
    if a.dtype.kind == "f":
        quotient = np.true_divide(a, b, out=...)
        return np.trunc(quotient, out=quotient)
    quotient = np.floor_divide(a, b, out=...)
    return np.add(quotient, (quotient < 0) & (quotient * b != a), out=quotient, casting="unsafe")


def remainder(a: Array, b: Array) -> Array:
    """a modulo b, with the sign of b; a zero has the sign of a, where numpy's has that of b."""
    if a.dtype.kind == "b":
        raise not_implemented("remainder_cpu", a.dtype)
    check_nonzero_divisor(a, b)
    result: Array = np.remainder(a, b, out=...)
    if result.dtype.kind == "f" and not result.all():
        np.copysign(result, a, out=result, where=result == 0)
    return result


def remainder_number(a: Array, other: float) -> Array:
    """a modulo a number."""
    return remainder(a, np.asarray(other).astype(a.dtype))


def remainder_of(b: Array, number: float) -> Array:
    """A number modulo b."""
    return remainder(np.asarray(number).astype(b.dtype), b)


def fmod(a: Array, b: Array) -> Array:
    """a modulo b, with the sign of a."""
    if a.dtype.kind == "b":
        raise not_implemented("fmod_cpu", a.dtype)
    check_nonzero_divisor(a, b)
    return np.fmod(a, b, out=...)


def fmod_number(a: Array, other: float) -> Array:
    """Like ``fmod``, by a number."""
    return fmod(a, np.asarray(other).astype(a.dtype))


# Combinations ------------------------------------------------------------------------------------
def lerp(a: Array, end: Array, weight: Array | float) -> Array:
    """a + weight (end - a), computed from the nearer end."""
    weight = np.asarray(weight, a.dtype)
    distance = np.subtract(end, a, out=...)
    if not weight.ndim:
        if abs(weight) < 0.5:
            return np.add(a, np.multiply(distance, weight, out=distance), out=distance)
        return np.subtract(end, np.multiply(distance, 1 - weight, out=distance), out=distance)
    near = np.abs(weight) < 0.5
    return as_array(np.where(near, a + weight * distance, end - distance * (1 - weight)))


def addcmul(a: Array, first: Array, second: Array, value: float) -> Array:
    """a + value first second."""
    product = np.multiply(first, second, out=...)
    if value != 1:
        product = np.multiply(product, scalar_array(value, a.dtype), out=...)
    return np.add(a, product, out=...)


def addcdiv(a: Array, first: Array, second: Array, value: float) -> Array:
    """a + value first / second."""
    scaled = first if value == 1 else first * scalar_array(value, a.dtype)
    return np.add(a, np.true_divide(scaled, second), out=...)


def xlogy(a: Array, b: Array) -> Array:
    """a log(b), 0 where a is 0 and b is a number."""
    return without_nan(a, b, np.log(b))


def without_nan(a: Array, b: Array, factor: Array) -> Array:
    """a factor, 0 where a is 0 and b is no nan."""
    product = np.multiply(a, factor, out=...)
    np.copyto(product, 0, where=(a == 0) & (b == b))
    return product


def xlogy_number(a: Array, other: float) -> Array:
    """a log(number)."""
    return xlogy(a, np.asarray(other, a.dtype))


def xlogy_of(b: Array, number: float) -> Array:
    """number log(b)."""
    return xlogy(np.asarray(number, b.dtype), b)


def copysign_number(a: Array, other: float) -> Array:
    """|a| with the sign of a number."""
    return np.copysign(a, np.asarray(other, a.dtype), out=...)


def heaviside(a: Array, values: Array) -> Array:
    """0 where a < 0, 1 where a > 0, values at 0."""
    return as_array(np.where(a == 0, values, (a > 0).astype(a.dtype)))


def nextafter(a: Array, b: Array) -> Array:
    """The number after a in the direction of b."""
    return np.nextafter(a, b, out=...)


def ldexp(a: Array, b: Array) -> Array:
    """a 2**b."""
    return np.multiply(a, np.exp2(b), out=...)


def frexp(a: Array) -> tuple[Array, Array]:
    """Mantissas in [0.5, 1) and exponents (int32).

    Raises:
        RuntimeError: integers.
    """
    if a.dtype.kind != "f":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    mantissa, exponent = np.frexp(a)
    return as_array(mantissa), as_array(exponent)


# Functions of one ------------------------------------------------------------------------------
@halves_in_float32(1)
def sinc(a: Array) -> Array:
    """sin(πa) / (πa), 1 at 0."""
    angle = np.multiply(a, np.asarray(np.pi, a.dtype), out=...)
    result = np.sin(angle, out=...)
    np.divide(result, angle, out=result)
    np.copyto(result, 1, where=angle == 0)
    return result


def frac(a: Array) -> Array:
    """a without its integer part."""
    if a.dtype.kind != "f":
        raise not_implemented("frac_cpu", a.dtype)
    return np.subtract(a, np.trunc(a), out=...)


def round_decimals(a: Array, decimals: int) -> Array:
    """a rounded, half to even, to a number of decimals (of tens where it is negative)."""
    if a.dtype.kind != "f":
        raise not_implemented("round_cpu" if decimals else "round_vml_cpu", a.dtype)
    ten = np.asarray(10.0 ** abs(decimals), a.dtype)
    if decimals < 0:
        return np.multiply(np.rint(a / ten), ten, out=...)
    return np.divide(np.rint(a * ten), ten, out=...)


def scaled_by(factor: float) -> Callable[[Array], Array]:
    """A kernel that multiplies by a constant."""

    def kernel(a: Array) -> Array:
        return np.multiply(a, np.asarray(factor, a.dtype), out=...)

    return kernel


def nan_to_num(a: Array, nan: float | None, posinf: float | None, neginf: float | None) -> Array:
    """a with numbers for nan (default 0) and the infinities (default the largest numbers)."""
    if a.dtype.kind != "f":
        return a.copy()
    return as_array(np.nan_to_num(a, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf))


def logit(a: Array, eps: float | None) -> Array:
    """log(a / (1 - a)) of a, which is first brought into [eps, 1 - eps] where eps is given."""
    if eps is not None:
        low, high = np.asarray(eps, a.dtype), np.asarray(1 - eps, a.dtype)
        a = np.where(a < low, low, np.where(a > high, high, a))  # low wins, unlike in np.clip
    return np.log(np.divide(a, 1 - a), out=...)


def angle(a: Array) -> Array:
    """0 for what is not negative, π for what is."""
    result = np.where(a < 0, np.asarray(np.pi, a.dtype), np.asarray(0, a.dtype))
    return as_array(np.where(a != a, a, result))


# Bounds ------------------------------------------------------------------------------------------
def clamp_tensor(a: Array, min: Array | None, max: Array | None) -> Array:
    """a, at least min and at most max, either of which may be left out; nan wins."""
    if min is not None:
        a = np.maximum(a, min, out=...)
    return a if max is None else np.minimum(a, max, out=...)


def clamp_min(a: Array, min: float) -> Array:
    """a, at least a number."""
    return np.maximum(a, scalar_array(min, a.dtype), out=...)


def clamp_max(a: Array, max: float) -> Array:
    """a, at most a number."""
    return np.minimum(a, scalar_array(max, a.dtype), out=...)


def with_number(ufunc: Callable[..., Array]) -> Callable[[Array, float], Array]:
    """A comparison of an array with a number."""

    def kernel(a: Array, other: float) -> Array:
        return ufunc(a, other, out=...)

    return kernel


# Tests and bits -----------------------------------------------------------------------------------
def isposinf(a: Array) -> Array:
    """Return whether items are +inf."""
    return np.equal(a, np.inf, out=...)


def isneginf(a: Array) -> Array:
    """Return whether items are -inf."""
    return np.equal(a, -np.inf, out=...)


def isreal(a: Array) -> Array:
    """All numbers here are real."""
    return np.ones_like(a, bool)


def signbit(a: Array) -> Array:
    """Return whether items have a minus sign (-0.0 has)."""
    return np.signbit(a, out=...) if a.dtype.kind == "f" else np.less(a, 0, out=...)


def shift_left(a: Array, b: Array) -> Array:
    """a 2**b of integers; 0 where b is negative or no smaller than the number of bits."""
    inside = (b >= 0) & (b < 8 * a.dtype.itemsize)
    return as_array(np.where(inside, np.left_shift(a, np.where(inside, b, 0)), 0).astype(a.dtype))


def shift_right(a: Array, b: Array) -> Array:
    """a 2**-b of integers, rounded down; only the sign, if any, is left where b is out of range."""
    most = 8 * a.dtype.itemsize - (a.dtype.kind == "i")
    inside = (b >= 0) & (b <= most)
    return np.right_shift(a, np.where(inside, b, most).astype(a.dtype), out=...)


# Sums of exponentials -----------------------------------------------------------------------------
@in_blocks(2)
def logaddexp(a: Array, b: Array, out: Any = ...) -> Array:
    """log(exp(a) + exp(b))."""
    return _log_sum(a, b, np.exp, 1.0, out)


@in_blocks(2)
def logaddexp2(a: Array, b: Array, out: Any = ...) -> Array:
    """log2(2**a + 2**b)."""
    return _log_sum(a, b, np.exp2, math.log2(math.e), out)


def _log_sum(a: Array, b: Array, exp: np.ufunc, scale: float, out: Any) -> Array:
    """The larger one plus scale log(1 + exp(-|a - b|)), five times as fast as numpy's; infinities
    of one sign are that."""
    high, low = np.maximum(a, b, out=...), np.minimum(a, b, out=...)
    even = np.equal(low, high)
    np.copyto(np.subtract(low, high, out=low), 0, where=even)
    rest = log1p(exp(low, low))
    if scale != 1:
        rest *= np.asarray(scale, rest.dtype)
    return np.add(high, rest, out=out)


def with_scalar(ufunc: Any) -> Any:
    """A ufunc of an array and a number of its type."""

    def kernel(a: Array, other: float) -> Array:
        if a.dtype.kind != "f" and isinstance(other, float):
            a = a.astype(Default.dtype)
        return ufunc(a, a.dtype.type(other), out=...)

    return kernel
