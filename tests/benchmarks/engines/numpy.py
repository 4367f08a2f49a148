"""numpy, without any engine: each step's forward, backward and update as one writes them by hand.

This is the floor of what an engine on numpy can reach. It is written well, but plainly: arrays are
used again where nobody needs them any more, and nothing is cut into blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from tests.benchmarks import data

Array: TypeAlias = Any

Step = Callable[[], Sequence[Any]]
Update = Callable[[Sequence[Array]], None]

array = np.array


# Layers and optimizers -----------------------------------------------------------------------
def linear(x: Array, weight: Array, bias: Array) -> Array:
    """Rows of x times the weight (out, in), plus the bias."""
    out = x @ weight.T
    out += bias
    return out


def linear_slopes(grad: Array, x: Array) -> tuple[Array, Array]:
    """The derivatives by weight and bias; that by x is ``grad @ weight``."""
    return grad.T @ x, grad.sum(0)


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
            before = linear(x, weight, bias)
            x = np.maximum(before, 0)
        error = before - targets
        loss = np.vdot(error, error) / error.size
        grad = error * np.float32(2 / error.size)
        grads: list[Array] = []
        for x, weight in zip(reversed(given), reversed(weights), strict=True):
            grads = [*linear_slopes(grad, x), *grads]
            if x is not inputs:
                grad = grad @ weight
                grad *= x > 0
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
    "1e6 elementwise": elementwise,
    "1024 matmul": matmul,
}
