"""``adaptive_avg_pool1d``, ``adaptive_avg_pool2d`` and ``adaptive_avg_pool3d``."""

from __future__ import annotations

import operator
from typing import Any

from ...dispatch.offer import offer
from ...eager.op_functions import TENSORS as F
from ...functions.reduction.reductions import mean
from ...graph.tensor import Tensor
from .sizes import check_one_dim


def _sizes(name: str, output_size: Any, input: Tensor) -> tuple[int, ...]:
    """The wanted number of parts along each dim; None keeps the input's."""
    dims = int(name[-2])
    if isinstance(output_size, int) and not isinstance(output_size, bool):
        return (output_size,) * dims
    count = len(output_size)
    if dims == 1 != count:
        raise RuntimeError(f"{name}() argument 'output_size' should contain one int (got {count})")
    if count >= input._data.ndim:
        raise ValueError(f"Input dimension should be at least {count + 1}")
    given = zip(output_size, input._data.shape[input._data.ndim - count :], strict=True)
    return tuple(size if wanted is None else operator.index(wanted) for wanted, size in given)


def _check(name: str, input: Tensor, sizes: tuple[int, ...], mark: str = "") -> None:
    dims, shape = int(name[-2]), input._data.shape
    if len(sizes) != dims and "avg" in name:
        raise RuntimeError(f"{name}: output_size must be {dims}")
    if len(shape) not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got{mark} {list(shape)}"
        )
    first = 0 if name == "adaptive_avg_pool2d" else -1  # that one allows to have no channels
    for dim in range(max(len(shape) - dims + first, 1), len(shape)):
        if not shape[dim]:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but "
                f"input has sizes {list(shape)} with dimension {dim} being empty"
            )
    if len(sizes) != dims:
        raise RuntimeError(f"{name}(): internal error: output_size.size() must be {dims}")
    if min(sizes) < 0:
        if "max" in name:
            made = [*shape[: len(shape) - dims], *sizes]
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {min(sizes)}: {made}"
            )
        told = ", ".join(map(str, sizes[:2])) + "".join(f",{size}" for size in sizes[2:])
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received "
            f"{{{told}}}"
        )


def _average(name: str, input: Tensor, output_size: Any) -> Tensor:
    """The averages over parts of two or three dims; of the whole by the usual mean."""
    sizes = _sizes(name, output_size, input)
    _check(name, input, sizes)
    if set(sizes) == {1}:
        return mean(input, tuple(range(-1, -1 - len(sizes), -1)), True)
    result: Tensor = getattr(F, name)(input, sizes)
    return result


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The averages of (N, C, H, W), or (C, H, W), over ``output_size`` parts, as even as can be.

    Args:
        output_size: how many parts along each dim; None keeps the input's size.
    """
    return _average("adaptive_avg_pool2d", input, output_size)


def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """The averages of (N, C, D, H, W), or (C, D, H, W), over ``output_size`` parts."""
    return _average("adaptive_avg_pool3d", input, output_size)


@offer(method=False)
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """The averages of (N, C, L), or (C, L), over ``output_size`` parts."""
    check_one_dim("adaptive_avg_pool1d", input)
    (size,) = _sizes("adaptive_avg_pool1d", output_size, input)
    return adaptive_avg_pool2d(input.unsqueeze(-2), (1, size)).squeeze(-2)
