"""Forward and backward of long chains of small ops against PyTorch eager, tracing off and on.

Run with `python -m tests.benchmarks.bench_chains` or `make bench`. The two engines take turns in
one process, one thread each; figures are medians in microseconds per op, forward and backward
together.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from statistics import median
from typing import Any

import torch

import graphwidget

LENGTH = 1_000
ROUNDS = 25
GOALS = {"off": 0.6, "on": 2.0}
"""Largest accepted ratio to PyTorch's time."""

Chain = Callable[[Any, Any], Any]


def add(x: Any, engine: Any) -> Any:
    y = x
    for _ in range(LENGTH):
        y = y + x
    return y


def mul(x: Any, engine: Any) -> Any:
    y = x
    for _ in range(LENGTH):
        y = y * x
    return y


def mix(x: Any, engine: Any) -> Any:
    y = x
    tanh, exp = engine.tanh, engine.exp
    for _ in range(LENGTH // 5):
        y = exp(tanh((y + x) * x)) - x
    return y


CHAINS: dict[str, Chain] = {"add": add, "mul": mul, "mix": mix}


def once(chain: Chain, engine: Any) -> float:
    """Seconds for one forward and backward."""
    x = engine.ones(2, 2, requires_grad=True)
    seed = engine.ones(2, 2)
    start = time.perf_counter()
    chain(x, engine).backward(seed)
    return time.perf_counter() - start


def watching(on: bool) -> AbstractContextManager[Any]:
    """Tracing for as long as the context lasts."""
    return graphwidget.watch() if on else nullcontext()


def measure(chain: Chain, traced: bool, rounds: int = ROUNDS) -> tuple[float, float]:
    """Medians of both engines in microseconds per op: ours, theirs."""
    ours, theirs = [], []
    for _ in range(3):
        once(chain, graphwidget)
        once(chain, torch)
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            theirs.append(once(chain, torch))
            with watching(traced):
                ours.append(once(chain, graphwidget))
            gc.collect()
    finally:
        gc.enable()
    return median(ours) / LENGTH * 1e6, median(theirs) / LENGTH * 1e6


def table(rounds: int = ROUNDS) -> list[tuple[str, str, float, float, float]]:
    """(chain, tracing, ours, theirs, ratio) for every chain, tracing off and on."""
    torch.set_num_threads(1)
    rows = []
    for traced in ("off", "on"):
        for name, chain in CHAINS.items():
            ours, theirs = measure(chain, traced == "on", rounds)
            rows.append((name, traced, ours, theirs, ours / theirs))
    return rows


def show(rows: list[tuple[str, str, float, float, float]]) -> str:
    """The table as text."""
    lines = ["chain  tracing  graphwidget us/op  PyTorch us/op  ratio  goal"]
    for name, traced, ours, theirs, ratio in rows:
        lines.append(
            f"{name:<6} {traced:<8} {ours:17.2f} {theirs:14.2f} {ratio:6.2f} {GOALS[traced]:5.1f}"
        )
    return "\n".join(lines)


def main() -> int:
    """Print the table; 1 if a goal is missed."""
    rows = table()
    print(show(rows))
    return int(any(ratio > GOALS[traced] for _, traced, _, _, ratio in rows))


if __name__ == "__main__":
    sys.exit(main())
