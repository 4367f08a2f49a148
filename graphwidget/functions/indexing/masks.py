"""``masked_fill``, ``masked_select``, ``take``, ``put``, ``index_put`` and kin, also in place.

They read and write by masks, at flat indices and at lists of indices.
"""

from __future__ import annotations

import builtins
from functools import partial
from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.overlap import check_overlap, has_internal_overlap, real_strides
from ...arrays.type_errors import broadcast_shape
from ...arrays.warnings import warn
from ...dispatch.offer import offer
from ...eager.inplace import needs_node
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ...optable import TABLE
from ..memory.strides import storage_offset
from ..shape.select_diagonal import as_strided
from .getitem import (
    EXPANDED,
    check_advanced_setitem,
    check_expand,
    check_no_overlap,
    warn_of_repeated,
    with_bounds_errors,
)
from .parse_index import MASKS, Indices
from .scatter import run_op, scalar_type_of

BYTE_MASK = (
    "masked_scatter_ received a mask with dtype torch.uint8, this behavior is now "
    "deprecated,please use a mask with dtype torch.bool instead."
)


# Masks --------------------------------------------------------------------------------------------
def _masked_fill(here: bool, self: Tensor, mask: Tensor, value: Any) -> Tensor:
    if here:
        needs_node(TABLE["masked_fill"], (self, mask))
    shapes = [mask._data.shape, self._data.shape]
    if not here:
        broadcast_shape(shapes)
    if isinstance(value, Tensor) and value._data.ndim:
        raise RuntimeError(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value._data.ndim} dimension(s)."
        )
    if mask._data.dtype != bool:
        raise RuntimeError(
            "masked_fill_ only supports boolean masks, but got mask with dtype "
            f"{dtypes.c_type(mask._data.dtype)}"
        )
    if here and has_internal_overlap(self._data):
        warn(EXPANDED.format("masked_fill_", "mask", "scalar"))
    if here:
        broadcast_shape(shapes[::-1])
    if isinstance(value, Tensor):
        return run_op("masked_fill.tensor", self, (mask, value), {}, here)
    return run_op("masked_fill", self, (mask,), {"value": value}, here)


@offer()
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """input with a number (or 0-d tensor) where the mask holds."""
    return _masked_fill(False, input, mask, value)


@offer(function=False)
def masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    """``masked_fill``, written into this tensor."""
    return _masked_fill(True, self, mask, value)


@offer(out=True)
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The items where the mask holds, 1-d."""
    if mask._data.dtype != bool:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    broadcast_shape([mask._data.shape, input._data.shape])
    return F.masked_select(input, mask)


def _masked_scatter(here: bool, self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    if here:
        needs_node(TABLE["masked_scatter"], (self, mask, source))
        check_overlap(self._data, [])
    else:
        broadcast_shape([mask._data.shape, self._data.shape])
    if self._data.dtype != source._data.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{scalar_type_of(self)} and {scalar_type_of(source)}"
        )
    if here and mask._data.ndim > self._data.ndim:
        raise RuntimeError(
            f"expand(CPU{scalar_type_of(mask)}Type{{{list(mask._data.shape)}}}, size="
            f"{list(self._data.shape)}): the number of sizes provided ({self._data.ndim}) must be "
            f"greater or equal to the number of dimensions in the tensor ({mask._data.ndim})"
        )
    if here:
        check_expand(mask._data, self._data.shape)
    shape = broadcast_shape([mask._data.shape, self._data.shape])
    if mask._data.dtype == np.uint8:
        warn(BYTE_MASK)
    if mask._data.dtype != bool:
        raise RuntimeError(
            "masked_scatter_ only supports boolean masks, "
            f"but got mask with dtype {scalar_type_of(mask)}"
        )
    places = np.argwhere(np.broadcast_to(mask._data, shape))
    if source._data.size < len(places):
        if here:  # what there is was written by then
            self._data[tuple(places[: source._data.size].T)] = source._data.reshape(-1)
        raise RuntimeError("Number of elements of source < number of ones in mask")
    return run_op("masked_scatter", self, (mask, source), {}, here)


@offer()
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """input with consecutive items of ``source`` where the mask holds."""
    return _masked_scatter(False, input, mask, source)


@offer(function=False)
def masked_scatter_(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """``masked_scatter``, written into this tensor."""
    return _masked_scatter(True, self, mask, source)


# Flat indices -------------------------------------------------------------------------------------
@offer(out=True)
def take(input: Tensor, index: Tensor) -> Tensor:
    """The items at flat indices, in the indices' shape."""
    if index._data.dtype != np.int64:
        raise RuntimeError(
            f"take(): Expected a long tensor for index, but got {scalar_type_of(index)}"
        )
    if not input._data.size and index._data.size:
        raise IndexError("take(): tried to take from an empty tensor")
    return F.take(input, index)


def _put(here: bool, self: Tensor, index: Tensor, source: Tensor, accumulate: bool) -> Tensor:
    if here:
        needs_node(TABLE["put"], (self, index, source))
    if index._data.dtype != np.int64:
        raise RuntimeError(
            f"put_(): Expected a long tensor for index, but got {scalar_type_of(index)}"
        )
    if self._data.dtype != source._data.dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{scalar_type_of(self)} and source.dtype = {scalar_type_of(source)}"
        )
    if index._data.size != source._data.size:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = {source._data.size}, index.numel() = {index._data.size}"
        )
    return run_op("put", self, (index, source), {"accumulate": accumulate}, here)


@offer(function=True)
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """A copy with the items of ``source`` written (or added) at flat indices."""
    return _put(False, input, index, source, accumulate)


@offer(function=False)
def put_(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """``put``, written into this tensor."""
    return _put(True, self, index, source, accumulate)


# Diagonals ----------------------------------------------------------------------------------------
@offer(function=False)
def fill_diagonal_(self: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """One number on the main diagonal; with ``wrap`` it begins anew below, in tall matrices.

    Raises:
        RuntimeError: fewer than two dims, or more of different sizes.
    """
    shape, data = self._data.shape, self._data
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    strides = [step // data.itemsize for step in real_strides(data)]
    height, width, step = shape[0], shape[1], builtins.sum(strides)
    size, begin = builtins.min(height, width), storage_offset(self)
    as_strided(self, (size,), (step,), begin).fill_(fill_value)
    if wrap and len(shape) == 2 and height > width + 1:
        rest = -(-data.size // (width + 1)) - size
        offset = begin + strides[0] * (width + 1)
        as_strided(self, (rest,), (step,), offset).fill_(fill_value)
    return self


# Lists of indices ---------------------------------------------------------------------------------
def _index_put(here: bool, self: Tensor, indices: Any, values: Tensor, accumulate: bool) -> Tensor:
    if here:
        needs_node(TABLE["index_put"], (self, values))
    if not indices:
        raise RuntimeError("sym_strides() called on an undefined Tensor")
    used = sum(each._data.ndim if each._data.dtype in MASKS else 1 for each in indices)
    if used > self._data.ndim:
        raise IndexError(f"too many indices for tensor of dimension {self._data.ndim} (got {used})")
    at = Indices(indices)
    masks = values._data.size == 1 and not accumulate and all(a.dtype == bool for a in at)
    if here:
        warn_of_repeated(self, masks)
        if not masks:
            check_no_overlap(self, at, values)
    check_advanced_setitem(self, at, values, masks)
    params = {"indices": at, "accumulate": accumulate}
    result: Tensor = with_bounds_errors(
        partial(run_op, "index_put"), self, at, (values,), params, here
    )
    return result


@offer()
def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy with ``values`` written (or added) at a tuple of index tensors."""
    return _index_put(False, input, indices, values, accumulate)


@offer()
def index_put_(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """``index_put``, written into this tensor."""
    return _index_put(True, input, indices, values, accumulate)
