"""Under load: many steps leave memory flat, threads do not disturb each other, graphs of any depth
are freed."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import graphwidget as torch
from graphwidget.core import engine
from tests.benchmarks import data
from tests.benchmarks.memory import MEGA, resident
from tests.benchmarks.rows import ROWS

STEPS = 1_000


@contextmanager
def collecting(on: bool) -> Iterator[None]:
    """The garbage collector on or off."""
    was = gc.isenabled()
    (gc.enable if on else gc.disable)()
    try:
        yield
    finally:
        (gc.enable if was else gc.disable)()


@pytest.mark.parametrize("collector", [True, False], ids=["gc", "no gc"])
@pytest.mark.parametrize("row", ["CNN, SGD", "transformer, AdamW"])
def test_training_leaves_memory_flat(
    row: str, collector: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data, "images", lambda: (data.normal("few", 2, 1, 28, 28), np.arange(2)))
    step = ROWS[row](torch)
    for _ in range(50):
        step()
    before = resident()  # collects garbage, and Python's own lists of free objects
    blocks, objects = sys.getallocatedblocks(), len(gc.get_objects())
    with collecting(collector):
        for _ in range(STEPS):
            step()
        assert abs(len(gc.get_objects()) - objects) < 100  # no cycle is left to the collector
    after = resident()
    assert abs(sys.getallocatedblocks() - blocks) < STEPS  # not one object a step
    assert after - before < 4 * MEGA


FAULTS = """
import resource, graphwidget
from tests.benchmarks.rows import ROWS
step = ROWS["1e6 elementwise"](graphwidget)
step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def test_memory_of_one_step_serves_the_next() -> None:
    """The kernel does not give every page anew (it would: 14,000)."""
    done = subprocess.run(
        [sys.executable, "-c", FAULTS], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 1_000


def in_threads(work: Callable[[int], Any], count: int = 8) -> list[Any]:
    """What the work gives for 0, 1, ..., all begun together in threads of their own."""
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
    assert not engine._in_slots


def test_threads_add_to_shared_leaves() -> None:
    """``backward`` of many threads into one leaf loses nothing."""
    leaf = torch.zeros(3, requires_grad=True)

    def work(number: int) -> None:
        for _ in range(50):
            (leaf * torch.tensor([1.0, 2.0, 4.0])).sum().backward()

    in_threads(work)
    assert leaf.grad is not None
    assert leaf.grad.tolist() == [400.0, 800.0, 1600.0]


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


def test_deep_graphs_are_freed() -> None:
    x = torch.ones(2, 2, requires_grad=True)
    with collecting(False):  # by reference counts alone
        y = x
        for _ in range(data.DEEP):
            y = y * 1.0
        first = weakref.ref(y.grad_fn)
        del y
        assert first() is None
        y = x
        for _ in range(data.DEEP):
            y = y + x
        y.sum().backward()
        last = weakref.ref(y.grad_fn)
        del y
        assert last() is None
    assert x.grad is not None
    assert x.grad[0, 0].item() == data.DEEP + 1


def test_memory_returns_after_backward() -> None:
    """What nodes saved goes when they have run, while the result still lives."""
    x = torch.ones(100_000, requires_grad=True)
    tracemalloc.start()
    try:
        x.grad = torch.zeros(100_000)
        before, _ = tracemalloc.get_traced_memory()
        y = x
        for _ in range(20):
            y = y.exp().log()
        loss = y.sum()
        del y
        held, _ = tracemalloc.get_traced_memory()
        loss.backward()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held - before > 7_500_000  # 20 results of exp, which log saves too
    assert after - before < 500_000
