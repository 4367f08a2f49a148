"""Kernels of activation functions and softmax."""

from __future__ import annotations

import numpy as np

from . import special_coefficients as table
from .kernels import ONE, sigmoid
from .layout import Array, as_array
from .refusals import WORDS
from .special_kernels import ROOT_HALF, erf, in_blocks


# Straight pieces ---------------------------------------------------------------------------------
def threshold(a: Array, threshold: float, value: float) -> Array:
    """a where it is above the threshold (or nan), else the value."""
    low, other = np.asarray(threshold, a.dtype), np.asarray(value).astype(a.dtype)
    return as_array(np.where(a <= low, other, a))


def leaky_relu(a: Array, negative_slope: float) -> Array:
    """a where a > 0, else negative_slope a."""
    return bent(a, a, negative_slope)


def leaky_relu_backward(grad: Array, a: Array, negative_slope: float) -> Array:
    """grad where a > 0, else negative_slope grad."""
    return bent(grad, a, negative_slope)


def bent(values: Array, a: Array, slope: float) -> Array:
    """values where a > 0, else slope values."""
    result = np.multiply(values, np.asarray(slope, a.dtype), out=...)
    np.copyto(result, values, where=a > 0)
    return result


def hardtanh(a: Array, min_val: float, max_val: float) -> Array:
    """a between min_val and max_val.

    Raises:
        RuntimeError: bools.
    """
    if a.dtype.kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    low, high = np.asarray(min_val).astype(a.dtype), np.asarray(max_val).astype(a.dtype)
    result = np.maximum(a, low, out=...)
    return np.minimum(result, high, out=result)


def hardtanh_backward(grad: Array, a: Array, min_val: float, max_val: float) -> Array:
    """grad strictly between the bounds, else 0."""
    return np.multiply(grad, (a > min_val) & (a < max_val), out=...)


def prelu(a: Array, weight: Array) -> Array:
    """a where a > 0, else weight a."""
    result = np.multiply(a, weight, out=...)
    np.copyto(result, a, where=a > 0)
    return result


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
    bound = np.asarray(lambd, a.dtype)
    result = np.subtract(a, np.minimum(np.maximum(a, -bound), bound), out=...)
    return np.copysign(result, a, out=result)


def hardshrink(a: Array, lambd: float) -> Array:
    """a outside [-lambd, lambd], 0 inside."""
    bound = np.asarray(lambd, a.dtype)
    return as_array(np.where((a >= -bound) & (a <= bound), np.asarray(0, a.dtype), a))


def shrink_backward(grad: Array, a: Array, lambd: float) -> Array:
    """grad outside [-lambd, lambd], 0 inside."""
    bound = np.asarray(lambd, a.dtype)
    return as_array(np.where((a >= -bound) & (a <= bound), np.asarray(0, a.dtype), grad))


def hardswish(a: Array) -> Array:
    """a min(max(a + 3, 0), 6) / 6."""
    return np.multiply(a, hardsigmoid(a), out=...)


def hardswish_backward(grad: Array, a: Array) -> Array:
    """0 below -3, grad from 3 on, grad (a / 3 + 1 / 2) between."""
    slope = np.add(a / 3, np.asarray(0.5, a.dtype), out=...)
    np.copyto(slope, 0, where=a <= -3)
    np.copyto(slope, 1, where=a >= 3)
    return np.multiply(grad, slope, out=slope) if grad.shape == slope.shape else grad * slope


def hardsigmoid(a: Array) -> Array:
    """min(max(a + 3, 0), 6) / 6."""
    result = np.add(a, np.asarray(3, a.dtype), out=...)
    np.maximum(result, np.asarray(0, a.dtype), out=result)
    np.minimum(result, np.asarray(6, a.dtype), out=result)
    return np.divide(result, np.asarray(6, a.dtype), out=result)


def hardsigmoid_backward(grad: Array, a: Array) -> Array:
    """grad / 6 strictly between -3 and 3, else 0."""
    slope = np.multiply((a > -3) & (a < 3), np.asarray(1 / 6, a.dtype), out=...)
    return np.multiply(grad, slope, out=...)


# Exponential pieces ------------------------------------------------------------------------------
@in_blocks(1)
def elu(a: Array, alpha: float, scale: float, input_scale: float) -> Array:
    """scale a where a > 0, else scale alpha (exp(input_scale a) - 1)."""
    result = np.minimum(a, np.asarray(0, a.dtype), out=...)
    if input_scale != 1:
        result *= np.asarray(input_scale, a.dtype)
    np.expm1(result, out=result)
    result *= np.asarray(alpha * scale, a.dtype)
    np.copyto(result, a if scale == 1 else a * np.asarray(scale, a.dtype), where=a > 0)
    return result


def celu(a: Array, alpha: float) -> Array:
    """a where a > 0, else alpha (exp(a / alpha) - 1)."""
    return elu(a, alpha, 1, 1 / alpha)


@in_blocks(2)
def elu_backward(
    grad: Array, a: Array, alpha: float, scale: float, input_scale: float, is_result: bool
) -> Array:
    """grad times the slope of elu at a, or where its result is a."""
    a = as_array(a)
    low = np.minimum(a, np.asarray(0, a.dtype), out=...)
    if is_result:
        low += np.asarray(alpha * scale, a.dtype)
        low *= np.asarray(input_scale, a.dtype)
    else:
        low *= np.asarray(input_scale, a.dtype)
        np.exp(low, out=low)
        low *= np.asarray(input_scale * alpha * scale, a.dtype)
    np.copyto(low, np.asarray(scale, a.dtype), where=a > 0)
    return np.multiply(grad, low, out=...)


# Smooth ------------------------------------------------------------------------------------------
@in_blocks(1)
def gelu(a: Array, approximate: str) -> Array:
    """a Φ(a), or with Φ approximated by a tanh.

    Raises:
        RuntimeError: another approximation.
    """
    if approximate == "tanh":
        level = gelu_level(a)
        level += ONE
    elif approximate == "none" and a.dtype == np.float32:
        share = inverse_normal(a, np.multiply(a, a, out=...))
        return np.divide(a, share, out=share)
    elif approximate == "none":
        level = erf(np.multiply(a, np.asarray(ROOT_HALF, a.dtype)))
        level += ONE
    else:
        raise RuntimeError("approximate argument must be either none or tanh.")
    level *= np.asarray(0.5, a.dtype)
    return np.multiply(a, level, out=...)


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


@in_blocks(2)
def gelu_backward(grad: Array, a: Array, approximate: str) -> Array:
    """grad times gelu's slope, Φ(a) + a φ(a)."""
    a = as_array(a)
    if approximate == "tanh":
        level = gelu_level(a)
        inner = (2 / np.pi) ** 0.5 * (1 + 0.134145 * a * a)
        slope = 0.5 * (1 + level) + 0.5 * a * (1 - level * level) * inner
        return np.multiply(grad, slope.astype(a.dtype, copy=False), out=...)
    density = np.multiply(a, a, out=...)
    if a.dtype == np.float32:
        slope = inverse_normal(a, density)
        np.reciprocal(slope, slope)
    else:
        slope = erf(np.multiply(a, np.asarray(ROOT_HALF, a.dtype)))
        slope += ONE
        slope *= np.asarray(0.5, a.dtype)
    density *= np.asarray(-0.5, a.dtype)
    np.exp(density, out=density)
    density *= np.asarray((2 * np.pi) ** -0.5, a.dtype)
    density *= a
    density += slope
    return np.multiply(grad, density, out=...)


def silu(a: Array) -> Array:
    """a sigmoid(a)."""
    return np.multiply(a, sigmoid(a), out=...)


@in_blocks(1)
def mish(a: Array) -> Array:
    """a tanh(softplus(a))."""
    return np.multiply(a, np.tanh(softplus(a, 1.0, 20.0)), out=...)


@in_blocks(1)
def softplus(a: Array, beta: float, threshold: float) -> Array:
    """log(1 + exp(beta a)) / beta, a itself where beta a > threshold."""
    scaled = np.multiply(a, np.asarray(beta, a.dtype), out=...)
    straight = scaled > threshold
    np.minimum(scaled, np.asarray(threshold, a.dtype), out=scaled)
    np.exp(scaled, out=scaled)
    np.log1p(scaled, out=scaled)
    scaled /= np.asarray(beta, a.dtype)
    np.copyto(scaled, a, where=straight)
    return scaled


@in_blocks(2)
def softplus_backward(grad: Array, a: Array, beta: float, threshold: float) -> Array:
    """grad sigmoid(beta a), grad itself where beta a > threshold."""
    scaled = np.multiply(a, np.asarray(beta, a.dtype), out=...)
    slope = sigmoid(scaled)
    np.copyto(slope, 1, where=scaled > threshold)
    return np.multiply(grad, slope, out=...)


def log_sigmoid(a: Array) -> tuple[Array, Array]:
    """log(sigmoid(a)) = min(a, 0) - log(1 + exp(-|a|)), and that exponential."""
    buffer = np.exp(-np.absolute(a), out=..., order="C")
    result = np.minimum(a, np.asarray(0, a.dtype), out=..., order="C")
    return np.subtract(result, np.log1p(buffer), out=result), buffer


def log_sigmoid_backward(grad: Array, a: Array, buffer: Array) -> Array:
    """grad sigmoid(-a), from exp(-|a|)."""
    slope = np.divide(buffer, buffer + ONE, out=...)
    np.copyto(slope, 1 - slope, where=a < 0)
    return np.multiply(grad, slope, out=...)


def glu(a: Array, dim: int) -> Array:
    """The first half along a dim times the sigmoid of the second."""
    first, second = np.split(a, 2, dim)
    return np.multiply(first, sigmoid(second), out=...)


def softmax(a: Array, dim: int) -> Array:
    """exp(a) / sum exp(a) along a dim, without overflow."""
    if not a.ndim:
        return np.ones_like(a)
    powers = np.exp(np.subtract(a, a.max(dim, keepdims=True, initial=-np.inf), order="C"))
    return powers / powers.sum(dim, keepdims=True)


def softmax_backward(grad: Array, output: Array, dim: int) -> Array:
    """output (grad - sum grad output) along a dim."""
    if not output.ndim:
        return np.zeros_like(output)
    product = grad * output
    return product - output * product.sum(dim, keepdims=True)


def log_softmax(a: Array, dim: int) -> Array:
    """a - log sum exp(a) along a dim, without overflow."""
    if not a.ndim:
        return np.zeros_like(a)
    shifted = np.subtract(a, a.max(dim, keepdims=True, initial=-np.inf), order="C")
    return shifted - np.log(np.exp(shifted).sum(dim, keepdims=True))


def log_softmax_backward(grad: Array, output: Array, dim: int) -> Array:
    """grad - exp(output) sum grad along a dim."""
    if not output.ndim:
        return np.zeros_like(output)
    return grad - np.exp(output) * grad.sum(dim, keepdims=True)
