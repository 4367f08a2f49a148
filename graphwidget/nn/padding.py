"""Padding layers: ``ZeroPad2d``, ``ReflectionPad2d`` and their kin."""

from __future__ import annotations

from typing import Any, ClassVar

from ..graph.tensor import Tensor
from . import functional
from .functional_layer import repr_options
from .module import Module
from .module_base import OwnMethods

__all__ = [
    "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d",
    "ConstantPad3d", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d",
    "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "ZeroPad1d", "ZeroPad2d",
    "ZeroPad3d",
]  # fmt: skip


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


class ConstantPad3d(_ConstantPadNd):
    """Pads the last three dims with a number."""

    _dims = 3


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


class ZeroPad3d(_Zero):
    """Pads the last three dims with zeros."""

    _dims = 3


class ReflectionPad1d(_Pad):
    """Pads the last dim with its own items, mirrored at the ends."""

    _dims, _mode = 1, "reflect"


class ReflectionPad2d(_Pad):
    """Pads the last two dims with their own items, mirrored at the ends."""

    _dims, _mode = 2, "reflect"


class ReflectionPad3d(_Pad):
    """Pads the last three dims with their own items, mirrored at the ends."""

    _dims, _mode = 3, "reflect"


class ReplicationPad1d(_Pad):
    """Pads the last dim with its first and last item."""

    _dims, _mode = 1, "replicate"


class ReplicationPad2d(_Pad):
    """Pads the last two dims with their first and last items."""

    _dims, _mode = 2, "replicate"


class ReplicationPad3d(_Pad):
    """Pads the last three dims with their first and last items."""

    _dims, _mode = 3, "replicate"


class _CircularPadNd(_Pad):
    _mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        """The padded input; ValueError unless it is a sample or a batch of them."""
        if input.dim() not in (self._dims + 1, self._dims + 2):
            raise ValueError(
                f"expected {self._dims + 1}D or {self._dims + 2}D input (got {input.dim()}D input)"
            )
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    """Pads the last dim with items from its other end."""

    _dims = 1


class CircularPad2d(_CircularPadNd):
    """Pads the last two dims with items from their other ends."""

    _dims = 2


class CircularPad3d(_CircularPadNd):
    """Pads the last three dims with items from their other ends."""

    _dims = 3
