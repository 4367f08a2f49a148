"""Kernels of Bessel's functions of orders 0 and 1, and of Airy's.

Near 0 they are sums of powers, far from it Hankel's expansions (Abramowitz and Stegun 9.2.5, 9.7.2
and 10.4.59), both as polynomials fitted in float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from . import bessel_coefficients as table
from .layout import Array, empty_ordered
from .special_coefficients import I0_FAR, I0_NEAR, I1_FAR, I1_NEAR
from .special_kernels import blockwise, piecewise, polynomial

NEAR = 8.0  # from here on Hankel's expansion
FLAT = 103.892  # from here on Ai is 0, as PyTorch computes it


def bessel(near: tuple[float, ...], far: tuple[float, ...], size: Array) -> Array:
    """exp(-x) I(x) for x >= 0 from its two polynomials, below and above 8."""
    return piecewise(
        size, (size <= 8, lambda x: polynomial(near, x / 4 - 1)),
        (size > 8, lambda x: polynomial(far, 16 / x - 1) / np.sqrt(x)),
    )  # fmt: skip


@blockwise
def i0e(x: Array) -> Array:
    """exp(-|x|) I0(x), the modified Bessel function of order 0."""
    return bessel(I0_NEAR, I0_FAR, np.abs(x))


@blockwise
def i0(x: Array) -> Array:
    """I0(x)."""
    return exp_of_size(bessel(I0_NEAR, I0_FAR, np.abs(x)), x)


@blockwise
def i1e(x: Array) -> Array:
    """exp(-|x|) I1(x), the modified Bessel function of order 1."""
    size = np.abs(x)
    found = bessel(I1_NEAR, I1_FAR, size)
    return np.copysign(np.where(size <= 8, found * size, found), x)


@blockwise
def i1(x: Array) -> Array:
    """I1(x)."""
    return exp_of_size(i1e(x), x)


def exp_of_size(scaled: Array, x: Array) -> Array:
    """scaled exp(|x|), without overflow before its time."""
    half = np.exp(np.abs(x) / 2)
    return scaled * half * half


def hankel(order: int, x: Array) -> tuple[Array, Array, Array]:
    """For x >= 8: √(2/πx) P and √(2/πx) Q of an order, and the angle that they go with."""
    p, q = ((table.P0_FAR, table.Q0_FAR), (table.P1_FAR, table.Q1_FAR))[order]
    place = 128 / (x * x) - 1
    size = np.sqrt(2 / (math.pi * x))
    return size * polynomial(p, place), size * polynomial(q, place) / x, x - (0.25 + order / 2) * (
        math.pi
    )


def of_first_kind(order: int, x: Array) -> Array:
    """J of an order for x >= 8."""
    p, q, angle = hankel(order, x)
    return p * np.cos(angle) - q * np.sin(angle)


def of_second_kind(order: int, x: Array) -> Array:
    """Y of an order for x >= 8."""
    p, q, angle = hankel(order, x)
    return p * np.sin(angle) + q * np.cos(angle)


@blockwise
def j0(x: Array) -> Array:
    """J0(x)."""
    size = np.abs(x)
    return piecewise(
        size, (size <= NEAR, lambda x: polynomial(table.J0_NEAR, x * x / 32 - 1)),
        (size > NEAR, lambda x: of_first_kind(0, x)),
    )  # fmt: skip


@blockwise
def j1(x: Array) -> Array:
    """J1(x)."""
    size = np.abs(x)
    found = piecewise(
        size, (size <= NEAR, lambda x: x * polynomial(table.J1_NEAR, x * x / 32 - 1)),
        (size > NEAR, lambda x: of_first_kind(1, x)),
    )  # fmt: skip
    return np.where(x < 0, -found, found)


def y0_near(x: Array) -> Array:
    """Y0(x) for 0 < x <= 8."""
    square = x * x / 32 - 1
    log = np.log(x) * (2 / math.pi)
    return polynomial(table.Y0_NEAR, square) + log * polynomial(table.J0_NEAR, square)


def y1_near(x: Array) -> Array:
    """Y1(x) for 0 < x <= 8."""
    square = x * x / 32 - 1
    log = np.log(x) * polynomial(table.J1_NEAR, square) * x
    return polynomial(table.Y1_NEAR, square) * x + (log - 1 / x) * (2 / math.pi)


def for_positive(near: Callable[[Array], Array], far: Callable[[Array], Array], limit: float,
                 at_zero: float) -> Callable[..., Array]:  # fmt: skip
    """A kernel that is ``near`` in (0, limit], ``far`` beyond, and nan below 0."""

    @blockwise
    def kernel(x: Array) -> Array:
        return piecewise(
            x, ((x > 0) & (x <= limit), near), (x > limit, far),
            (x == 0, lambda x: np.full(x.shape, at_zero)),
        )  # fmt: skip

    return kernel


y0 = for_positive(y0_near, lambda x: of_second_kind(0, x), NEAR, -math.inf)
y1 = for_positive(y1_near, lambda x: of_second_kind(1, x), NEAR, -math.inf)


# Modified ----------------------------------------------------------------------------------------
def k0_near(x: Array) -> Array:
    """K0(x) for 0 < x <= 2."""
    i0 = bessel(I0_NEAR, I0_FAR, x) * np.exp(x)
    return polynomial(table.K0_NEAR, x * x / 2 - 1) - np.log(x / 2) * i0


def k1_near(x: Array) -> Array:
    """K1(x) for 0 < x <= 2."""
    return polynomial(table.K1_NEAR, x * x / 2 - 1) / x + np.log(x / 2) * i1e(x) * np.exp(x)


def far_k(coefficients: tuple[float, ...]) -> Callable[[Array], Array]:
    """exp(x) K(x) for x >= 2."""
    return lambda x: polynomial(coefficients, 4 / x - 1) / np.sqrt(x)


def shrunk(scaled: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """A function times exp(-x)."""
    return lambda x: scaled(x) * np.exp(-x)


def grown(plain: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """A function times exp(x)."""
    return lambda x: plain(x) * np.exp(x)


k0 = for_positive(k0_near, shrunk(far_k(table.K0_FAR)), 2.0, math.inf)
k1 = for_positive(k1_near, shrunk(far_k(table.K1_FAR)), 2.0, math.inf)
k0e = for_positive(grown(k0_near), far_k(table.K0_FAR), 2.0, math.inf)
k1e = for_positive(grown(k1_near), far_k(table.K1_FAR), 2.0, math.inf)


# Spherical, Airy's -------------------------------------------------------------------------------
@blockwise
def spherical_j0(x: Array) -> Array:
    """sin(x) / x, 0 far out."""
    found = np.sin(x) / x
    found[x == 0] = 1
    found[np.isinf(x)] = 0
    return found


def airy_far(x: Array) -> Array:
    """Ai(x) for x >= 2."""
    zeta = 2 / 3 * x * np.sqrt(x)
    value = polynomial(table.AIRY_FAR, (8 / 3 * math.sqrt(2)) / zeta - 1)
    return value * np.exp(-zeta) / (2 * math.sqrt(math.pi) * np.sqrt(np.sqrt(x)))


def airy_waves(x: Array) -> Array:
    """Ai(x) for x <= -4."""
    x = -x
    zeta = 2 / 3 * x * np.sqrt(x)
    place = 2 * (16 / 3 / zeta) ** 2 - 1
    angle = zeta - math.pi / 4
    even = polynomial(table.AIRY_COS, place) * np.cos(angle)
    odd = polynomial(table.AIRY_SIN, place) / zeta * np.sin(angle)
    return (even + odd) / (math.sqrt(math.pi) * np.sqrt(np.sqrt(x)))


@blockwise
def airy_ai(x: Array) -> Array:
    """Airy's Ai(x)."""
    return piecewise(
        x, (x < -4, airy_waves), ((x >= -4) & (x <= 2), lambda x: polynomial(
            table.AIRY_NEAR, (x + 1) / 3)),
        ((x > 2) & (x <= FLAT), airy_far), ((x > FLAT) & (x < math.inf), np.zeros_like),
    )  # fmt: skip


# Orthogonal polynomials --------------------------------------------------------------------------
def by_recurrence(
    first: Callable[[Array], Array],
    step: Callable[[Array, int, Array, Array], Array],
    limits: dict[str, int] | None = None,
) -> Callable[[Array, Array], Array]:
    """A family of polynomials: 1, ``first(x)`` and from there on, of degree k + 1,
    ``step(x, k, value of degree k, that of degree k - 1)``.

    Degrees are cut to integers; below 0 the polynomial is 0, above a type's limit nan.
    """

    def kernel(x: Array, n: Array) -> Array:
        x, n = np.broadcast_arrays(x, n)
        degrees = np.where(np.isfinite(n), np.trunc(n), -1)
        result = empty_ordered(x.shape, x.dtype, x, n)
        result[...] = 0
        limit = np.inf if limits is None else limits.get(x.dtype.name, np.inf)
        result[degrees > limit] = np.nan
        top = int(degrees[degrees <= limit].max(initial=-1))
        last, value = np.zeros_like(x), np.ones_like(x)
        with np.errstate(all="ignore"):
            for degree in range(top + 1):
                np.copyto(result, value, where=degrees == degree)
                following = step(x, degree, value, last) if degree else first(x)
                last, value = value, following
        return result

    return kernel


def chebyshev(slope: float, shift: float, stretch: float = 1.0) -> Callable[..., Array]:
    """The family with the recurrence of cos(k t), whose first is ``slope y + shift``, where
    ``y`` is x (of the shifted ones, 2 x - 1)."""
    def at(x: Array) -> Array:
        return x + x - 1 if stretch == 2 else x

    return by_recurrence(
        lambda x: x.dtype.type(slope) * at(x) + x.dtype.type(shift),
        lambda x, k, value, last: (at(x) + at(x)) * value - last,
    )


hermite_h = by_recurrence(
    lambda x: x + x, lambda x, k, value, last: 2 * (x * value - k * last),
    {"float32": 128, "float64": 512},
)  # fmt: skip
hermite_he = by_recurrence(
    lambda x: x, lambda x, k, value, last: x * value - k * last, {"float32": 128, "float64": 512}
)
laguerre_l = by_recurrence(
    lambda x: 1 - x, lambda x, k, value, last: ((2 * k + 1 - x) * value - k * last) / (k + 1)
)
legendre_p = by_recurrence(
    lambda x: x, lambda x, k, value, last: ((2 * k + 1) * x * value - k * last) / (k + 1)
)
