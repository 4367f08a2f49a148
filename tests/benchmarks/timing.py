"""CPU time of each row in each engine: one thread each, taking turns, medians."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from statistics import median
from typing import Any

from tests.benchmarks.engines import Engine, Step

SLICE = 0.03
"""CPU seconds to fill with repetitions of a step before the next engine's turn."""


def seconds(step: Step, times: int) -> float:
    """CPU seconds for one step, of so many in a row."""
    start = time.process_time()
    for _ in range(times):
        step()
    return (time.process_time() - start) / times


def watching() -> AbstractContextManager[Any]:
    """Tracing, as in a notebook with the widget open."""
    import graphwidget

    return graphwidget.watch()


def measure(row: str, engines: dict[str, Engine], rounds: int) -> dict[str, float]:
    """Medians in seconds for one step of a row, by engine; engines without the row are left out.

    "traced" is graphwidget while somebody watches.
    """
    steps = {name: engine.rows[row]() for name, engine in engines.items() if row in engine.rows}
    contexts: dict[str, Any] = dict.fromkeys(steps, nullcontext)
    if row.startswith("chain"):
        steps["traced"], contexts["traced"] = steps["graphwidget"], watching
    times = {}
    for name, step in steps.items():
        with contexts[name]():
            seconds(step, 1)  # compile, fill caches
            gc.collect()  # the import's objects are not looked through while this counts
            times[name] = max(1, int(SLICE / max(seconds(step, 1), 1e-6)))
    found: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            with contexts[name]():
                found[name].append(seconds(step, times[name]))
            gc.collect()  # nobody pays for another's garbage
    return {name: median(each) for name, each in found.items()}


def table(rows: Sequence[str], engines: dict[str, Engine], rounds: int) -> list[list[str]]:
    """The table's lines: each engine's time as a ratio to PyTorch's, and graphwidget's to that of
    the same work by hand in numpy."""
    names = [name for name in (*engines, "traced") if name != "torch"]
    lines = [["row", "PyTorch", *names, "graphwidget / numpy"]]
    for row in rows:
        found = measure(row, engines, rounds)
        ratios = [ratio(found, name, "torch") for name in names]
        floor = ratio(found, "graphwidget", "numpy")
        lines.append([row, f"{found['torch'] * 1e3:.2f} ms", *ratios, floor])
    return lines


def ratio(found: dict[str, float], name: str, to: str) -> str:
    """An engine's time divided by another's, where both have it."""
    return f"{found[name] / found[to]:.2f}" if name in found and to in found else "-"
