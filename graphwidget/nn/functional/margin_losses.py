"""Losses with a margin: ``triplet_margin_loss``, ``cosine_embedding_loss`` and the like."""

from __future__ import annotations

from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from .distance import pairwise_distance
from .reduction import reduction_number, reduction_text
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
