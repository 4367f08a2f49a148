"""Kernels of adaptive pools, interpolation, ``im2col`` and pixel shuffles.

Along each dim this is a linear map, so it is the product with a matrix of one row for each new
point; its derivative is the product with the transposed one.
"""

from __future__ import annotations

import math
from functools import cache, reduce
from typing import Any

import numpy as np

from ...arrays.memory_order import as_array, keep_channels_last, keep_images_channels_last
from ..pointwise.common_kernels import Array, Shape
from .window_kernels import add_windows, pad, window_count, windows

CUBIC = -0.75
"""The bend of the cubic kernel, PyTorch's choice."""


@cache
def averaging_matrix(size: int, count: int) -> Array:
    """The averages of ``count`` parts of ``size`` points, as even as can be; they may overlap."""
    rows = np.zeros((count, size))
    for i in range(count):
        start, end = i * size // count, -((-(i + 1) * size) // count)
        rows[i, start:end] = 1 / (end - start)
    return rows


def _source_positions(size: int, count: int, aligned: bool, scale: float | None) -> Array:
    """Where the new points lie among the old ones."""
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


@keep_images_channels_last
def adaptive_avg_pool(a: Array, output_size: Shape) -> Array:
    """The average of each of ``output_size`` parts."""
    sizes = a.shape[a.ndim - len(output_size) :]
    matrices = [averaging_matrix(*each) for each in zip(sizes, output_size, strict=True)]
    return multiply_last_dims(a, matrices)


def adaptive_avg_pool_backward(grad: Array, a: Array, dims: int) -> Array:
    """Each part's gradient shared among its points."""
    grad = as_array(grad)
    pairs = zip(a.shape[a.ndim - dims :], grad.shape[a.ndim - dims :], strict=True)
    return multiply_last_dims(grad, [averaging_matrix(*each).T for each in pairs])


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


# Largest items of parts ---------------------------------------------------------------------------
@keep_images_channels_last
def adaptive_max_pool(a: Array, output_size: Shape) -> tuple[Array, Array]:
    """The largest item of each of ``output_size`` parts, and its flat index; the first of equals,
    nan above all."""
    dims = len(output_size)
    sizes, lead = a.shape[a.ndim - dims :], a.shape[: a.ndim - dims]
    index = []
    for size, count in zip(sizes, output_size, strict=True):
        starts = np.arange(count) * size // count
        ends = -((-(np.arange(count) + 1) * size) // count)
        width = int((ends - starts).max()) if count else 1
        # parts that are shorter repeat their last point, which changes no maximum
        index.append(np.minimum(starts[:, None] + np.arange(width), ends[:, None] - 1))
    flat = reduce(lambda whole, each: whole * each[1] + _reshape_for_dim(each[0], dims), zip(
        enumerate(index), sizes, strict=True
    ), np.zeros((1,) * (2 * dims), np.int64))
    flat = flat.reshape(*output_size, math.prod(each.shape[1] for each in index))
    items = a.reshape(*lead, math.prod(sizes))[..., flat]
    chosen = items.argmax(-1)
    places = np.take_along_axis(np.broadcast_to(flat, items.shape), chosen[..., None], -1)[..., 0]
    return np.take_along_axis(items, chosen[..., None], -1)[..., 0], places


def _reshape_for_dim(numbered: tuple[int, Array], dims: int) -> Array:
    """Indices (count, width) of one dim, in the place of that dim among all counts and widths."""
    dim, index = numbered
    shape = [1] * (2 * dims)
    shape[dim], shape[dims + dim] = index.shape
    return index.reshape(shape)


def max_pool_derivative(grad: Array, a: Array, index: Array, dims: int) -> Array:
    """Each window's gradient at its largest item."""
    return scatter_flat(grad, index, a.shape, dims)


def scatter_flat(grad: Array, index: Array, shape: Shape, dims: int) -> Array:
    """Zeros of ``shape`` with ``grad`` added at flat indices into the last dims."""
    grad = as_array(grad)
    out = np.zeros((math.prod(shape[: len(shape) - dims]), math.prod(shape[len(shape) - dims :])),
                   grad.dtype)  # fmt: skip
    rows, each = np.arange(len(out))[:, None], (len(out), math.prod(index.shape[-dims:]))
    np.add.at(out, (rows, index.reshape(each)), grad.reshape(each))
    return out.reshape(shape)


def gather_flat(a: Array, index: Array, dims: int) -> Array:
    """The items of ``a`` at flat indices into its last dims."""
    flat = a.reshape(*a.shape[: a.ndim - dims], math.prod(a.shape[a.ndim - dims :]))
    lead, count = index.shape[: index.ndim - dims], math.prod(index.shape[index.ndim - dims :])
    chosen = np.take_along_axis(flat, np.ascontiguousarray(index.reshape(*lead, count)), -1)
    return chosen.reshape(index.shape)


# Columns, shuffles --------------------------------------------------------------------------------
def im2col(a: Array, kernel: Shape, dilation: Shape, padding: Shape, stride: Shape) -> Array:
    """The windows of (*, C, H, W) as columns: (*, C prod(kernel), windows)."""
    a = pad(a, padding)
    count = window_count(a.shape[-2:], kernel, stride, dilation)
    lead, channels = a.shape[:-3], a.shape[-3]
    found = np.array(windows(a, kernel, stride, dilation, count), order="C")
    return found.reshape(*lead, channels * math.prod(kernel), math.prod(count))


def col2im(
    a: Array, output_size: Shape, kernel: Shape, dilation: Shape, padding: Shape, stride: Shape
) -> Array:
    """The reverse of ``im2col``: what lies in several windows is added up."""
    a = as_array(a)
    padded = tuple(n + 2 * p for n, p in zip(output_size, padding, strict=True))
    count = window_count(padded, kernel, stride, dilation)
    parts = a.reshape(*a.shape[:-2], a.shape[-2] // math.prod(kernel), *kernel, *count)
    out = add_windows(parts, padded, kernel, stride, dilation, count)
    (top, left), (height, width) = padding, output_size
    return np.ascontiguousarray(out[..., top : top + height, left : left + width])


def pixel_shuffle(a: Array, factor: int) -> Array:
    """(*, C r r, H, W) to (*, C, H r, W r)."""
    *lead, channels, height, width = a.shape
    n, c = len(lead), channels // factor**2
    split = a.reshape(*lead, c, factor, factor, height, width)
    order = (*range(n + 1), n + 3, n + 1, n + 4, n + 2)
    shuffled = np.array(split.transpose(order), order="C")
    return shuffled.reshape(*lead, c, height * factor, width * factor)


@keep_channels_last
def pixel_unshuffle(a: Array, factor: int) -> Array:
    """The reverse of ``pixel_shuffle``."""
    a = as_array(a)
    *lead, channels, height, width = a.shape
    n, h, w = len(lead), height // factor, width // factor
    split = a.reshape(*lead, channels, h, factor, w, factor)
    order = (*range(n + 1), n + 2, n + 4, n + 1, n + 3)
    return np.array(split.transpose(order), order="C").reshape(*lead, channels * factor**2, h, w)


@keep_channels_last
def channel_shuffle(a: Array, groups: int) -> Array:
    """The channels (dim 1) in ``groups``, taken one of each in turn."""
    a = as_array(a)
    n, c, *rest = a.shape
    turned = a.reshape(n, groups, c // groups, *rest).swapaxes(1, 2)
    return np.array(turned, order="C").reshape(a.shape)


def trilinear(a: Array, weight: Array, b: Array) -> Array:
    """a[n, i] weight[o, i, j] b[n, j], summed over i and j."""
    halfway: Any = np.matmul(a, weight.swapaxes(0, 1).reshape(a.shape[1], -1))
    halfway = halfway.reshape(len(a), weight.shape[0], weight.shape[2])
    return np.matmul(halfway, b[:, :, None])[..., 0]
