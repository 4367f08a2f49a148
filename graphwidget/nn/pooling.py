"""Pooling layers over one or two dims."""

from __future__ import annotations

from typing import Any, ClassVar

from ..graph.tensor import Tensor
from . import functional
from .module import Module
from .module_base import OwnMethods
from .module_utils import repr_options

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d",
    "AvgPool1d", "AvgPool2d",
    "MaxPool1d", "MaxPool2d",

]  # fmt: skip


class _MaxPoolNd(OwnMethods, Module):
    _own = ("forward",)
    _dims: ClassVar[int]
    extra_repr = repr_options("kernel_size", "stride", "padding", "dilation", "ceil_mode")

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        """The largest item of each window, and with `return_indices` its place."""
        pool = getattr(functional, f"max_pool{self._dims}d")
        return pool(
            input, self.kernel_size, self.stride, self.padding, self.dilation,
            ceil_mode=self.ceil_mode, return_indices=self.return_indices,
        )  # fmt: skip


class MaxPool1d(_MaxPoolNd):
    """The largest item in windows along the last dim."""

    _dims = 1


class MaxPool2d(_MaxPoolNd):
    """The largest item in windows over the last two dims."""

    _dims = 2


class AvgPool1d(Module):
    """The mean of windows along the last dim."""

    extra_repr = repr_options("kernel_size", "stride", "padding")

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(stride if stride is not None else kernel_size)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """The mean of each window."""
        return functional.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad,
        )  # fmt: skip


class _AvgPoolNd(OwnMethods, Module):
    _dims: ClassVar[int]
    extra_repr = repr_options("kernel_size", "stride", "padding")

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """The mean of each window."""
        pool = getattr(functional, f"avg_pool{self._dims}d")
        return pool(  # type: ignore[no-any-return]
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad, self.divisor_override,
        )  # fmt: skip


class AvgPool2d(_AvgPoolNd):
    """The mean of windows over the last two dims; `divisor_override` divides instead of their
    number of items."""

    _dims = 2


class _AdaptiveAvgPoolNd(OwnMethods, Module):
    _own = ("forward",)
    _function: ClassVar[str]
    extra_repr = repr_options("output_size")

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Any:
        """The pooled input, of the size asked for."""
        return getattr(functional, self._function)(input, self.output_size)


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """The mean of as many windows as asked for, along the last dim."""

    _function = "adaptive_avg_pool1d"


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """The mean of as many windows as asked for, over the last two dims."""

    _function = "adaptive_avg_pool2d"


def _single(value: Any) -> tuple[int, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)
