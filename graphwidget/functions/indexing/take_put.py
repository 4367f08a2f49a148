"""``take``, ``put`` and ``index_put``, also in place, and ``unravel_index``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ...dispatch.offer import offer
from ...eager.inplace import needs_node
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ...optable import TABLE
from .getitem import (
    check_advanced_setitem,
    check_no_overlap,
    warn_of_repeated,
    with_bounds_errors,
)
from .parse_index import MASKS, Indices
from .scatter import run_op, scalar_type_of


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


@offer(method=False)
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """The coordinates in a tensor of the shape of items that are numbered in C order.

    Raises:
        TypeError, ValueError: PyTorch's texts.
    """
    if indices.is_complex() or indices._data.dtype.kind not in "iu":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype!r}")
    if not isinstance(shape, (int, Sequence)):
        name = "<class 'torch.Tensor'>" if isinstance(shape, Tensor) else str(type(shape))
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {name}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(size)}")
    if any(size < 0 for size in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(sizes)}")
    if 0 in sizes and indices._data.size:
        raise RuntimeError("ZeroDivisionError")
    steps = [int(np.prod(sizes[place + 1 :])) for place in range(len(sizes))]
    data = indices._data[..., None] // np.array(steps, np.int64) % np.array(sizes, np.int64)
    return tuple(Tensor._wrap(data.astype(np.int64)).unbind(-1))
