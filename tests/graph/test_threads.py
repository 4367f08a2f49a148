"""Threads do not disturb each other, and agree on what they share."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any

import numpy as np
import pytest

import graphwidget as torch
from graphwidget.graph import input_buffers


def in_threads(work: Callable[[int], Any], count: int = 8) -> list[Any]:
    """Return what the work gives for 0, 1, ..., all begun together in threads of their own."""
    together = threading.Barrier(count)

    def begin(number: int) -> Any:
        together.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin, range(count)))


def training(number: int) -> list[np.ndarray]:
    """Some steps of a small model of one's own; views, in-place writes and no_grad among them."""
    draw = np.random.default_rng(number)
    x = torch.tensor(draw.normal(size=(6, 5)))
    weight = torch.tensor(draw.normal(size=(5, 5)), requires_grad=True)
    found = []
    for turn in range(25):
        hidden = torch.tanh(x @ weight).clone()
        hidden[:, turn % 5] *= 0.5
        loss = (hidden.exp() + hidden.relu()).mean() + (weight.t() @ weight).sum() * 1e-2
        loss.backward()
        with torch.no_grad():
            weight -= 0.1 * weight.grad
        found += [loss.detach().numpy(), weight.grad.numpy().copy(), weight.detach().numpy().copy()]
        weight.grad = None
    return found


def test_threads_give_what_one_thread_gives() -> None:
    alone = [training(number) for number in range(8)]
    for found, wanted in zip(in_threads(training), alone, strict=True):
        for one, other in zip(found, wanted, strict=True):
            assert np.array_equal(one, other)


def test_threads_share_leaves_and_graphs() -> None:
    """``grad`` through a shared trunk and to shared leaves, in all threads at once."""
    draw = np.random.default_rng(0)
    weights = [torch.tensor(draw.normal(size=(8, 8)), requires_grad=True) for _ in range(3)]
    trunk = torch.tanh(weights[0] @ weights[1])

    def work(number: int) -> list[np.ndarray]:
        found = []
        for turn in range(40):
            loss = ((trunk * (number + 1)) @ weights[2] * weights[0]).sum() * (turn + 1)
            grads = torch.autograd.grad(loss, weights, retain_graph=True)
            found += [grad.numpy() for grad in grads]
        return found

    alone = [work(number) for number in range(8)]
    for found, wanted in zip(in_threads(work), alone, strict=True):
        for one, other in zip(found, wanted, strict=True):
            assert np.array_equal(one, other)
    assert all(weight.grad is None for weight in weights)
    assert not input_buffers._open


def test_grad_mode_belongs_to_the_thread() -> None:
    x = torch.ones(2, requires_grad=True)

    def work(number: int) -> list[bool]:
        found = []
        for _ in range(200):
            with torch.set_grad_enabled(number % 2 == 0):
                found.append((x * 2).requires_grad)
        return found

    for number, found in enumerate(in_threads(work)):
        assert set(found) == {number % 2 == 0}


@pytest.fixture
def preempted() -> Iterator[None]:
    """New threads let others run before every line of the core's."""

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if "graphwidget" not in frame.f_code.co_filename:
            return None
        time.sleep(0)
        return trace

    threading.settrace(trace)
    yield
    threading.settrace(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("turn", range(3))
@pytest.mark.usefixtures("preempted")
def test_threads_meet_at_one_leaf(turn: int) -> None:
    """The first thread makes what all of them share."""
    leaf = torch.ones(2, requires_grad=True)
    graphs = in_threads(lambda number: leaf * 2)
    assert len({graph.grad_fn.next_functions[0][0] for graph in graphs}) == 1
    in_threads(lambda number: graphs[number].sum().backward())
    assert leaf.grad.tolist() == [16.0, 16.0]
    assert leaf.grad._version == 7


@pytest.mark.parametrize("turn", range(3))
@pytest.mark.usefixtures("preempted")
def test_threads_count_writes_together(turn: int) -> None:
    leaf = torch.ones(8, requires_grad=True)
    saving = leaf.exp()  # its node saves it, and knows its counter
    views = in_threads(lambda number: saving[number])
    saving.detach_().add_(1)
    assert {view._version for view in views} == {1}
