"""Kernels of interpolation.

Along each dim this is a linear map, so it is the product with a matrix of one row for each new
point; its derivative is the product with the transposed one.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from ...arrays.memory_order import as_array, keep_channels_last
from ..pointwise.common_kernels import Array, Shape

CUBIC = -0.75
"""The bend of the cubic kernel, PyTorch's choice."""


def _source_positions(size: int, count: int, aligned: bool, scale: float | None) -> Array:
    """Return where the new points lie among the old ones."""
    if aligned:
        return np.arange(count) * ((size - 1) / (count - 1) if count > 1 else 0.0)
    step = 1 / scale if scale else size / count
    return (np.arange(count) + 0.5) * step - 0.5


@cache
def interpolation_matrix(
    mode: str, size: int, count: int, aligned: bool, scale: float | None
) -> Array:
    """The weights of the old points in each new one."""
    rows = np.zeros((count, size))
    points = np.arange(count)
    if mode.startswith("nearest"):
        stride = np.float32(1 / scale if scale else size / count)
        shift = np.float32(0.5 if mode == "nearest-exact" else 0)
        near = np.floor((points.astype(np.float32) + shift) * stride).astype(int)
        rows[points, np.minimum(near, size - 1)] = 1
        return rows
    place = _source_positions(size, count, aligned, scale)
    if mode == "linear":
        place = np.maximum(place, 0)
        start = np.minimum(place.astype(int), size - 1)
        part = place - start
        np.add.at(rows, (points, start), 1 - part)
        np.add.at(rows, (points, np.minimum(start + 1, size - 1)), part)
        return rows
    start = np.floor(place).astype(int)
    part = place - start
    for step in range(-1, 3):
        away = np.abs(part - step)
        near = ((CUBIC + 2) * away - (CUBIC + 3)) * away * away + 1
        far = ((CUBIC * away - 5 * CUBIC) * away + 8 * CUBIC) * away - 4 * CUBIC
        weight = np.where(away <= 1, near, far)
        np.add.at(rows, (points, np.clip(start + step, 0, size - 1)), weight)
    return rows


def multiply_last_dims(a: Array, matrices: list[Array]) -> Array:
    """``a`` with each of its last dims multiplied by a matrix."""
    given, first = a, a.ndim - len(matrices)
    for dim, matrix in enumerate(matrices, first):
        matrix = matrix.astype(a.dtype, copy=False)
        if dim == a.ndim - 1:
            a = np.matmul(a, matrix.T)
        else:
            flat = a.reshape(*a.shape[: dim + 1], math.prod(a.shape[dim + 1 :]))
            a = np.matmul(matrix, flat).reshape(*a.shape[:dim], len(matrix), *a.shape[dim + 1 :])
    if not np.isfinite(np.add.reduce(a, None)):
        for dim, matrix in enumerate(matrices, first):
            given = multiply_along_dim(given, matrix, dim)
        a = given
    return np.ascontiguousarray(a)


def multiply_along_dim(a: Array, matrix: Array, dim: int) -> Array:
    """The same along one dim, where nan and inf reach only what has a weight of theirs."""
    items = np.moveaxis(a, dim, -1)
    out = np.zeros((*items.shape[:-1], len(matrix)), a.dtype)
    for place, row in enumerate(matrix):
        near = np.flatnonzero(row)
        np.add.reduce(items[..., near] * row[near].astype(a.dtype), -1, out=out[..., place])
    return np.moveaxis(out, -1, dim)


def _interpolation_matrices(
    mode: str, sizes: Shape, counts: Shape, aligned: bool, scales: tuple[float | None, ...]
) -> list[Array]:
    given = zip(sizes, counts, scales, strict=True)
    return [interpolation_matrix(mode, size, count, aligned, scale) for size, count, scale in given]


def resample_bytes(a: Array, matrices: list[Array]) -> Array:
    """The same of pictures in bytes, the last dim first: as PyTorch does, in integers, with weights
    of 16 bits, and rounded to bytes after each dim."""
    for dim, matrix in zip(range(-1, -1 - len(matrices), -1), reversed(matrices), strict=True):
        if len(matrix) == a.shape[dim] and np.array_equal(matrix, np.eye(len(matrix))):
            continue
        bits, largest = 0, matrix.max()
        while bits < 22 and int(0.5 + largest * 2 ** (bits + 1)) < 2**15:
            bits += 1
        weights = np.trunc(matrix * 2**bits + np.copysign(0.5, matrix)).astype(np.int64)
        sums = np.matmul(np.moveaxis(a, dim, -1).astype(np.int64), weights.T) + 2 ** (bits - 1)
        a = np.moveaxis(np.clip(sums >> bits, 0, 255).astype(np.uint8), -1, dim)
    return np.ascontiguousarray(a)


@keep_channels_last
def resample(
    a: Array, mode: str, output_size: Shape, align_corners: bool,
    scales: tuple[float | None, ...],
) -> Array:  # fmt: skip
    """``a`` with new numbers of points along its last dims."""
    sizes = a.shape[a.ndim - len(output_size) :]
    matrices = _interpolation_matrices(mode, sizes, output_size, align_corners, scales)
    if not mode.startswith("nearest"):
        multiply = resample_bytes if a.dtype == np.uint8 else multiply_last_dims
        return multiply(a, matrices)
    first = a.ndim - len(output_size)  # the points themselves, whatever lies beside them
    for dim, matrix in enumerate(matrices, first):
        a = np.take(a, matrix.argmax(1), dim)
    return a


def resample_backward(
    grad: Array, shape: Shape, mode: str, output_size: Shape, align_corners: bool,
    scales: tuple[float | None, ...],
) -> Array:  # fmt: skip
    """The derivative of ``resample`` of an array of ``shape``."""
    sizes = shape[len(shape) - len(output_size) :]
    matrices = _interpolation_matrices(mode, sizes, output_size, align_corners, scales)
    return multiply_last_dims(as_array(grad), [matrix.T for matrix in matrices])
