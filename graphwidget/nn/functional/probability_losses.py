"""``cross_entropy``, ``binary_cross_entropy`` and ``kl_div``."""

from __future__ import annotations

import operator

from ...arrays import dtypes
from ...arrays.kernel_errors import broadcast_shape, not_implemented
from ...arrays.warnings import warn
from ...eager.op_functions import TENSORS as F
from ...eager.promote import check_broadcastable
from ...functions.memory.strides import contiguous
from ...functions.pointwise.activations import log_softmax
from ...functions.shape.reshape_expand import broadcast_shapes, view
from ...graph.tensor import Tensor
from ...optable.pointwise.arithmetic import check_no_bools
from .regression_losses import apply_reduction, reduction_number, reduction_text, refuse_grad

LONG_OR_BYTE = "lqB"
"""The characters of the types that classes may have."""


def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Minus the logarithm of each target class's likelihood.

    Args:
        input: logarithms of likelihoods: (N, C), (C), or (N, C, d1, d2, ...).
        target: classes, as many as ``input`` without its dim of classes.
        weight: (C,), of the classes; the mean is over the weights of the targets.
        ignore_index: targets of this class count nothing.

    Raises:
        ValueError: another reduction, or numbers of samples that differ.
        IndexError: a target that is no class.
    """
    how = reduction_number(reduction_text(size_average, reduce, reduction))
    ignore_index = operator.index(ignore_index)
    shape, wanted = input._data.shape, target._data.shape
    if not shape:
        raise ValueError(f"Expected 1 or more dimensions (got {len(shape)})")
    if len(shape) == 1 and wanted not in ((), (1,)):
        raise ValueError(
            f"For 1D input, 1D target must have size 1, but got target size: {wanted[0]}"
        )
    count = wanted[0] if wanted else 0
    if len(shape) > 1 and shape[0] != count:
        raise ValueError(
            f"Expected input batch_size ({shape[0]}) to match target batch_size ({count})."
        )
    if len(shape) <= 2:
        _check_classes(input, target, weight)
        refuse_grad("nll_loss_forward", weight=weight)
        return F.nll_loss(input, target, weight, how, ignore_index)
    if len(shape) == 4:
        return _nll_loss2d(input, target, weight, how, ignore_index)
    if wanted[1:] != shape[2:]:
        raise RuntimeError(f"Expected target size {[shape[0], *shape[2:]]}, got {list(wanted)}")
    # any other number of dims is looked at as images of one row
    flat = view(contiguous(input), shape[0], shape[1], 1, -1) if input._data.size else input
    out = _nll_loss2d(flat, view(contiguous(target), shape[0], 1, -1), weight, how, ignore_index)
    return view(out, tuple(wanted)) if how == 0 else out


def _nll_loss2d(
    input: Tensor, target: Tensor, weight: Tensor | None, how: int, ignore_index: int
) -> Tensor:
    shape, wanted = list(input._data.shape), list(target._data.shape)
    if len(wanted) != 3:
        raise RuntimeError(
            "only batches of spatial targets supported (3D tensors) but got targets of dimension: "
            f"{len(wanted)}"
        )
    if [shape[0], *shape[2:]] != wanted:
        raise RuntimeError(f"size mismatch (got input: {shape} , target: {wanted}")
    _check_types(input, target, weight)
    if target._data.dtype.char == "B":
        raise RuntimeError(
            f"expected scalar type Long but found {dtypes.scalar_type(target._data.dtype)}"
        )
    refuse_grad("nll_loss2d_forward", weight=weight)
    return F.nll_loss2d(input, target, weight, how, ignore_index)


def _check_classes(input: Tensor, target: Tensor, weight: Tensor | None) -> None:
    if target._data.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    shape, wanted = list(input._data.shape), list(target._data.shape)
    if wanted != shape[: len(shape) - 1]:
        raise RuntimeError(f"size mismatch (got input: {shape}, target: {wanted})")
    _check_types(input, target, weight)


def _check_types(input: Tensor, target: Tensor, weight: Tensor | None) -> None:
    classes = input._data.shape[min(1, input._data.ndim - 1)]
    if weight is not None and weight._data.shape != (classes,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but "
            f"got weight tensor of shape: {list(weight._data.shape)}"
        )
    if target._data.dtype.char not in LONG_OR_BYTE:
        raise RuntimeError(
            "expected target dtype to be Long or Byte, but got "
            f"{dtypes.scalar_type(target._data.dtype)}"
        )
    if weight is not None and weight._data.dtype != input._data.dtype:
        raise RuntimeError(
            f"expected scalar type {dtypes.scalar_type(input._data.dtype)} but found "
            f"{dtypes.scalar_type(weight._data.dtype)}"
        )


def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    """The cross entropy of logits: ``nll_loss`` of their ``log_softmax``.

    Args:
        input: logits: (N, C), (C), or (N, C, d1, d2, ...).
        target: classes, as many as ``input`` without its dim of classes; or, of ``input``'s shape,
            probabilities of the classes.
        weight: (C,), of the classes.
        ignore_index: targets of this class count nothing (not with probabilities).
        label_smoothing: how much of each target is spread evenly over the classes, in [0, 1].

    Raises:
        ValueError: another reduction, or numbers of samples that differ.
        IndexError: a target that is no class.
    """
    how = reduction_number(reduction_text(size_average, reduce, reduction))
    ignore_index = operator.index(ignore_index)
    dim = 0 if input._data.ndim == 1 else 1
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    if input._data.shape == target._data.shape and target._meta.floating:
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return _cross_entropy_of_probabilities(input, target, weight, how, label_smoothing, dim)
    if input._data.shape == target._data.shape:
        raise RuntimeError(
            "Expected floating point type for target with class probabilities, got "
            f"{dtypes.scalar_type(target._data.dtype)}"
        )
    logs = log_softmax(input, dim)
    loss = nll_loss(logs, target, weight, None, ignore_index, None, reduction)
    if label_smoothing == 0.0:
        return loss
    even = _smoothing_loss(logs, target, weight, how, ignore_index, dim)
    share = label_smoothing / input._data.shape[dim]
    return F.add(F.mul_number(loss, 1 - label_smoothing), F.mul_number(even, share))


def _smoothing_loss(
    logs: Tensor, target: Tensor, weight: Tensor | None, how: int, ignore_index: int, dim: int
) -> Tensor:
    """The loss of targets that are all classes evenly."""
    if weight is not None:
        logs = F.mul(logs, _weight_along(weight, logs._data.ndim, dim))
    losses = F.neg(F.sum_dim(logs, (dim,), False))
    ignored = F.eq(target, ignore_index)
    losses = F.masked_fill(losses, ignored, 0)
    if how == 0:
        return losses
    total = F.sum(losses)
    if how == 2:
        return total
    counted = ~ignored._data
    if weight is None:
        return F.div(total, F.sum(F.ne(target, ignore_index)))
    return F.div(total, Tensor._wrap(weight._data[target._data[counted]].sum()))


def _weight_along(weight: Tensor, ndim: int, dim: int) -> Tensor:
    """A weight of each class, to be multiplied with items that have classes at ``dim``."""
    return view(weight, *(-1 if place == dim else 1 for place in range(ndim)))


def _cross_entropy_of_probabilities(
    input: Tensor, target: Tensor, weight: Tensor | None, how: int, smoothing: float, dim: int
) -> Tensor:
    size, classes = input._data.size, input._data.shape[dim]
    logs = log_softmax(input, dim)
    if smoothing > 0.0 and size:
        target = F.add_number(F.mul_number(target, 1 - smoothing), smoothing / classes)
    product = F.mul(logs, target)
    if weight is not None:
        product = F.mul(product, _weight_along(weight, input._data.ndim, dim))
    if how == 0:
        return F.neg(F.sum_dim(product, (dim,), False))
    total = F.neg(F.sum(product))
    return total if how == 2 else F.div_number(total, size // classes if size else 0)


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
