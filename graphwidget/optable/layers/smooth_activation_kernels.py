"""Kernels of the smooth activation functions: gelu, silu, mish, softplus, log sigmoid, glu."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.blocks import in_blocks
from ...arrays.memory_order import Array, as_array, empty_like
from ..pointwise.common_kernels import ONE, log1p, sigmoid
from ..pointwise.where_clamp_kernels import minimum, where_mask, zero
from ..special import special_coefficients as table
from ..special.special_kernels import ROOT_HALF, erfcx_positive


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
