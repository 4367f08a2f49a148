"""Kernels of the incomplete gamma functions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .layout import Array, empty_ordered
from .refusals import not_implemented
from .special_kernels import log_gamma_positive

STEPS = 20000  # neither sum needs more up to parameters of about a million
SMALLEST = 1e-300


def weight(a: Array, x: Array) -> Array:
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
    return total * weight(a, x)


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
        d = 1 / nonzero(factor * d + b)
        c = nonzero(b + factor / c)
        ratio = c * d
        value = value * ratio
        if (np.abs(ratio - 1) <= 1e-16).all():
            break
    return value * weight(a, x)


def nonzero(value: Array) -> Array:
    """The value, or something tiny where it is 0."""
    return np.where(np.abs(value) < SMALLEST, SMALLEST, value)


def shares(a: Array, x: Array) -> tuple[Array, Array]:
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


def incomplete(place: int, a: Array, x: Array) -> Array:
    """One of the two shares, of arrays of one type."""
    a, x = np.broadcast_arrays(a, x)
    with np.errstate(all="ignore"):
        found = shares(a.ravel().astype(np.float64), x.ravel().astype(np.float64))[place]
    result = empty_ordered(x.shape, x.dtype, a, x)
    result[...] = found.reshape(x.shape)
    return result


def lower(a: Array, x: Array) -> Array:
    """P(a, x): the share of Γ(a) = ∫ t^(a-1) exp(-t) dt below x."""
    return incomplete(0, a, x)


def upper(a: Array, x: Array) -> Array:
    """Q(a, x): the share above x."""
    return incomplete(1, a, x)


def refuse_integers(kernel: str) -> Callable[..., None]:
    """A guard: operands that are all integers are refused."""

    def guard(*dtypes: np.dtype[np.generic]) -> None:
        if all(dtype.kind != "f" for dtype in dtypes):
            raise not_implemented(kernel, np.result_type(*dtypes))

    return guard
