"""``tensor[...]`` with integer arrays and masks: kernels and ops.

Basic indexing is made of views (``views.py``).
"""

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
from ...arrays.scalars import scalar_array
from ..declare import Namespace, composite, op
from ..out import Out


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


def writable_copy(a: Array) -> Array:
    """A copy in C order, to be written to."""
    return np.array(a, order="C")


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
    """Like ``masked_fill``, with the number in a 0-d array."""
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


def masked_scatter_backward(grad: Array, mask: Array, sizes: Shape) -> Array:
    """The gradient of what was written where the mask holds: its items in order, then zeros."""
    result = np.zeros(sizes, as_array(grad).dtype)
    items = masked_select(grad, mask)
    result.reshape(-1)[: items.size] = items
    return result


F = Namespace()

op("index(self, /, indices)", index, sized_by_values=True,
   d_self=lambda grad, self_shape, indices: F.index_backward(None, grad, self_shape, indices),
   public=False, sign="[…]", text="{self}[{indices}]", onnx=None)

op("index_backward(zeros=None, grad_output, /, shape, indices, accumulate=True)",
   index_backward, node="IndexPutImplBackward0", d_zeros=lambda grad: grad,
   d_grad_output=lambda grad, indices, accumulate: F.index(grad, indices),
   public=False, text="{grad_output} added at [{indices}]", onnx=None)

op("index_put(self, values, /, indices, accumulate=False)", index_put, inplace=True,
   d_self=lambda grad, _values_shape, indices, accumulate:
       grad if accumulate else F.index_put(grad, F.zeros_of(grad, _values_shape), indices, False),
   d_values=lambda grad, indices, _values_shape:
       F.sum_to_size(F.index(grad, indices), _values_shape),
   public=False, sign="[…]=", text="{self} with {values} at [{indices}]", onnx=None)


op("masked_fill(self, mask, /, value)", masked_fill, inplace=True, pointwise=True,
   order=(), overlap="anything",
   d_self=lambda grad, mask: F.masked_fill(grad, mask, 0),
   text="{self} with {value} where {mask}", onnx=None)

op("masked_fill.tensor(self, mask, filler, /)", masked_fill_tensor, inplace=True,
   pointwise=True, node="MaskedFillBackward1", order=(), overlap="anything",
   d_self=lambda grad, mask: F.masked_fill(grad, mask, 0),
   d_filler=lambda grad, mask: F.where(mask, grad, F.zeros_like(grad)),
   text="{self} with {filler} where {mask}", onnx="Where")


@composite
def masked_select_backward(grad: Any, self: Any, mask: Any) -> Any:
    """The gradient at the items that were selected, 0 elsewhere."""
    whole = F.zeros_like(F.where(mask, self, self))
    return F.sum_to_size(F.masked_scatter(whole, mask, grad), self.shape)


op("masked_select(self, mask, /)", masked_select, out=Out(memory="none"),
   sized_by_values=True,
   d_self=lambda grad, self, mask: F.masked_select_backward(grad, self, mask),
   text="{self} where {mask}", onnx="Compress")

op("masked_scatter(self, mask, source, /)", masked_scatter, public=False,
   d_self=lambda grad, _self_shape, mask:
       F.sum_to_size(F.masked_fill(grad, mask, 0), _self_shape),
   d_source=lambda grad, mask, source_shape: F.masked_scatter_backward(grad, mask, source_shape),
   text="{self}, items of {source} where {mask}", onnx=None)

op("masked_scatter_backward(grad_output, mask, /, _sizes)", masked_scatter_backward,
   d_grad_output=lambda grad, mask, _grad_output_shape:
       F.masked_scatter(F.zeros_of(grad, _grad_output_shape), mask, grad),
   public=False, text="items of {grad_output} where {mask}, in order, then zeros", onnx=None)
