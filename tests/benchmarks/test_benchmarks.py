"""Each row runs in each engine, and all find the same values."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.benchmarks import memory, watching
from tests.benchmarks.engines import engines
from tests.benchmarks.rows import ROWS, SMALL

ENGINES = engines()
LONG = ("deep chain",)
"""Run once by the depth tests already."""


def values(name: str, row: str) -> list[np.ndarray]:
    """Return what the first two calls of a step give."""
    engine = ENGINES[name]
    step = engine.rows[row]()
    return [engine.array(each) for _ in range(2) for each in step()]


@pytest.mark.parametrize("row", [row for row in ROWS if row not in LONG])
def test_engines_agree(row: str) -> None:
    torch.set_num_threads(1)
    wanted = values("torch", row)
    for name, engine in ENGINES.items():
        if row not in engine.rows:
            continue
        found = values(name, row)
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=2e-3, atol=2e-4, err_msg=name)


def test_memory_is_measured() -> None:
    peak, after = memory.measure("graphwidget", "1e6 elementwise")
    assert peak > memory.MEGA
    assert after < peak


def test_small_rows_are_rows() -> None:
    assert set(SMALL) <= set(ROWS)
    assert set(memory.ROWS) <= set(ROWS)


@pytest.mark.parametrize("row", watching.ROWS)
def test_watching_changes_no_bit(row: str) -> None:
    watched = watching.ROWS[row]._replace(turns=3)
    _seconds, plain = watching.run(watched)
    for way in watched.ways:
        assert watching.run(watched, watching.WAYS[way])[1] == plain
