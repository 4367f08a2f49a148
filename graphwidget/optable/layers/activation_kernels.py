"""Kernels of activation functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.blocks import in_blocks
from ...arrays.memory_order import Array, as_array, empty_like
from ...arrays.scalars import scalar_array
from .. import special as table
from ..pointwise.common_kernels import ONE, log1p, sigmoid
from ..pointwise.where_clamp_kernels import (
    between,
    maximum,
    minimum,
    where_mask,
    where_numbers,
    zero,
    zero_where,
)
from ..special import ROOT_HALF, erfcx_positive

UNTOLD = (
    "In-place {} backward calculation is triggered with a negative slope which is not supported. "
    "This is caused by calling in-place forward function with a negative slope, please call "
    "out-of-place version instead."
)
"""Bound above which a result does not determine the side that it comes from."""
ASK_FOR_IT = (
    "File an issue at https://github.com/pytorch/pytorch if you do require supporting in-place "
    "leakRelu backward calculation with negative slope"
)


# Straight pieces ---------------------------------------------------------------------------------
def threshold(a: Array, threshold: float, value: float) -> Array:
    """a where it is above the threshold (or nan), else the value."""
    low, other = scalar_array(threshold, a.dtype), scalar_array(value, a.dtype)
    if other == 0:
        return zero_where(a <= low, a)
    return as_array(np.where(a <= low, other, a))


def leaky_relu(a: Array, negative_slope: float) -> Array:
    """a where a > 0, else negative_slope a."""
    if 0 < negative_slope <= 1 and a.dtype.kind == "f":
        result = np.multiply(a, np.asarray(negative_slope, a.dtype), out=...)
        return np.maximum(result, a, out=result)
    return where_positive(a, a, negative_slope)


def leaky_relu_backward(
    grad: Array, a: Array, negative_slope: float, is_result: bool
) -> Array:  # fmt: skip
    """grad where a > 0, else negative_slope grad; a may be the result.

    Raises:
        RuntimeError: the result does not determine it (PyTorch's text).
    """
    if is_result and negative_slope < 0:
        raise RuntimeError(f"{UNTOLD.format('leakyReLu')} {ASK_FOR_IT}")
    return where_positive(a, as_array(grad), negative_slope)


@in_blocks(2)
def where_positive(a: Array, values: Array, slope: float, out: Any = ...) -> Array:
    """values where a > 0, else slope values."""
    factor = where_numbers(np.greater(a, zero(a.dtype)), 1, slope, values.dtype)
    return np.multiply(values, factor, out=out)


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


@in_blocks(2)
def hardtanh_backward(
    grad: Array, a: Array, min_val: float, max_val: float, out: Any = None
) -> Array:
    """grad strictly between the bounds, else 0."""
    outside = np.less_equal(a, min_val)
    return zero_where(np.logical_or(outside, a >= max_val), as_array(grad), out)


def prelu(a: Array, weight: Array) -> Array:
    """a where a > 0, else weight a."""
    return where_mask(np.greater(a, zero(a.dtype)), a, np.multiply(a, weight, out=...))


def prelu_backward(grad: Array, a: Array, weight: Array) -> tuple[Array, Array]:
    """The gradients by a and by the weight, which is spread over a's shape."""
    nothing = zero(a.dtype)
    positive = np.greater(a, nothing)
    by_weight = np.multiply(grad, a, out=...)
    np.copyto(by_weight, nothing, where=positive)
    return where_mask(positive, grad, np.multiply(grad, weight, out=...)), by_weight


@in_blocks(1)
def hardswish(a: Array, out: Any = ...) -> Array:
    """a min(max(a + 3, 0), 6) / 6."""
    return np.multiply(a, hardsigmoid(a), out=out)


@in_blocks(2)
def hardswish_backward(grad: Array, a: Array, out: Any = ...) -> Array:
    """0 below -3, grad from 3 on, grad (a / 3 + 1 / 2) between."""
    slope = np.add(a / 3, np.asarray(0.5, a.dtype), out=...)
    slope = zero_where(a <= -3, where_mask(a < 3, slope, np.ones_like(slope)))
    return np.multiply(grad, slope, out=out)


@in_blocks(1)
def hardsigmoid(a: Array, out: Any = ...) -> Array:
    """min(max(a + 3, 0), 6) / 6."""
    result = between(np.add(a, np.asarray(3, a.dtype), out=...), 0, 6)
    return np.divide(result, np.asarray(6, a.dtype), out=out)


@in_blocks(2)
def hardsigmoid_backward(grad: Array, a: Array, out: Any = ...) -> Array:
    """grad / 6 strictly between -3 and 3, else 0."""
    slope = np.multiply((a > -3) & (a < 3), np.asarray(1 / 6, a.dtype), out=...)
    return np.multiply(grad, slope, out=out)


# Exponential pieces ------------------------------------------------------------------------------
@in_blocks(1)
def elu(a: Array, alpha: float, scale: float, input_scale: float, out: Any = ...) -> Array:
    """scale a where a > 0, else scale alpha (exp(input_scale a) - 1)."""
    # exp(x) - 1 = 2 t / (1 - t) with t = tanh(x / 2): as precise as numpy's expm1, which takes four
    # times as long; 0 for the items above 0, so that these are added and no mask is needed
    low = minimum(a, 0)
    low *= np.asarray(input_scale / 2, a.dtype)
    np.tanh(low, out=low)
    rest = np.subtract(ONE, low, out=...)
    low *= np.asarray(2 * alpha * scale, a.dtype)
    low /= rest
    high = maximum(a, 0)
    if scale != 1:
        high *= np.asarray(scale, a.dtype)
    return np.add(high, low, out=out)


@in_blocks(2)
def elu_backward(
    grad: Array, a: Array, alpha: float, scale: float, input_scale: float, is_result: bool,
    out: Any = ...,
) -> Array:  # fmt: skip
    """grad times the slope of elu at a, or where its result is a.

    Raises:
        RuntimeError: the result does not determine it (PyTorch's text).
    """
    if is_result and alpha < 0:
        raise RuntimeError(UNTOLD.format("elu"))
    a = as_array(a)
    low = np.fmin(a, a.dtype.type(0), out=...)  # nan has the slope of what is above 0
    if is_result:
        low += np.asarray(alpha * scale, a.dtype)
        low *= np.asarray(input_scale, a.dtype)
    else:
        low *= np.asarray(input_scale, a.dtype)
        np.exp(low, out=low)
        low *= np.asarray(input_scale * alpha * scale, a.dtype)
    if input_scale * alpha != 1:  # else it is what comes out for 0
        low = where_mask(a <= 0, low, np.full_like(low, scale))
    return np.multiply(grad, low, out=out)


def gelu(a: Array, approximate: str) -> tuple[Array, Array | None]:
    """a Φ(a), and Φ(a); or with Φ approximated by a tanh.

    Raises:
        RuntimeError: another approximation.
    """
    if approximate == "tanh":
        return gelu_tanh(a), None
    if approximate != "none":
        raise RuntimeError("approximate argument must be either none or tanh.")
    share = normal_cdf(a)
    return np.multiply(a, share, out=...), share


@in_blocks(1)
def gelu_tanh(a: Array, out: Any = ...) -> Array:
    """a (1 + tanh(√(2/π) (a + 0.044715 a³))) / 2."""
    level = gelu_inner_tanh(a)
    level += ONE
    level *= np.asarray(0.5, a.dtype)
    return np.multiply(a, level, out=out)


@in_blocks(1)
def normal_cdf(a: Array, out: Any = ...) -> Array:
    """Φ(a), the normal distribution function."""
    if a.dtype == np.float32:
        return np.divide(ONE, inverse_normal_cdf(a, np.multiply(a, a, out=...)), out=out)
    size = np.absolute(a, out=...)
    share = as_array(erfcx_positive(size * ROOT_HALF))
    size *= size
    size *= -0.5
    share *= np.exp(size, size)
    share *= 0.5  # Φ(-|a|)
    return np.absolute(np.subtract(a > 0, share, out=share), out=out)


MINUS_LOGIT = tuple(np.asarray(-each, np.float32) for each in reversed(table.LOGIT_NORMAL))


def inverse_normal_cdf(a: Array, square: Array) -> Array:
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


def gelu_inner_tanh(a: Array) -> Array:
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
    return gelu_backward_from_cdf(grad, a, normal_cdf(a) if share is None else share)


@in_blocks(2)
def gelu_tanh_backward(grad: Array, a: Array, out: Any = ...) -> Array:
    """grad (1 + t) (1 + a (1 - t) i') / 2 with t = tanh(i), the level, and i' the slope of what is
    in it."""
    level = gelu_inner_tanh(a)
    slope = np.multiply(a, a, out=...)
    slope *= np.asarray(0.134145 * (2 / np.pi) ** 0.5, a.dtype)
    slope += np.asarray((2 / np.pi) ** 0.5, a.dtype)
    slope *= a
    slope *= np.subtract(ONE, level, out=...)
    slope += ONE
    level += ONE
    slope *= level
    slope *= np.asarray(0.5, a.dtype)
    return np.multiply(grad, slope, out=out)


@in_blocks(3)
def gelu_backward_from_cdf(grad: Array, a: Array, share: Array, out: Any = ...) -> Array:
    """grad (Φ(a) + a φ(a)), given Φ(a)."""
    density = np.multiply(a, a, out=...)
    density *= np.asarray(-0.5, a.dtype)
    np.exp(density, out=density)
    density *= np.asarray((2 * np.pi) ** -0.5, a.dtype)
    density *= a
    density += share
    return np.multiply(grad, density, out=out)


@in_blocks(1)
def silu(a: Array, out: Any = ...) -> Array:
    """a sigmoid(a)."""
    return np.multiply(a, sigmoid(a), out=out)


@in_blocks(2)
def silu_backward(grad: Array, a: Array, out: Any = ...) -> Array:
    """grad σ (1 + a (1 - σ)) with σ = sigmoid(a)."""
    gate = sigmoid(a)
    slope = np.subtract(ONE, gate, out=...)
    slope *= a
    slope += ONE
    slope *= gate
    return np.multiply(grad, slope, out=out)


@in_blocks(1)
def mish(a: Array, out: Any = ...) -> Array:
    """a tanh(softplus(a))."""
    level, rest = mish_tanh_fraction(a)
    level /= rest
    return np.multiply(a, level, out=out)


def mish_tanh_fraction(a: Array) -> tuple[Array, Array]:
    """Numerator and denominator of tanh(log(1 + e)) = e (e + 2) / (e (e + 2) + 2), e = exp(a);
    beyond 20 it is 1 anyway."""
    level = minimum(a, 20)
    np.exp(level, out=level)
    level *= np.add(level, _TWO, out=...)
    return level, np.add(level, _TWO, out=..., dtype=a.dtype)


@in_blocks(2)
def mish_backward(grad: Array, a: Array, out: Any = ...) -> Array:
    """grad (t + a σ (1 - t²)) with t = tanh(softplus(a)), σ = sigmoid(a)."""
    level, rest = mish_tanh_fraction(a)
    level /= rest
    bend = np.divide(_TWO, rest, out=rest)  # 1 - t, nothing beyond 20
    bend *= np.less(a, 20)
    bend *= np.add(level, ONE, out=...)
    bend *= sigmoid(a)
    bend *= a
    bend += level
    return np.multiply(grad, bend, out=out)


_TWO = np.full((), 2, np.float32)


@in_blocks(1)
def softplus(a: Array, beta: float, threshold: float, out: Any = ...) -> Array:
    """log(1 + exp(beta a)) / beta, a itself where beta a > threshold."""
    scaled = np.multiply(a, np.asarray(beta, a.dtype), out=...)
    straight = np.greater(scaled, threshold)
    result = log1p(np.exp(minimum(scaled, threshold), out=...), out)
    if beta != 1:
        result /= np.asarray(beta, a.dtype)
    if np.logical_or.reduce(straight, None):
        np.copyto(result, a, where=straight)
    return result


@in_blocks(2)
def softplus_backward(
    grad: Array, a: Array, beta: float, threshold: float, out: Any = ...
) -> Array:
    """grad sigmoid(beta a), grad itself where beta a > threshold."""
    scaled = np.multiply(a, np.asarray(beta, a.dtype), out=...)
    slope = sigmoid(scaled)
    straight = np.greater(scaled, threshold)
    if np.logical_or.reduce(straight, None):
        slope = where_mask(straight, np.ones_like(slope), slope)
    return np.multiply(grad, slope, out=out)


def log_sigmoid(a: Array) -> tuple[Array, Array]:
    """log(sigmoid(a)) = min(a, 0) - log(1 + exp(-|a|)), and that exponential."""
    buffer = np.absolute(a, out=..., order="C")
    np.exp(np.negative(buffer, out=buffer), out=buffer)
    result = minimum(np.ascontiguousarray(a).reshape(a.shape), 0)
    return np.subtract(result, log1p(buffer), out=result), buffer


def log_sigmoid_backward(grad: Array, a: Array, buffer: Array) -> Array:
    """grad sigmoid(-a), from exp(-|a|), in memory as grad."""
    grad = as_array(grad)
    return _log_sigmoid_backward_block(grad, a, buffer, out=empty_like(grad, grad.dtype))


@in_blocks(3)
def _log_sigmoid_backward_block(grad: Array, a: Array, buffer: Array, out: Any) -> Array:
    rest = np.add(buffer, ONE, out=..., dtype=buffer.dtype)
    slope = where_mask(np.less(a, zero(a.dtype)), np.ones_like(buffer), buffer)
    return np.multiply(grad, np.divide(slope, rest, out=rest), out=out)


def glu(a: Array, dim: int) -> Array:
    """The first half along a dim times the sigmoid of the second."""
    first, second = np.split(a, 2, dim)
    return np.multiply(first, sigmoid(second), out=...)


def glu_backward(grad: Array, a: Array, dim: int) -> Array:
    """grad times the slopes of glu: σ(b) by the first half a, a σ(b) (1 - σ(b)) by the second."""
    first, second = np.split(a, 2, dim)
    result = np.empty(a.shape, a.dtype)
    low, high = np.split(result, 2, dim)
    gate = sigmoid(second)
    np.multiply(grad, gate, out=low)
    np.multiply(low, first, out=high)
    high *= np.subtract(ONE, gate, out=gate)
    return result
