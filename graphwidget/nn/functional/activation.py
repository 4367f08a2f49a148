"""Activation functions."""

from __future__ import annotations

from ...core.compile import TENSORS
from ...core.tensor import Tensor


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(input, 0), item by item."""
    return input.relu_() if inplace else input.relu()


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input)), item by item."""
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent, item by item."""
    return input.tanh()


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """input where it is positive, else negative_slope · input."""
    if inplace:
        return input.leaky_relu_(negative_slope)
    return TENSORS.leaky_relu(input, negative_slope)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """input between two bounds."""
    if inplace:
        return input.hardtanh_(min_val, max_val)
    return TENSORS.hardtanh(input, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """input between 0 and 6."""
    return hardtanh(input, 0.0, 6.0, inplace)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """input · sigmoid(input)."""
    return input.silu_() if inplace else TENSORS.silu(input)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta · input)) / beta; input itself where beta · input > threshold."""
    return TENSORS.softplus(input, beta, threshold)


def softmax(input: Tensor, dim: int) -> Tensor:
    """exp(input) over its sum along a dim."""
    return input.softmax(dim)


def log_softmax(input: Tensor, dim: int) -> Tensor:
    """The logarithm of `softmax`, computed stably."""
    return input.log_softmax(dim)
