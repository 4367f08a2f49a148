"""Linear layers."""

from __future__ import annotations

from ...core.matmul import linear as _linear
from ...core.tensor import Tensor


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


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """For each output, `input1 @ weight[out] @ input2`, plus the bias.

    Args:
        input1: (..., in1); input2 (..., in2).
        weight: (out, in1, in2).
    """
    first = input1.unsqueeze(-2).unsqueeze(-2)  # (..., 1, 1, in1)
    found = ((first @ weight).squeeze(-2) * input2.unsqueeze(-2)).sum(-1)
    return found if bias is None else found + bias
