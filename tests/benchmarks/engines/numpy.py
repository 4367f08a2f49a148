"""numpy, without any engine: each step's forward, backward and update as one writes them by hand.

This is the floor of what an engine on numpy can reach. It is written well, but plainly: arrays are
used again where nobody needs them any more, and nothing is cut into blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.benchmarks import data

from . import numpy_layers as layers
from .numpy_layers import SGD, Adam, Array

Step = Callable[[], Sequence[Any]]
Update = Callable[[Sequence[Array]], None]

array = np.array


# Small ops -----------------------------------------------------------------------------------
def chain_add() -> Step:
    x, seed = data.small(), np.ones((2, 2), np.float32)

    def step() -> Sequence[Any]:
        y = x
        for _ in range(data.CHAIN):
            y = y + x
        slope = seed.copy()
        for _ in range(data.CHAIN):
            slope += seed
        return y, slope

    return step


def chain_mul(turns: int) -> Step:
    x, seed = data.small(), np.ones((2, 2), np.float32)

    def step() -> Sequence[Any]:
        y, factors = x, []
        for _ in range(turns):
            factors.append(y)
            y = y * x
        grad, slope = seed, np.zeros_like(x)
        for factor in reversed(factors):
            slope += grad * factor
            grad = grad * x
        slope += grad
        return y, slope

    return step


def chain_mix() -> Step:
    x, seed, one = data.small(), np.ones((2, 2), np.float32), np.float32(1)

    def step() -> Sequence[Any]:
        y, saved = x, []
        for _ in range(data.CHAIN // 5):
            total = y + x
            level = np.tanh(total * x)
            power = np.exp(level)
            saved.append((total, level, power))
            y = power - x
        grad, slope = seed, np.zeros_like(x)
        for total, level, power in reversed(saved):
            slope -= grad
            inner = grad * power * (one - level * level)
            slope += inner * total
            grad = inner * x
            slope += grad
        slope += grad
        return y, slope

    return step


# Training steps ------------------------------------------------------------------------------
def mlp(optimizer: Callable[[list[Array]], Update]) -> Step:
    parameters = [each.copy() for pair in data.layers() for each in pair]
    weights, biases = parameters[0::2], parameters[1::2]
    inputs, targets = data.batch()
    update = optimizer(parameters)

    def step() -> Sequence[Any]:
        given, x = [], inputs
        for weight, bias in zip(weights, biases, strict=True):
            given.append(x)
            before = layers.linear(x, weight, bias)
            x = np.maximum(before, 0)
        error = before - targets
        loss = np.vdot(error, error) / error.size
        grad = error * np.float32(2 / error.size)
        grads: list[Array] = []
        for x, weight in zip(reversed(given), reversed(weights), strict=True):
            grads = [*layers.linear_slopes(grad, x), *grads]
            if x is not inputs:
                grad = grad @ weight
                grad *= x > 0
        update(grads)
        return loss, *grads

    return step


def cnn() -> Step:
    shapes = {
        "0.weight": (8, 1, 3, 3), "0.bias": (8,), "3.weight": (16, 8, 3, 3), "3.bias": (16,),
        "7.weight": (10, 16 * 7 * 7), "7.bias": (10,),
    }  # fmt: skip
    parameters = [data.parameter(name, *shape).copy() for name, shape in shapes.items()]
    weight1, bias1, weight2, bias2, weight3, bias3 = parameters
    images, classes = data.images()
    update = SGD(parameters, data.RATE, momentum=0.9)

    def step() -> Sequence[Any]:
        columns1 = layers.columns(images)
        x1 = layers.convolve(columns1, weight1, bias1, images)
        np.maximum(x1, 0, out=x1)
        pooled1 = layers.max_pool(x1)
        columns2 = layers.columns(pooled1)
        x2 = layers.convolve(columns2, weight2, bias2, pooled1)
        np.maximum(x2, 0, out=x2)
        pooled2 = layers.max_pool(x2)
        flat = pooled2.reshape(len(images), -1)
        loss, grad = layers.cross_entropy(layers.linear(flat, weight3, bias3), classes)

        slopes3 = layers.linear_slopes(grad, flat)
        grad = layers.max_pool_backward((grad @ weight3).reshape(pooled2.shape), x2, pooled2)
        grad *= x2 > 0
        slopes2 = layers.convolution_slopes(grad, columns2, weight2)
        grad = layers.max_pool_backward(layers.by_image(grad, weight2), x1, pooled1)
        grad *= x1 > 0
        grads = [*layers.convolution_slopes(grad, columns1, weight1), *slopes2, *slopes3]
        update(grads)
        return loss, *grads

    return step


def transformer() -> Step:
    width, heads = 64, 4
    shapes = {
        "norm1.weight": (width,), "norm1.bias": (width,),
        "norm2.weight": (width,), "norm2.bias": (width,),
        "qkv.weight": (3 * width, width), "qkv.bias": (3 * width,),
        "proj.weight": (width, width), "proj.bias": (width,),
        "up.weight": (4 * width, width), "up.bias": (4 * width,),
        "down.weight": (width, 4 * width), "down.bias": (width,),
    }  # fmt: skip
    parameters = [data.parameter(name, *shape).copy() for name, shape in shapes.items()]
    norm1, norm2, qkv, proj, up, down = zip(parameters[0::2], parameters[1::2], strict=True)
    tokens = data.normal("tokens", 8, 32, width)
    x = tokens.reshape(-1, width)
    update = Adam(parameters, data.RATE, decay=0.01)

    def step() -> Sequence[Any]:
        x1, saved1 = layers.layer_norm(x, *norm1)
        parts = layers.linear(x1, *qkv).reshape(8, 32, 3, heads, -1).transpose(2, 0, 3, 1, 4)
        mixed, weights = layers.attention(*parts)
        joined = mixed.transpose(0, 2, 1, 3).reshape(-1, width)
        between = layers.linear(joined, *proj)
        between += x
        x2, saved2 = layers.layer_norm(between, *norm2)
        before = layers.linear(x2, *up)
        active, share = layers.gelu(before)
        out = layers.linear(active, *down)
        out += between
        loss = np.vdot(out, out) / out.size

        grad = out * np.float32(2 / out.size)
        by_down = layers.linear_slopes(grad, active)
        inner = layers.gelu_backward(grad @ down[0], before, share)
        by_up = layers.linear_slopes(inner, x2)
        inner, *by_norm2 = layers.layer_norm_backward(inner @ up[0], norm2[0], *saved2)
        grad += inner
        by_proj = layers.linear_slopes(grad, joined)
        inner = (grad @ proj[0]).reshape(8, 32, heads, -1).transpose(0, 2, 1, 3)
        slopes = np.empty((8, 32, 3, heads, width // heads), np.float32)
        layers.attention_backward(inner, *parts, weights, out=slopes.transpose(2, 0, 3, 1, 4))
        inner = slopes.reshape(-1, 3 * width)
        by_qkv = layers.linear_slopes(inner, x1)
        by_norm1 = layers.layer_norm_slopes(inner @ qkv[0], saved1[0])
        grads = [*by_norm1, *by_norm2, *by_qkv, *by_proj, *by_up, *by_down]
        update(grads)
        return loss, *grads

    return step


# Large arrays --------------------------------------------------------------------------------
def elementwise() -> Step:
    half, tenth, one = (np.float32(number) for number in (0.5, 0.1, 1))
    x = data.large()

    def step() -> Sequence[Any]:
        y, saved = x, []
        for _ in range(3):
            level = y * x
            np.tanh(level, level)
            middle = level + x
            middle *= half
            above = middle - tenth
            np.maximum(above, 0, out=above)
            np.negative(middle, middle)
            share = np.exp(middle, middle)
            share += one
            np.divide(one, share, share)
            saved.append((y, level, above, share))
            y = above + share
        loss = y.mean()

        slope, grad = np.zeros_like(x), np.full_like(x, 1 / x.size)
        for y, level, above, share in reversed(saved):
            inner = one - share
            inner *= share
            inner += above > 0
            inner *= grad
            inner *= half
            slope += inner
            np.multiply(level, level, level)
            np.subtract(one, level, level)
            inner *= level
            np.multiply(inner, x, grad)
            inner *= y
            slope += inner
        slope += grad
        return loss, slope

    return step


def matmul() -> Step:
    a, b = data.matrices()

    def step() -> Sequence[Any]:
        loss = (a @ b).sum()
        # products with a matrix of ones: rows, and columns, that are all the same
        by_a, by_b = np.empty_like(a), np.empty_like(b)
        by_a[...] = b.sum(1)
        by_b[...] = a.sum(0)[:, None]
        return loss, by_a, by_b

    return step


ROWS: dict[str, Callable[[], Step]] = {
    "chain add": chain_add,
    "chain mul": lambda: chain_mul(data.CHAIN),
    "chain mix": chain_mix,
    "deep chain": lambda: chain_mul(data.DEEP),
    "MLP, SGD": lambda: mlp(lambda parameters: SGD(parameters, data.RATE)),
    "MLP, Adam": lambda: mlp(lambda parameters: Adam(parameters, data.RATE)),
    "CNN, SGD": cnn,
    "transformer, AdamW": transformer,
    "1e6 elementwise": elementwise,
    "1024 matmul": matmul,
}
