"""``affine_grid`` and ``grid_sample``: images read at given points."""

from __future__ import annotations

from typing import Any

from ...arrays import dtypes
from ...arrays.kernel_errors import not_implemented
from ...arrays.size import Size
from ...arrays.warnings import warn
from ...dispatch.offer import offer
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor

MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
PADDINGS = {"zeros": 0, "border": 1, "reflection": 2}
_DEFAULT = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. "
    "Please specify align_corners=True if the old behavior is desired. See the documentation of "
    "grid_sample for details."
)


@offer(method=False)
def affine_grid_generator(theta: Tensor, size: Any, align_corners: bool) -> Tensor:
    """``torch.nn.functional.affine_grid`` without its checks."""
    sizes = tuple(size)
    if len(theta._data) != sizes[0]:
        rows = len(sizes) - 1
        raise RuntimeError(
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"[{sizes[0]}, {rows}] but got: [{len(theta._data)}, {rows}]."
        )
    return F.affine_grid_generator(theta, sizes, align_corners)


def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Tensor:
    """The points of images of ``size`` (N, C, H, W), or (N, C, D, H, W), moved by affine maps.

    Args:
        theta: (N, 2, 3), or (N, 3, 4) matrices.
        align_corners: -1 and 1 are the middles of the outermost points, not their far edges.

    Returns:
        (N, H, W, 2), or (N, D, H, W, 3): x first, as ``grid_sample`` takes them.

    Raises:
        ValueError: matrices that do not fit, or an empty size.
        NotImplementedError: images of other dims.
    """
    if align_corners is None:
        warn(_DEFAULT)
        align_corners = False
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    sizes = Size(size)
    dims = len(sizes) - 2
    told = tuple(sizes) if isinstance(size, tuple) else size
    if dims not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
            f"respectively. Got size {told}."
        )
    if tuple(theta._data.shape[1:]) != (dims, dims + 1):
        raise ValueError(
            f"Expected a batch of {dims}D affine matrices of shape Nx{dims}x{dims + 1} for size "
            f"{told}. Got {theta.shape}."
        )
    if align_corners and min(sizes[2:]) == 1:
        warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when "
            "align_corners=True. This is not an intended use case of affine_grid. See the "
            "documentation of affine_grid for details.",
        )
    elif min(sizes) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {told}")
    return affine_grid_generator(theta, sizes, align_corners)


def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:  # fmt: skip
    """Images (N, C, H, W), or (N, C, D, H, W), at the points of a grid.

    Args:
        grid: (N, *out, 2 or 3), x first; -1 and 1 are the ends of the image.
        mode: "bilinear", "nearest" or "bicubic" (of two dims).
        padding_mode: what lies outside: "zeros", the "border", or the image, by "reflection".
        align_corners: -1 and 1 are the middles of the outermost points, not their far edges.

    Returns:
        (N, C, *out).

    Raises:
        ValueError: an unknown mode.
        RuntimeError: sizes that do not fit.
    """
    if mode not in MODES:
        raise ValueError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', "
            f"but got: '{mode}'"
        )
    if padding_mode not in PADDINGS:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
            f"'reflection', but got: '{padding_mode}'"
        )
    if align_corners is None:
        warn(_DEFAULT)
        align_corners = False
    return grid_sampler(input, grid, MODES[mode], PADDINGS[padding_mode], align_corners)


@offer(method=False)
def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """``torch.nn.functional.grid_sample`` with numbers for the modes.

    Shapes: input (N, C, H, W) or (N, C, D, H, W), grid (N, H', W', 2) or (N, D', H', W', 3).
    """
    shape, points = input._data.shape, grid._data.shape
    dims = len(shape) - 2
    if shape[0] != points[0]:
        raise RuntimeError(
            "grid_sampler(): expected grid and input to have same batch size, but got input with "
            f"sizes {list(shape)} and grid with sizes {list(points)}"
        )
    if points[-1] != dims:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {dims} in last dimension, but got grid "
            f"with sizes {list(points)}"
        )
    for dim in range(2, len(shape)):
        if not shape[dim]:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input "
                f"has sizes {list(shape)} with dimension {dim} being empty"
            )
    if dims not in (2, 3) or len(shape) != len(points):
        raise RuntimeError(
            "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but "
            f"got input with sizes {list(shape)} and grid with sizes {list(points)}"
        )
    if dims == 3 and interpolation_mode == 2:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if not input._meta.floating:
        kernel = "grid_sampler_2d_cpu_kernel_impl" if dims == 2 else "grid_sampler3d_cpu"
        raise not_implemented(kernel, input._data.dtype)
    if input._data.dtype != grid._data.dtype:
        kinds = [dtypes.scalar_type(each._data.dtype) for each in (input, grid)]
        raise RuntimeError(f"expected scalar type {kinds[0]} but found {kinds[1]}")
    sample = F.grid_sampler_2d if dims == 2 else F.grid_sampler_3d
    return sample(input, grid, interpolation_mode, padding_mode, align_corners)


@offer(method=False)
def grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """``grid_sampler`` of (N, C, H, W)."""
    return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)


@offer(method=False)
def grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """``grid_sampler`` of (N, C, D, H, W)."""
    return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)
