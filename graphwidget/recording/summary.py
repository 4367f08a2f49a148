"""Summary of an array for the page: all of a small one, the statistics of a large one.

The work is in two steps because a recorded op may spend well under a microsecond here:
``capture`` takes what must be taken at once (the numbers may be overwritten next), and
``summary`` makes the ``Summary`` of it later.
"""

from __future__ import annotations

import math
from collections import deque
from functools import cache
from sys import getrefcount
from typing import Any

import numpy as np

from .events import Histogram, Number, Stats, Summary

SMALL = 32
"""Arrays of up to this many items travel whole."""

COPIED = 4096
"""Arrays of up to this many items are copied when they are captured: their statistics, which take
longer than the copy, wait until they are wanted."""

PEEK = 1024
"""... and of up to this many when the page asks for more."""

BINS = 32

MAX_COPIES = 8 * 2**20
"""Bytes of copies that wait in all recordings."""


class Copy:
    """The bytes of an array of more than ``SMALL`` items; or once too many copies wait, what
    becomes of these anyway: its statistics."""

    __slots__ = ("content", "dtype")

    def __init__(self, content: bytes, dtype: Any) -> None:
        self.content: bytes | Stats = content
        self.dtype = dtype


COPIES: deque[Copy] = deque()
"""Those that have their bytes, the oldest first."""

Captured = tuple[Any, tuple[int, ...], bytes | Copy | Stats]
"""An array's dtype and shape, and its bytes, or its statistics when it is very large."""


def capture(array: Any) -> Captured:
    """``array`` (an ndarray or a numpy scalar) as it is now."""
    if array.size <= SMALL:
        return array.dtype, array.shape, array.tobytes()
    if array.size <= COPIED:
        return array.dtype, array.shape, copy_of(array.tobytes(), array.dtype)
    return array.dtype, array.shape, statistics(array)


def copy_of(content: bytes, dtype: Any) -> Copy:
    """A copy that waits, in the place of the oldest ones if there are too many."""
    global _waiting
    copy = Copy(content, dtype)
    COPIES.append(copy)
    _waiting += len(content)
    if _waiting > MAX_COPIES:
        oldest: dict[tuple[Any, int], list[Copy]] = {}
        while _waiting > MAX_COPIES * 3 // 4 and COPIES:
            each = COPIES.popleft()
            size = len(each.content)
            _waiting -= size
            if getrefcount(each) > UNSHARED:
                oldest.setdefault((each.dtype, size), []).append(each)
        for (kind, _size), copies in oldest.items():
            _shrink(copies, kind)
    return copy


def _shrink(copies: list[Copy], dtype: Any) -> None:
    """Replace the bytes of copies of one size by their statistics, those of all at once."""
    rows = np.frombuffer(b"".join([each.content for each in copies]), dtype)  # type: ignore[misc]
    rows = rows.reshape(len(copies), -1)
    with np.errstate(all="ignore"):
        lows, highs = rows.min(1).tolist(), rows.max(1).tolist()
        means = (np.add.reduce(rows, 1, dtype=np.float64) / rows.shape[1]).tolist()
    for each, row, low, high, mean in zip(copies, rows, lows, highs, means, strict=True):
        finite = math.isfinite(low) and math.isfinite(high)
        each.content = Stats(low, high, mean, 0) if finite else statistics(row)


_waiting = 0
UNSHARED = 2
"""References to a copy that no record has."""


def summary(captured: Captured) -> Summary:
    """The ``Summary`` of what was captured."""
    dtype, shape, content = captured
    if type(content) is Copy:
        dtype, content = content.dtype, content.content
    if type(content) is bytes:
        items = np.frombuffer(content, dtype)
        if items.size > SMALL:
            return Summary(shape, _name(dtype), None, statistics(items), None)
        return Summary(shape, _name(dtype), tuple(numbers(items.tolist())), None, None)
    return Summary(shape, _name(dtype), None, content, None)  # type: ignore[arg-type]


def summarize(array: Any) -> Summary:
    """The ``Summary`` of an array as it is now."""
    return summary(capture(array))


def detailed_summary(array: Any) -> Summary:
    """A ``Summary`` that says more: up to 1,024 items, and a histogram of the finite ones."""
    flat = np.asarray(array).ravel()
    values = tuple(numbers(flat.tolist())) if flat.size <= PEEK else None
    finite = _finite(flat)
    histogram = None
    if finite.size:
        counts, edges = np.histogram(finite.astype(np.float64), BINS)
        histogram = Histogram(float(edges[0]), float(edges[-1]), tuple(counts.tolist()))
    return Summary(np.shape(array), _name(flat.dtype), values, statistics(flat), histogram)


def statistics(array: Any) -> Stats:
    """Least, greatest and mean finite item, and how many items are not finite."""
    if not array.size:
        return Stats("nan", "nan", "nan", 0)
    flat = array.reshape(-1)
    low, high = np.minimum.reduce(flat).item(), np.maximum.reduce(flat).item()
    if math.isfinite(low) and math.isfinite(high):
        return Stats(low, high, np.add.reduce(flat, dtype=np.float64).item() / flat.size, 0)
    finite = _finite(flat)
    if not finite.size:
        return Stats("nan", "nan", "nan", flat.size)
    return statistics(finite)._replace(nonfinite=flat.size - finite.size)


def numbers(items: list[Any]) -> list[Number]:
    """The items in the form of JSON: not finite ones become text."""
    total = sum(items)
    if total - total == 0:  # false when an item is not finite
        return items
    return [item if math.isfinite(item) else _text(item) for item in items]


def _text(item: float) -> str:
    return "nan" if item != item else "inf" if item > 0 else "-inf"


def _finite(array: Any) -> Any:
    return array if array.dtype.kind in "biu" else array[np.isfinite(array)]


@cache
def _name(dtype: Any) -> str:
    return str(dtype.name)
