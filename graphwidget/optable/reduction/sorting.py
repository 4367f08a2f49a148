"""``sort``, ``topk``, ``median``, ``mode``, ``searchsorted``.

``topk`` promises nothing about equal items, yet gradients flow to those chosen. On the CPU the
choice follows from the algorithms of the C++ library (``std::nth_element`` and ``std::sort`` of
libstdc++). These are the same algorithms, on a list of places and a ``before(a, b)``. They run only
for rows with equal items; numpy's sort serves the others, and rows of very many items.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays.memory_order import as_array, empty_like
from ..declare import Namespace, op
from ..out import Out
from ..pointwise.common_kernels import Array

Before = Callable[[int, int], bool]

SMALL = 16
"""Below this many items ``std::sort`` uses insertion sort."""


def nth_element(x: list[int], n: int, before: Before) -> None:
    """Put the item of rank n in its place, those before it on its left."""
    first, last = 0, len(x)
    while last - first > 3:
        cut = partition(x, first, last, before)
        if cut <= n:
            first = cut
        else:
            last = cut
    insertion_sort(x, first, last, before)


def sort_to(x: list[int], last: int, before: Before) -> None:
    """Sort the items up to ``last``."""
    pending = [(0, last)]
    while pending:
        first, end = pending.pop()
        while end - first > SMALL:
            cut = partition(x, first, end, before)
            pending.append((cut, end))
            end = cut
    insertion_sort(x, 0, last, before)


def partition(x: list[int], first: int, last: int, before: Before) -> int:
    """Split around the median of three items; returns where the right part begins."""
    a, b, c = first + 1, first + (last - first) // 2, last - 1
    if before(x[a], x[b]):
        chosen = b if before(x[b], x[c]) else c if before(x[a], x[c]) else a
    else:
        chosen = a if before(x[a], x[c]) else c if before(x[b], x[c]) else b
    x[first], x[chosen] = x[chosen], x[first]
    pivot, left, right = x[first], first + 1, last
    while True:
        while before(x[left], pivot):
            left += 1
        right -= 1
        while before(pivot, x[right]):
            right -= 1
        if left >= right:
            return left
        x[left], x[right] = x[right], x[left]
        left += 1


def insertion_sort(x: list[int], first: int, last: int, before: Before) -> None:
    """Sort a few items."""
    for i in range(first + 1, last):
        value, place = x[i], i
        while place > first and before(value, x[place - 1]):
            x[place] = x[place - 1]
            place -= 1
        x[place] = value


F = Namespace()


# Sorting -----------------------------------------------------------------------------------------
def sort_indices(a: Array, dim: int, descending: bool) -> Array:
    """The indices that sort along a dim, stably; nan is the largest."""
    if not descending:
        return np.argsort(a, dim, kind="stable")
    # Equal items keep their order if the reverse is sorted and the result reversed.
    turned = np.argsort(np.flip(a, dim), dim, kind="stable")
    return a.shape[dim] - 1 - np.flip(turned, dim)


def sort(a: Array, dim: int, descending: bool) -> tuple[Array, Array]:
    """Sorted items along a dim, and where they stood."""
    if not a.ndim:
        return a.copy(), np.zeros((), np.int64)
    indices = sort_indices(a, dim, descending)
    # As PyTorch's, the values lie in memory as the operand does, the indices too.
    values = empty_like(a, a.dtype)
    values[...] = np.take_along_axis(a, indices, dim)
    places = empty_like(a, np.int64)
    places[...] = indices
    return values, places


for key, node in (("sort", "SortBackward0"), ("sort.stable", "SortBackward1")):
    op(f"{key}(self, /, dim=-1, descending=False) -> values, indices", sort, node=node,
       out=Out(memory="whole"),
       d_self=lambda grad, indices, self_shape, dim:
           F.scatter_along_dim(None, grad, indices, self_shape, dim),
       text="{self} sorted", onnx=None)

op("argsort(self, /, dim=-1, descending=False)",
   lambda a, dim, descending: sort(a, dim, descending)[1], nograd=True,
   text="the order of {self}", onnx=None)


# Some of the sorted ------------------------------------------------------------------------------
def equal_neighbours(items: Array) -> Array:
    """For each row of sorted items, whether any two are equal."""
    left, right = items[..., :-1], items[..., 1:]
    same = left == right
    if items.dtype.kind == "f":
        same |= np.isnan(left) & np.isnan(right)
    return np.logical_or.reduce(same, -1)


def smaller_first_order(row: list[Any]) -> Any:
    """Return whether one place's item stands before another's; nan is the largest."""
    return lambda i, j: row[i] < row[j] or (row[j] != row[j] and row[i] == row[i])


def larger_first_order(row: list[Any]) -> Any:
    """Return whether one place's item stands after another's; nan is the largest."""
    return lambda i, j: row[i] > row[j] or (row[i] != row[i] and row[j] == row[j])


def topk_of_row(row: list[Any], k: int, largest: bool, sort: bool) -> list[int]:
    """The places of the k first of a row, in PyTorch's order (TopKImpl.h)."""
    places = list(range(len(row)))
    before = larger_first_order(row) if largest else smaller_first_order(row)
    nth_element(places, k - 1, before)
    if sort:
        sort_to(places, k - 1, before)
    return places[:k]


def topk(
    a: Array, k: int, dim: int, largest: bool, sorted: bool
) -> tuple[Array, Array]:  # fmt: skip
    """The k largest (or smallest) items along a dim, and where they stood."""
    if not a.ndim:
        return a.copy(), np.zeros((), np.int64)
    rows = np.moveaxis(a, dim, -1)
    every = sort_indices(rows, -1, largest)[..., : k + 1]
    indices = np.ascontiguousarray(every[..., :k])
    if k and rows.shape[-1] < 64 * k:
        checked = np.take_along_axis(rows, every, -1)
        unclear = equal_neighbours(checked) if sorted else np.ones(rows.shape[:-1], bool)
        for at in np.argwhere(unclear):
            place = tuple(at)
            indices[place] = topk_of_row(rows[place].tolist(), k, largest, sorted)
    values = np.take_along_axis(rows, indices, -1)
    # Copies: a single column of a larger array would pass for contiguous, and keep it alive.
    return np.moveaxis(values, -1, dim).copy(), np.moveaxis(indices, -1, dim).copy()


def take_index(a: Array, index: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    """The items at one index for each row (index has the dim last, of size 1)."""
    index = np.moveaxis(index, -1, dim).copy()
    values = np.take_along_axis(a, index, dim)
    if not keepdim:
        values, index = values.squeeze(dim), index.squeeze(dim)
    return np.asarray(values, order="C"), np.asarray(index, order="C")


def median(pass_nan: bool) -> Any:
    """The kernel of ``median`` along a dim: of an even number of items the lower middle one; nan
    wins (or is passed over)."""

    def kernel(a: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
        if not a.ndim:
            return a.copy(), np.zeros((), np.int64)
        rows = np.moveaxis(a, dim, -1)
        every = sort_indices(rows, -1, False)
        if a.dtype.kind == "f":
            nans = np.isnan(rows)
            count = rows.shape[-1] - np.add.reduce(nans, -1, keepdims=True)
            middle = np.maximum(count - 1, 0) // 2
            if not pass_nan:
                middle = np.where(count < rows.shape[-1], count, middle)
        else:
            middle = np.full((*rows.shape[:-1], 1), (rows.shape[-1] - 1) // 2)
        return take_index(a, np.take_along_axis(every, middle, -1), dim, keepdim)

    return kernel


def median_all(pass_nan: bool) -> Any:
    """The kernel of ``median`` of all items; nan of none."""

    def kernel(a: Array) -> Array:
        if not a.size:
            return np.asarray(np.nan if a.dtype.kind == "f" else np.iinfo(a.dtype).min, a.dtype)
        items, nans = a.reshape(-1), 0
        if a.dtype.kind == "f":  # which are the largest
            nans = int(np.count_nonzero(np.isnan(items)))
        if nans and (not pass_nan or nans == len(items)):
            return np.asarray(np.nan, a.dtype)
        middle = (len(items) - nans - 1) // 2
        return as_array(np.partition(items, middle)[middle])

    return kernel


def mode(a: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    """The most frequent items along a dim (the smallest of several), and where the last stood."""
    if not a.ndim:
        return a.copy(), np.zeros((), np.int64)
    rows = np.moveaxis(a, dim, -1)
    every = sort_indices(rows, -1, False)
    items = np.take_along_axis(rows, every, -1)
    size = rows.shape[-1]
    places = np.arange(size)
    starts = np.ones(items.shape, bool)
    starts[..., 1:] = items[..., 1:] != items[..., :-1]
    run = places - np.maximum.accumulate(np.where(starts, places, 0), -1)
    last = np.argmax(run, -1, keepdims=True)
    index = np.take_along_axis(every, last, -1)
    if size > SMALL:  # then the order of equal items is not kept
        for at in np.argwhere(np.take_along_axis(run, last, -1)[..., 0] > 0):
            place = tuple(at)
            row, moved = rows[place].tolist(), list(range(size))
            sort_to(moved, size, smaller_first_order(row))
            index[place] = moved[last[place][0]]
    return take_index(a, index, dim, keepdim)


op("topk(self, /, k, dim=-1, largest=True, sorted=True) -> values, indices", topk,
   d_self=lambda grad, indices, self_shape, dim:
       F.scatter_along_dim(None, grad, indices, self_shape, dim),
   text="the {k} first of {self}", onnx="TopK")

for name, pass_nan in (("median", False), ("nanmedian", True)):
    op(f"{name}(self, /)", median_all(pass_nan), refuses="median_cpu: bool",
       d_self=lambda grad, self, result, self_dtype:
           F.evenly_distribute_backward(grad, self, result, self_dtype),
       text="median({self})", onnx=None)
    op(f"{name}.dim(self, /, dim, keepdim=False) -> values, indices", median(pass_nan),
       refuses="median_out: bool",
       node=f"{name.title()}Backward1",
       d_self=lambda grad, indices, self_shape, dim, keepdim:
           F.value_selecting_reduction_backward(grad, indices, self_shape, dim, keepdim),
       text="median({self}) along {dim}", onnx=None)

op("mode(self, /, dim=-1, keepdim=False) -> values, indices", mode,
   d_self=lambda grad, indices, self_shape, dim, keepdim:
       F.value_selecting_reduction_backward(grad, indices, self_shape, dim, keepdim),
   text="mode({self})", onnx=None)


# Searching ---------------------------------------------------------------------------------------
def insertion_places(row: Array, values: Array, right: bool) -> Array:
    """Return where values would be put into a row. One that is not sorted, or has nan, is bisected
    step by step as PyTorch does it, which finds some place."""
    if (row[1:] >= row[:-1]).all():
        return np.searchsorted(row, values, "right" if right else "left")
    low, high = np.zeros(values.shape, np.int64), np.full(values.shape, row.size)
    while (left := low < high).any():
        middle = (low + high) // 2
        item = row[np.minimum(middle, row.size - 1)]
        beyond = ~(item > values) if right else ~(item >= values)
        low, high = np.where(left & beyond, middle + 1, low), np.where(left & ~beyond, middle, high)
    return low


def searchsorted(sequence: Array, values: Array, right: bool, dtype: Any) -> Array:
    """Return where values would be put into sorted rows (one row for all, or one for each)."""
    if sequence.ndim == 1:
        return np.asarray(insertion_places(sequence, values, right), dtype)
    result = np.empty(values.shape, dtype)
    for at in np.ndindex(sequence.shape[:-1]):
        result[at] = insertion_places(sequence[at], values[at], right)
    return result


op("searchsorted(sorted_sequence, self, /, right, dtype)", searchsorted,
   refuses="searchsorted_out_cpu: bool", nograd=True, public=False,
   text="places of {self} in {sorted_sequence}", onnx=None)

op("isin(elements, test_elements, /, invert)",
   lambda a, b, invert: as_array(np.isin(a, b, invert=invert)), nograd=True, public=False,
   sign="∈", text="{elements} ∈ {test_elements}", onnx=None)
