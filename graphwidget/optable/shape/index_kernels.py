"""Kernels of ``tensor[...]`` with integer arrays and masks: read, write, and their backward."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...arrays.memory_order import (
    Array,
    Shape,
    as_array,
    broadcast_strides,
    copy_in_order,
    iteration_order,
)


def numpy_index(indices: tuple[Any, ...]) -> tuple[Any, ...]:
    """A numpy index from one entry per dim: an integer or mask array, or None for all.

    torch puts the indexed dims first only when they are not adjacent, which is numpy's rule.
    """
    return tuple([slice(None) if each is None else each for each in indices])


def indexed_shape(shape: Shape, indices: tuple[Any, ...]) -> Shape:
    """The shape of what the indices read, by numpy's and PyTorch's common rule.

    Raises:
        ValueError: the indices do not broadcast.
    """
    shapes = [
        (int(np.count_nonzero(each)),) if each.dtype == bool else each.shape
        for each in indices if each is not None
    ]  # fmt: skip
    spread = shapes[0] if len(shapes) == 1 else np.broadcast_shapes(*shapes)
    if len(indices) == len(shapes):
        used = sum([each.ndim if each.dtype == bool else 1 for each in indices])
        return (*spread, *shape[used:])
    kept = [shape[axis] for axis in free_dims(indices, len(shape))]
    taken = [at for at, each in enumerate(indices) if each is not None]
    start = taken[0] if taken[-1] - taken[0] < len(taken) else 0
    return (*kept[:start], *spread, *kept[start:])


def index(a: Array, indices: tuple[Any, ...]) -> Array:
    """A copy of the items at the indices, its dims in the order in memory of those that stay and of
    the indices."""
    a = as_array(a)
    try:
        found = as_array(a[numpy_index(indices)])
        shape = found.shape
    except IndexError:
        shape = indexed_shape(a.shape, indices)
        if 0 not in shape:
            raise
    if 0 in shape:  # nothing is read, so nothing is out of bounds where there is anything
        if is_out_of_empty(a.shape, indices):
            raise IndexError
        return np.zeros(shape, a.dtype)
    rows_first = a.flags.c_contiguous and all(
        each is None or each.ndim < 2 or each.flags.c_contiguous for each in indices
    )
    if rows_first or found.ndim < 2:
        return np.asarray(found, order="C")
    # What PyTorch iterates over: a with stride 0 where indices take over, and the indices.
    places = np.broadcast_arrays(
        *(part for each in indices if each is not None
          for part in (each.nonzero() if each.dtype == bool else (each,)))
    )  # fmt: skip
    spread = places[0].ndim
    taken = [at for at, each in enumerate(indices) if each is not None]
    split = taken != list(range(taken[0], taken[-1] + 1))
    kept = [a.strides[axis] for axis in free_dims(indices, a.ndim)]
    start = 0 if split else taken[0]
    source = [*kept[:start], *(0,) * spread, *kept[start:]]
    around = (*(None,) * start, ..., *(None,) * (len(kept) - start))
    rows = [broadcast_strides(found.shape, place[around]) for place in places]
    return copy_in_order(found, iteration_order(found.shape, source, *rows))


def is_out_of_empty(shape: Shape, indices: tuple[Any, ...]) -> bool:
    """Return whether integers stand for items of a dim that has none."""
    dim = 0
    for each in indices:
        masked = each is not None and each.dtype == bool
        if each is not None and not masked and each.size and not shape[dim]:
            return True
        dim += each.ndim if masked else 1
    return False


def free_dims(indices: tuple[Any, ...], ndim: int) -> list[int]:
    """The dims that no index takes over."""
    left, axis = [], 0
    for each in indices:
        if each is None:
            left.append(axis)
        axis += each.ndim if each is not None and each.dtype == bool else 1
    return [*left, *range(axis, ndim)]


def index_backward(
    zeros: None, grad: Array, shape: Shape, indices: tuple[Any, ...], accumulate: bool = True
) -> Array:
    """Zeros of ``shape`` to which grad is added at the indices, repeated ones adding up.

    ``accumulate`` is always true; the node shows it."""
    grad = as_array(grad)
    result = np.zeros(shape, grad.dtype)
    taken = [dim for dim, each in enumerate(indices) if each is not None]
    if not grad.size:
        return result
    if len(taken) == 1 and indices[taken[0]].ndim == 1 and indices[taken[0]].dtype != bool:
        add_slices(result, indices[taken[0]], grad, taken[0])
    else:
        np.add.at(result, numpy_index(indices), grad)
    return result


WIDE = 256
"""Items from which on a slice is worth a call of its own."""


def add_slices(a: Array, index: Array, values: Array, dim: int) -> None:
    """Add slices to those of a itself (in C order) that ``index`` names along a dim, in turn. numpy
    adds at indices of one dim several times as fast as at others."""
    size, inner = a.shape[dim], math.prod(a.shape[dim + 1 :])
    if inner >= WIDE:
        to, values = a.reshape(-1, size, inner), values.reshape(-1, len(index), inner)
        for number, place in enumerate(index.tolist()):
            np.add(to[:, place], values[:, number], to[:, place])
    else:
        rows = np.arange(math.prod(a.shape[:dim]))[:, None] * size + index.astype(np.int64) % size
        places = rows[..., None] * inner + np.arange(inner)
        np.add.at(a.reshape(-1), places.reshape(-1), values.reshape(-1))


def index_put(a: Array, values: Array, indices: tuple[Any, ...], accumulate: bool) -> Array:
    """A copy of a with values written (or added) at the indices."""
    result = as_array(a).copy()
    put_into(result, values, indices, accumulate)
    return result


def put_into(a: Array, values: Array, indices: tuple[Any, ...], accumulate: bool) -> None:
    """Write (or add) values at the indices of a itself."""
    try:
        if accumulate:
            np.add.at(a, numpy_index(indices), values)
        elif np.may_share_memory(a, values):  # then what is written may be read after that
            places = np.arange(a.size).reshape(a.shape)[numpy_index(indices)]
            values = np.broadcast_to(values, places.shape)
            for at in np.ndindex(places.shape):
                a[np.unravel_index(places[at], a.shape)] = values[at]
        else:
            a[numpy_index(indices)] = values
    except IndexError:
        if 0 not in indexed_shape(a.shape, indices):
            raise
