"""``binary_cross_entropy``, ``kl_div`` and ``gaussian_nll_loss``."""

from __future__ import annotations

import math

from ...arrays import dtypes
from ...arrays.kernel_errors import broadcast_shape, not_implemented
from ...arrays.warnings import warn
from ...autograd.grad_mode import no_grad
from ...eager.op_functions import TENSORS as F
from ...eager.promote import check_broadcastable
from ...functions.reduction.reductions import mean
from ...functions.shape.reshape_expand import broadcast_shapes
from ...graph.tensor import Tensor
from ...optable.pointwise.arithmetic import check_no_bools
from .reduction import reduction_number, reduction_text, refuse_grad
from .regression_losses import apply_reduction


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """-(target log(input) + (1 - target) log(1 - input)), logarithms not below -100.

    Args:
        input, target: probabilities.
        weight: of each item, broadcast.

    Raises:
        ValueError: sizes that differ.
        RuntimeError: an input outside of [0, 1].
    """
    how = reduction_number(reduction_text(size_average, reduce, reduction))
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size "
            f"({input.size()}) is deprecated. Please ensure they have the same size."
        )
    if weight is not None:
        weight = weight.expand(broadcast_shapes(target.size(), weight.size()))
        refuse_grad("binary_cross_entropy", weight=weight)
        check_broadcastable(weight._data.shape, input._data.shape)
    if target._data.dtype != input._data.dtype:
        raise RuntimeError(
            f"Found dtype {dtypes.scalar_type(target._data.dtype)} but expected "
            f"{dtypes.scalar_type(input._data.dtype)}"
        )
    return F.binary_cross_entropy(input, target, weight, how)


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean", pos_weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """``binary_cross_entropy`` of the sigmoid of ``input``, stable for large logits.

    Args:
        weight: of each item, broadcast.
        pos_weight: of positive targets, broadcast.

    Raises:
        ValueError: sizes that differ.
    """
    how = reduction_number(reduction_text(size_average, reduce, reduction))
    if target.size() != input.size():
        raise ValueError(
            f"Target size ({target.size()}) must be the same as input size ({input.size()})"
        )
    kind, wanted = input._data.dtype, target._data.dtype
    if kind.kind != "f":
        raise not_implemented("log_sigmoid_cpu", kind)
    if pos_weight is not None:
        check_no_bools(pos_weight._data.dtype, wanted)
        broadcast_shape([pos_weight._data.shape, input._data.shape])
    if wanted.kind != "f":
        raise RuntimeError(
            f"result type {dtypes.scalar_type(kind)} can't be cast to the desired output type "
            f"{dtypes.scalar_type(wanted)}"
        )
    if weight is not None:
        broadcast_shape([input._data.shape, weight._data.shape])
    return F.binary_cross_entropy_with_logits(input, target, weight, pos_weight, how)


def kl_div(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", log_target: bool = False,
) -> Tensor:  # fmt: skip
    """The divergence of distributions: target (log target - input).

    Args:
        input: logarithms of probabilities.
        target: probabilities, or with ``log_target`` logarithms of them.
        reduction: "batchmean" is the sum over the number of samples, which the divergence is.

    Warns:
        UserWarning: "mean", which is over all items.
    """
    reduction = reduction_text(size_average, reduce, reduction)
    if reduction == "mean":
        warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math "
            "definition.'mean' will be changed to behave the same as 'batchmean' in the next major "
            "release.",
        )
    how = 2 if reduction == "batchmean" else reduction_number(reduction)
    result = divergence(input, target, how, log_target)
    if reduction == "batchmean" and input._data.ndim:
        return F.div(result, input._data.shape[0])
    return result


def divergence(input: Tensor, target: Tensor, reduction: int, log_target: bool) -> Tensor:
    """``kl_div`` by the number of its reduction: 0 none, 1 mean, 2 sum.

    Raises:
        RuntimeError: integers.
    """
    if not (input._meta.floating and target._meta.floating):
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:  # here and below, what stands on the right is computed first, as in PyTorch
        difference = F.sub(target, input)
        losses = F.mul(F.exp(target), difference)
    else:
        product = F.mul(target, input)
        losses = F.sub(F.xlogy(target, target), product)
    return apply_reduction(losses, reduction)


def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Tensor | float, full: bool = False, eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Minus the logarithm of a normal distribution's likelihood.

    Args:
        input, target: expected and found values.
        var: variances, for each item or the same along one dim (of size 1, or the last missing).
        full: add the constant log(2 pi) / 2.
        eps: variances are taken to be at least this.

    Raises:
        ValueError: a negative variance, or variances of another size.
    """
    if not isinstance(var, Tensor):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = input * 0 + var if input._meta.floating else input.float() * 0 + var
    elif (var._data < 0).any():
        raise ValueError("var has negative entry/entries")
    if var.size() != input.size():
        if input.size()[:-1] == var.size():
            var = var.unsqueeze(-1)
        elif var.dim() != input.dim() or [
            own for size, own in zip(input.size(), var.size(), strict=True) if own != size
        ] != [1]:
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    loss = F.mul(F.add(F.log(var), F.div(F.pow(input - target, 2), var)), 0.5)
    if full:
        loss.add_(0.5 * math.log(2 * math.pi))
    return mean(loss) if reduction == "mean" else apply_reduction(loss, reduction_number(reduction))
