"""``PixelShuffle``, ``PixelUnshuffle`` and ``ChannelShuffle``."""

from __future__ import annotations

from ..graph.tensor import Tensor
from . import functional
from .functional_layer import repr_options
from .module import Module

__all__ = ["PixelShuffle", "PixelUnshuffle"]


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
