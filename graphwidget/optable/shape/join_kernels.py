"""Kernels that join, repeat, flip and pad arrays.

Dims may count from the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.memory_order import (
    Array,
    Shape,
    as_array,
    clone,
    is_channels_last,
    keep_channels_last,
    to_channels_last,
)
from ...arrays.scalars import scalar_array
from .view_kernels import diagonal


def common_type(arrays: list[Array]) -> Any:
    """The type that arrays promote to as PyTorch promotes: integers do not widen floats."""
    floats = [a.dtype for a in arrays if a.dtype.kind == "f"]
    return np.result_type(*(floats or [a.dtype for a in arrays]))


def stack(arrays: list[Array], dim: int) -> Array:
    """Joined along a new dim."""
    arrays = [as_array(a) for a in arrays]
    shape = arrays[0].shape
    at = dim if dim >= 0 else dim + len(shape) + 1
    if at < len(shape) and all(is_channels_last(a) for a in arrays):
        return cat(arrays, at).reshape(*shape[:at], len(arrays), *shape[at:])
    spread = (*shape[:at], 1, *shape[at:])
    return concatenate([a.reshape(spread) for a in arrays], at, arrays)


def cat(arrays: list[Array], dim: int) -> Array:
    """Joined along a dim, with the channels innermost in memory where they are so in all; PyTorch
    lets empty 1-d tensors pass."""
    parts = [a for a in arrays if a.shape != (0,)]
    found = concatenate(parts, dim, arrays) if parts else concatenate(arrays, 0, arrays)
    return to_channels_last(found) if all(is_channels_last(a) for a in arrays) else found


def concatenate(parts: list[Array], dim: int, typed: list[Array]) -> Array:
    """Joined along a dim, in the common type of ``typed``."""
    first = parts[0].dtype
    if all(a.dtype is first for a in typed):
        return np.ascontiguousarray(np.concatenate(parts, dim))
    dtype = common_type(typed)
    return np.ascontiguousarray(np.concatenate(parts, dim, dtype=dtype, casting="unsafe"))


def block_corners(shapes: Any) -> list[tuple[int, int, int, int]]:
    """Where each matrix of a block diagonal begins and ends, in rows and columns."""
    found, row, column = [], 0, 0
    for shape in shapes:
        height, width = (1, 1, *shape)[-2:]
        found.append((row, row + height, column, column + width))
        row, column = row + height, column + width
    return found


def block_diag(arrays: list[Array], _dtype: Any) -> Array:
    """Matrices on the diagonal of a matrix of the given type, 0 elsewhere."""
    places = block_corners([a.shape for a in arrays])
    shape = places[-1][1], places[-1][3]
    result = np.zeros(shape, _dtype)
    for a, (top, bottom, left, right) in zip(arrays, places, strict=True):
        result[top:bottom, left:right] = a
    return result


def repeat(a: Array, repeats: Shape) -> Array:
    """The whole array so many times along each dim."""
    return np.asarray(np.tile(a, repeats), order="C")


def flip(a: Array, dims: Shape) -> Array:
    """The items of some dims in reverse."""
    return clone(np.flip(a, dims)) if a.ndim else a.copy()


def roll(a: Array, shifts: Shape, dims: Shape) -> Array:
    """Items moved along dims, those that leave at one end come in at the other."""
    if not a.ndim or not a.size:  # whatever the dims
        return a.copy()
    if not dims:
        return np.roll(a, shifts[0])
    moved = np.roll(np.ascontiguousarray(a), shifts, dims)
    return to_channels_last(moved) if is_channels_last(a) else moved


def rot90(a: Array, k: int, dims: Shape) -> Array:
    """Turned by k right angles in the plane of two dims."""
    first, second = dims
    if k % 4 == 1:
        return flip(a, (second,)).swapaxes(first, second)
    if k % 4 == 3:
        return flip(a, (first,)).swapaxes(first, second)
    return flip(a, dims) if k % 4 == 2 else np.array(a, order="C")


def refuse_vectors(name: str, a: Array) -> None:
    """There must be matrices.

    Raises:
        RuntimeError: PyTorch's text.
    """
    if a.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")


def tril(a: Array, diagonal: int = 0) -> Array:
    """The items on and below a diagonal of matrices, 0 above."""
    refuse_vectors("tril", a)
    return np.ascontiguousarray(np.tril(a, diagonal))


def triu(a: Array, diagonal: int = 0) -> Array:
    """The items on and above a diagonal of matrices, 0 below."""
    refuse_vectors("triu", a)
    return np.ascontiguousarray(np.triu(a, diagonal))


def diag_embed(a: Array, offset: int, dim1: int, dim2: int) -> Array:
    """The last dim on a diagonal of two new dims, 0 elsewhere."""
    size = a.shape[-1] + abs(offset)
    shape = list(a.shape[:-1])
    for dim in sorted((dim1 % (a.ndim + 1), dim2 % (a.ndim + 1))):
        shape.insert(dim, size)
    result = np.zeros(shape, a.dtype)
    if a.size:
        diagonal(result, offset, dim1, dim2)[...] = a
    return result


def padding_by_dim(pad: Shape) -> list[tuple[int, int]]:
    """PyTorch's flat list (last dim first) as one pair for each dim, last dim last."""
    return [(pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)]


@keep_channels_last
def constant_pad(a: Array, pad: Shape, value: float) -> Array:
    """More items at the ends of the last dims; negative numbers take items away."""
    a, sides = as_array(a), padding_by_dim(pad)
    if not any(pad):
        return clone(a)
    kept, inner = a.ndim - len(sides), [slice(None)] * a.ndim
    outer, shape = list(inner), list(a.shape)
    for dim, (before, after) in enumerate(sides, kept):
        shape[dim] += before + after
        inner[dim] = slice(max(-before, 0), a.shape[dim] - max(-after, 0))
        outer[dim] = slice(max(before, 0), shape[dim] - max(after, 0))
    result = np.zeros(shape, a.dtype)
    if value != 0:
        result[...] = scalar_array(value, a.dtype)
    result[tuple(outer)] = a[tuple(inner)]
    return result


def reflection_indices(size: int, before: int, after: int) -> Array:
    """Indices of a dim that is mirrored at its ends, which are not repeated."""
    places = np.abs(np.arange(-before, size + after))
    return size - 1 - np.abs(size - 1 - places)


def replication_indices(size: int, before: int, after: int) -> Array:
    """Indices of a dim whose ends are repeated."""
    return np.clip(np.arange(-before, size + after), 0, size - 1)


RULES = {"reflection": reflection_indices, "replication": replication_indices}


@keep_channels_last
def border_pad(a: Array, padding: Shape, rule: str) -> Array:
    """More items at the ends of the last dims, copied from inside by a rule."""
    sides = padding_by_dim(padding)
    for dim, (before, after) in enumerate(sides, a.ndim - len(sides)):
        a = a.take(RULES[rule](a.shape[dim], before, after), dim)
    return np.ascontiguousarray(a)


def border_pad_backward(grad: Array, a: Array, padding: Shape, rule: str) -> Array:
    """The gradient of what was padded: that of each item and of its copies."""
    sides = padding_by_dim(padding)
    grad = as_array(grad)
    for dim, (before, after) in enumerate(sides, a.ndim - len(sides)):
        whole = np.zeros((*grad.shape[:dim], a.shape[dim], *grad.shape[dim + 1 :]), grad.dtype)
        moved = np.moveaxis(whole, dim, 0)
        np.add.at(moved, RULES[rule](a.shape[dim], before, after), np.moveaxis(grad, dim, 0))
        grad = whole
    return grad
