"""Kernels that repeat, flip, roll and turn arrays, and keep their triangles."""

from __future__ import annotations

import numpy as np

from ...arrays.memory_order import Array, Shape, clone, is_channels_last, to_channels_last
from .view_kernels import diagonal


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
