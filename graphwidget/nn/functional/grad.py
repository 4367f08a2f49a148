"""The gradients of convolutions as functions, as in `torch.nn.grad`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...eager.op_functions import TENSORS as F
from ...functions.reduction.reductions import returns_tuple
from ...graph.tensor import Tensor
from .convolution import per_dim


def gradients(
    dims: int, grad: Tensor, input: Tensor, weight: Tensor, options: tuple[Any, ...], wanted: str
) -> Tensor:
    """The gradient by input or weight, of the two that is `wanted`."""
    stride, padding, dilation, groups = options
    found = returns_tuple(F.convolution_backward)(
        grad, input, weight, *(per_dim(each, dims) for each in (stride, padding, dilation)),
        False, (0,) * dims, groups, (wanted,),
    )  # fmt: skip
    return found[wanted == "weight"]


def empty_of_size(size: Any, like: Tensor) -> Tensor:
    """A tensor that has nothing but a size and a type."""
    return Tensor._wrap(np.broadcast_to(np.empty((), like._data.dtype), tuple(size)))


def input_gradient(dims: int) -> Callable[..., Tensor]:
    """The function for convolutions over so many dims."""

    def function(
        input_size: Any, weight: Tensor, grad_output: Tensor, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1,
    ) -> Tensor:  # fmt: skip
        input = empty_of_size(input_size, grad_output)
        options = (stride, padding, dilation, groups)
        return gradients(dims, grad_output, input, weight, options, "input")

    function.__name__ = function.__qualname__ = f"conv{dims}d_input"
    function.__doc__ = (
        f"The gradient of `conv{dims}d` by its input, whose size is given: (N, C, ...)."
    )
    return function


def weight_gradient(dims: int) -> Callable[..., Tensor]:
    """The function for convolutions over so many dims."""

    def function(
        input: Tensor, weight_size: Any, grad_output: Tensor, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1,
    ) -> Tensor:  # fmt: skip
        weight = empty_of_size(weight_size, grad_output)
        options = (stride, padding, dilation, groups)
        return gradients(dims, grad_output, input, weight, options, "weight")

    function.__name__ = function.__qualname__ = f"conv{dims}d_weight"
    function.__doc__ = (
        f"The gradient of `conv{dims}d` by its weight, whose size is given: (D, C / groups, ...)."
    )
    return function


conv1d_input, conv2d_input, conv3d_input = input_gradient(1), input_gradient(2), input_gradient(3)
conv1d_weight, conv2d_weight, conv3d_weight = (
    weight_gradient(1),
    weight_gradient(2),
    weight_gradient(3),
)
