"""Kernels of views and of their derivatives. Dims may count from the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays.memory_order import (  # fmt: skip
    Array,
    Geometry,
    Shape,
    as_array,
    copy_with_memory,
    item_offsets,
    memory_of,
    torch_strides,
)

VIEW_ERROR = (
    "view size is not compatible with input tensor's size and stride (at least one dimension spans "
    "across two contiguous subspaces). Use .reshape(...) instead."
)


def view(a: Array, shape: Shape) -> Array:
    """The same items in another shape, sharing memory.

    Raises:
        RuntimeError: the strides do not allow it (PyTorch's text).
    """
    try:
        return as_array(a).reshape(shape, copy=False)
    except ValueError:
        raise RuntimeError(VIEW_ERROR) from None


def expand(a: Array, shape: Shape) -> Array:
    """A broadcast view with stride 0 along new and stretched dims (numpy's is read-only)."""
    a = as_array(a)
    if a.shape == shape:
        return a[...]
    offset = len(shape) - a.ndim
    strides = tuple(
        0 if i < offset or (a.shape[i - offset] == 1 and size != 1) else a.strides[i - offset]
        for i, size in enumerate(shape)
    )
    if a.flags.c_contiguous and a.flags.writeable and 0 not in shape:
        return np.ndarray(shape, a.dtype, a, 0, strides)
    return np.lib.stride_tricks.as_strided(a, shape, strides)


def strided(a: Array) -> Array:
    """The array; where it has no items, with PyTorch's strides, for numpy's are all 0."""
    if a.size:
        return a
    return np.ndarray(a.shape, a.dtype, a, 0, torch_strides(a.shape, a.strides, a.itemsize))


def t(a: Array) -> Array:
    """The dims in reverse order."""
    return a.T if a.size else strided(a).T


def transpose(a: Array, dim0: int, dim1: int) -> Array:
    """Two dims exchanged; 0-d arrays as they are."""
    return strided(a).swapaxes(dim0, dim1) if a.ndim else a[...]


def permute(a: Array, dims: Shape) -> Array:
    """The dims in another order."""
    return strided(a).transpose(dims)


def slice_(a: Array, dim: int, start: int, end: int | None, step: int) -> Array:
    """Items start, start + step, ... below end along a dim."""
    index: list[Any] = [slice(None)] * a.ndim
    index[dim] = slice(start, end, step)
    return a[tuple(index)]


def slice_backward(
    grad: Array, shape: Shape, dim: int, start: int, end: int | None, step: int
) -> Array:
    """Zeros of ``shape`` with grad in the slice."""
    result = np.zeros(shape, as_array(grad).dtype)
    slice_(result, dim, start, end, step)[...] = grad
    return result


def select(a: Array, dim: int, index: int) -> Array:
    """The items at one index of a dim, which goes."""
    if dim == 0:
        return a[index, ...]
    place: tuple[Any, ...] = (*(slice(None),) * (dim if dim >= 0 else dim + a.ndim), index, ...)
    return a[place]


def select_backward(grad: Array, shape: Shape, dim: int, index: int) -> Array:
    """Zeros of ``shape`` with grad at one index of a dim."""
    result = np.zeros(shape, as_array(grad).dtype)
    select(result, dim, index)[...] = grad
    return result


def unsqueeze(a: Array, dim: int) -> Array:
    """With a new dim of size 1."""
    a = as_array(a)
    at = dim if dim >= 0 else dim + a.ndim + 1
    if a.ndim == at > 0:  # a reshape would repeat the last stride; PyTorch's is 1 there
        return a[..., None]
    return a.reshape(*a.shape[:at], 1, *a.shape[at:])


def squeeze(a: Array, dim: Shape) -> Array:
    """Without those of the dims that have size 1."""
    keep = tuple(d for d in dim if a.ndim and a.shape[d] == 1)
    return a.squeeze(keep) if keep else a[...]


def diagonal(a: Array, offset: int, dim1: int, dim2: int) -> Array:
    """A writable view of the diagonal (numpy's is read-only)."""
    found = np.diagonal(a, offset, dim1, dim2)
    if found.size == 0:
        return np.zeros(found.shape, a.dtype)
    start = a[
        tuple(
            slice(max(0, -offset), None) if i == dim1 % a.ndim
            else slice(max(0, offset), None) if i == dim2 % a.ndim
            else slice(None)
            for i in range(a.ndim)
        )
    ]  # fmt: skip
    return np.lib.stride_tricks.as_strided(start, found.shape, found.strides)


def diagonal_backward(grad: Array, shape: Shape, offset: int, dim1: int, dim2: int) -> Array:
    """Zeros of ``shape`` with grad on the diagonal."""
    result = np.zeros(shape, as_array(grad).dtype)
    diagonal(result, offset, dim1, dim2)[...] = grad
    return result


def unbind(a: Array, dim: int) -> tuple[Array, ...]:
    """One view for each index of a dim."""
    return tuple(select(a, dim, i) for i in range(a.shape[dim]))


def split(a: Array, split_size: int, dim: int) -> tuple[Array, ...]:
    """Consecutive views of one size along a dim, the last with what is left."""
    starts = range(0, a.shape[dim], split_size or 1) or (0,)
    return tuple(slice_(a, dim, start, start + split_size, 1) for start in starts)


def split_with_sizes(a: Array, split_sizes: Shape, dim: int) -> tuple[Array, ...]:
    """Consecutive views of the given sizes along a dim."""
    parts, start = [], 0
    for size in split_sizes:
        parts.append(slice_(a, dim, start, start + size, 1))
        start += size
    return tuple(parts)


def unfold(a: Array, dimension: int, size: int, step: int) -> Array:
    """All windows of ``size`` items along a dim, ``step`` apart, each in a new last dim."""
    if a.ndim == 0:
        return a.reshape(1)
    length = a.shape[dimension]
    shape, strides = [*a.shape, size], [*a.strides, a.strides[dimension]]
    place = dimension % a.ndim
    shape[place] = (length - size) // step + 1
    strides[place] *= step
    return np.lib.stride_tricks.as_strided(a, shape, strides)


def unfold_backward(grad: Array, shape: Shape, dimension: int, size: int, step: int) -> Array:
    """Zeros of ``shape`` to which each window's gradient is added."""
    result = np.zeros(shape, as_array(grad).dtype)
    if not shape:
        result[...] = grad[0]
        return result
    reach = (grad.shape[dimension % len(shape)] - 1) * step + 1
    for i in range(size):
        part = slice_(result, dimension, i, i + reach, step)
        np.add(part, grad[..., i], part)
    return result


def as_strided(
    a: Array, size: Shape, stride: Shape, storage_offset: int | None, _geometry: Geometry
) -> Array:
    """Any view of a's memory; sizes, strides and offset count items.

    ``_geometry`` is that of the tensor it was asked of: a gradient laid out like that tensor is
    addressed relative to its own beginning.
    """
    shift = 0 if storage_offset is None else storage_offset - _geometry[2]
    memory = memory_of(a)
    start = (a.ctypes.data - memory.ctypes.data) + shift * a.itemsize
    strides = [step * a.itemsize for step in stride]
    return np.ndarray(size, a.dtype, memory, start, strides)


def storage_size(geometry: Geometry) -> int:
    """Return how many items of storage there must be."""
    return int(item_offsets(geometry).max(initial=-1)) + 1


def has_overlap(geometry: Geometry) -> bool:
    """Return whether some items fall together in memory."""
    places = item_offsets(geometry).reshape(-1)
    return len(np.unique(places)) < len(places)


def put_strided(a: Array, source: Geometry, numel: int) -> Array:
    """A storage of so many items, 0 but for those that lie in it as ``source`` says; items that
    fall together add up."""
    memory = np.zeros(numel, as_array(a).dtype)
    np.add.at(memory, item_offsets(source).reshape(-1), as_array(a).reshape(-1))
    return memory


def divide_by_count(memory: Array, shared: Geometry) -> Array:
    """A storage, divided by how often ``shared`` addresses each of its items."""
    counts = np.bincount(item_offsets(shared).reshape(-1), minlength=len(memory))
    return np.divide(memory, np.maximum(counts, 1).astype(memory.dtype), out=...)


def scatter_kernel(part: Callable[..., Array]) -> Callable[..., Array]:
    """The kernel that writes into a part of a copy, from the one that shows the part."""

    def kernel(a: Array, src: Array, *where: Any) -> Array:
        result = copy_with_memory(as_array(a))
        part(result, *where)[...] = src
        return result

    return kernel
