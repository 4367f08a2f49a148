"""Views of parts of a tensor: ``select``, ``narrow``, ``diagonal``, ``unfold``, ``as_strided``.

With them stand those that write a tensor into such a part of a copy (``select_scatter``).
"""

from __future__ import annotations

import builtins
from typing import Any

from ...arrays import memory_order
from ...arrays.memory_order import real_strides
from ...dispatch.offer import offer
from ...eager.inplace import reshape_in_place
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ...optable.out import Out
from ..dims import checked_dim, wrap_dim
from .reshape_expand import ravel

SIZES_DIFFER = (
    "expected src to have a size equal to the slice of self. src size = {}, slice size = {}"
)


# One index, a range of them -----------------------------------------------------------------------
@offer()
def select(input: Tensor, dim: int, index: Any) -> Tensor:
    """The items at one index of a dim, which goes.

    Shapes: any; ``dim`` goes.
    """
    if input._data.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    place = int(index)
    check_select(input, dim, place)
    return F.select(input, dim, place)


def check_select(tensor: Tensor, dim: int, index: int) -> None:
    """An index to select must be in range.

    Raises:
        IndexError: PyTorch's text.
    """
    shape = tensor._data.shape
    dim = wrap_dim(dim, len(shape))
    size = shape[dim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(shape)} at dimension "
            f"{dim}"
        )


def wrap_range(tensor: Tensor, dim: int, start: Any, length: int) -> int:
    """Return the start of a range of a dim, counted from the dim's beginning.

    Raises:
        IndexError, RuntimeError: it does not lie within the dim (PyTorch's texts).
    """
    if isinstance(start, Tensor):
        if start._data.ndim or start._data.dtype.kind not in "iu":
            raise RuntimeError("start must be an 0-dim integral Tensor.")
        start = int(start._data)
    if tensor._data.ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    total = tensor._data.shape[wrap_dim(dim, tensor._data.ndim)]
    if not -total <= start <= total:
        raise IndexError(
            f"start out of range (expected to be in range of [{-total}, {total}], but got {start})"
        )
    begin = int(start) + total if start < 0 else int(start)
    if begin + length > total:
        raise RuntimeError(f"start ({begin}) + length ({length}) exceeds dimension size ({total}).")
    return begin


@offer()
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """``length`` indices of a dim from ``start``.

    Shapes: any; ``dim`` has the size ``length``.
    """
    begin = wrap_range(input, dim, start, length)
    return F.slice(input, dim, begin, begin + length, 1)


# Diagonals and windows ----------------------------------------------------------------------------
def check_diagonal(ndim: int, dim1: int, dim2: int) -> None:
    """Two different dims.

    Raises:
        IndexError, RuntimeError: PyTorch's texts.
    """
    if wrap_dim(dim1, ndim) == wrap_dim(dim2, ndim):
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")


@offer()
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A view of a diagonal.

    Shapes: two dims at least; both go, and the diagonal is the last.
    """
    check_diagonal(input._data.ndim, dim1, dim2)
    return F.diagonal(input, offset, dim1, dim2)


def linalg_diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonals of matrices, as a view."""
    return diagonal(A, offset, dim1, dim2)


linalg_diagonal.__name__ = linalg_diagonal.__qualname__ = "diagonal"
offer(space="linalg", out=False)(linalg_diagonal)


@offer()
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices that have the last dim on a diagonal, 0 elsewhere.

    Shapes: (..., n); a square of side n + |offset| in place of the last dim.
    """
    check_diagonal(input._data.ndim + 1, dim1, dim2)
    return F.diag_embed(input, offset, dim1, dim2)


@offer(out=Out(history="ended"))
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """A matrix with the vector on a diagonal, or a copy of a matrix's diagonal."""
    ndim = input._data.ndim
    if ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    if ndim == 1:
        return F.diag_embed(input, diagonal, -2, -1)
    return F.diagonal_copy(input, diagonal, 0, 1)


@offer()
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """A matrix with all items on a diagonal."""
    return F.diag_embed(ravel(input), offset, -2, -1)


@offer(function=False)
def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """All windows of ``size`` items along a dim, ``step`` apart, each in a new last dim.

    Raises:
        RuntimeError: sizes or steps that do not fit (PyTorch's texts).
    """
    shape = self._data.shape
    place = wrap_dim(dimension, len(shape))
    length = shape[place] if shape else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > length:
        raise RuntimeError(
            f"maximum size for tensor at dimension {place} is {length} but size is {size}"
        )
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return F.unfold(self, dimension, size, step)


# Any strides --------------------------------------------------------------------------------------
def geometry_of(tensor: Tensor) -> memory_order.Geometry:
    """Sizes, strides and storage offset, in items."""
    data = tensor._data
    strides = tuple(step // data.itemsize for step in real_strides(data))
    start = data.ctypes.data - memory_order.memory_of(data).ctypes.data
    return data.shape, strides, start // data.itemsize


def check_strided(
    tensor: Tensor, size: Any, stride: Any, offset: int | None
) -> memory_order.Geometry:
    """The tensor's own geometry, when the asked one lies within its storage.

    Raises:
        RuntimeError: PyTorch's texts.
    """
    geometry, data = geometry_of(tensor), tensor._data
    begin = geometry[2] if offset is None else offset
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if begin < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {begin}")
    if builtins.any(step < 0 for step in stride):
        raise RuntimeError(
            "as_strided: Negative strides are not supported at the moment, got strides: "
            f"{list(stride)}"
        )
    if builtins.any(each < 0 for each in size):
        raise RuntimeError(
            "Storage size calculation overflowed with "
            f"sizes={list(size)} and strides={list(stride)}"
        )
    if 0 not in size:
        reach = 1 + builtins.sum((n - 1) * step for n, step in zip(size, stride, strict=True))
        needed, have = (begin + reach) * data.itemsize, memory_order.memory_of(data).nbytes
        if needed > have:
            raise RuntimeError(
                f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {begin}, "
                f"and itemsize {data.itemsize} requiring a storage size of {needed} are out of "
                f"bounds for storage of size {have}"
            )
    return geometry


@offer()
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A view of the tensor's storage with any sizes, strides and offset, in items.

    Raises:
        RuntimeError: it does not lie within the storage.
    """
    sizes, strides = tuple(size), tuple(stride)
    geometry = check_strided(input, sizes, strides, storage_offset)
    return F.as_strided(input, sizes, strides, storage_offset, geometry)


@offer()
def as_strided_(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """``as_strided``, of this tensor itself."""
    sizes, strides = tuple(size), tuple(stride)
    geometry = check_strided(input, sizes, strides, storage_offset)
    return reshape_in_place(
        "as_strided_inplace", input, size=sizes, stride=strides, storage_offset=storage_offset,
        _geometry=geometry,
    )  # fmt: skip


# A tensor written into a part of a copy -----------------------------------------------------------
def check_source_size(src: Tensor, part: Tensor) -> None:
    """Check that the source has the size of the part that is written.

    Raises:
        RuntimeError: PyTorch's text.
    """
    if src._data.shape != part._data.shape:
        raise RuntimeError(SIZES_DIFFER.format(list(src._data.shape), list(part._data.shape)))


def without_history(tensor: Tensor) -> Tensor:
    """The same memory without a history, to see what a part would be."""
    return Tensor._wrap(tensor._data)


@offer(out=True)
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy with ``src`` at one index of a dim.

    Shapes: src is input without ``dim``; the result is like input.
    """
    check_source_size(src, select(without_history(input), dim, index))
    return F.select_scatter(input, src, dim, index)


@offer(out=True)
def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None,
    step: int = 1,
) -> Tensor:  # fmt: skip
    """A copy with ``src`` in a slice.

    Shapes: src is like the slice; the result is like input.
    """
    if not input._data.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    checked_dim(dim, input._data.ndim)
    check_source_size(src, F.slice(without_history(input), dim, start, end, step))
    return F.slice_scatter(input, src, dim, start, end, step)


@offer(out=True)
def diagonal_scatter(
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """A copy with ``src`` on a diagonal.

    Shapes: src is like the diagonal; the result is like input.
    """
    check_source_size(src, diagonal(without_history(input), offset, dim1, dim2))
    return F.diagonal_scatter(input, src, offset, dim1, dim2)
