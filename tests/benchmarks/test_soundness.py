"""Under load: many steps leave memory flat, graphs of any depth are freed."""

from __future__ import annotations

import gc
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import graphwidget as torch
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


@pytest.mark.parametrize("collector", [False], ids=["no gc"])
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


def test_memory_returns_after_backward() -> None:
    """Saved tensors are freed when their nodes have run, while the result still lives."""
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
