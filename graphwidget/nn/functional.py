"""Functions that layers and losses are made of, as in `torch.nn.functional`."""

from __future__ import annotations

import warnings

from ..core import dtypes
from ..core.compile import TENSORS
from ..core.products import linear as _linear
from ..core.tensor import Tensor

_REDUCTIONS = ("none", "mean", "sum")


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias`; weight has shape (out_features, in_features).

    Raises:
        TypeError: the input is no tensor.
        RuntimeError: shapes or types that do not match.
    """
    if not isinstance(input, Tensor):
        raise TypeError(
            f"linear(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}"
        )
    if input.ndim == 0:
        raise RuntimeError(
            f"both arguments to linear need to be at least 1D, but they are 0D and {weight.ndim}D"
        )
    rows = input.numel() // max(input.shape[-1], 1)
    if input.shape[-1] != weight.shape[-1]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{input.shape[-1]} and "
            f"{weight.shape[-1]}x{weight.shape[0]})"
        )
    if input.dtype is not weight.dtype:
        raise RuntimeError(
            "mat1 and mat2 must have the same dtype, but got "
            f"{input.dtype.word} and {weight.dtype.word}"
        )
    return _linear(input, weight, bias)


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


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: None = None,
    reduce: None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean ("mean"), sum ("sum") or tensor ("none") of squared differences.

    Raises:
        ValueError: another reduction.
        RuntimeError: shapes that do not broadcast.

    Warns:
        UserWarning: the shapes differ, which is most often a mistake.
    """
    if target.size() != input.size():
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size "
            f"({input.size()}). This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size.",
            stacklevel=2,
        )
        input, target = _expanded(input, target)
    if reduction not in _REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    common = dtypes.promote_types(input._data.dtype, target._data.dtype)
    if common.kind != "f":
        raise NotImplementedError(f"\"mse_cpu\" not implemented for '{dtypes.type_word(common)}'")
    kind = dtypes.of(common)
    loss: Tensor = TENSORS.mse_loss(input.to(kind), target.to(kind), reduction)
    return loss


def _expanded(first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
    from ..core.promote import broadcast

    shape = broadcast([tuple(first.shape), tuple(second.shape)])
    return first.expand(shape), second.expand(shape)
