"""Convolutions over one or two dims, and their transposes."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..functions.creation.factories import empty
from ..graph.tensor import Tensor
from . import functional, init
from .module import Module
from .module_base import OwnMethods
from .module_utils import repr_changed
from .parameter import Parameter

__all__ = ["Conv1d", "Conv2d", "ConvTranspose1d", "ConvTranspose2d"]

Sizes = int | tuple[int, ...]
_MODES = ("zeros", "reflect", "replicate")


def per_dim(value: Any, dims: int) -> tuple[int, ...]:
    """One size for each dim, from one for all or from a sequence of them."""
    return tuple(value) if isinstance(value, list | tuple) else (value,) * dims


class _ConvNd(OwnMethods, Module):
    """Base of the convolutions: weights, initial values, and the repr.

    Raises:
        ValueError: groups that do not divide the channels, or a padding that is not known.
    """

    _dims: ClassVar[int]
    _transposed: ClassVar[bool] = False
    bias: Parameter | None

    def _set_up(
        self,
        channels: tuple[int, int],
        sizes: tuple[Any, Any, Any, Any],
        groups: int,
        bias: bool,
        padding_mode: str,
        output_padding: Sizes,
        factory: dict[str, Any],
    ) -> None:
        kernel_size, stride, padding, dilation = sizes
        dims = self._dims
        self.in_channels, self.out_channels = channels
        self.kernel_size = per_dim(kernel_size, dims)
        self.stride = per_dim(stride, dims)
        self.dilation = per_dim(dilation, dims)
        self.padding = padding if isinstance(padding, str) else per_dim(padding, dims)
        self.transposed = self._transposed
        self.output_padding = per_dim(output_padding, dims)
        self.groups = groups
        self.padding_mode = padding_mode
        self._check()
        first, second = channels if self._transposed else channels[::-1]
        self.weight = Parameter(empty((first, second // groups, *self.kernel_size), **factory))
        made = Parameter(empty(self.out_channels, **factory)) if bias else None
        self.register_parameter("bias", made)
        self.reset_parameters()

    def _check(self) -> None:
        if self.groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name in ("in_channels", "out_channels"):
            if getattr(self, name) % self.groups != 0:
                raise ValueError(f"{name} must be divisible by groups")
        if isinstance(self.padding, str):
            if self.padding not in ("same", "valid"):
                known = {"same", "valid"}
                raise ValueError(
                    f"Invalid padding string {self.padding!r}, should be one of {known}"
                )
            if self.padding == "same" and any(step != 1 for step in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if self.padding_mode not in _MODES:
            raise ValueError(
                f"padding_mode must be one of {set(_MODES)}, but got "
                f"padding_mode='{self.padding_mode}'"
            )

    def reset_parameters(self) -> None:
        """Draw new starting values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init.fans(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        dims = self._dims
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}"
        )
        zeros, ones = (0,) * dims, (1,) * dims
        text += repr_changed(self, padding=zeros, dilation=ones, output_padding=zeros, groups=1)
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text

    def _padding_both_sides(self) -> list[int]:
        """The padding on both sides of each dim, as `functional.pad` takes it."""
        pairs: list[int] = []
        for place in reversed(range(self._dims)):
            if isinstance(self.padding, str):
                total = self.dilation[place] * (self.kernel_size[place] - 1)
                total = total if self.padding == "same" else 0
                pairs += [total // 2, total - total // 2]
            else:
                pairs += [self.padding[place]] * 2
        return pairs


class _Conv(_ConvNd):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: str | Sizes = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        sizes = (kernel_size, stride, padding, dilation)
        factory = {"device": device, "dtype": dtype}
        self._set_up((in_channels, out_channels), sizes, groups, bias, padding_mode, 0, factory)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        convolve = getattr(functional, f"conv{self._dims}d")
        padding = self.padding
        if self.padding_mode != "zeros":
            input = functional.pad(input, self._padding_both_sides(), mode=self.padding_mode)
            padding = (0,) * self._dims
        found: Tensor = convolve(
            input, weight, bias, self.stride, padding, self.dilation, self.groups
        )
        return found

    def forward(self, input: Tensor) -> Tensor:
        """The input through the convolution."""
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """Convolution of (N, C, L) or (C, L) with a weight (out, in / groups, kernel)."""

    _dims = 1


class Conv2d(_Conv):
    """Convolution of (N, C, H, W) or (C, H, W) with a weight (out, in / groups, *kernel)."""

    _dims = 2


class _ConvTranspose(_ConvNd):
    _transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        sizes = (kernel_size, stride, padding, dilation)
        factory = {"device": device, "dtype": dtype}
        self._set_up(
            (in_channels, out_channels), sizes, groups, bias, padding_mode, output_padding, factory
        )

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        """The input through the transposed convolution; `output_size` chooses among the sizes
        that a convolution would shrink to the input's."""
        convolve = getattr(functional, f"conv_transpose{self._dims}d")
        extra = (
            self.output_padding if output_size is None else self._output_padding(input, output_size)
        )
        found: Tensor = convolve(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups,
            self.dilation,
        )  # fmt: skip
        return found

    def _output_padding(self, input: Tensor, output_size: Any) -> tuple[int, ...]:
        """The padding of the output that gives it the wanted size."""
        dims = self._dims
        lead = 2 if input.dim() == dims + 2 else 1
        if len(output_size) == lead + dims:
            output_size = output_size[lead:]
        wanted = list(output_size)
        if len(wanted) != dims:
            raise ValueError(
                f"ConvTranspose{dims}D: for {input.dim()}D input, output_size must have {dims} or "
                f"{lead + dims} elements (got {len(wanted)})"
            )
        least = [
            (input.size(lead + d) - 1) * self.stride[d] - 2 * int(self.padding[d])
            + self.dilation[d] * (self.kernel_size[d] - 1) + 1
            for d in range(dims)
        ]  # fmt: skip
        most = [low + step - 1 for low, step in zip(least, self.stride, strict=True)]
        triples = list(zip(wanted, least, most, strict=True))
        if any(size < low or size > high for size, low, high in triples):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from {least} to "
                f"{most} (for an input of {input.size()[2:]})"
            )
        return tuple(size - low for size, low, _ in triples)


class ConvTranspose1d(_ConvTranspose):
    """The transpose of `Conv1d`, with a weight (in, out / groups, kernel)."""

    _dims = 1


class ConvTranspose2d(_ConvTranspose):
    """The transpose of `Conv2d`, with a weight (in, out / groups, *kernel)."""

    _dims = 2
