"""Activations as modules."""

from __future__ import annotations

from ..core.tensor import Tensor
from . import functional
from .module import Module


class ReLU(Module):
    """max(x, 0), item by item."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.relu(input, inplace=self.inplace)

    def extra_repr(self) -> str:
        """Whether it writes in place."""
        return "inplace=True" if self.inplace else ""


class Sigmoid(Module):
    """1 / (1 + exp(-x)), item by item."""

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent, item by item."""

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.tanh(input)
