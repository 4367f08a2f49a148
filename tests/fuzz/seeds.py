"""Tries ranges of random programs, in parallel processes, and tells which differ."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import torch

from graphwidget.graph import runtime
from graphwidget.optable import TABLE
from tests.fuzz.idioms import write_tutorial
from tests.fuzz.machine import Step, replay, runnable, shrink
from tests.fuzz.programs import write_program

TUTORIAL = 5
"""Every so many programs, one is in the manner of tutorials."""
SHARD = 100
"""Programs that a process takes at a time."""


def write(seed: int) -> list[Step]:
    """The program with this number."""
    return write_tutorial(seed) if seed % TUTORIAL == 0 else write_program(seed)


class Coverage:
    """An observer that counts the ops it observes; whatever else happens is ignored."""

    def __init__(self) -> None:
        self.ops: Counter[str] = Counter()

    def called(self, op: Any, *rest: Any) -> None:
        self.ops[op.key] += 1

    def wrote(self, op: Any, *rest: Any) -> None:
        self.ops[op.key + "_"] += 1

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *args: None


@dataclass
class Report:
    """Results of a range of programs: differences by seed, and how often each op ran."""

    programs: int = 0
    statements: int = 0
    errors: int = 0
    differences: dict[int, list[str]] = field(default_factory=dict)
    ops: Counter[str] = field(default_factory=Counter)

    def add(self, other: Report) -> None:
        self.programs += other.programs
        self.statements += other.statements
        self.errors += other.errors
        self.differences |= other.differences
        self.ops += other.ops


def check(seed: int, coverage: Coverage | None = None) -> tuple[list[Step], list[str]]:
    """The program with this number and how graphwidget differs from PyTorch in it.

    The engine spells out its common path for when nobody watches: a third of them take it."""
    steps = write(seed)
    before = runtime.observer
    runtime.observer = coverage if seed % 3 else None  # type: ignore[assignment]
    try:
        return steps, replay(steps)
    finally:
        runtime.observer = before


def shard(seeds: range) -> Report:
    """Try some programs in this process."""
    torch.set_num_threads(1)
    report, coverage = Report(), Coverage()
    for seed in seeds:
        steps, found = check(seed, coverage)
        report.programs += 1
        report.statements += len(steps)
        report.errors += sum(step.error is not None for step in steps)
        if found:
            report.differences[seed] = found
    report.ops = coverage.ops
    return report


def shards(first: int, last: int) -> list[range]:
    """A range of seeds in pieces."""
    return [range(at, min(at + SHARD, last)) for at in range(first, last, SHARD)]


def run(first: int, last: int, processes: int | None = None) -> Report:
    """Try the programs of a range, over the machine's cores."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    processes = processes or len(os.sched_getaffinity(0))
    report = Report()
    if processes == 1:
        return shard(range(first, last))
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context) as pool:
        for part in pool.map(shard, shards(first, last)):
            report.add(part)
    return report


def minimal(seed: int) -> str:
    """The shortest program found that differs as this one does, ready to run."""
    short = shrink(write(seed))
    return "\n".join([runnable(short), "", *(f"# {line}" for line in replay(short))])


RARE = {"delayed_error", "gather_repeated"}
"""Ops that only second derivatives come to: of several zeros, as in `test_found`, and of cummax, as
in the samples of the op table."""


def never_ran(report: Report) -> set[str]:
    """The ops of the table that no program reached, neither plainly nor in place."""
    return {key for key in TABLE if not (report.ops[key] or report.ops[f"{key}_"])} - RARE


def summary(report: Report, missing: Iterable[str] = ()) -> str:
    return (
        f"{report.programs} programs, {report.statements} statements, {report.errors} errors of "
        f"the user's, {len(report.ops)} ops, {len(report.differences)} programs differ"
        + (f"; never reached: {sorted(missing)}" if missing else "")
    )


def main() -> None:
    """The command line: ``FROM TO`` tries a range, one number shrinks that program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int, nargs="?")
    parser.add_argument("--processes", type=int)
    given = parser.parse_args()
    if given.last is None:
        print(minimal(given.first))
        return
    started = time.time()
    report = run(given.first, given.last, given.processes)
    for seed, lines in report.differences.items():
        print(f"{seed}:", *(line[:300] for line in lines), sep="\n    ")
    print(summary(report, never_ran(report)), f"{time.time() - started:.0f} s")
    sys.exit(bool(report.differences))
