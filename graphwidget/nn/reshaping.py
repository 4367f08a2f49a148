"""Layers that reshape: ``Flatten``, ``Unfold``, ``PixelShuffle``, ``Upsample`` and paddings."""

from __future__ import annotations

from typing import Any, ClassVar

from ..graph.tensor import Tensor
from . import functional
from .module import Module
from .module_base import OwnMethods
from .module_utils import repr_options

__all__ = [
    "ConstantPad1d", "ConstantPad2d",
    "Flatten", "PixelShuffle", "ReflectionPad1d",
    "ReflectionPad2d", "ReplicationPad1d", "ReplicationPad2d",
    "Unflatten", "Unfold", "Upsample",
    "ZeroPad1d", "ZeroPad2d",
]  # fmt: skip


class Flatten(Module):
    """The dims from `start_dim` to `end_dim` as one."""

    extra_repr = repr_options("start_dim", "end_dim")

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """The input in its new shape."""
        return input.flatten(self.start_dim, self.end_dim)


class Unflatten(Module):
    """One dim as several, of the sizes given.

    Raises:
        TypeError: the sizes are no tuple or list of ints.
    """

    extra_repr = repr_options("dim", "unflattened_size")

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(unflattened_size, tuple | list):
            raise TypeError(
                "unflattened_size must be a tuple of ints, but found type "
                f"{type(unflattened_size).__name__}"
            )
        for place, size in enumerate(unflattened_size):
            if not isinstance(size, int):
                raise TypeError(
                    "unflattened_size must be tuple of ints, but found element of type "
                    f"{type(size).__name__} at pos {place}"
                )
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        """The input in its new shape."""
        return input.unflatten(self.dim, self.unflattened_size)


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


class PixelShuffle(Module):
    """(*, C r r, H, W) to (*, C, H r, W r) (Shi et al., 2016)."""

    extra_repr = repr_options("upscale_factor")

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The image with more points."""
        return functional.pixel_shuffle(input, self.upscale_factor)


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


class _Pad(OwnMethods, Module):
    _own = ("__init__",)
    _dims: ClassVar[int]
    _mode: ClassVar[str]

    def __init__(self, padding: Any) -> None:
        super().__init__()
        pairs = padding if isinstance(padding, list | tuple) else (padding,) * (2 * self._dims)
        self.padding = tuple(pairs)

    def forward(self, input: Tensor) -> Tensor:
        """The padded input."""
        return functional.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        """The padding before and after each dim, the last dim first."""
        return f"{self.padding}"


class _ConstantPadNd(_Pad):
    _mode = "constant"
    extra_repr = repr_options("padding", "value")

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """The padded input."""
        return functional.pad(input, self.padding, "constant", self.value)


class ConstantPad1d(_ConstantPadNd):
    """Pads the last dim with a number."""

    _dims = 1


class ConstantPad2d(_ConstantPadNd):
    """Pads the last two dims with a number."""

    _dims = 2


class _Zero(_ConstantPadNd):
    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """The padding before and after each dim, the last dim first."""
        return f"{self.padding}"


class ZeroPad1d(_Zero):
    """Pads the last dim with zeros."""

    _dims = 1


class ZeroPad2d(_Zero):
    """Pads the last two dims with zeros."""

    _dims = 2


class ReflectionPad1d(_Pad):
    """Pads the last dim with its own items, mirrored at the ends."""

    _dims, _mode = 1, "reflect"


class ReflectionPad2d(_Pad):
    """Pads the last two dims with their own items, mirrored at the ends."""

    _dims, _mode = 2, "reflect"


class ReplicationPad1d(_Pad):
    """Pads the last dim with its first and last item."""

    _dims, _mode = 1, "replicate"


class ReplicationPad2d(_Pad):
    """Pads the last two dims with their first and last items."""

    _dims, _mode = 2, "replicate"
