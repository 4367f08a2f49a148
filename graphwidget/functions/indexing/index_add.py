"""``index_select``, ``index_add``, ``index_copy``, ``index_fill``, also in place.

They read and write whole slices of a dim at the indices of a vector.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.overlap import has_internal_overlap
from ...arrays.warnings import warn
from ...dispatch.offer import offer
from ...eager.inplace import needs_node
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ...optable import TABLE
from ..dims import wrap_dim
from .getitem import EXPANDED
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
