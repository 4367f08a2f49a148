"""Layers, losses and optimizers by hand: functions of arrays, each with its derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from graphwidget.optable.layers.activation_kernels import normal_cdf
from tests.benchmarks import data

Array: TypeAlias = Any


def linear(x: Array, weight: Array, bias: Array) -> Array:
    """Rows of x times the weight (out, in), plus the bias."""
    out = x @ weight.T
    out += bias
    return out


def linear_slopes(grad: Array, x: Array) -> tuple[Array, Array]:
    """The derivatives by weight and bias; that by x is ``grad @ weight``."""
    return grad.T @ x, grad.sum(0)


# Images --------------------------------------------------------------------------------------
def columns(x: Array) -> Array:
    """The windows of 3 x 3 of images (N, C, H, W) with a border of zeros, as (N, C 9, H W)."""
    n, c, h, w = x.shape
    padded = np.zeros((n, c, h + 2, w + 2), x.dtype)
    padded[:, :, 1:-1, 1:-1] = x
    windows = sliding_window_view(padded, (3, 3), (2, 3))
    return windows.transpose(0, 1, 4, 5, 2, 3).reshape(n, c * 9, h * w)


def convolve(windows: Array, weight: Array, bias: Array, x: Array) -> Array:
    """The convolution of images x, given their columns."""
    out = weight.reshape(len(weight), -1) @ windows
    out += bias[:, None]
    return out.reshape(len(x), -1, *x.shape[2:])


def convolution_slopes(grad: Array, windows: Array, weight: Array) -> tuple[Array, Array]:
    """The derivatives by weight and bias."""
    flat = grad.reshape(*grad.shape[:2], -1)
    by_weight = (flat @ windows.swapaxes(1, 2)).sum(0)
    return by_weight.reshape(weight.shape), flat.sum(2).sum(0)


def by_image(grad: Array, weight: Array) -> Array:
    """The derivative by the images: a convolution with the weight turned round."""
    turned = weight[:, :, ::-1, ::-1].swapaxes(0, 1).reshape(weight.shape[1], -1)
    return (turned @ columns(grad)).reshape(len(grad), -1, *grad.shape[2:])


CORNERS = [(..., slice(i, None, 2), slice(j, None, 2)) for i in (0, 1) for j in (0, 1)]
"""The places of windows of 2 x 2."""


def max_pool(x: Array) -> Array:
    """The largest item of each window."""
    first, *others = (x[corner] for corner in CORNERS)
    best = first.copy()
    for items in others:
        np.maximum(best, items, out=best)
    return best


def max_pool_backward(grad: Array, x: Array, best: Array) -> Array:
    """Gradients where the largest items are (of several that are equal, each gets it)."""
    out = np.empty_like(x)
    for corner in CORNERS:
        np.multiply(grad, x[corner] == best, out[corner])
    return out


def cross_entropy(x: Array, classes: Array) -> tuple[Array, Array]:
    """The mean of minus the logarithm of the classes' shares, and its derivative."""
    rows = np.arange(len(x))
    x -= x.max(1, keepdims=True)
    powers = np.exp(x)
    total = powers.sum(1, keepdims=True)
    loss = (np.log(total[:, 0]) - x[rows, classes]).mean()
    powers /= total
    powers[rows, classes] -= 1
    powers /= len(x)
    return loss, powers


# A transformer's -----------------------------------------------------------------------------
def layer_norm(x: Array, weight: Array, bias: Array) -> tuple[Array, tuple[Array, Array]]:
    """Rows of mean 0 and variance 1, times weight, plus bias; and what backward needs."""
    normal = x - x.mean(1, keepdims=True)
    variance = np.vecdot(normal, normal)[:, None] / np.float32(x.shape[1])
    rate = 1 / np.sqrt(variance + np.float32(1e-5))
    normal *= rate
    out = normal * weight
    out += bias
    return out, (normal, rate)


def layer_norm_slopes(grad: Array, normal: Array) -> tuple[Array, Array]:
    """The derivatives by weight and bias."""
    return (grad * normal).sum(0), grad.sum(0)


def layer_norm_backward(
    grad: Array, weight: Array, normal: Array, rate: Array
) -> tuple[Array, Array, Array]:
    """The derivatives by x, weight and bias; spends ``grad`` and ``normal``."""
    slopes = layer_norm_slopes(grad, normal)
    grad *= weight
    normal *= np.vecdot(grad, normal)[:, None] / np.float32(grad.shape[1])
    normal += grad.mean(1, keepdims=True)
    grad -= normal
    grad *= rate
    return grad, *slopes


def gelu(x: Array) -> tuple[Array, Array]:
    """x Φ(x), and Φ(x). numpy does not have Φ: it is graphwidget's."""
    share = normal_cdf(x)
    return x * share, share


def gelu_backward(grad: Array, x: Array, share: Array) -> Array:
    """grad (Φ(x) + x φ(x)); spends ``grad``."""
    density = x * x
    density *= np.float32(-0.5)
    np.exp(density, density)
    density *= np.float32((2 * np.pi) ** -0.5)
    density *= x
    density += share
    grad *= density
    return grad


def attention(query: Array, key: Array, value: Array) -> tuple[Array, Array]:
    """What each query takes of the values (..., L, E), and the weights (..., L, L)."""
    weights = query @ key.swapaxes(-1, -2)
    weights *= np.float32(query.shape[-1] ** -0.5)
    weights -= weights.max(-1, keepdims=True)
    np.exp(weights, weights)
    weights /= weights.sum(-1, keepdims=True)
    return weights @ value, weights


def attention_backward(
    grad: Array, query: Array, key: Array, value: Array, weights: Array, out: Array
) -> None:
    """The derivatives by query, key and value, written into ``out``."""
    by_query, by_key, by_value = out
    np.matmul(weights.swapaxes(-1, -2), grad, by_value)
    slope = grad @ value.swapaxes(-1, -2)
    slope -= np.vecdot(slope, weights)[..., None]
    slope *= weights
    slope *= np.float32(query.shape[-1] ** -0.5)
    np.matmul(slope, key, by_query)
    np.matmul(slope.swapaxes(-1, -2), query, by_key)


# Optimizers ----------------------------------------------------------------------------------
class SGD:
    """Gradient descent in place, with or without momentum."""

    def __init__(self, parameters: list[Array], rate: float, momentum: float = 0) -> None:
        self.parameters, self.rate, self.momentum = parameters, rate, momentum
        self.between = [np.empty_like(p) for p in parameters]
        self.velocities = [np.zeros_like(p) for p in parameters] if momentum else None

    def __call__(self, grads: Sequence[Array]) -> None:
        if self.velocities is not None:
            for velocity, grad in zip(self.velocities, grads, strict=True):
                velocity *= self.momentum
                velocity += grad
            grads = self.velocities
        for p, grad, s in zip(self.parameters, grads, self.between, strict=True):
            p -= np.multiply(grad, self.rate, s)


class Adam:
    """Adam in place; with a decay, AdamW."""

    def __init__(self, parameters: list[Array], rate: float, decay: float = 0) -> None:
        self.parameters, self.rate, self.decay, self.turn = parameters, rate, decay, 0
        self.means = [np.zeros_like(p) for p in parameters]
        self.squares = [np.zeros_like(p) for p in parameters]
        self.between = [np.empty_like(p) for p in parameters]

    def __call__(self, grads: Sequence[Array]) -> None:
        self.turn += 1
        one, two = data.BETAS
        rate, root = self.rate / (1 - one**self.turn), (1 - two**self.turn) ** 0.5
        state = zip(self.parameters, grads, self.means, self.squares, self.between, strict=True)
        for p, grad, mean, square, s in state:
            if self.decay:
                p *= 1 - self.rate * self.decay
            np.subtract(grad, mean, s)
            s *= 1 - one
            mean += s
            np.multiply(grad, grad, s)
            s *= 1 - two
            square *= two
            square += s
            np.sqrt(square, s)
            s /= root
            s += data.EPS
            np.divide(mean, s, s)
            s *= rate
            p -= s
