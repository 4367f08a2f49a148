"""Writes indexing, gathering and scattering as ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import OnnxExporterError
from .shapes import LAST, arranged, place, reshape, slice_of
from .values import writes


@writes("gather", "gather_along_dim")
def _gather(w: Any, self: Any, index: Any, dim: int, sparse_grad: Any = False) -> Any:
    return w("GatherElements", self, index, axis=self.axis(dim))


@writes("index_select")
def _index_select(w: Any, self: Any, index: Any, dim: int) -> Any:
    index = reshape(w, index, (1,)) if index.sizes == () else index
    return w("Gather", self, index, axis=self.axis(dim))


@writes("embedding")
def _embedding(w: Any, weight: Any, indices: Any, padding_idx: Any = -1,
              scale_grad_by_freq: Any = False, sparse: Any = False) -> Any:  # fmt: skip
    return w("Gather", weight, indices, axis=0)


@writes("select_scatter")
def _select_scatter(w: Any, self: Any, src: Any, dim: int, index: Any) -> Any:
    dim = dim % self.rank
    part = w("Unsqueeze", src.cast(self.dtype), w.ints(dim))
    if not isinstance(index, int):
        where = w("Expand", reshape(w, place(w, index).cast(np.int64), (1,) * self.rank),
                  w("Shape", part, dtype=np.int64))  # fmt: skip
        return w("ScatterElements", self, where, part, axis=dim)
    size = self.sizes[dim]
    if size is None:
        raise OnnxExporterError("a part is written along a dim of unknown size")
    return between(w, self, part, dim, index % size, index % size + 1)


def between(w: Any, self: Any, part: Any, dim: int, start: int, end: int) -> Any:
    """Items with those from ``start`` to ``end`` along a dim replaced."""
    pieces = [slice_of(w, self, dim, 0, start)] if start else []
    pieces.append(part)
    if end < self.sizes[dim]:
        pieces.append(slice_of(w, self, dim, end, LAST))
    return w("Concat", *pieces, axis=dim) if len(pieces) > 1 else part


@writes("slice_scatter")
def _slice_scatter(w: Any, self: Any, src: Any, dim: int = 0, start: Any = None, end: Any = None,
                  step: int = 1) -> Any:  # fmt: skip
    dim = dim % self.rank
    size = self.sizes[dim]
    if size is None:
        if start or (end is not None and end < LAST) or step != 1:
            raise OnnxExporterError("a part is written along a dim of unknown size")
        return src.cast(self.dtype)
    places = np.arange(size)[slice(start, end, step)]
    if not len(places):
        return self
    src = src.cast(self.dtype)
    if step == 1:
        return between(w, self, src, dim, int(places[0]), int(places[-1]) + 1)
    order = list(range(self.rank))
    order[0], order[dim] = dim, 0
    where = w.constant(places.reshape(-1, 1).astype(np.int64))
    moved = w("ScatterND", arranged(w, self, order), where, arranged(w, src, order))
    return arranged(w, moved, order)


# Advanced indices ----------------------------------------------------------------------------
def order_of(self: Any, indices: Any) -> tuple[list[Any], list[int], list[int], bool]:
    """The index tensors, the dims they are for, the other dims, and whether theirs come first."""
    given = [each for each in indices if each is not None]
    dims = [i for i, each in enumerate(indices) if each is not None]
    others = [i for i in range(self.rank) if i not in dims]
    together = dims == list(range(dims[0], dims[0] + len(dims)))
    return given, dims, others, together


def places_of(w: Any, self: Any, given: list[Any], dims: list[int]) -> tuple[Any, tuple[int, ...]]:
    """Index tensors as one list of places, in their common shape."""
    common = np.broadcast_shapes(*(each.shape for each in given))
    columns = []
    for each, dim in zip(given, dims, strict=True):
        index = each.cast(np.int64)
        index = w("Where", index < 0, index + self.size(dim), index, dtype=np.int64)
        full = w("Expand", index, w.ints(*common))
        columns.append(w("Unsqueeze", full, w.ints(-1)))
    places = w("Concat", *columns, axis=-1) if len(columns) > 1 else columns[0]
    return places, tuple(common)


@writes("index")
def _index(w: Any, self: Any, indices: Any) -> Any:
    given, dims, others, together = order_of(self, indices)
    if any(each.dtype == bool for each in given):
        if len(given) > 1 or dims != [0]:
            raise OnnxExporterError("a mask among other indices has no equivalent")
        mask = given[0]
        places = w("Transpose", w("NonZero", mask, dtype=np.int64), perm=[1, 0])
        return w("GatherND", self, places, dtype=self.dtype)
    if len(given) == 1:
        return w("Gather", self, given[0].cast(np.int64), axis=dims[0])
    places, common = places_of(w, self, given, dims)
    first = arranged(w, self, [*dims, *others])
    found = w("GatherND", first, places)
    if together and dims[0]:  # the indices' dims belong where the first indexed dim was
        n, k = len(common), dims[0]
        found = arranged(w, found, [*range(n, n + k), *range(n), *range(n + k, n + len(others))])
    return found


@writes("index_put")
def _index_put(w: Any, self: Any, values: Any, indices: Any, accumulate: Any = False) -> Any:
    given, dims, others, together = order_of(self, indices)
    values = values.cast(self.dtype)
    if any(each.dtype == bool for each in given):
        mask = given[0]
        if len(given) > 1 or dims != [0] or values.sizes != () or accumulate:
            raise OnnxExporterError("values written at a mask have no equivalent")
        mask = reshape(w, mask, (*mask.shape, *(1,) * (self.rank - mask.rank)))
        return w("Where", mask, values, self, dtype=self.dtype)
    places, common = places_of(w, self, given, dims)
    rest = tuple(self.size(i) for i in others)
    n, k = len(common), dims[0]
    moved = together and k
    shape = (*rest[:k], *common, *rest[k:]) if moved else (*common, *rest)
    values = w("Expand", values, w.ints(*shape))
    if moved:
        values = arranged(w, values, [*range(k, k + n), *range(k), *range(k + n, len(shape))])
    order = [*dims, *others]
    whole = w("ScatterND", arranged(w, self, order), places, values,
              reduction="add" if accumulate else None)  # fmt: skip
    return arranged(w, whole, np.argsort(order))
