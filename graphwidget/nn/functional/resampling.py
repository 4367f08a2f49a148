"""``unfold``, ``pixel_shuffle`` and ``interpolate``."""

from __future__ import annotations

import math
from typing import Any

from ...absent import not_here
from ...dispatch.offer import offer
from ...dispatch.parser import refusal
from ...eager.op_functions import TENSORS as F
from ...functions.dims import wrap_dim
from ...graph.tensor import Tensor
from ...optable.layers.convolution import window_count
from .convolution import check_pair, is_int, per_dim


def _window_sizes(
    kernel_size: Any, dilation: Any, padding: Any, stride: Any
) -> tuple[tuple[int, ...], ...]:
    """The sizes of windows: one number each, or two."""
    named = {
        "kernel_size": kernel_size, "dilation": dilation, "padding": padding, "stride": stride,
    }  # fmt: skip
    for name, each in named.items():
        check_pair(name, each)
    found = {name: per_dim(each, 2) for name, each in named.items()}
    for name, (height, width) in found.items():
        word, least = name.partition("_")[0], "non-negative" if name == "padding" else ""
        if min(height, width) < (not least):
            short = "pad" if least else word
            what = "kernel size" if word == "kernel" else name
            raise RuntimeError(
                f"{what} should be {least or 'greater than zero'}, but got "
                f"{short}_height: {height} {short}_width: {width}"
            )
    return tuple(found.values())


def unfold(
    input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """The windows of (N, C, H, W), or (C, H, W), as columns: (N, C k, windows) with k items in a
    window.

    Raises:
        IndexError: fewer than three dims.
        RuntimeError: no window fits.
    """
    for dim in (1, 2):
        wrap_dim(dim, input._data.ndim)
    kernel, gaps, pads, steps = _window_sizes(kernel_size, dilation, padding, stride)
    shape = input._data.shape
    if len(shape) > 4 or 0 in shape[len(shape) == 4 :]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {list(shape)}"
        )
    sizes = tuple(n + 2 * p for n, p in zip(shape[-2:], pads, strict=True))
    count = window_count(sizes, kernel, steps, gaps)
    if min(count) < 1:
        raise RuntimeError(
            f"Given input with spatial size {tuple(input._data.shape[-2:])}, kernel_size={kernel}, "
            f"dilation={gaps}, padding={pads}, calculated shape of the array of sliding blocks as "
            f"{count}, but its components must be at least one."
        )
    return F.im2col(input, kernel, gaps, pads, steps)


@offer(method=False)
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(*, C r r, H, W) to (*, C, H r, W r): channels become points."""
    if input._data.ndim < 3:
        raise RuntimeError(
            "pixel_shuffle expects input to have at least 3 dimensions, but got input with "
            f"{input._data.ndim} dimension(s)"
        )
    if upscale_factor <= 0:
        raise RuntimeError(
            f"pixel_shuffle expects a positive upscale_factor, but got {upscale_factor}"
        )
    channels = input._data.shape[-3]
    if channels % upscale_factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square "
            f"of upscale_factor, but input.size(-3)={channels} is not divisible by "
            f"{upscale_factor**2}"
        )
    return F.pixel_shuffle(input, upscale_factor)


INTERPOLATING = {
    "nearest": ("nearest1d", "nearest2d"),
    "nearest-exact": ("nearest_exact1d", "nearest_exact2d"),
    "linear": ("linear1d", ""),
    "bilinear": ("", "bilinear2d"),
}
"""The op of each mode for one and two dims."""


def interpolate(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None, recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:  # fmt: skip
    """The input with new numbers of points along its last dims.

    Args:
        input: (N, C, L) or (N, C, H, W).
        size: the new numbers of points, or
        scale_factor: by how much there are more.
        mode: "nearest", "nearest-exact", "linear" (one dim) or "bilinear" (two).
        align_corners: the first and last points stay where they are.
        recompute_scale_factor: reckon with the rounded number of points.

    Raises:
        ValueError: neither or both of size and scale factor, or as many as do not fit.
        NotImplementedError: a mode for another number of dims, or one that is not here.
    """
    dims = input._data.ndim - 2
    if mode in ("area", "bicubic", "trilinear", "lanczos") or dims == 3 or antialias:
        raise NotImplementedError(not_here(f"torch.nn.functional.interpolate of {dims} dims, "
                                           f"{mode=}, {antialias=}"))  # fmt: skip
    if mode in ("nearest", "nearest-exact") and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear "
            "| bicubic | trilinear"
        )
    sizes, scales = _size_or_scales(input, size, scale_factor)
    if recompute_scale_factor and sizes is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if scales is not None and recompute_scale_factor:
        sizes, scales = _output_sizes(input, scales), None
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
        NotImplementedError: there is none for this number of dims.
    """
    known = dims in (1, 2) and mode in (*INTERPOLATING,)  # any mode: a list is none
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
    given = f"input with spatial dimensions of {list(shape)}"
    shaped = "Please provide input tensor in (N, C, d1, d2, ...,dK) format and"
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        sizes = size if isinstance(size, list | tuple) else [size] * dims
        if len(sizes) != dims:
            raise ValueError(
                "Input and output must have the same number of spatial dimensions, but got "
                f"{given} and output size of {size}. {shaped} output size in (o1, o2, ...,oK) "
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
            f"{given} and scale_factor of shape {scale_factor}. {shaped} scale_factor in (s1, s2, "
            "...,sK) format."
        )
    return None, scales


def _check_sizes(input: Tensor, counts: tuple[int, ...]) -> None:
    shape = input._data.shape[2:]
    if min(shape) <= 0 or min(counts) <= 0:
        names = "HW"[-len(shape) :]
        given, wanted = (
            ", ".join(f"{name}: {number}" for name, number in zip(names, numbers, strict=True))
            for numbers in (shape, counts)
        )
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({given}) output "
            f"({wanted})"
        )
