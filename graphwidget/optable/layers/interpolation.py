"""Interpolation and pixel shuffles: kernels and ops.

Along each dim interpolation is a linear map, so it is the product with a matrix of one row for
each new point; its derivative is the product with the transposed one.
"""

from __future__ import annotations

import inspect
import math
from functools import cache
from typing import Any

import numpy as np

from ...arrays.memory_order import as_array, keep_channels_last
from ..declare import Formula, Namespace, op
from ..pointwise.common_kernels import Array, Shape


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
    place = np.maximum(_source_positions(size, count, aligned, scale), 0)
    start = np.minimum(place.astype(int), size - 1)
    part = place - start
    np.add.at(rows, (points, start), 1 - part)
    np.add.at(rows, (points, np.minimum(start + 1, size - 1)), part)
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


@keep_channels_last
def resample(
    a: Array, mode: str, output_size: Shape, align_corners: bool,
    scales: tuple[float | None, ...],
) -> Array:  # fmt: skip
    """``a`` with new numbers of points along its last dims."""
    sizes = a.shape[a.ndim - len(output_size) :]
    matrices = _interpolation_matrices(mode, sizes, output_size, align_corners, scales)
    if not mode.startswith("nearest"):
        return multiply_last_dims(a, matrices)
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


F = Namespace()

SCALES = {1: ("scales",), 2: ("scales_h", "scales_w")}
"""PyTorch's name of the factor of each dim."""


def formula(function: Formula, *names: str) -> Formula:
    """A formula of any number of parameters, with names for them."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in names]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return function


def interpolation(name: str, node: str, mode: str, dims: int, kernel: str) -> None:
    """Declare an interpolation and its derivative, which is one too.

    Args:
        kernel: PyTorch's name of the kernel, which knows floats only.
    """
    aligning = not mode.startswith("nearest")
    names = ("output_size", *(("align_corners",) if aligning else ()), *SCALES[dims])
    key, back = f"upsample_{name}", f"upsample_{name}_backward"

    def to_size(a: Any, size: Any, *given: Any) -> Any:
        return resample(a, mode, size, aligning and given[0], given[-dims:])

    def to_size_backward(grad: Any, shape: Any, size: Any, *given: Any) -> Any:
        return resample_backward(grad, shape, mode, size, aligning and given[0], given[-dims:])

    op(f"{key}(self, /, {', '.join(names)})", to_size, node=f"Upsample{node}Backward0",
       refuses=f"{kernel}: bool integer",
       d_self=formula(lambda grad, *given: getattr(F, back)(grad, *given),
                      "grad", "self_shape", *names),
       public=False, sign="resample", text="{self} with {output_size} points", onnx="Resize")

    op(f"{back}(grad_output, /, shape, {', '.join(names)})", to_size_backward,
       node=f"Upsample{node}BackwardBackward0",
       d_grad_output=formula(lambda grad, *given: getattr(F, key)(grad, *given), "grad", *names),
       public=False, sign="resample′", text="{grad_output} back to {shape}",
       onnx=None)


WEIGHTS = "compute_indices_weights"

for _dims in (1, 2):
    _kernel = "upsample_nearest2d_channels_last" if _dims == 2 else f"{WEIGHTS}_nearest"
    interpolation(f"nearest{_dims}d", f"Nearest{_dims}D", "nearest", _dims, _kernel)
    interpolation(
        f"nearest_exact{_dims}d", f"NearestExact{_dims}D", "nearest-exact", _dims, _kernel
    )

interpolation("linear1d", "Linear1D", "linear", 1, f"{WEIGHTS}_linear")

interpolation("bilinear2d", "Bilinear2D", "linear", 2, "upsample_bilinear2d_channels_last")


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


op("pixel_shuffle(self, /, upscale_factor)", pixel_shuffle,
   d_self=lambda grad, upscale_factor: F.pixel_unshuffle(grad, upscale_factor),
   public=False, text="pixel shuffle({self})", onnx="DepthToSpace")

op("pixel_unshuffle(self, /, downscale_factor)", pixel_unshuffle,
   d_self=lambda grad, downscale_factor: F.pixel_shuffle(grad, downscale_factor),
   public=False, text="pixel unshuffle({self})", onnx="SpaceToDepth")
