"""``Linear`` and ``Identity``."""

from __future__ import annotations

import math

from ..arrays import devices, dtypes
from ..functions.creation.factories import empty
from ..graph.tensor import Tensor
from . import functional, init
from .module import Module
from .parameter import Parameter

__all__ = ["Identity", "Linear"]


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
