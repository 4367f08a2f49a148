"""``Unfold`` and ``Fold``: sliding windows as columns, and back."""

from __future__ import annotations

from typing import Any

from ..graph.tensor import Tensor
from . import functional
from .functional_layer import repr_options
from .module import Module

__all__ = ["Fold", "Unfold"]


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
