"""``Linear``, ``Bilinear`` and ``Identity``."""

from __future__ import annotations

import math

from ..arrays import devices, dtypes
from ..functions.creation.factories import empty
from ..graph.tensor import Tensor
from . import functional, init
from .module import Module
from .parameter import Parameter

__all__ = ["Bilinear", "Identity", "Linear"]


class Identity(Module):
    """Gives back what it is called with; arguments of its construction are ignored."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """The input."""
        return input


class Linear(Module):
    """`y = x @ weight.T + bias` for inputs of shape (..., in_features).

    The weight has shape (out_features, in_features). Both start uniform within
    1 / sqrt(in_features), like PyTorch's.
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: str | devices.device | None = None,
        dtype: dtypes.dtype | None = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in_features), dtype=dtype, device=device))
        made = Parameter(empty(out_features, dtype=dtype, device=device)) if bias else None
        self.register_parameter("bias", made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new starting values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init.fans(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0.0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """The input through the layer."""
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class Bilinear(Module):
    """`y = x1ᵀ A x2 + b`, with a weight A of shape (out, in1, in2).

    Raises:
        ValueError: no input features.
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: str | devices.device | None = None,
        dtype: dtypes.dtype | None = None,
    ) -> None:
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        shape = (out_features, in1_features, in2_features)
        self.weight = Parameter(empty(shape, dtype=dtype, device=device))
        made = Parameter(empty(out_features, dtype=dtype, device=device)) if bias else None
        self.register_parameter("bias", made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new starting values."""
        if self.in1_features <= 0:
            raise ValueError(
                f"in1_features must be > 0, but got (in1_features={self.in1_features})"
            )
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """Both inputs, of shapes (..., in1) and (..., in2), through the layer."""
        return functional.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )
