"""``masked_fill``, ``masked_select`` and ``masked_scatter``, also in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.kernel_errors import broadcast_shape
from ...arrays.overlap import check_overlap, has_internal_overlap
from ...arrays.warnings import warn
from ...dispatch.offer import offer
from ...eager.inplace import needs_node
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ...optable import TABLE
from .getitem import (
    EXPANDED,
    check_expand,
)
from .scatter import run_op, scalar_type_of

BYTE_MASK = (
    "masked_scatter_ received a mask with dtype torch.uint8, this behavior is now "
    "deprecated,please use a mask with dtype torch.bool instead."
)


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
