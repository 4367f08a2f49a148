"""Kernels of activation functions."""

from __future__ import annotations

import numpy as np

from . import special_coefficients as table
from .choice_kernels import at_least, at_most, between, choose, one_of, zero, zero_where
from .items import as_item
from .kernels import ONE, sigmoid
from .layout import Array, as_array
from .refusals import WORDS
from .special_kernels import ROOT_HALF, erf, in_blocks


# Straight pieces ---------------------------------------------------------------------------------
def threshold(a: Array, threshold: float, value: float) -> Array:
    """a where it is above the threshold (or nan), else the value."""
    low, other = as_item(threshold, a.dtype), as_item(value, a.dtype)
    if other == 0:
        return zero_where(a <= low, a)
    return as_array(np.where(a <= low, other, a))


def leaky_relu(a: Array, negative_slope: float) -> Array:
    """a where a > 0, else negative_slope a."""
    if 0 < negative_slope <= 1 and a.dtype.kind == "f":
        result = np.multiply(a, np.asarray(negative_slope, a.dtype), out=...)
        return np.maximum(result, a, out=result)
    return bent(a, a, negative_slope)


def leaky_relu_backward(grad: Array, a: Array, negative_slope: float) -> Array:
    """grad where a > 0, else negative_slope grad."""
    return bent(grad, a, negative_slope)


def bent(values: Array, a: Array, slope: float) -> Array:
    """values where a > 0, else slope values."""
    values = as_array(values)
    factor = one_of(np.greater(a, zero(a.dtype)), 1, slope, values.dtype)
    return np.multiply(values, factor, out=...)


def hardtanh(a: Array, min_val: float, max_val: float) -> Array:
    """a between min_val and max_val.

    Raises:
        RuntimeError: bools.
    """
    if a.dtype.kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if a.dtype.kind == "u" and (min_val < 0 or max_val < 0):
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return between(a, min_val, max_val)


def hardtanh_backward(grad: Array, a: Array, min_val: float, max_val: float) -> Array:
    """grad strictly between the bounds, else 0."""
    outside = np.less_equal(a, min_val)
    return zero_where(np.logical_or(outside, a >= max_val), as_array(grad))


def prelu(a: Array, weight: Array) -> Array:
    """a where a > 0, else weight a."""
    return choose(np.greater(a, zero(a.dtype)), a, np.multiply(a, weight, out=...))


def prelu_backward(grad: Array, a: Array, weight: Array) -> tuple[Array, Array]:
    """The gradients by a and by the weight, which is spread over a's shape."""
    nothing = zero(a.dtype)
    positive = np.greater(a, nothing)
    by_weight = np.multiply(grad, a, out=...)
    np.copyto(by_weight, nothing, where=positive)
    return choose(positive, grad, np.multiply(grad, weight, out=...)), by_weight


def rrelu(a: Array, noise: Array, lower: float, upper: float, training: bool) -> Array:
    """a where a > 0, else a times its slope: in training the noise, else the bounds' mean."""
    if training:
        return np.multiply(a, noise, out=...)
    return np.ascontiguousarray(bent(a, a, (lower + upper) / 2)).reshape(a.shape)


def rrelu_backward(
    grad: Array, a: Array, noise: Array, lower: float, upper: float, training: bool
) -> Array:
    """grad times the slope at a."""
    if training and upper - lower > 1e-6:
        return np.multiply(grad, noise, out=...)
    return bent(grad, a, (lower + upper) / 2)


def softshrink(a: Array, lambd: float) -> Array:
    """a - lambd above lambd, a + lambd below -lambd, 0 between.

    Raises:
        RuntimeError: lambd is negative (PyTorch's text).
    """
    if lambd < 0:
        most = float(np.finfo(a.dtype).max)
        raise RuntimeError(
            f"lambda must be in range [0, {most:g}] for input dtype {WORDS[a.dtype.name]}, "
            f"but found {lambd:g}"
        )
    result = between(a, -lambd, lambd)
    np.subtract(a, result, out=result)
    return np.copysign(result, a, out=result)


def hardshrink(a: Array, lambd: float) -> Array:
    """a outside [-lambd, lambd], 0 inside."""
    bound = np.asarray(lambd, a.dtype)
    return zero_where((a >= -bound) & (a <= bound), a)


def shrink_backward(grad: Array, a: Array, lambd: float) -> Array:
    """grad outside [-lambd, lambd], 0 inside."""
    bound = np.asarray(lambd, a.dtype)
    return zero_where((a >= -bound) & (a <= bound), as_array(grad))


def hardswish(a: Array) -> Array:
    """a min(max(a + 3, 0), 6) / 6."""
    return np.multiply(a, hardsigmoid(a), out=...)


def hardswish_backward(grad: Array, a: Array) -> Array:
    """0 below -3, grad from 3 on, grad (a / 3 + 1 / 2) between."""
    slope = np.add(a / 3, np.asarray(0.5, a.dtype), out=...)
    slope = zero_where(a <= -3, choose(a >= 3, np.ones_like(slope), slope))
    return np.multiply(grad, slope, out=slope) if grad.shape == slope.shape else grad * slope


def hardsigmoid(a: Array) -> Array:
    """min(max(a + 3, 0), 6) / 6."""
    result = between(np.add(a, np.asarray(3, a.dtype), out=...), 0, 6)
    return np.divide(result, np.asarray(6, a.dtype), out=result)


def hardsigmoid_backward(grad: Array, a: Array) -> Array:
    """grad / 6 strictly between -3 and 3, else 0."""
    slope = np.multiply((a > -3) & (a < 3), np.asarray(1 / 6, a.dtype), out=...)
    return np.multiply(grad, slope, out=...)


# Exponential pieces ------------------------------------------------------------------------------
@in_blocks(1)
def elu(a: Array, alpha: float, scale: float, input_scale: float) -> Array:
    """scale a where a > 0, else scale alpha (exp(input_scale a) - 1)."""
    # exp(x) - 1 = 2 t / (1 - t) with t = tanh(x / 2): as precise as numpy's expm1, which takes four
    # times as long; 0 for the items above 0, so that these are added and no mask is needed
    low = at_most(a, 0)
    low *= np.asarray(input_scale / 2, a.dtype)
    np.tanh(low, out=low)
    rest = np.subtract(ONE, low, out=...)
    low *= np.asarray(2 * alpha * scale, a.dtype)
    low /= rest
    high = at_least(a, 0)
    if scale != 1:
        high *= np.asarray(scale, a.dtype)
    return np.add(high, low, out=low)


def celu(a: Array, alpha: float) -> Array:
    """a where a > 0, else alpha (exp(a / alpha) - 1)."""
    return elu(a, alpha, 1, 1 / alpha)


@in_blocks(2)
def elu_backward(
    grad: Array, a: Array, alpha: float, scale: float, input_scale: float, is_result: bool
) -> Array:
    """grad times the slope of elu at a, or where its result is a."""
    a = as_array(a)
    low = at_most(a, 0)
    if is_result:
        low += np.asarray(alpha * scale, a.dtype)
        low *= np.asarray(input_scale, a.dtype)
    else:
        low *= np.asarray(input_scale, a.dtype)
        np.exp(low, out=low)
        low *= np.asarray(input_scale * alpha * scale, a.dtype)
    if input_scale * alpha != 1:  # else it is what comes out for 0
        low = choose(a > 0, np.full_like(low, scale), low)
    return np.multiply(grad, low, out=...)


# Smooth ------------------------------------------------------------------------------------------
def gelu(a: Array, approximate: str) -> tuple[Array, Array | None]:
    """a Φ(a), and Φ(a); or with Φ approximated by a tanh.

    Raises:
        RuntimeError: another approximation.
    """
    if approximate == "tanh":
        return gelu_tanh(a), None
    if approximate != "none":
        raise RuntimeError("approximate argument must be either none or tanh.")
    share = normal_share(a)
    return np.multiply(a, share, out=...), share


@in_blocks(1)
def gelu_tanh(a: Array) -> Array:
    """a (1 + tanh(√(2/π) (a + 0.044715 a³))) / 2."""
    level = gelu_level(a)
    level += ONE
    level *= np.asarray(0.5, a.dtype)
    return np.multiply(a, level, out=level)


@in_blocks(1)
def normal_share(a: Array) -> Array:
    """Φ(a), the normal distribution function."""
    if a.dtype == np.float32:
        share = inverse_normal(a, np.multiply(a, a, out=...))
        return np.reciprocal(share, out=share)
    share = erf(np.multiply(a, np.asarray(ROOT_HALF, a.dtype)))
    share += ONE
    return np.multiply(share, np.asarray(0.5, a.dtype), out=share)


MINUS_LOGIT = tuple(np.asarray(-each, np.float32) for each in reversed(table.LOGIT_NORMAL))


def inverse_normal(a: Array, square: Array) -> Array:
    """1 / Φ(a) = 1 + Φ(-a) / Φ(a) in float32, given a² too: fewer passes than with erf, and Φ keeps
    its precision where it is small."""
    share = np.multiply(square, MINUS_LOGIT[0], out=...)
    for coefficient in MINUS_LOGIT[1:-1]:
        share += coefficient
        share *= square
    share += MINUS_LOGIT[-1]
    share *= a
    with np.errstate(over="ignore"):
        np.exp(share, share)
    share += ONE
    return share


def gelu_level(a: Array) -> Array:
    """tanh(√(2/π) (a + 0.044715 a³)) (D. Hendrycks and K. Gimpel, arXiv:1606.08415)."""
    inner = np.multiply(a, a, out=...)
    inner *= np.asarray(0.044715, a.dtype)
    inner += ONE
    inner *= a
    inner *= np.asarray((2 / np.pi) ** 0.5, a.dtype)
    return np.tanh(inner, out=...)


def gelu_backward(grad: Array, a: Array, approximate: str, share: Array | None = None) -> Array:
    """grad times gelu's slope, Φ(a) + a φ(a), given Φ(a) if it is known: that is most of the
    work."""
    grad, a = as_array(grad), as_array(a)
    if approximate == "tanh":
        return gelu_tanh_backward(grad, a)
    return normal_slope(grad, a, normal_share(a) if share is None else share)


@in_blocks(2)
def gelu_tanh_backward(grad: Array, a: Array) -> Array:
    """grad (1 + t) (1 + a (1 - t) i') / 2 with t = tanh(i), the level, and i' the slope of what is
    in it."""
    level = gelu_level(a)
    slope = np.multiply(a, a, out=...)
    slope *= np.asarray(0.134145 * (2 / np.pi) ** 0.5, a.dtype)
    slope += np.asarray((2 / np.pi) ** 0.5, a.dtype)
    slope *= a
    slope *= np.subtract(ONE, level, out=...)
    slope += ONE
    level += ONE
    slope *= level
    slope *= np.asarray(0.5, a.dtype)
    return np.multiply(grad, slope, out=...)


@in_blocks(3)
def normal_slope(grad: Array, a: Array, share: Array) -> Array:
    """grad (Φ(a) + a φ(a)), given Φ(a)."""
    density = np.multiply(a, a, out=...)
    density *= np.asarray(-0.5, a.dtype)
    np.exp(density, out=density)
    density *= np.asarray((2 * np.pi) ** -0.5, a.dtype)
    density *= a
    density += share
    return np.multiply(grad, density, out=...)


def silu(a: Array) -> Array:
    """a sigmoid(a)."""
    return np.multiply(a, sigmoid(a), out=...)


@in_blocks(2)
def silu_slope(grad: Array, a: Array) -> Array:
    """grad σ (1 + a (1 - σ)) with σ = sigmoid(a)."""
    gate = sigmoid(a)
    slope = np.subtract(ONE, gate, out=...)
    slope *= a
    slope += ONE
    slope *= gate
    return np.multiply(grad, slope, out=...)


@in_blocks(1)
def mish(a: Array) -> Array:
    """a tanh(softplus(a))."""
    level, rest = mish_level(a)
    level /= rest
    return np.multiply(a, level, out=level)


def mish_level(a: Array) -> tuple[Array, Array]:
    """Numerator and denominator of tanh(log(1 + e)) = e (e + 2) / (e (e + 2) + 2), e = exp(a);
    beyond 20 it is 1 anyway."""
    level = at_most(a, 20)
    np.exp(level, out=level)
    level *= np.add(level, _TWO, out=...)
    return level, np.add(level, _TWO, out=..., dtype=a.dtype)


@in_blocks(2)
def mish_slope(grad: Array, a: Array) -> Array:
    """grad (t + a σ (1 - t²)) with t = tanh(softplus(a)), σ = sigmoid(a)."""
    level, rest = mish_level(a)
    level /= rest
    bend = np.divide(_TWO, rest, out=rest)  # 1 - t, nothing beyond 20
    bend *= np.less(a, 20)
    bend *= np.add(level, ONE, out=...)
    bend *= sigmoid(a)
    bend *= a
    bend += level
    return np.multiply(grad, bend, out=...)


_TWO = np.full((), 2, np.float32)


@in_blocks(1)
def softplus(a: Array, beta: float, threshold: float) -> Array:
    """log(1 + exp(beta a)) / beta, a itself where beta a > threshold."""
    scaled = np.multiply(a, np.asarray(beta, a.dtype), out=...)
    straight = np.greater(scaled, threshold)
    result = log_of_one_plus(np.exp(at_most(scaled, threshold), out=...))
    if beta != 1:
        result /= np.asarray(beta, a.dtype)
    return choose(straight, a, result) if np.logical_or.reduce(straight, None) else result


def log_of_one_plus(x: Array) -> Array:
    """log(1 + x) for x >= 0, to the last bits: what rounding 1 + x lost is made up for. Five times
    as fast as numpy's log1p."""
    whole = np.add(x, ONE, out=..., dtype=x.dtype)
    lost = np.subtract(whole, ONE, out=..., dtype=x.dtype)
    np.subtract(x, lost, out=lost)
    lost /= whole
    np.log(whole, out=whole)
    return np.add(whole, lost, out=whole)


@in_blocks(2)
def softplus_backward(grad: Array, a: Array, beta: float, threshold: float) -> Array:
    """grad sigmoid(beta a), grad itself where beta a > threshold."""
    scaled = np.multiply(a, np.asarray(beta, a.dtype), out=...)
    slope = sigmoid(scaled)
    straight = np.greater(scaled, threshold)
    if np.logical_or.reduce(straight, None):
        slope = choose(straight, np.ones_like(slope), slope)
    return np.multiply(grad, slope, out=...)


def log_sigmoid(a: Array) -> tuple[Array, Array]:
    """log(sigmoid(a)) = min(a, 0) - log(1 + exp(-|a|)), and that exponential."""
    buffer = np.absolute(a, out=..., order="C")
    np.exp(np.negative(buffer, out=buffer), out=buffer)
    result = at_most(np.ascontiguousarray(a).reshape(a.shape), 0)
    return np.subtract(result, log_of_one_plus(buffer), out=result), buffer


def log_sigmoid_backward(grad: Array, a: Array, buffer: Array) -> Array:
    """grad sigmoid(-a), from exp(-|a|)."""
    rest = np.add(buffer, ONE, out=..., dtype=buffer.dtype)
    slope = choose(np.less(a, zero(a.dtype)), np.ones_like(buffer), buffer)
    return np.multiply(grad, np.divide(slope, rest, out=rest), out=...)


def glu(a: Array, dim: int) -> Array:
    """The first half along a dim times the sigmoid of the second."""
    first, second = np.split(a, 2, dim)
    return np.multiply(first, sigmoid(second), out=...)


def glu_backward(grad: Array, a: Array, dim: int) -> Array:
    """grad times the slopes of glu: σ(b) by the first half a, a σ(b) (1 - σ(b)) by the second."""
    first, second = np.split(a, 2, dim)
    gate = sigmoid(second)
    low = np.multiply(grad, gate, out=...)
    return np.concatenate((low, low * first * (1 - gate)), dim)
