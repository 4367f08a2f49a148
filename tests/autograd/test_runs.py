"""Runs as objects: held, interleaved, nested, abandoned, failed, many threads, very deep."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import graphwidget
from graphwidget.autograd.backward import make_run
from tests.compare_engines import both, source


def graph() -> tuple[Any, Any, Any]:
    """A leaf and two outputs that share most of their nodes."""
    x = graphwidget.tensor([1.0, 2.0, 3.0], requires_grad=True)
    shared = (x * x).tanh()
    return x, (shared * 3).sum(), (shared.exp() * x).sum()


def gradient(which: int) -> np.ndarray:
    """Return what backward of one output alone gives."""
    x, *outputs = graph()
    outputs[which].backward()
    return x.grad.numpy()


@pytest.mark.parametrize("steps", range(9))
def test_another_backward_between_two_steps(steps: int) -> None:
    x, first, second = graph()
    run = make_run(first, retain_graph=True, live=True)
    advanced = run.steps()
    for _ in range(steps):
        next(advanced, None)
    second.backward(retain_graph=True)
    run.finish()
    assert run.status == "ok"
    np.testing.assert_allclose(x.grad.numpy(), gradient(0) + gradient(1), rtol=1e-6)


def test_two_held_runs_in_turn() -> None:
    x, first, second = graph()
    runs = [make_run(output, retain_graph=True, live=True) for output in (first, second)]
    left = [run.steps() for run in runs]
    while left:
        for steps in list(left):
            if next(steps, None) is None:
                left.remove(steps)
    assert [run.status for run in runs] == ["ok", "ok"]
    np.testing.assert_allclose(x.grad.numpy(), gradient(0) + gradient(1), rtol=1e-6)


@pytest.mark.parametrize("steps", range(5))
def test_an_abandoned_run_leaves_no_trace(steps: int) -> None:
    x, first, second = graph()
    run = make_run(first, retain_graph=True, live=True)
    advanced = run.steps()
    for _ in range(steps):
        next(advanced)
    run.abandon()
    assert run.status == "abandoned"
    assert x.grad is None
    second.backward()
    np.testing.assert_allclose(x.grad.numpy(), gradient(1), rtol=1e-6)


def test_each_step_is_one_node() -> None:
    x, first, _ = graph()
    run = make_run(first, live=True)
    names = [node.name() for node in run.steps()]
    assert names == [
        "SumBackward0", "MulBackward0", "TanhBackward0", "MulBackward0",
        "torch::autograd::AccumulateGrad",
    ]  # fmt: skip
    np.testing.assert_allclose(x.grad.numpy(), gradient(0), rtol=1e-6)


def test_a_failed_run_leaves_no_trace() -> None:
    both(
        source("""
x = torch.tensor([1., 2.], requires_grad=True)
y = x * x
z = y.exp()
y.add_(1)
try:
    (z * y).sum().backward()
except RuntimeError:
    pass
z.sum().backward()
result = x.grad
""")
    )


def test_backward_inside_a_hook() -> None:
    both(
        source("""
x = torch.tensor([1., 2.], requires_grad=True)
shared = x * x
y = (shared * 3).sum()
z = (shared * shared).sum()
def inner(grad):
    z.backward(retain_graph=True)
shared.register_hook(lambda grad: None)
h = y.grad_fn.next_functions[0][0].register_hook(lambda i, o: inner(o))
y.backward(retain_graph=True)
result = x.grad.tolist()
""")
    )


def test_very_deep_graphs() -> None:
    x = graphwidget.tensor([1.0, 2.0], requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y + 1.0
    y.sum().backward()
    node = weakref.ref(y.grad_fn)
    del y
    assert node() is None
    assert x.grad.tolist() == [1.0, 1.0]


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


DROPPED: dict[str, Callable[[Any], Any]] = {
    "saved input": lambda x: (x * x).sum(),
    "saved result": lambda x: x.exp().tanh().sigmoid().sum(),
    "several outputs": lambda x: graphwidget.max(x, 1)[0].sum(),
    "list of inputs": lambda x: graphwidget.cat([x, x * 2]).sum(),
    "view": lambda x: x[0].exp().sum(),
    "in place": lambda x: (x * 2).mul_(3).exp_().sum(),
    "in place on a view": lambda x: written_through_a_view(x),
    "unbind": lambda x: x.unbind(0)[1].sum(),
    "retained": lambda x: retained(x),
    "hooked": lambda x: hooked(x),
}


def written_through_a_view(x: Any) -> Any:
    base = x * 1
    view = base[0]
    view.mul_(2)
    return base.sum() + view.sum()


def retained(x: Any) -> Any:
    y = x * 2
    y.retain_grad()
    return (y * y).sum()


def hooked(x: Any) -> Any:
    y = x * 2
    y.register_hook(lambda grad: grad * 2)
    return (y * y).sum()


@pytest.mark.parametrize("name", DROPPED)
@pytest.mark.parametrize("run", [False, True])
def test_a_dropped_graph_is_freed_without_the_collector(
    name: str, run: bool, no_collector: None
) -> None:
    x = graphwidget.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = DROPPED[name](x)
    if run:
        y.backward(retain_graph=True)
    seen, nodes = [y.grad_fn], []
    while seen:
        node = seen.pop()
        nodes.append(weakref.ref(node))
        seen += [each for each, _ in node.next_functions if each is not None]
    tensor = weakref.ref(y)
    del y, node, seen
    assert tensor() is None
    assert [ref() for ref in nodes] == [None] * len(nodes)
