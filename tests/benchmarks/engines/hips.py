"""HIPS autograd: tapes over numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import autograd
import autograd.numpy as anp
import numpy as np

from tests.benchmarks import data

from .numpy_layers import Adam

Step = Callable[[], Sequence[Any]]

array = np.asarray


def chain(body: Callable[[Any, Any], Any], turns: int) -> Step:
    x = data.small()

    def total(x: Any) -> Any:
        y = x
        for _ in range(turns):
            y = body(y, x)
        return y

    slopes = autograd.make_vjp(total)

    def step() -> Sequence[Any]:
        backward, y = slopes(x)
        return y, backward(np.ones((2, 2), np.float32))

    return step


def mlp_loss(parameters: Any, inputs: Any, targets: Any) -> Any:
    hidden = inputs
    for weight, bias in parameters[:-1]:
        hidden = anp.maximum(anp.dot(hidden, weight.T) + bias, np.float32(0))
    weight, bias = parameters[-1]
    return anp.mean((anp.dot(hidden, weight.T) + bias - targets) ** 2)


def mlp(adam: bool) -> Step:
    parameters = [(w.copy(), b.copy()) for w, b in data.layers()]
    slope = autograd.value_and_grad(mlp_loss)
    inputs, targets = data.batch()
    flat = [each for pair in parameters for each in pair]
    update = Adam(flat, data.RATE) if adam else None

    def step() -> Sequence[Any]:
        loss, pairs = slope(parameters, inputs, targets)
        grads = [each for pair in pairs for each in pair]
        if update is None:
            for parameter, grad in zip(flat, grads, strict=True):
                parameter -= np.float32(data.RATE) * grad
        else:
            update(grads)
        return loss, *grads

    return step


def elementwise() -> Step:
    half, tenth, one, zero = (np.float32(number) for number in (0.5, 0.1, 1, 0))
    x = data.large()

    def total(x: Any) -> Any:
        y = x
        for _ in range(3):
            y = (anp.tanh(y * x) + x) * half
            y = anp.maximum(y - tenth, zero) + one / (one + anp.exp(-y))
        return anp.mean(y)

    slope = autograd.value_and_grad(total)
    return lambda: slope(x)


def matmul() -> Step:
    a, b = data.matrices()
    slope = autograd.value_and_grad(lambda pair: anp.sum(anp.dot(*pair)))

    def step() -> Sequence[Any]:
        loss, grads = slope((a, b))
        return loss, *grads

    return step


def hessian() -> Step:
    matrix, point = data.hessian()
    second = autograd.hessian(lambda x: anp.sum(anp.exp(anp.tanh(anp.dot(matrix, x)))))
    return lambda: (second(point),)


ROWS: dict[str, Callable[[], Step]] = {
    "chain add": lambda: chain(lambda y, x: y + x, data.CHAIN),
    "chain mul": lambda: chain(lambda y, x: y * x, data.CHAIN),
    "chain mix": lambda: chain(lambda y, x: anp.exp(anp.tanh((y + x) * x)) - x, data.CHAIN // 5),
    "deep chain": lambda: chain(lambda y, x: y * x, data.DEEP),
    "MLP, SGD": lambda: mlp(False),
    "MLP, Adam": lambda: mlp(True),
    "1e6 elementwise": elementwise,
    "1024 matmul": matmul,
    "Hessian of 64-d": hessian,
}
