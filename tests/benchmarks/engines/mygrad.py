"""MyGrad: tensors over numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mygrad
import numpy as np

from tests.benchmarks import data

Step = Callable[[], Sequence[Any]]

array = np.asarray


def chain(body: Callable[[Any, Any], Any], turns: int) -> Step:
    x = mygrad.tensor(data.small())
    seed = np.ones((2, 2), np.float32)

    def step() -> Sequence[Any]:
        x.null_grad()
        y = x
        for _ in range(turns):
            y = body(y, x)
        y.backward(seed)
        return y.data, x.grad

    return step


def mlp() -> Step:
    parameters = [mygrad.tensor(each.copy()) for pair in data.layers() for each in pair]
    inputs, targets = data.batch()

    def step() -> Sequence[Any]:
        hidden = inputs
        for weight, bias in zip(parameters[0::2], parameters[1::2], strict=True):
            before = mygrad.matmul(hidden, weight.T) + bias
            hidden = mygrad.maximum(before, np.float32(0))
        loss = mygrad.mean((before - targets) ** 2)
        loss.backward()
        grads = [each.grad for each in parameters]
        for each in parameters:
            each.data -= np.float32(data.RATE) * each.grad
        return loss.data, *grads

    return step


def elementwise() -> Step:
    half, tenth, one, zero = (np.float32(number) for number in (0.5, 0.1, 1, 0))
    x = mygrad.tensor(data.large())

    def step() -> Sequence[Any]:
        y = x
        for _ in range(3):
            y = (mygrad.tanh(y * x) + x) * half
            y = mygrad.maximum(y - tenth, zero) + one / (one + mygrad.exp(-y))
        loss = mygrad.mean(y)
        loss.backward()
        return loss.data, x.grad

    return step


def matmul() -> Step:
    a, b = (mygrad.tensor(each) for each in data.matrices())

    def step() -> Sequence[Any]:
        loss = mygrad.sum(mygrad.matmul(a, b))
        loss.backward()
        return loss.data, a.grad, b.grad

    return step


ROWS: dict[str, Callable[[], Step]] = {
    "chain add": lambda: chain(lambda y, x: y + x, data.CHAIN),
    "chain mul": lambda: chain(lambda y, x: y * x, data.CHAIN),
    "chain mix": lambda: chain(
        lambda y, x: mygrad.exp(mygrad.tanh((y + x) * x)) - x, data.CHAIN // 5
    ),
    "MLP, SGD": mlp,
    "1e6 elementwise": elementwise,
    "1024 matmul": matmul,
}
