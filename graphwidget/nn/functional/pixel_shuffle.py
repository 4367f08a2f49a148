"""``pixel_shuffle`` and ``pixel_unshuffle``."""

from __future__ import annotations

from ...dispatch.offer import offer
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor


@offer(method=False)
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(*, C r r, H, W) to (*, C, H r, W r): channels become points."""
    check_points("pixel_shuffle", input, "upscale_factor", upscale_factor)
    channels = input._data.shape[-3]
    if channels % upscale_factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square "
            f"of upscale_factor, but input.size(-3)={channels} is not divisible by "
            f"{upscale_factor**2}"
        )
    return F.pixel_shuffle(input, upscale_factor)


@offer(method=False)
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """The reverse of ``pixel_shuffle``: points become channels."""
    check_points("pixel_unshuffle", input, "downscale_factor", downscale_factor)
    for name, dim in (("height", -2), ("width", -1)):
        if input._data.shape[dim] % downscale_factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but "
                f"input.size({dim})={input._data.shape[dim]} is not divisible by {downscale_factor}"
            )
    return F.pixel_unshuffle(input, downscale_factor)


def check_points(name: str, input: Tensor, called: str, factor: int) -> None:
    """Refuse what has no channels of points, and factors below 1 (PyTorch's texts)."""
    if input._data.ndim < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with "
            f"{input._data.ndim} dimension(s)"
        )
    if factor <= 0:
        raise RuntimeError(f"{name} expects a positive {called}, but got {factor}")
