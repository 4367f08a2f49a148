"""Arrays as text in a picture: in brackets as PyTorch prints them, four significant digits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..recording.events import Number

MAX_ITEMS = 4
"""On a line; a card has room for more."""


UNSEEN = "not recorded"


def size_in_words(shape: Sequence[int]) -> str:
    """``(2, 3)``; a size that is no number, which is -1, is a question mark."""
    sizes = ["?" if each < 0 else str(each) for each in shape]
    return "(" + ", ".join(sizes) + ("," if len(sizes) == 1 else "") + ")"


def in_a_line(summary: Any) -> str:
    """A few numbers in brackets as PyTorch prints them, or what is known of many, in a line."""
    shape, dtype, values, stats, _histogram = summary
    if values is not None and len(values) <= MAX_ITEMS:
        return "\n".join(_rows(shape, dtype, values)).replace("\n", " ")
    size = size_in_words(shape)
    if values is not None:
        finite = [value for value in values if not isinstance(value, str)]
        if len(finite) < len(values):
            return f"⚠ {len(values) - len(finite)} not finite"
        return "all 0" if not any(finite) else f"{size}, mean {_number(sum(finite) / len(finite))}"
    if stats is None:  # computed before the recording
        return size if dtype else UNSEEN
    low, high, mean, nonfinite = stats
    if low == high == 0 and not nonfinite:
        return "all 0"
    told = f"{_number(low)} … {_number(high)}, mean {_number(mean)}"
    return f"⚠ {nonfinite} not finite, {told}" if nonfinite else told


def in_rows(summary: Any) -> list[str]:
    """The numbers of a card."""
    shape, dtype, values, _stats, _histogram = summary
    return _rows(shape, dtype, values) if values is not None else [in_a_line(summary)]


def _rows(shape: Sequence[int], dtype: str, values: Sequence[Number]) -> list[str]:
    """At most three rows of at most four numbers, within brackets that tell what was left out."""
    if not values:
        return ["empty"]
    texts = [_number(value, "float" in dtype) for value in values]
    mark = "⚠ " if any(isinstance(value, str) for value in values) else ""
    if not shape:
        return [mark + texts[0]]
    columns, outer = shape[-1], len(shape) - 1
    rows = [texts[i : i + columns] for i in range(0, len(texts), columns)]
    told = [", ".join([*row[:4], "…"] if columns > 4 else row) for row in rows[:3]]
    lines = [("[" * outer if nr == 0 else " " * outer) + f"[{row}]" for nr, row in enumerate(told)]
    last = len(rows) - 1
    lines = [line if nr == last else f"{line}," for nr, line in enumerate(lines)]
    lines[-1] += "]" * outer if len(rows) <= 3 else ""
    return [mark + lines[0], *lines[1:], *(["⋮"] if len(rows) > 3 else [])]


def _number(value: Number, floating: bool = False) -> str:
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.4g}"
    return f"{text}." if floating and text.lstrip("-").isdigit() else text
