"""Kernels that read and write where a mask holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.memory_order import Array, Shape, as_array
from ...arrays.scalars import scalar_array


def masked_fill(a: Array, mask: Array, value: float, out: Any = ...) -> Array:
    """A copy of a, or a itself as ``out``, with value where mask."""
    item, result = scalar_array(value, a.dtype), out
    if out is ...:
        if a.shape != mask.shape:
            a = np.broadcast_to(a, np.broadcast_shapes(a.shape, mask.shape))
        result = np.array(a, order="C")
    np.copyto(result, item, where=mask, casting="unsafe")
    return result


def masked_fill_tensor(a: Array, mask: Array, filler: Array, out: Any = ...) -> Array:
    """The same with the number in a 0-d array."""
    return masked_fill(a, mask, as_array(filler).item(), out)


def masked_select(a: Array, mask: Array) -> Array:
    """The items where the mask holds, 1-d."""
    a, mask = np.broadcast_arrays(a, mask)
    return a[mask]


def masked_scatter(a: Array, mask: Array, source: Array) -> Array:
    """A copy of a with consecutive items of ``source`` where the mask holds."""
    shape = np.broadcast_shapes(as_array(a).shape, mask.shape)
    result = np.array(np.broadcast_to(a, shape), order="C")
    mask = np.broadcast_to(mask, shape)
    result[mask] = as_array(source).reshape(-1)[: np.count_nonzero(mask)]
    return result


def put_masked(data: Array, mask: Array, source: Array) -> None:
    """Write consecutive items of ``source`` where the mask holds. Where the source is part of what
    is written, each is read when its turn has come, as in PyTorch (which makes it contiguous)."""
    mask, items = np.broadcast_to(mask, data.shape), np.ascontiguousarray(source).reshape(-1)
    if np.may_share_memory(data, items):
        for turn, place in enumerate(np.argwhere(mask)):
            data[tuple(place)] = items[turn]
    else:
        data[mask] = items[: np.count_nonzero(mask)]


def masked_scatter_backward(grad: Array, mask: Array, sizes: Shape) -> Array:
    """The gradient of what was written where the mask holds: its items in order, then zeros."""
    result = np.zeros(sizes, as_array(grad).dtype)
    items = masked_select(grad, mask)
    result.reshape(-1)[: items.size] = items
    return result
