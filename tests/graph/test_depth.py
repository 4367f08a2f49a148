"""Depth and memory: long chains neither recurse nor leak."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

import graphwidget as torch


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_long_chain_of_writes_and_views() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 1
    for _ in range(2_000):
        y[0].mul_(1.0)
        y.add_(0.0)
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_long_chain_twice_differentiable() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x
    for _ in range(3_000):
        y = y * x
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    assert g.tolist() == [3_001.0] * 2
    del y, g


@pytest.mark.usefixtures("no_collector")
def test_dropped_graphs_are_freed_at_once() -> None:
    x = torch.ones(3, requires_grad=True)
    for build in (
        lambda: (x * x).exp().sum(),
        lambda: x.exp().tanh().sigmoid().max(),
        lambda: (x.view(3, 1) @ x.view(1, 3)).mean(),
        lambda: x[1:].clone().mul_(2).relu_(),
        lambda: written(x * 1),
        lambda: x.max(0).values + x.unbind()[0],
        lambda: torch.cat([x, x])[[0, 1]],
    ):
        y = build()
        watched = [weakref.ref(y), weakref.ref(y.grad_fn)]
        del y
        assert [reference() for reference in watched] == [None, None]
        y = build()
        y.sum().backward()
        watched = [weakref.ref(y), weakref.ref(y.grad_fn)]
        del y
        assert [reference() for reference in watched] == [None, None]


def written(y: torch.Tensor) -> torch.Tensor:
    y[0] = 5.0
    y[1:] *= y[1:].clone()
    return y


@pytest.mark.usefixtures("no_collector")
def test_leaves_are_freed_with_their_graph() -> None:
    x = torch.ones(3, requires_grad=True)
    y = (x * x).sum()
    y.backward()
    leaf = weakref.ref(x)
    del x, y
    assert leaf() is None
