"""``mse_loss``, ``l1_loss``, ``smooth_l1_loss`` and ``huber_loss``."""

from __future__ import annotations

from ...arrays import dtypes
from ...arrays.kernel_errors import not_implemented
from ...arrays.warnings import warn
from ...eager.op_functions import TENSORS as F
from ...functions.reduction.reductions import mean
from ...functions.shape.reshape_expand import broadcast_tensors
from ...graph.tensor import Tensor
from .reduction import DIFFERENT, reduction_number, reduction_text


def mse_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The mean ("mean"), sum ("sum") or tensor ("none") of squared differences.

    Args:
        weight: of each item; the mean is then over the sum of weights.

    Raises:
        ValueError: another reduction.
        RuntimeError: shapes that do not broadcast.

    Warns:
        UserWarning: the shapes differ, which is most often a mistake.
    """
    input, target = _broadcast_pair(input, target)
    how = reduction_number(reduction_text(size_average, reduce, reduction))
    if weight is not None:
        return _apply_weight(F.pow(F.sub(input, target), 2), input, weight, how)
    return F.mse_loss(*_check_floating(input, target, "mse_cpu"), how)


def _apply_weight(losses: Tensor, input: Tensor, weight: Tensor, how: int) -> Tensor:
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")
    errors = F.mul(losses, weight)
    if how == 0:
        return errors
    return F.sum(errors) if how == 2 else F.div(F.sum(errors), F.sum(weight))


def _broadcast_pair(first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
    """Two tensors of one shape, with a warning where they had two."""
    if second.size() != first.size():
        warn(DIFFERENT.format(second.size(), first.size()))
        first, second = broadcast_tensors(first, second)
    return first, second


def _check_floating(input: Tensor, target: Tensor, kernel: str) -> tuple[Tensor, Tensor]:
    """One of them floating, at least. Two types stay as they are: kernels promote them, the engine
    casts their gradients.

    Raises:
        NotImplementedError: both are integers (PyTorch's text).
    """
    if input._meta.floating and target._meta.floating:
        return input, target
    common = dtypes.promote_types(input._data.dtype, target._data.dtype)
    if common.kind != "f":
        raise not_implemented(kernel, common)
    return input, target


def apply_reduction(losses: Tensor, how: int) -> Tensor:
    """The losses, their mean, or their sum."""
    return losses if how == 0 else mean(losses) if how == 1 else F.sum(losses)


def l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The mean ("mean"), sum ("sum") or tensor ("none") of absolute differences.

    Args:
        weight: of each item; the mean is then over the sum of weights.
    """
    input, target = _broadcast_pair(input, target)
    how = reduction_number(reduction_text(size_average, reduce, reduction))
    away = F.abs(F.sub(input, target))
    return apply_reduction(away, how) if weight is None else _apply_weight(away, input, weight, how)


def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", beta: float = 1.0,
) -> Tensor:  # fmt: skip
    """Half the square of differences below beta, over beta; from there on, linear.

    Raises:
        RuntimeError: beta is negative.
    """
    input, target = _broadcast_pair(input, target)
    how = reduction_number(reduction_text(size_average, reduce, reduction))
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return apply_reduction(F.abs(F.sub(input, target)), how)
    return F.smooth_l1_loss(*_check_floating(input, target, "smooth_l1_cpu"), how, float(beta))


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Half the square of differences up to delta; from there on, linear with slope delta.

    Args:
        weight: of each item; the mean is then over the sum of weights.

    Raises:
        RuntimeError: delta is not positive.
    """
    input, target = _broadcast_pair(input, target)
    how = reduction_number(reduction)
    if not delta > 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    given = input, target
    common = dtypes.promote_types(input._data.dtype, target._data.dtype)
    if not dtypes.can_cast(common, input._data.dtype):
        raise RuntimeError(
            f"result type {dtypes.scalar_type(common)} can't be cast to the desired output type "
            f"{dtypes.scalar_type(input._data.dtype)}"
        )
    if weight is None:
        return F.huber_loss(*given, how, float(delta))
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")
    return apply_reduction(F.mul(F.huber_loss(*given, 0, float(delta)), weight), how)
