"""Large arrays, of which some kernels compute one part after the other: values and derivatives are
PyTorch's, however operands and gradients lie in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import graphwidget
from tests.extent import FULL

SHAPE = (700, 300)  # more than any part, and no multiple of one

POINTWISE = [
    "sigmoid", "tanh", "relu", "silu", "mish", "softplus", "elu", "selu", "leaky_relu",
    "hardswish", "hardtanh", "logsigmoid", "softsign", "relu6", "gelu",
]  # fmt: skip

FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    **{
        name: lambda torch, x, name=name: getattr(torch.nn.functional, name)(x)
        for name in POINTWISE
    },
    "gelu by tanh": lambda torch, x: torch.nn.functional.gelu(x, approximate="tanh"),
    "erf": lambda torch, x: torch.erf(x),
    "erfc": lambda torch, x: torch.erfc(x),
    "logaddexp": lambda torch, x: torch.logaddexp(x, x * x),
    "logaddexp2": lambda torch, x: torch.logaddexp2(x * 5, x),
    "softmax": lambda torch, x: torch.softmax(x, 1),
    "softmax by columns": lambda torch, x: torch.softmax(x, 0),
    "log_softmax": lambda torch, x: torch.log_softmax(x, 1),
    "layer_norm": lambda torch, x: torch.nn.functional.layer_norm(x, (300,), x[0], x[1]),
    "glu": lambda torch, x: torch.nn.functional.glu(x, 1),
    "clamp": lambda torch, x: x.clamp(-0.5, 0.75),
    "where": lambda torch, x: torch.where(x > 0, x * 2, x * x),
    "max": lambda torch, x: x.max(1).values,
    "mean": lambda torch, x: x.mean(0),
    "square": lambda torch, x: x**2,
    "cdist": lambda torch, x: torch.cdist(x, x[:60] + 1),
}

LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.t().contiguous().t(),
    "sliced": lambda x: x.repeat(1, 2)[:, ::2],
}


def reported(torch: Any, name: str, layout: str, seed: str, kind: str) -> list[Any]:
    """The result and the first and second derivatives, as arrays."""
    numbers = np.random.default_rng(0).normal(size=SHAPE).astype(kind)
    x = LAYOUTS[layout](torch.tensor(numbers)).detach().requires_grad_()
    y = FUNCTIONS[name](torch, x)
    weights = torch.tensor(np.random.default_rng(1).normal(size=tuple(y.shape)).astype(kind))
    grad = {"equal": torch.ones_like(weights[:1]).expand(y.shape), "own": weights}[seed]
    (first,) = torch.autograd.grad(y, x, grad, retain_graph=True)
    (same,) = torch.autograd.grad(y, x, grad, create_graph=True)
    found = [y, first, same]
    if kind == "float64" and same.requires_grad:
        found += torch.autograd.grad((same * same).sum(), x)
    return [np.asarray(each.detach()) for each in found]


ANYHOW = ("square",)
"""Whose derivative numpy writes into what it multiplies with."""


CASES = [(name, kind) for name in FUNCTIONS for kind in ("float64", "float32")]
CASES += [(name, "float16") for name in POINTWISE]  # sums of halves round otherwise


PAIRS = [("contiguous", "own"), ("transposed", "equal"), ("sliced", "own")]
if FULL:
    PAIRS = [(layout, seed) for layout in LAYOUTS for seed in ("own", "equal")]


@pytest.mark.parametrize(("layout", "seed"), PAIRS)
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_large(name: str, layout: str, seed: str, kind: str) -> None:
    ours, theirs = (reported(each, name, layout, seed, kind) for each in (graphwidget, torch))
    close = {"float64": 1e-10, "float32": 1e-5, "float16": 3e-3}[kind]
    for mine, expected in zip(ours[:3], theirs, strict=False):
        assert mine.strides == expected.strides or name in ANYHOW
    # Sums over rows have the rounding of their largest terms.
    top = max(np.abs(each).max() for each in theirs)
    for mine, expected in zip(ours, theirs, strict=True):
        assert mine.dtype == expected.dtype
        np.testing.assert_allclose(mine, expected, close, close * top)
