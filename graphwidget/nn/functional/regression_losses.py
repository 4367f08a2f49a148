"""Losses of distances and margins: ``mse_loss``, ``triplet_margin_loss`` and the like."""

from __future__ import annotations

from ...arrays import dtypes
from ...arrays.kernel_errors import broadcast_shape, not_implemented
from ...arrays.warnings import warn
from ...autograd.grad_mode import is_grad_enabled, no_grad
from ...dispatch.offer import FUNCTIONS, offer
from ...eager.op_functions import TENSORS as F
from ...functions.dims import wrap_dim
from ...functions.reduction.reductions import mean
from ...functions.shape.reshape_expand import broadcast_tensors
from ...graph.tensor import Tensor

REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
"""PyTorch's numbers of them, which nodes show as ``_saved_reduction``."""

DIFFERENT = (
    "Using a target size ({}) that is different to the input size ({}). This will likely lead to "
    "incorrect results due to broadcasting. Please ensure they have the same size."
)


def reduction_number(reduction: str) -> int:
    """The number of a reduction.

    Raises:
        ValueError: there is none of this name.
    """
    result = REDUCTIONS.get(reduction) if isinstance(reduction, str) else None
    if result is None:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return result


def refuse_grad(name: str, **inputs: Tensor | None) -> None:
    """Refuse inputs that a function has no derivative by, by what PyTorch calls both.

    Raises:
        RuntimeError: one requires grad.
    """
    for called, each in inputs.items():
        if each is not None and each.requires_grad and is_grad_enabled():
            raise RuntimeError(
                f"The function '{name}' is not differentiable with respect to argument '{called}'. "
                "This input cannot have requires_grad True."
            )


def reduction_text(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction, by its name or by the two older arguments, which PyTorch still takes.

    Warns:
        UserWarning: the older ones were given.
    """
    if size_average is None and reduce is None:
        return reduction
    average = True if size_average is None else size_average
    result = "none" if reduce is False else "mean" if average else "sum"
    warn(
        "size_average and reduce args will be deprecated, please use "
        f"reduction='{result}' instead.",
    )
    return result


@offer(method=False)
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The p-norm of ``x1 - x2 + eps`` along the last dim."""
    away = F.add_number(F.sub(x1, x2), eps)
    return F.norm_dim(away, float(p), (away._data.ndim - 1,), keepdim)


@offer(method=False)
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """x1 · x2 / (|x1| |x2|) along a dim; lengths are taken to be at least ``eps``.

    Shapes: they broadcast together; ``dim`` goes.

    Raises:
        RuntimeError: both are of integers.
    """
    common = dtypes.result_type(x1._data, x2._data)
    if common.kind != "f":
        raise RuntimeError(
            "expected common dtype to be floating point, yet common dtype is "
            + dtypes.scalar_type(common)
        )
    first, second = (x if x._meta.floating else x.to(dtypes.of(common)) for x in (x1, x2))
    if x1._data.shape != x2._data.shape:
        shape = broadcast_shape([x1._data.shape, x2._data.shape])
        first, second = F.expand(first, shape), F.expand(second, shape)
    wrap_dim(dim, first._data.ndim)
    norm, other = (F.clone(F.linalg_vector_norm(x, 2, (dim,), True)) for x in (first, second))
    with no_grad():
        norm.clamp_(min=eps)
        other.clamp_(min=eps)
    product = F.mul(F.div(first, norm), F.div(second, other))
    return F.sum_dim(product, (dim,), False)


def normalize(
    input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    """Vectors along a dim, divided by their p-norms; these are taken to be at least ``eps``."""
    least = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return F.div(input, least) if out is None else FUNCTIONS["div"](input, least, out=out)


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
