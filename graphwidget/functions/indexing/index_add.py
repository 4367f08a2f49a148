"""``index_select``, ``index_add``, ``index_copy``, ``index_fill``, also in place.

They read and write whole slices of a dim at the indices of a vector.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...arrays.memory_order import has_internal_overlap
from ...arrays.warnings import warn
from ...dispatch.offer import offer
from ...eager.inplace import needs_node
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ...optable import TABLE
from ..dims import wrap_dim
from .getitem import (
    EXPANDED,
    check_advanced_setitem,
    check_no_overlap,
    warn_of_repeated,
    with_bounds_errors,
)
from .parse_index import MASKS, Indices
from .scatter import INTEGERS, run_op, scalar_type_of


@offer(out=True)
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices of a dim that ``index`` (a vector) names, copied."""
    place = wrap_dim(dim, input._data.ndim)
    data = index._data
    if data.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if not input._data.ndim and data.size != 1:
        raise RuntimeError(
            f"index_select(): Index to scalar can have only 1 value, got {data.size} value(s)"
        )
    if data.dtype not in INTEGERS:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    size = input._data.shape[place] if input._data.ndim else 1
    several = input._data.ndim > 1
    if data.size and not size and several:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    if data.size and (data.min() < 0 or data.max() >= size):
        if place != 1 and (input._data.size or not several):
            raise IndexError("index out of range in self")
        bad = data.reshape(-1)[((data < 0) | (data >= size)).reshape(-1)][0]
        raise RuntimeError(f"INDICES element is out of DATA bounds, id={bad} axis_dim={size}")
    return F.index_select(input, index, dim)


def check_sources(name: str, self: Tensor, dim: int, index: Tensor, source: Tensor) -> None:
    """The operands of ``index_add``.

    Raises:
        IndexError, RuntimeError: PyTorch's texts.
    """
    place = wrap_dim(dim, self._data.ndim)
    data, given, have = index._data, source._data.shape, self._data.shape
    if data.ndim > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got dim: {data.ndim} with type: "
            f"{scalar_type_of(index)} and size: {list(data.shape)}"
        )
    if data.dtype not in INTEGERS:
        raise RuntimeError(
            f"{name}(): Expected dtype int32/int64 for index but got: {scalar_type_of(index)}"
        )
    if self._data.dtype != source._data.dtype:
        raise RuntimeError(
            f"{name}(): self ({scalar_type_of(self)}) and "
            f"source ({scalar_type_of(source)}) must have the same scalar "
            "type"
        )
    if place >= max(1, len(given)):
        raise RuntimeError(
            f"{name}(): Indexing dim {place} is out of bounds of the source tensor with dim "
            f"{len(given)}"
        )
    if data.size != (given[place] if given else 1):
        raise RuntimeError(
            f"{name}(): Number of indices ({data.size}) should be equal to source.size(dim): "
            f"({given[place] if given else 1}), for dim: {place}"
        )
    if (*given[:place], *given[place + 1 :]) != (*have[:place], *have[place + 1 :]) or len(
        given
    ) != len(have):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. "
            f"Got self.shape = {list(have)} source.shape = {list(given)}"
        )
    check_range(index, have[place] if have else 1, place, RuntimeError)


def check_range(
    index: Tensor, size: int, dim: int, error: type[Exception], name: str = "", least: int = 0
) -> None:
    """Indices must be in bounds (``least`` is the smallest).

    Raises:
        IndexError, RuntimeError: PyTorch's text.
    """
    data = index._data
    if data.size and (data.min() < least or data.max() >= size):
        bad = data[(data < least) | (data >= size)]
        raise error(f"{name}index {bad[0]} is out of bounds for dimension {dim} with size {size}")


@offer(out=True)
def index_add(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1
) -> Tensor:
    """A copy with ``alpha`` times the slices of ``source`` added at ``index``.

    Shapes: index (n,); source is like input with n along ``dim``; the result is like input.
    """
    check_sources("index_add_", input, dim, index, source)
    return F.index_add(input, index, source, dim, alpha)


@offer(function=False)
def index_add_(
    self: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1
) -> Tensor:
    """``index_add``, written into this tensor."""
    check_sources("index_add_", self, dim, index, source)
    return run_op("index_add", self, (index, source), {"dim": dim, "alpha": alpha}, True)


def check_index_copy(self: Tensor, dim: int, index: Tensor, source: Tensor) -> None:
    """The operands of ``index_copy``.

    Raises:
        IndexError, RuntimeError: PyTorch's texts.
    """
    have, given, data = self._data.shape, source._data.shape, index._data
    place = wrap_dim(dim, len(have))
    if data.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {data.ndim})")
    if not given and data.size != 1:
        raise IndexError(
            f"index_copy_(): When source is scalar, index should have one element (got {data.size})"
        )
    if len(given) != len(have) and have and given:
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must "
            f"match. Source dimensionality ({len(given)}), destination dimensionality ({len(have)})"
        )
    if data.dtype != np.int64:
        raise RuntimeError(
            f"index_copy_(): Expected a long tensor for index, but got {scalar_type_of(index)}"
        )
    if self._data.dtype != source._data.dtype:
        raise RuntimeError(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{scalar_type_of(self)} and (source) {scalar_type_of(source)}"
        )
    mine, theirs = (*have[:place], *have[place + 1 :]), (*given[:place], *given[place + 1 :])
    if mine != theirs:
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination "
            f"slice shape: {' '.join(map(str, mine))} at dimension {place} and source slice shape: "
            f"{' '.join(map(str, theirs))} at dimension 0."
        )
    if given and data.size != given[place]:
        raise IndexError(
            f"index_copy_(): Number of indices ({data.size}) should be equal to source.size(dim) "
            f"({given[place]})"
        )
    check_range(index, have[place] if have else 1, place, IndexError, "index_copy_(): ")


@offer(out=True)
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """A copy with the slices of ``source`` at ``index``.

    Shapes: index (n,); source is like input with n along ``dim``; the result is like input.
    """
    check_index_copy(input, dim, index, source)
    return F.index_copy(input, index, source, dim)


@offer(function=False)
def index_copy_(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """``index_copy``, written into this tensor."""
    check_index_copy(self, dim, index, source)
    return run_op("index_copy", self, (index, source), {"dim": dim}, True)


def _index_fill(here: bool, self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    if isinstance(value, Tensor) and value._data.ndim:
        raise RuntimeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value._data.ndim} dimension(s)."
        )
    if index._data.dtype != np.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    place = wrap_dim(dim, self._data.ndim)
    if index._data.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    size = self._data.shape[place] if self._data.ndim else 1
    check_range(index, size, place, IndexError, least=-size)
    if here:
        needs_node(TABLE["index_fill"], (self, index))
    if here and has_internal_overlap(self._data):
        warn(EXPANDED.format("index_fill_", "mask", "scalar"))
    if isinstance(value, Tensor):
        return run_op("index_fill.tensor", self, (index, value), {"dim": dim}, here)
    return run_op("index_fill", self, (index,), {"dim": dim, "value": value}, here)


@offer()
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """A copy with the slices at ``index`` filled with one number (or 0-d tensor)."""
    return _index_fill(False, input, dim, index, value)


@offer(function=False)
def index_fill_(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """``index_fill``, written into this tensor."""
    return _index_fill(True, self, dim, index, value)


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
