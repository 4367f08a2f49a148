"""Backward within backward, thousands deep, as in PyTorch: it goes on in other threads, where the
modes are those of the thread that waits."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import torch

import graphwidget

DEPTH = 2000


def function_within(engine: Any, tell: Any) -> Any:
    """A custom Function whose backward runs another one's, and so on, until a number is 0."""

    class Within(engine.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any, number: int) -> Any:
            ctx.number = number
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            tell(ctx.number)
            (x,) = ctx.saved_tensors
            if ctx.number:
                with engine.enable_grad():
                    inner = x.detach().requires_grad_()
                    Within.apply(inner, ctx.number - 1).sum().backward()
                grad = grad + inner.grad
            return grad, None

    return Within.apply


@pytest.mark.parametrize("engine", [graphwidget, torch])
def test_functions(engine: Any) -> None:
    x = engine.ones(2, requires_grad=True)
    threads = set()
    apply = function_within(engine, lambda number: threads.add(threading.get_ident()))
    apply(x, DEPTH).sum().backward()
    assert x.grad.tolist() == [DEPTH + 1.0] * 2
    assert len(threads) > 1


def test_in_which_thread() -> None:
    """PyTorch's rule: the first run and sixty within it have one thread."""
    found = []
    for engine in (graphwidget, torch):
        threads: dict[int, bool] = {}
        own = threading.get_ident()
        apply = function_within(
            engine,
            lambda number, own=own, to=threads: to.update({number: threading.get_ident() == own}),
        )
        apply(engine.ones(1, requires_grad=True), 100).sum().backward()
        found.append(threads)
    assert found[0] == found[1]


def reported_within(engine: Any, depth: int) -> list[Any]:
    """Return what hooks find at some depths of runs within hooks: modes, hooks and gradients."""
    reported: list[Any] = []
    count = 0

    def hook(grad: Any) -> Any:
        nonlocal count
        count += 1
        here = count
        reported.append((engine.is_grad_enabled(), engine.is_inference_mode_enabled()))
        if here < depth:
            inner = engine.ones(1, requires_grad=True)
            with engine.inference_mode(False), engine.enable_grad():
                out = inner * here
                out.register_hook(hook)
                loss = out.sum()
            modes = engine.inference_mode(here % 3 == 0)
            with engine.set_grad_enabled(here % 2 == 0), modes:
                loss.backward(create_graph=here % 5 == 0 and here % 3 != 0)
            reported.append((engine.is_grad_enabled(), here, inner.grad.tolist()))
        return grad / 2

    def pack(x: Any) -> Any:
        reported.append(("packed", x.tolist()))
        return x

    x = engine.ones(1, requires_grad=True)
    with engine.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        out = x * 3
        out.register_hook(hook)
        out.sum().backward()
    return [*reported, x.grad.tolist(), engine.is_grad_enabled()]


@pytest.mark.filterwarnings("ignore:Using backward")
def test_modes_and_hooks_are_those_of_the_thread_that_waits() -> None:
    depth = 150
    assert reported_within(graphwidget, depth) == reported_within(torch, depth)


def test_an_error_comes_through() -> None:
    def fail(number: int) -> None:
        if number == 0:
            raise ValueError("deep")

    for engine in (graphwidget, torch):
        x = engine.ones(1, requires_grad=True)
        with pytest.raises(ValueError, match="deep"):
            function_within(engine, fail)(x, 200).sum().backward()
        assert x.grad is None
        (x * 2).sum().backward()
        assert x.grad.tolist() == [2.0]


def test_no_thread_is_left_that_records_nothing() -> None:
    apply = function_within(graphwidget, lambda number: None)
    apply(graphwidget.ones(1, requires_grad=True), 200).sum().backward()
    assert graphwidget.graph.runtime.grad_everywhere
