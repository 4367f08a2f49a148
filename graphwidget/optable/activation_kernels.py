"""Kernels of activation functions and softmax."""

from __future__ import annotations

import numpy as np

from .kernels import Array, sigmoid


def leaky_relu(a: Array, negative_slope: float) -> Array:
    """a where a > 0, else negative_slope a."""
    return np.multiply(a, np.where(a > 0, 1, negative_slope).astype(a.dtype), out=...)


def leaky_relu_backward(grad: Array, a: Array, negative_slope: float) -> Array:
    """grad where a > 0, else negative_slope grad."""
    return np.multiply(grad, np.where(a > 0, 1, negative_slope).astype(a.dtype), out=...)


def hardtanh(a: Array, min_val: float, max_val: float) -> Array:
    """a between min_val and max_val."""
    return np.asarray(np.clip(a, np.asarray(min_val, a.dtype), np.asarray(max_val, a.dtype)))


def hardtanh_backward(grad: Array, a: Array, min_val: float, max_val: float) -> Array:
    """grad strictly between the bounds, else 0."""
    return np.multiply(grad, ((a > min_val) & (a < max_val)).astype(a.dtype), out=...)


def silu(a: Array) -> Array:
    """a sigmoid(a)."""
    return np.multiply(a, sigmoid(a), out=...)


def softplus(a: Array, beta: float, threshold: float) -> Array:
    """log(1 + exp(beta a)) / beta, a itself where beta a > threshold."""
    scaled = a * np.asarray(beta, a.dtype)
    smooth = np.log1p(np.exp(np.minimum(scaled, threshold))) / np.asarray(beta, a.dtype)
    return np.where(scaled > threshold, a, smooth).astype(a.dtype, copy=False)


def softplus_backward(grad: Array, a: Array, beta: float, threshold: float) -> Array:
    """grad sigmoid(beta a), grad itself where beta a > threshold."""
    scaled = np.asarray(a * np.asarray(beta, a.dtype))
    slope = np.where(scaled > threshold, 1, sigmoid(scaled)).astype(a.dtype, copy=False)
    return np.multiply(grad, slope, out=...)


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
