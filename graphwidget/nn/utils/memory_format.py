"""``convert_conv2d_weight_memory_format``: convolutions' weights in another memory format."""

from __future__ import annotations

from typing import Any

from ..conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from ..module import Module


def _convert(module: Any, kinds: tuple[type[Module], ...], memory_format: Any) -> Any:
    for each in module.modules():
        if isinstance(each, kinds):
            weight = each.weight.detach().clone(memory_format=memory_format)
            each.weight.data = weight.resize_(weight.size(), memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """Lay out the weights of all convolutions of images, here and below; returns the module."""
    return _convert(module, (Conv2d, ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """Lay out the weights of all convolutions of volumes, here and below; returns the module."""
    return _convert(module, (Conv3d, ConvTranspose3d), memory_format)
