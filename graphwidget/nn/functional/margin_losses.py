"""Losses with a margin: ``triplet_margin_loss``, ``multi_margin_loss`` and their kin."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...arrays import dtypes
from ...arrays.kernel_errors import broadcast_shape
from ...eager.op_functions import TENSORS as F
from ...eager.promote import check_broadcastable
from ...functions.pointwise.activations import logsigmoid
from ...functions.reduction.reductions import mean
from ...graph.tensor import Tensor
from ...optable.pointwise.arithmetic import check_no_bools
from .distance import pairwise_distance
from .reduction import reduction_number, reduction_text, refuse_grad
from .regression_losses import apply_reduction


def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The distance where the target is 1; max(0, margin - distance) where it is -1."""
    how = reduction_number(reduction_text(size_average, reduce, reduction))
    zero, least = (Tensor._wrap(input._data.dtype.type(number)) for number in (0, margin))
    far = F.where(F.ne(target, 1), F.clamp_min(F.sub(least, input), 0), zero)
    near = F.where(F.ne(target, -1), input, zero)
    return apply_reduction(F.add(far, near), how)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, margin - target (input1 - input2)): target 1 wants the first ranked higher, -1 the
    second."""
    how = reduction_number(reduction_text(size_average, reduce, reduction))
    if not input1._data.ndim == input2._data.ndim == target._data.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    missed = F.add_number(F.mul(F.neg(target), F.sub(input1, input2)), float(margin))
    return apply_reduction(missed.clamp_min_(0), how)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """1 - cos of two vectors where the target is 1; max(0, cos - margin) where it is -1."""
    how = reduction_number(reduction_text(size_average, reduce, reduction))
    if target._data.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    dim, eps = target._data.ndim, 1e-12
    if not input1._data.ndim == input2._data.ndim == dim + 1:
        raise RuntimeError(
            f"{dim}D target tensor expects {dim + 1}D input tensors, but found inputs with sizes "
            f"{list(input1._data.shape)} and {list(input2._data.shape)}."
        )
    product = F.sum_dim(F.mul(input1, input2), (dim,), False)
    sizes = [
        F.add_number(F.sum_dim(F.mul(each, each), (dim,), False), eps) for each in (input1, input2)
    ]
    cosine = F.div(product, F.sqrt(F.mul(*sizes)))
    zeros = F.zeros_like(cosine)
    ones = F.ones_like(cosine)
    distance = F.sub(ones, cosine)
    excess = F.clamp_min(F.sub_number(cosine, margin), 0)
    like = F.where(F.eq(target, 1), distance, zeros)
    unlike = F.where(F.eq(target, -1), excess, zeros)
    return apply_reduction(F.add(like, unlike), how)


def _check_alike(anchor: Tensor, positive: Tensor, negative: Tensor) -> None:
    a, b, c = (each.dim() for each in (anchor, positive, negative))
    if not a == b == c:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of "
            f"dimensions, but got: anchor {a}D, positive {b}D, and negative {c}D inputs"
        )


def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2,
    eps: float = 1e-6, swap: bool = False, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, d(anchor, positive) - d(anchor, negative) + margin) of the p-norm distance.

    Args:
        swap: use the positive's distance from the negative where that is smaller.
    """
    how = reduction_number(reduction_text(size_average, reduce, reduction))
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    _check_alike(anchor, positive, negative)
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = F.minimum(far, pairwise_distance(positive, negative, p, eps))
    return apply_reduction(F.clamp_min(F.sub(F.add_number(near, margin), far), 0), how)


def triplet_margin_with_distance_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None, margin: float = 1.0,
    swap: bool = False, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """``triplet_margin_loss`` with a distance of your own."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    _check_alike(anchor, positive, negative)
    distance = distance_function or pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = F.minimum(far, distance(positive, negative))
    return apply_reduction(F.clamp_min(near + margin - far, 0), reduction_number(reduction))


def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """log(1 + exp(-target input)); targets are 1 or -1.

    Raises:
        RuntimeError: types or shapes of which the input cannot hold the result, or a target that
            requires grad.
    """
    how = reduction_number(reduction_text(size_average, reduce, reduction))
    refuse_grad("soft_margin_loss", target=target)
    broadcast_shape([input._data.shape, target._data.shape])
    kinds = [each._data.dtype for each in (input, target)]
    if kinds[0].kind != "f":
        check_no_bools(kinds[0])
        result = kinds[1] if kinds[1].kind == "f" else dtypes.default_numpy()
        raise RuntimeError(
            f"result type {dtypes.scalar_type(result)} can't be cast to the desired output type "
            f"{dtypes.scalar_type(kinds[0])}"
        )
    check_broadcastable(target._data.shape, input._data.shape)
    return F.soft_margin_loss(input, target, how)


def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The mean over the classes (last dim) of ``binary_cross_entropy_with_logits``."""
    how = reduction_number(reduction_text(size_average, reduce, reduction))
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        loss = F.mul(loss, weight)
    dim = input._data.ndim - 1
    by_sample = F.div(F.sum_dim(loss, (dim,), False), input.size(dim))
    return mean(by_sample) if how == 1 else apply_reduction(by_sample, how)


def _check_rows(input: Tensor) -> None:
    shape = input._data.shape
    if len(shape) > 2 or 0 in shape[-1:]:
        raise RuntimeError(
            "Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
            f"{list(shape)}"
        )


def _check_type(given: Tensor, wanted: str) -> None:
    if given._data.dtype.name != wanted:
        raise RuntimeError(
            f"expected scalar type {dtypes.scalar_type(np.dtype(wanted))} but found "
            f"{dtypes.scalar_type(given._data.dtype)}"
        )


def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Mean over the classes of max(0, 1 - input[listed] + input[other]), over all pairs.

    Args:
        input: (N, C), or (C).
        target: of the same shape: the classes that are right, up to the first -1.
    """
    how = reduction_number(reduction_text(size_average, reduce, reduction))
    _check_rows(input)
    sizes, shape = list(input._data.shape), target._data.shape
    if target._data.size != input._data.size or (len(sizes) > 1 and list(shape) != sizes):
        raise RuntimeError(f"inconsistent target size: {list(shape)} for input of size: {sizes}")
    _check_type(target, "int64")
    classes = sizes[-1] if sizes else 1
    if target._data.size and not -1 <= target._data.min() <= target._data.max() < classes:
        raise RuntimeError("argument #2 'target' is out of range")
    return F.multilabel_margin_loss(input, target, how)


def multi_margin_loss(
    input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Mean over the classes of max(0, margin - input[target] + input) ** p.

    Args:
        input: (N, C), or (C).
        target: (N), or (): the right classes.
        p: 1 or 2.
        weight: (C,), of the classes.
    """
    how = reduction_number(reduction_text(size_average, reduce, reduction))
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight._data.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    _check_rows(input)
    samples, single = (1, ((), (1,))) if input._data.ndim < 2 else (len(input._data), ())
    if target._data.shape != (samples,) and target._data.shape not in single:
        shown = list(target._data.shape)
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input "
            f"samples (batch size). Expected target size [{samples}], but got {shown}. Input has "
            f"shape {list(input._data.shape)}."
        )
    classes = input._data.size // max(samples, 1)
    if weight is not None and weight._data.size != classes:
        raise RuntimeError(
            f"inconsistent weight size, expected {classes} but got {list(weight._data.shape)}"
        )
    _check_type(target, "int64")
    if weight is not None:
        _check_type(weight, input._data.dtype.name)
    if target._data.size and not 0 <= target._data.min() <= target._data.max() < classes:
        raise RuntimeError("target out of range")
    return F.multi_margin_loss(input, target, weight, p, margin, how)
