"""Special functions: ``erf``, ``lgamma`` and what their derivatives need.

The coefficients were computed for this package with 50 digits: Chebyshev interpolation (J. C. Mason
and D. C. Handscomb, Chebyshev Polynomials, 2002, section 6.3) of the functions named, written out
by powers; the rational one by weighted least squares. Each gives its function to the last bits of
float64. The kernels compute in float64, block by block so that the temporaries stay in the cache,
and round to the operand's type at the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ..arrays.memory_order import Array, as_array, empty_like
from .declare import Namespace, op
from .pointwise.where_clamp_kernels import where_mask

ERF = (
    1.1283791670955126, -0.37612638903183748, 0.11283791670954879, -0.026866170645076793,
    0.0052239776248180145, -0.00085483269808337899, 0.00012055331111642711,
    -1.4925595266831182e-5, 1.6461000484121368e-6, -1.6350312701054695e-7,
    1.4659775274047436e-8, -1.1372848856791674e-9, 5.9571761477489114e-11,
)  # fmt: skip
"""erf(x) / x by powers of x² for |x| <= 1."""

ERFCX = (
    1.2329951186255525, -0.1396211168405625, 0.015379652102620041, 0.06809705425469035,
    -0.10103906603632503, 0.093732834998439513, -0.066330365811648503, 0.037167515535911412,
    -0.016197734065952531, 0.0050319699928109255, -0.00075777321953522929,
    -0.0001992567764579197, 0.00015062130746391776, -2.4398942309069806e-5,
    -1.1220753452725425e-5, 5.7092012122263517e-6, 2.9090629683714268e-7,
    -8.2491274349645719e-7, 7.8934396347614201e-8, 1.1009041560728303e-7,
    -2.1917128684776732e-8, -1.470518755238763e-8, 3.9799082099353337e-9, 1.7887492189077537e-9,
    -5.4779631540379303e-10, -1.37212432109558e-10, 4.3357446968801277e-11,
)  # fmt: skip
"""exp(x²) erfc(x) (1 + 2 x) by powers of (x - 4) / (x + 4) for x >= 0."""

LGAMMA = (
    0.42278433509846714, -0.1003173016743539, 0.032965000621156977, -0.012384192193374344,
    0.0049986411646233004, -0.0021081308338295546, 0.00091537692412350414,
    -0.00040570739993161108, 0.00018255261442287847, -8.3095100014616909e-5,
    3.8169083252380358e-5, -1.7661855072663185e-5, 8.2212052270286785e-6,
    -3.8465158154878278e-6, 1.8114765674491314e-6, -8.5547748375638467e-7,
    3.9572158955274339e-7, -1.8613941634065128e-7, 1.0444175883164678e-7,
    -5.2028550449132956e-8, 5.6897562563875999e-9, -7.949655282981058e-10,
    1.6326677213114772e-8, -8.9469473524149296e-9, -4.3586495547044922e-9,
    2.4677273211107672e-9, 1.5817798009487952e-9, -8.1875181926265806e-10,
)  # fmt: skip
"""ln Γ(x) / ((x - 1) (x - 2)) by powers of x - 2 for 1 <= x <= 3."""


ERF_SINGLE = (
    (1.12837914, 0.193548535, 0.0531021198, 0.0038834669, 0.000284564234, 1.98669946e-6),
    (1.0, 0.504860479, 0.115351357, 0.0152075043, 0.00118559246, 3.74192245e-5),
)  # fmt: skip
"""Numerator and denominator of erf(x) / x by powers of x² for |x| <= 4, to 3e-8."""

LOGIT_NORMAL = (
    1.59576988, 0.0726661691, -6.51899452e-5, -1.1061239e-4, 7.92948941e-6, -2.64526731e-7,
    3.51234307e-9,
)  # fmt: skip
"""log(Φ(x) / Φ(-x)) / x by powers of x² for |x| <= 5.6, where Φ is off by 3e-8 at most; beyond, it
only has to stay large. Fitted in float64 by iteratively reweighted least squares."""

NORMAL = (
    (
        3.3871328727963666080, 1.3314166789178437745e2, 1.9715909503065514427e3,
        1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
        3.3430575583588128105e4, 2.5090809287301226727e3,
    ), (
        1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
        2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
        5.2264952788528545610e3,
    ), (
        1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550,
        3.64784832476320460504, 1.27045825245236838258, 2.41780725177450611770e-1,
        2.27238449892691845833e-2, 7.74545014278341407640e-4,
    ), (
        1.0, 2.05319162663775882187, 1.67638483018380384940, 6.89767334985100004550e-1,
        1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
        1.05075007164441684324e-9,
    ), (
        6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580,
        2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
        2.71155556874348757815e-5, 2.01033439929228813265e-7,
    ), (
        1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
        7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
        2.04426310338993978564e-15,
    ),
)  # fmt: skip
"""The normal quantile's three quotients: M. J. Wichura, Algorithm AS 241, Applied Statistics 37
(1988), routine PPND16."""

BERNOULLI = (
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798,
)  # fmt: skip
"""Bernoulli numbers B2, B4, ..., B18."""


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
    return polynomial(ERFCX, (near - 4) / (near + 4)) / (1 + 2 * x)


def erfc_positive(x: Array) -> Array:
    """erfc(x) for x >= 0."""
    return erfcx_positive(x) * exp_of_square(x, -1.0)


@blockwise
def erf_double(x: Array) -> Array:
    """erf(x) = 2 / √π ∫ exp(-t²) dt from 0 to x."""
    size = np.abs(x)
    near = size * polynomial(ERF, np.minimum(size * size, 1))
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
    quotient = polynomial(ERF_SINGLE[0], square)
    quotient /= polynomial(ERF_SINGLE[1], square)
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
    result[middle] = centred[middle] * polynomial(NORMAL[0], r) / polynomial(
        NORMAL[1], r
    )
    r = np.sqrt(-np.log(rest[~middle]))
    top: Array
    bottom: Array
    top, bottom = (
        np.where(r <= 5, polynomial(near, r - 1.6), polynomial(far, r - 5))
        for near, far in zip(NORMAL[2:4], NORMAL[4:6], strict=True)
    )
    outer = np.where(np.isinf(r), r, top / bottom)
    result[~middle] = np.copysign(outer, centred[~middle])
    return result


@blockwise
def erfinv(x: Array) -> Array:
    """The y whose erf is x; nan outside [-1, 1]. One Newton step refines the quantile."""
    y = normal_quantile(x / 2, (1 - np.abs(x)) / 2) * ROOT_HALF
    near = np.abs(x) < 0.9
    step = (erf_double(y) - x) * (ROOT_PI / 2) * np.exp(y * y)
    return np.where(near, y - step, y)


STEPS = 20000  # neither sum needs more up to parameters of about a million
SMALLEST = 1e-300


def log_gamma_large(x: Array) -> Array:
    """ln Γ(x) for x >= 8 by Stirling's series (Abramowitz and Stegun 6.1.41)."""
    inverse = 1 / x
    square = inverse * inverse
    series = polynomial(
        tuple(b / (2 * k * (2 * k - 1)) for k, b in enumerate(BERNOULLI, 1)), square
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
    core = (shifted - 1) * (shifted - 2) * polynomial(LGAMMA, shifted - 2)
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


def shifted_up(x: Array, power: int) -> tuple[Array, Array]:
    """x > 0 shifted by whole numbers to 10 or more, and the sum of ``x ** power`` on the way."""
    shifted, total = x.copy(), np.zeros(x.shape)
    for _ in range(10):
        low = shifted < 10
        if not low.any():
            break
        total[low] += shifted[low] ** power
        shifted[low] += 1
    return shifted, total


def digamma_positive(x: Array) -> Array:
    """ψ(x) for x > 0: recurrence to x >= 10, then the asymptotic series (6.3.18)."""
    shifted, total = shifted_up(x, -1)
    square = 1 / (shifted * shifted)
    series = polynomial(tuple(b / (2 * k) for k, b in enumerate(BERNOULLI[:8], 1)), square)
    return np.log(shifted) - 0.5 / shifted - series * square - total


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


def trigamma_positive(x: Array) -> Array:
    """ψ'(x) for x > 0: recurrence to x >= 10, then the asymptotic series (6.4.12)."""
    shifted, total = shifted_up(x, -2)
    inverse = 1 / shifted
    square = inverse * inverse
    series = polynomial(BERNOULLI[:8], square) * square
    return total + (inverse + square / 2 + series * inverse)


@blockwise
def trigamma(x: Array) -> Array:
    """ψ'(x), by reflection below 1/2 (6.4.7)."""

    def reflected(x: Array) -> Array:
        return (np.pi / np.sin(np.pi * x)) ** 2 - trigamma_positive(1 - x)

    return piecewise(x, (x >= 0.5, trigamma_positive), (x < 0.5, reflected))


F = Namespace()
ROOT_PI, TWO_OVER_ROOT_PI = math.sqrt(math.pi), 2 / math.sqrt(math.pi)

# The error function ------------------------------------------------------------------------------
op("erf(self, /)", erf, inplace=True, pointwise=True, dtype="float", also=("special.erf",),
   d_self=lambda grad, self: TWO_OVER_ROOT_PI * F.exp(-F.pow(self, 2)) * grad,
   text="erf({self})", onnx="Erf")

op("erfc(self, /)", erfc, inplace=True, pointwise=True, dtype="float",
   also=("special.erfc",),
   d_self=lambda grad, self: -TWO_OVER_ROOT_PI * F.exp(-F.pow(self, 2)) * grad,
   text="1 − erf({self})", onnx=None)

op("erfinv(self, /)", erfinv, inplace=True, pointwise=True, dtype="float",
   also=("special.erfinv",),
   d_self=lambda grad, self: ROOT_PI / 2 * F.exp(F.pow(F.erfinv(self), 2)) * grad,
   text="erf⁻¹({self})", onnx=None)


# The gamma function ------------------------------------------------------------------------------
op("lgamma(self, /)", lgamma, inplace=True, pointwise=True, dtype="float",
   also=("special.gammaln",),
   d_self=lambda grad, self: grad * F.digamma(self),
   text="log Γ({self})", onnx=None)

op("digamma(self, /)", digamma, inplace=True, pointwise=True, dtype="float",
   also=("special.digamma", "special.psi"),
   d_self=lambda grad, self: grad * F.polygamma(self, 1),
   text="ψ({self})", onnx=None)

op("polygamma(self, /, n)", lambda a, n: trigamma(a), pointwise=True, dtype="float", public=False,
   d_self=lambda grad: F.without_derivative("aten::polygamma"),
   text="ψ⁽{n}⁾({self})", onnx=None)
