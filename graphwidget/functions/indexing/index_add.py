"""``index_select`` and ``index_add``, also in place, and ``index_put``.

They read and write whole slices of a dim at the indices of a vector.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ...dispatch.offer import offer
from ...eager.inplace import needs_node
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ...optable import TABLE
from ..dims import wrap_dim
from .getitem import (
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
    check_range(index, have[place] if have else 1, place)


def check_range(index: Tensor, size: int, dim: int) -> None:
    """Refuse indices that are out of bounds, as PyTorch does.

    Raises:
        RuntimeError: one is.
    """
    data = index._data
    if data.size and (data.min() < 0 or data.max() >= size):
        bad = data[(data < 0) | (data >= size)]
        raise RuntimeError(f"index {bad[0]} is out of bounds for dimension {dim} with size {size}")


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


# Flat indices -------------------------------------------------------------------------------------


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
