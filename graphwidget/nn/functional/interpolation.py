"""``interpolate`` and ``upsample``: other numbers of points along the last dims."""

from __future__ import annotations

import math
from typing import Any

from ...arrays.warnings import warn
from ...dispatch.parser import refusal
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from .adaptive_pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from .sizes import is_int

INTERPOLATING = {
    "nearest": ("nearest1d", "nearest2d", "nearest3d"),
    "nearest-exact": ("nearest_exact1d", "nearest_exact2d", "nearest_exact3d"),
    "linear": ("linear1d", "", ""),
    "bilinear": ("", "bilinear2d", ""),
    "trilinear": ("", "", "trilinear3d"),
    "bicubic": ("", "bicubic2d", ""),
}
"""The op of each mode for one, two and three dims."""


def interpolate(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None, recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:  # fmt: skip
    """The input with new numbers of points along its last dims.

    Args:
        input: (N, C, L), (N, C, H, W) or (N, C, D, H, W).
        size: the new numbers of points, or
        scale_factor: by how much there are more.
        mode: "nearest", "nearest-exact", "linear" (one dim), "bilinear", "bicubic" (two),
            "trilinear" (three) or "area" (averages).
        align_corners: the first and last points stay where they are.
        recompute_scale_factor: reckon with the rounded number of points.

    Raises:
        ValueError: neither or both of size and scale factor, or as many as do not fit.
        NotImplementedError: a mode for another number of dims; antialiasing.
    """
    dims = input._data.ndim - 2
    if mode in ("nearest", "area", "nearest-exact") and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear "
            "| bicubic | trilinear"
        )
    sizes, scales = _size_or_scales(input, size, scale_factor)
    if recompute_scale_factor and sizes is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if scales is not None and (recompute_scale_factor or mode == "area"):
        sizes, scales = _output_sizes(input, scales), None
    if antialias:
        if dims != 2 or mode not in ("bilinear", "bicubic", "lanczos"):
            raise ValueError(
                "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and "
                "requires a 4-D tensor as input"
            )
        raise NotImplementedError("interpolate: antialias is not offered")
    if mode == "area":
        pools = (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)
        return pools[dims - 1](input, sizes)
    key = _op_key(mode, dims)
    aligned = (
        () if mode.startswith("nearest") else (False if align_corners is None else align_corners,)
    )
    kinds = ((sizes, (int,)), (scales, (float, int)), (aligned, (bool,)))
    if any(item.__class__ not in kind for given, kind in kinds for item in given or ()):
        wrong = refusal("nn", bound_name(key), (input, sizes, *aligned, scales), {})
        if wrong is not None:
            raise wrong
    counts = _output_sizes(input, scales) if sizes is None else tuple(map(int, sizes))
    _check_sizes(input, counts)
    factors = (None,) * dims if scales is None else map(float, scales)
    return getattr(F, f"upsample_{key}")(input, counts, *aligned, *factors)  # type: ignore[no-any-return]


def bound_name(key: str) -> str:
    """Return PyTorch's name of the bound function of a mode."""
    return f"{'_' * ('exact' in key)}upsample_{key}"


def _output_sizes(input: Tensor, scales: Any) -> tuple[int, ...]:
    """The new numbers of points.

    Raises:
        RuntimeError: a scale is not finite.
    """
    if not all(map(math.isfinite, scales)):
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    return tuple(int(n * scale) for n, scale in zip(input._data.shape[2:], scales, strict=True))


def _op_key(mode: str, dims: int) -> str:
    """The op of a mode.

    Raises:
        NotImplementedError: there is none for so many dims.
    """
    known = dims in (1, 2, 3) and mode in INTERPOLATING
    key = INTERPOLATING[mode][dims - 1] if known else ""
    if key:
        return key
    if known:
        needs = next(i for i, each in enumerate(INTERPOLATING[mode]) if each) + 3
        raise NotImplementedError(f"Got {dims + 2}D input, but {mode} mode needs {needs}D input")
    raise NotImplementedError(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {dims + 2}D) for the modes: "
        f"nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got "
        f"{mode})"
    )


def _size_or_scales(input: Tensor, size: Any, scale_factor: Any) -> tuple[Any, Any]:
    """The new numbers of points, or the scales: a sequence with one for each dim, and None."""
    shape = input._data.shape[2:]
    dims = len(shape)
    told = f"input with spatial dimensions of {list(shape)}"
    shaped = "Please provide input tensor in (N, C, d1, d2, ...,dK) format and"
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        sizes = size if isinstance(size, list | tuple) else [size] * dims
        if len(sizes) != dims:
            raise ValueError(
                "Input and output must have the same number of spatial dimensions, but got "
                f"{told} and output size of {size}. {shaped} output size in (o1, o2, ...,oK) "
                "format."
            )
        if sizes is size and not all(isinstance(item, bool) or is_int(item) for item in sizes):
            raise TypeError(
                "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, "
                f"int, int], but got size with types {[type(item) for item in sizes]}"
            )
        return sizes, None
    if scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    scales = scale_factor if isinstance(scale_factor, list | tuple) else [scale_factor] * dims
    if len(scales) != dims:
        raise ValueError(
            "Input and scale_factor must have the same number of spatial dimensions, but got "
            f"{told} and scale_factor of shape {scale_factor}. {shaped} scale_factor in (s1, s2, "
            "...,sK) format."
        )
    return None, scales


def _check_sizes(input: Tensor, counts: tuple[int, ...]) -> None:
    shape = input._data.shape[2:]
    if min(shape) <= 0 or min(counts) <= 0:
        names = "W" if len(shape) == 1 else "HW" if len(shape) == 2 else "DHW"
        given, wanted = (
            ", ".join(f"{name}: {number}" for name, number in zip(names, numbers, strict=True))
            for numbers in (shape, counts)
        )
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({given}) output "
            f"({wanted})"
        )


OLDER = "`nn.functional.{}` is deprecated. Use `nn.functional.interpolate` instead."


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:  # fmt: skip
    """``interpolate`` by its older name."""
    warn(OLDER.format("upsample"))
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """``interpolate`` in mode "nearest"."""
    warn(OLDER.format("upsample_nearest"))
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """``interpolate`` in mode "bilinear", with the corners aligned."""
    warn(OLDER.format("upsample_bilinear"))
    return interpolate(input, size, scale_factor, "bilinear", True)
