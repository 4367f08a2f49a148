"""`torch.utils.benchmark`: how long a statement takes, measured often enough to be believed."""

from __future__ import annotations

import statistics
import sys
import textwrap
import timeit
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

__all__ = ["Compare", "Measurement", "Timer", "timer"]

timer = timeit.default_timer
OVERHEAD = 1e-4
"""The part of a block's time that starting the clock may take."""
DOUBTFUL, GROSS = 0.1, 0.25
"""Interquartile ranges, as parts of the median, above which a measurement warns."""


class Task(NamedTuple):
    """What is measured, and what it is called."""

    stmt: str
    setup: str
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or the statement."""
        parts = [self.label or self.stmt, *([self.sub_label] if self.sub_label else [])]
        return ": ".join(parts)

    def told(self) -> str:
        """All of it, in lines."""
        lines = [self.title]
        lines += [self.description] if self.description else []
        lines += [f"setup: {self.setup}"] if self.setup not in ("", "pass") else []
        return "\n".join(lines)


class Measurement:
    """Times of blocks of so many runs each, in seconds; ``times`` are those of single runs."""

    def __init__(
        self, number_per_run: int, raw_times: list[float], task_spec: Task, metadata: Any = None
    ) -> None:
        self.number_per_run, self.raw_times = number_per_run, raw_times
        self.task_spec, self.metadata = task_spec, metadata

    def __getattr__(self, name: str) -> Any:
        if name in Task._fields or name == "title":
            return getattr(self.task_spec, name)
        raise AttributeError(f"'Measurement' object has no attribute {name!r}")

    @property
    def times(self) -> list[float]:
        """Of one run each."""
        return [each / self.number_per_run for each in self.raw_times]

    @property
    def mean(self) -> float:
        """The mean of the times."""
        return statistics.fmean(self.times)

    @property
    def median(self) -> float:
        """The median of the times."""
        return statistics.median(self.times)

    def _quartiles(self) -> tuple[float, float]:
        times = self.times
        if len(times) < 2:
            return times[0], times[0]
        low, _, high = statistics.quantiles(times, n=4, method="inclusive")
        return low, high

    @property
    def iqr(self) -> float:
        """Between which the middle half of the times lies."""
        low, high = self._quartiles()
        return high - low

    def meets_confidence(self, threshold: float = DOUBTFUL) -> bool:
        """Whether the interquartile range is below that part of the median."""
        return self.iqr / self.median < threshold

    @property
    def has_warnings(self) -> bool:
        """Whether the times scatter widely."""
        return not self.meets_confidence()

    def __repr__(self) -> str:
        count, (unit, scale) = len(self.times), unit_of(self.median)
        lines = [object.__repr__(self), self.task_spec.told()]
        lines.append(f"  {'Median: ' if count > 1 else ''}{self.median / scale:.2f} {unit}")
        if count >= 4:
            low, high = (each / scale for each in self._quartiles())
            lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit} ({low:.2f} to {high:.2f})")
        threads = f"{self.task_spec.num_threads} thread{'s' * (self.task_spec.num_threads > 1)}"
        each = "per measurement," if count > 1 else ","
        several = "s" * (count > 1)
        runs = f"{self.number_per_run} runs {each}"
        lines.append(f"  {count} measurement{several}, {runs} {threads}")
        if self.has_warnings:
            gross = not self.meets_confidence(GROSS)
            why = "suggests significant environmental influence" if gross else (
                "could indicate system fluctuation"
            )  # fmt: skip
            part = self.iqr / self.median * 100
            lines.append(
                f"  WARNING: Interquartile range is {part:.1f}% of the median measurement."
            )
            lines.append(f"           This {why}.")
        return "\n".join(lines)


def unit_of(seconds: float) -> tuple[str, float]:
    """The unit in which a time is told, and its seconds."""
    for unit, scale in (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3)):
        if seconds < 1000 * scale:
            return unit, scale
    return "s", 1.0


class Timer:
    """Measures a statement, a text in which ``globals`` may be used, after its ``setup``.

    Raises:
        ValueError: a statement that is no text.
    """

    def __init__(
        self, stmt: str = "pass", setup: str = "pass", global_setup: str = "",
        timer: Callable[[], float] = timer, globals: dict[str, Any] | None = None,
        label: str | None = None, sub_label: str | None = None, description: str | None = None,
        env: str | None = None, num_threads: int = 1, language: Any = "python",
    ) -> None:  # fmt: skip
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        stmt, setup = (textwrap.dedent(each).removeprefix("\n").rstrip() for each in (stmt, setup))
        names = {"torch": sys.modules[__name__.partition(".")[0]], **(globals or {})}
        self._timer = timeit.Timer(stmt, setup, timer, names)
        self._task_spec = Task(stmt, setup, label, sub_label, description, env, num_threads)

    def _block(self, number: int) -> float:
        return max(self._timer.timeit(number), 1e-9)

    def _measured(self, number: int, times: list[float]) -> Measurement:
        return Measurement(number, times, self._task_spec)

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """One block of so many runs, after a short one to warm up."""
        self._block(max(number // 100, 2))
        return self._measured(number, [self._block(number)])

    def _size(self, least: float) -> int:
        """Runs in a block that is long against the clock's own time."""
        overhead = statistics.median(self._block(0) for _ in range(5))
        number = 1
        while True:
            taken = self._block(number)
            if taken > least or (overhead / taken <= OVERHEAD and taken >= least / 1000):
                return number
            number *= 10

    def _blocks(
        self, number: int, least: float, most: float | None, enough: Callable[[list[float]], bool],
        callback: Any,
    ) -> Measurement:  # fmt: skip
        times: list[float] = []
        while sum(times) < least or not enough(times):
            times.append(self._block(number))
            if callback is not None:
                callback(number, times[-1])
            if most is not None and sum(times) > most:
                break
        return self._measured(number, times)

    def blocked_autorange(self, callback: Any = None, min_run_time: float = 0.2) -> Measurement:
        """Blocks until so many seconds are spent."""
        number = self._size(min_run_time)
        return self._blocks(number, min_run_time, None, bool, callback)

    def adaptive_autorange(
        self, threshold: float = 0.1, *, min_run_time: float = 0.01, max_run_time: float = 10.0,
        callback: Any = None,
    ) -> Measurement:  # fmt: skip
        """Blocks until the times agree, or so many seconds are spent."""
        number = self._size(0.05)

        def enough(times: list[float]) -> bool:
            return len(times) > 3 and self._measured(number, times).meets_confidence(threshold)

        return self._blocks(number, min_run_time, max_run_time, enough, callback)


class Compare:
    """Measurements as a table: sub-labels are its rows, descriptions its columns."""

    def __init__(self, results: Iterable[Measurement]) -> None:
        self._results = list(results)

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """More of them."""
        self._results.extend(results)

    def __str__(self) -> str:
        tables: dict[str, list[Measurement]] = {}
        for each in self._results:
            tables.setdefault(each.task_spec.label or each.task_spec.stmt, []).append(each)
        return "\n\n".join(table_of(title, results) for title, results in tables.items())

    def print(self) -> None:
        """Show the table."""
        print(self)


def table_of(title: str, results: list[Measurement]) -> str:
    """Measurements of one label as a table."""
    unit, scale = unit_of(min(each.median for each in results))
    rows = list(dict.fromkeys(each.task_spec.sub_label or each.task_spec.stmt for each in results))
    columns = list(dict.fromkeys(each.task_spec.description or "" for each in results))
    cells = {
        (each.task_spec.sub_label or each.task_spec.stmt, each.task_spec.description or ""): (
            f"{each.median / scale:.1f}"
        )
        for each in results
    }
    lines = [["", *columns]] + [
        [row, *(cells.get((row, column), "") for column in columns)] for row in rows
    ]
    widths = [max(len(line[place]) for line in lines) for place in range(len(columns) + 1)]
    shown = [
        "  |  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True))
        for line in lines
    ]
    rule = "-" * len(shown[0])
    return "\n".join([f"[{title}]", shown[0], rule, *shown[1:], f"Times are in {unit}."])
