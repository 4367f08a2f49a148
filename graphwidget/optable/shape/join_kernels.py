"""Kernels that join arrays. Dims may count from the end."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.memory_order import (
    Array,
    as_array,
    is_channels_last,
    to_channels_last,
)


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
    """Return where each matrix of a block diagonal begins and ends, in rows and columns."""
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
