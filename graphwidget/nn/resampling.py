"""``Upsample``, ``Fold``, ``Unfold``, ``PixelShuffle`` and their kin."""

from __future__ import annotations

from typing import Any

from ..graph.tensor import Tensor
from . import functional
from .functional_layer import repr_options
from .module import Module

__all__ = [
    "ChannelShuffle", "Fold", "PixelShuffle", "PixelUnshuffle", "Unfold", "Upsample",
    "UpsamplingBilinear2d", "UpsamplingNearest2d",
]  # fmt: skip


class Upsample(Module):
    """The input with other numbers of points along its last dims; see `functional.interpolate`."""

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor: Any = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The input with its new points."""
        return functional.interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners,
            self.recompute_scale_factor,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """The size or the factor, and the mode."""
        name = "size" if self.scale_factor is None else "scale_factor"
        return f"{name}={getattr(self, name)}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """`Upsample` of (N, C, H, W) that repeats the nearest point."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """`Upsample` of (N, C, H, W) in mode "bilinear", with the corners aligned."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


# Windows as columns -------------------------------------------------------------------------------
class Unfold(Module):
    """The windows of (N, C, H, W) as columns (N, C k, windows), with k items in a window."""

    extra_repr = repr_options("kernel_size", "dilation", "padding", "stride")

    def __init__(
        self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """The windows."""
        return functional.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)


class Fold(Module):
    """The reverse of `Unfold`: columns added up into (N, C, *output_size)."""

    extra_repr = repr_options("output_size", "kernel_size", "dilation", "padding", "stride")

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0,
        stride: Any = 1,
    ) -> None:  # fmt: skip
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """The image of the columns."""
        return functional.fold(
            input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride
        )


# Channels as points -------------------------------------------------------------------------------


class PixelShuffle(Module):
    """(*, C r r, H, W) to (*, C, H r, W r) (Shi et al., 2016)."""

    extra_repr = repr_options("upscale_factor")

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The image with more points."""
        return functional.pixel_shuffle(input, self.upscale_factor)


class PixelUnshuffle(Module):
    """The reverse of `PixelShuffle`: (*, C, H r, W r) to (*, C r r, H, W)."""

    extra_repr = repr_options("downscale_factor")

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The image with more channels."""
        return functional.pixel_unshuffle(input, self.downscale_factor)


class ChannelShuffle(Module):
    """The channels in groups, taken one of each in turn (Zhang et al., 2018)."""

    extra_repr = repr_options("groups")

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """The input with its channels in another order."""
        return functional.channel_shuffle(input, self.groups)
