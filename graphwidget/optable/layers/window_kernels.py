"""Windows over the last dims of an array and its padding, for convolutions and pools."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..pointwise.common_kernels import Array, Shape


def pad(a: Array, padding: Shape, value: float = 0.0, extra: Shape = ()) -> Array:
    """``a`` in C order with a border of ``value`` around its last dims (and ``extra`` more at their
    ends); ``a`` itself when there is nothing to do."""
    if not any(padding) and not any(extra):
        return a if a.flags.c_contiguous else a.copy(order="C")
    first = a.ndim - len(padding)
    more = extra or (0,) * len(padding)
    sizes = zip(a.shape[first:], padding, more, strict=True)
    shape = (*a.shape[:first], *(size + 2 * p + e for size, p, e in sizes))
    out = np.zeros(shape, a.dtype) if value == 0 else np.full(shape, value, a.dtype)
    out[inner_slices(a.shape, padding)] = a
    return out


def inner_slices(shape: Shape, padding: Shape) -> tuple[Any, ...]:
    """The index of what a border surrounds, for an array of ``shape`` within it."""
    sizes = zip(shape[len(shape) - len(padding) :], padding, strict=True)
    return (..., *(slice(p, p + size) for size, p in sizes))


def window_count(sizes: Shape, kernel: Shape, stride: Shape, dilation: Shape) -> Shape:
    """Return how many windows fit along each (padded) dim."""
    each = zip(sizes, kernel, stride, dilation, strict=True)
    return tuple((size - d * (k - 1) - 1) // s + 1 for size, k, s, d in each)


def windows(a: Array, kernel: Shape, stride: Shape, dilation: Shape, count: Shape) -> Array:
    """A view ``(*lead, *kernel, *count)`` of windows over the last dims of a C-ordered array."""
    first = a.ndim - len(kernel)
    steps = a.strides[first:]
    strides = (
        *a.strides[:first],
        *(step * d for step, d in zip(steps, dilation, strict=True)),
        *(step * s for step, s in zip(steps, stride, strict=True)),
    )
    return np.ndarray((*a.shape[:first], *kernel, *count), a.dtype, a, 0, strides)


def window_indices(
    kernel: Shape, stride: Shape, dilation: Shape, count: Shape
) -> Iterator[tuple[Shape, tuple[Any, ...]]]:
    """For each place in a window, the index of the items that lie there, window by window."""
    for place in itertools.product(*map(range, kernel)):
        each = zip(place, stride, dilation, count, strict=True)
        yield place, (..., *(slice(p * d, p * d + s * (n - 1) + 1, s) for p, s, d, n in each))


def add_windows(
    parts: Array, sizes: Shape, kernel: Shape, stride: Shape, dilation: Shape, count: Shape
) -> Array:
    """The reverse of ``windows``: ``(*lead, *kernel, *count)`` added into ``(*lead, *sizes)``."""
    lead = parts.shape[: parts.ndim - 2 * len(kernel)]
    out = np.zeros((*lead, *sizes), parts.dtype)
    after = (slice(None),) * len(count)
    for place, index in window_indices(kernel, stride, dilation, count):
        part = out[index]
        np.add(part, parts[(..., *place, *after)], part)
    return out
