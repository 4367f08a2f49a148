"""micrograd: scalars only, so it runs the one row that is its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from micrograd.engine import Value

from tests.benchmarks import data

Step = Callable[[], Sequence[Any]]


def array(value: Any) -> np.ndarray:
    """A number as the other engines' 0-d array."""
    return np.asarray(value, np.float64)


def scalars() -> Step:
    layers = [
        [
            ([Value(float(w)) for w in weights], Value(float(b)))
            for weights, b in zip(weight, bias, strict=True)
        ]
        for weight, bias in data.layers(data.SCALAR_LAYERS)
    ]
    leaves = [leaf for layer in layers for weights, bias in layer for leaf in (*weights, bias)]
    inputs = [Value(number) for number in (2.0, 3.0, -1.0)]

    def step() -> Sequence[Any]:
        for each in leaves:
            each.grad = 0
        values = inputs
        for layer in layers:
            values = [
                tanh(sum((w * v for w, v in zip(weights, values, strict=True)), bias))
                for weights, bias in layer
            ]
        (out,) = values
        out.backward()
        return out.data, *(leaf.grad for leaf in leaves[:5])

    return step


def tanh(value: Value) -> Value:
    """micrograd's package has relu only; this is its author's tanh."""
    out = Value(np.tanh(value.data).item(), (value,), "tanh")

    def backward() -> None:
        value.grad += (1 - out.data**2) * out.grad

    out._backward = backward
    return out


ROWS: dict[str, Callable[[], Step]] = {"scalar MLP": scalars}
