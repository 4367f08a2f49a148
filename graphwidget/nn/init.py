"""Starting values for parameters, written in place with PyTorch's random numbers."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ..core.modes import no_grad
from ..core.tensor import Tensor

_GAINS = {
    "linear": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4,
}  # fmt: skip


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0) -> Tensor:
    """Uniform numbers in [a, b)."""
    with no_grad():
        return tensor.uniform_(a, b)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Normal numbers."""
    with no_grad():
        return tensor.normal_(mean, std)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """The same number everywhere."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Zeros."""
    with no_grad():
        return tensor.zero_()


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which a nonlinearity asks for larger weights.

    Raises:
        ValueError: an unknown nonlinearity.
    """
    if nonlinearity in _GAINS:
        return _GAINS[nonlinearity]
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1 + slope**2))
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def fans(tensor: Tensor) -> tuple[int, int]:
    """How many numbers each output, and each input, of a weight is connected to.

    Raises:
        ValueError: the weight has fewer than two dimensions.
    """
    if tensor.ndim < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def xavier_uniform_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Glorot and Bengio (2010), uniform."""
    bound = gain * math.sqrt(2.0 / float(sum(fans(tensor)))) * math.sqrt(3.0)
    return uniform_(tensor, -bound, bound)


def xavier_normal_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Glorot and Bengio (2010), normal."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(sum(fans(tensor)))))


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> Tensor:
    """He et al. (2015), uniform; `a` is the slope of a leaky ReLU."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> Tensor:
    """He et al. (2015), normal."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity))


def _kaiming_std(tensor: Tensor, a: float, mode: Any, nonlinearity: str) -> float:
    modes = ("fan_in", "fan_out")
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {list(modes)}")
    fan = fans(tensor)[modes.index(mode.lower())]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)
