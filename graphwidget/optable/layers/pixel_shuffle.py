"""``pixel_shuffle``, ``pixel_unshuffle`` and ``channel_shuffle``."""

from __future__ import annotations

import numpy as np

from ...arrays.memory_order import as_array, keep_channels_last
from ..declare import Namespace, op
from ..pointwise.common_kernels import Array

F = Namespace()


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


op("pixel_shuffle(self, /, upscale_factor)", pixel_shuffle,
   d_self=lambda grad, upscale_factor: F.pixel_unshuffle(grad, upscale_factor),
   public=False, text="pixel shuffle({self})", tex=r"{self}", onnx="DepthToSpace")

op("pixel_unshuffle(self, /, downscale_factor)", pixel_unshuffle,
   d_self=lambda grad, downscale_factor: F.pixel_shuffle(grad, downscale_factor),
   public=False, text="pixel unshuffle({self})", tex=r"{self}", onnx="SpaceToDepth")

op("channel_shuffle(self, /, groups)", channel_shuffle,
   d_self=lambda grad, groups: F.channel_shuffle(grad, grad.shape[1] // groups),
   public=False, text="channel shuffle({self})", tex=r"{self}", onnx=None)
