"""Losses: kernels and ops. ``reduction`` is 0 for none, 1 for the mean, 2 for the sum."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.memory_order import as_array, ordered
from ..declare import ARRAYS, Namespace, composite, op
from ..pointwise.common_kernels import Array, Shape, log1p
from ..pointwise.where_clamp_kernels import between, maximum, minimum
from ..shape.joins import common_type

NONE, MEAN, SUM = 0, 1, 2
_UNSIGNED = {1: np.uint8, 8: np.uint64}


def apply_loss_reduction(losses: Array, reduction: int, *operands: Array) -> Array:
    """The losses (in memory as their operands say), their mean, or their sum."""
    if reduction == NONE:
        return ordered(as_array(losses), operands)
    total = np.add.reduce(losses, None)
    if reduction == SUM:
        return as_array(total)
    count = losses.size or np.nan  # the mean of nothing is nan
    return np.divide(total, np.asarray(count, losses.dtype), out=...)


# Squared differences ------------------------------------------------------------------------------
def difference_of(a: Array, target: Array) -> Array:
    """a - target; of floats and integers in the type of the floats."""
    if a.dtype is target.dtype:
        return np.subtract(a, target, out=...)
    kind = common_type([a, target])
    return np.subtract(a, target, out=..., dtype=kind, casting="unsafe")


def mse_loss(a: Array, target: Array, reduction: int) -> Array:
    """The squared differences, their mean or their sum."""
    difference = difference_of(a, target)
    np.multiply(difference, difference, out=difference)
    return apply_loss_reduction(difference, reduction, a, target)


def mse_loss_backward(grad: Array, a: Array, target: Array, reduction: int) -> Array:
    """2 (a - target) grad, over the count for the mean."""
    factor = 2.0 / max(as_array(a).size, 1) if reduction == MEAN else 2.0
    difference = difference_of(a, target)
    np.multiply(difference, np.asarray(factor, difference.dtype), out=difference)
    return np.multiply(difference, grad, out=...)


# The negative logarithm of a class's likelihood ---------------------------------------------------
def _class_indices(target: Array, ignore_index: int, classes: int) -> tuple[Any, Array | None]:
    """The index of each target's own class, and which targets count (None: all of them)."""
    counted = None
    # as unsigned numbers, negative ones are larger than all
    top = np.maximum.reduce(target.view(_UNSIGNED[target.itemsize]), None, initial=0)
    if target.size and top >= classes:
        counted = target != ignore_index
        target = np.where(counted, target, 0)
        outside = (target < 0) | (target >= classes)
        if outside.any():
            raise IndexError(f"Target {target[outside].flat[0]} is out of bounds.")
    elif 0 <= ignore_index < classes:
        counted = target != ignore_index
    if target.ndim == 0:
        return (target,), counted
    if target.ndim == 1:
        return (np.arange(len(target)), target), counted
    first, *others = np.ogrid[tuple(slice(size) for size in target.shape)]
    return (first, target, *others), counted


def _weights(
    index: tuple[Any, ...], counted: Array | None, weight: Array | None, dtype: Any
) -> Array | None:
    """The weight of each target; None where all count as one."""
    if weight is None:
        return None if counted is None else counted.astype(dtype)
    found = weight[index[0] if len(index) == 1 else index[1]]
    return found if counted is None else found * counted


def nll_loss(
    a: Array, target: Array, weight: Array | None, reduction: int, ignore_index: int
) -> tuple[Array, Array]:
    """Minus the item of each target's class (dim 1, or the only one), times the class's weight; the
    mean is over the sum of weights. That sum comes along."""
    index, counted = _class_indices(target, ignore_index, a.shape[min(1, a.ndim - 1)])
    each = _weights(index, counted, weight, a.dtype)
    losses = np.negative(a[index], out=...)
    if each is not None:
        np.multiply(losses, each, losses)
    if counted is not None:  # an ignored item may be nan or infinite
        losses = np.where(counted, losses, a.dtype.type(0))
    if reduction == NONE:
        return losses, np.zeros((), a.dtype)
    total = np.asarray(losses.size if each is None else np.add.reduce(each, None), a.dtype)
    found = np.add.reduce(losses, None)
    if reduction == SUM:
        return as_array(found), total
    if total == 0:
        return np.asarray(np.nan, a.dtype), total
    return np.divide(found, total, out=...), total


def nll_loss_backward(
    grad: Array, a: Array, target: Array, total: Array, weight: Array | None, reduction: int,
    ignore_index: int,
) -> Array:  # fmt: skip
    """Minus the gradient at each target's class."""
    index, counted = _class_indices(target, ignore_index, a.shape[min(1, a.ndim - 1)])
    each = _weights(index, counted, weight, a.dtype)
    grad = np.negative(grad)
    if reduction == MEAN:
        grad = grad / total if total != 0 else grad * np.nan
    out = np.zeros(a.shape, a.dtype)
    grad = grad if each is None else grad * each
    out[index] = grad if counted is None else np.where(counted, grad, 0)
    return out


def nll_loss_double_backward(
    grad: Array, target: Array, total: Array, weight: Array | None, reduction: int,
    ignore_index: int,
) -> Array:  # fmt: skip
    """The derivative of ``nll_loss_backward`` by its gradient: the loss of another input, with the
    same sum of weights."""
    return nll_loss(grad, target, weight, reduction, ignore_index)[0]


# Losses item by item ------------------------------------------------------------------------------
def count(shape: Shape) -> int:
    """The number of items of a shape."""
    return int(np.prod(shape))


def smooth_l1(a: Array, target: Array, reduction: int, beta: float) -> Array:
    """z²/2β where |z| < β, else |z| - β/2, of the difference z."""
    rest, least = _huber_factors(a, target, beta)
    least /= least.dtype.type(beta)
    return apply_loss_reduction(np.multiply(rest, least, out=rest), reduction, a, target)


def huber(a: Array, target: Array, reduction: int, delta: float) -> Array:
    """z²/2 where |z| <= δ, else δ(|z| - δ/2), of the difference z."""
    rest, least = _huber_factors(a, target, delta)
    losses = np.multiply(rest, least, out=rest).astype(a.dtype, copy=False)
    return apply_loss_reduction(losses, reduction, a)


def smooth_l1_backward(grad: Array, a: Array, target: Array, reduction: int, beta: float) -> Array:
    """grad times the difference over β, between -1 and 1."""
    return _clipped_difference_backward(grad, a, target, beta, 1 / beta, reduction)


def huber_backward(grad: Array, a: Array, target: Array, reduction: int, delta: float) -> Array:
    """grad times the difference, between -δ and δ."""
    return _clipped_difference_backward(grad, a, target, delta, 1.0, reduction)


def binary_cross_entropy_backward(
    grad: Array, a: Array, target: Array, weight: Array | None, reduction: int
) -> Array:
    """The slope of a binary cross entropy, (a - t) / (a (1 - a)), times the gradient."""
    spread = maximum(np.multiply(np.subtract(1, a), a, out=...), 1e-12)
    slope = np.divide(np.subtract(a, target, out=...), spread, out=...)
    return scaled_gradient(slope, grad, weight, reduction)


def scaled_gradient(slope: Array, grad: Array, weight: Array | None, reduction: int) -> Array:
    """A slope times the gradient and the weight, over the number of items for the mean."""
    grad = np.multiply(grad, mean_weight(slope, reduction), out=...)
    return np.multiply(slope, grad if weight is None else np.multiply(grad, weight), out=...)


def mean_weight(a: Array, reduction: int) -> Array:
    """Return the weight of each item in the result: one over their number for the mean."""
    return np.asarray(1.0 / max(a.size, 1) if reduction == MEAN else 1.0, a.dtype)


def _clipped_difference_backward(
    grad: Array, a: Array, target: Array, bound: float, factor: float, reduction: int
) -> Array:
    slope = between(difference_of(a, target), -bound, bound)
    if reduction == MEAN:
        factor /= max(as_array(a).size, 1)
    np.multiply(slope, np.asarray(factor, slope.dtype), out=slope)
    return np.multiply(slope, grad, out=...)


def _huber_factors(a: Array, target: Array, bound: float) -> tuple[Array, Array]:
    """|z| - m/2 and m = min(|z|, bound) of the difference z: the product is z²/2 up to the bound
    and goes on as a straight line, without a mask."""
    away = difference_of(a, target)
    np.absolute(away, out=away)
    least = minimum(away, bound)
    return np.subtract(away, least * away.dtype.type(0.5), out=away), least


def first_improbable(a: Array) -> int:
    """The place of the first item that is no probability; the size where all are."""
    if not a.size or (a.min() >= 0 and a.max() <= 1):
        return int(a.size)
    return int(np.argmin(((a >= 0) & (a <= 1)).reshape(-1)))


def binary_cross_entropy(
    a: Array, target: Array, weight: Array | None, reduction: int
) -> Array:
    """-(t log a + (1 - t) log(1 - a)), logarithms not below -100, times weight.

    Raises:
        RuntimeError: a probability outside of [0, 1] (PyTorch's text).
    """
    outside = {first_improbable(each): name for name, each in (("target", target), ("input", a))}
    if min(outside) < a.size:
        raise RuntimeError(f"all elements of {outside[min(outside)]} should be between 0 and 1")
    low = a.dtype.type(-100)
    with np.errstate(all="ignore"):
        yes, no = np.maximum(np.log(a), low), np.maximum(np.log1p(-a), low)
    losses = as_array((target - 1) * no - target * yes)
    return apply_loss_reduction(multiply_weight(losses, weight, a), reduction, a)


def multiply_weight(losses: Array, weight: Array | None, like: Array) -> Array:
    """The losses times their weights, of whatever type, in the type of an operand: PyTorch
    multiplies in place."""
    return (losses if weight is None else losses * weight).astype(like.dtype, copy=False)


def cross_entropy_of_logits(
    a: Array, target: Array, weight: Array | None, pos_weight: Array | None, reduction: int
) -> Array:
    """(1 - t) a + (1 + (p - 1) t) log(1 + exp(-a)), times weight; stable for large a."""
    low = np.negative(a, out=...)
    soft = np.absolute(a, out=...)
    soft = log1p(np.exp(np.negative(soft, out=soft), out=soft))
    soft += maximum(low, 0)
    if pos_weight is not None:
        soft = soft * ((pos_weight - 1) * target + 1)
    losses = as_array((1 - target) * a + soft)
    return apply_loss_reduction(multiply_weight(losses, weight, target), reduction, target)


F = Namespace()

op("mse_loss(self, target, /, reduction=1)", mse_loss,
   d_self=lambda grad, self, target, reduction:
       F.mse_loss_backward(grad, self, target, reduction),
   d_target=lambda grad, self, target, reduction:
       F.mse_loss_backward(grad, target, self, reduction),
   public=False, sign="mse", text="{reduced}({self} − {target})²", onnx=None)


@composite
def mse_loss_double_backward(grad: Any, reduction: int) -> Any:
    """The second derivative of a squared difference, 2; over the count for the mean."""
    return F.divide_if_mean(grad * 2.0, reduction)


op("mse_loss_backward(grad_output, self, target, /, reduction)", mse_loss_backward,
   d_grad_output=lambda grad, self, target, reduction, _grad_output_shape: F.sum_to_size(
       F.mse_loss_backward(grad, self, target, reduction), _grad_output_shape),
   d_self=lambda grad, grad_output, reduction:
       F.mse_loss_double_backward(grad * grad_output, reduction),
   d_target=lambda grad, grad_output, reduction:
       -F.mse_loss_double_backward(grad * grad_output, reduction),
   public=False, sign="mse′", text="2 · ({self} − {target}) · {grad_output}{over_n}", onnx=None)

# The likelihood of classes ------------------------------------------------------------------------
for _name, _node, _kernel in (("nll_loss", "NllLoss", "nll_loss_out_frame"),
                              ("nll_loss2d", "NllLoss2D", "nll_loss2d_forward_out_frame")):
    op(f"{_name}(self, target, weight=None, /, reduction, ignore_index) -> result; total_weight",
       nll_loss, refuses=f"{_kernel}: bool integer", node=f"{_node}Backward0",
       d_self=lambda grad, self, target, total_weight, weight, reduction, ignore_index:
           F.nll_loss_backward(
               grad, self, target, total_weight, weight, reduction, ignore_index
           ),
       public=False, sign="nll", text="{reduced}−{self}[{target}]{weighted}",
       onnx="NegativeLogLikelihoodLoss")

op("nll_loss_backward(grad_output, self, target, _total, weight=None, /, reduction, "
   "ignore_index)", nll_loss_backward, node="NllLossBackwardBackward0",
   d_grad_output=lambda grad, target, _total, weight, reduction, ignore_index:
       F.nll_loss_double_backward(grad, target, _total, weight, reduction, ignore_index),
   d_self=lambda grad: F.zeros_like(grad),
   public=False, sign="nll′", text="−{grad_output}{weighted}{over_n} at {target}, 0 elsewhere",
   onnx=None)

op("nll_loss_double_backward(self, target, total_weight, weight=None, /, reduction, ignore_index)",
   nll_loss_double_backward, node="NllLossBackward0",
   d_self=lambda grad, self, target, total_weight, weight, reduction, ignore_index:
       F.nll_loss_backward(grad, self, target, total_weight, weight, reduction, ignore_index),
   public=False, sign="nll", text="{reduced}−{self}[{target}]{weighted}", onnx=None)

# Distances item by item ---------------------------------------------------------------------------
@composite
def divide_if_mean(items: Any, reduction: int) -> Any:
    """Items that are over their number for the mean."""
    return items / max(count(items.shape), 1) if reduction == MEAN else items


@composite
def mean_factor(shape: Any, reduction: int) -> float:
    """Return the weight of each item's loss in the result: one over their number for the mean, else
    1."""
    return 1.0 / max(count(shape), 1) if reduction == MEAN else 1.0


op("smooth_l1_loss(self, target, /, reduction=1, beta=1.0)", smooth_l1,
   d_self=lambda grad, self, target, reduction, beta:
       F.smooth_l1_loss_backward(grad, self, target, reduction, beta),
   d_target=lambda grad, self, target, reduction, beta:
       F.smooth_l1_loss_backward(grad, target, self, reduction, beta),
   public=False, sign="smooth l1", text="{reduced}smooth |{self} − {target}|", onnx=None)

op("huber_loss(self, target, /, reduction=1, delta=1.0)", huber,
   refuses="huber_cpu: bool integer",
   d_self=lambda grad, self, target, reduction, delta:
       F.huber_loss_backward(grad, self, target, reduction, delta),
   d_target=lambda grad, self, target, reduction, delta:
       F.huber_loss_backward(grad, target, self, reduction, delta),
   public=False, sign="huber", text="{reduced}huber({self} − {target})", onnx=None)


@composite
def is_within_distance(self: Any, target: Any, bound: Any) -> Any:
    """Return whether items differ by less than a bound: there the slope still changes."""
    return F.lt(F.abs(self - target), F.ones_like(self) * bound)


@composite
def smooth_l1_loss_double_backward(
    grad: Any, self: Any, target: Any, reduction: int, beta: float
) -> Any:
    """The second derivative of the smooth distance, 1 / beta near 0."""
    return F.divide_if_mean(grad * F.is_within_distance(self, target, beta) / beta, reduction)


@composite
def huber_loss_double_backward(
    grad: Any, self: Any, target: Any, reduction: int, delta: float
) -> Any:
    """The second derivative of Huber's distance, 1 near 0."""
    return F.divide_if_mean(grad * F.is_within_distance(self, target, delta), reduction)


@composite
def loss_backward_by_grad_output(backward: Any, grad: Any, grad_output: Any, reduction: int) -> Any:
    """The derivative of a loss's ``backward`` by its gradient, of which there is one for all items
    unless there is no reduction."""
    if reduction == NONE:
        return backward(grad)
    return F.sum(backward(F.ones_like(grad_output)) * grad)


op("smooth_l1_loss_backward(grad_output, self, target, /, reduction, beta)",
   smooth_l1_backward, node="SmoothL1LossBackwardBackward0",
   d_grad_output=lambda grad, grad_output, self, target, reduction, beta:
       F.loss_backward_by_grad_output(
           lambda flow: F.smooth_l1_loss_backward(flow, self, target, reduction, beta),
           grad, grad_output, reduction),
   d_self=lambda grad, grad_output, self, target, reduction, beta:
       F.smooth_l1_loss_double_backward(grad * grad_output, self, target, reduction, beta),
   d_target=lambda grad, grad_output, self, target, reduction, beta:
       -F.smooth_l1_loss_double_backward(grad * grad_output, self, target, reduction, beta),
   public=False, sign="smooth l1′",
   text="clamp(({self} − {target}) ÷ {beta}, −1, 1) · {grad_output}{over_n}", onnx=None)

op("huber_loss_backward(grad_output, self, target, /, reduction, delta)",
   huber_backward, node="HuberLossBackwardBackward0",
   d_grad_output=lambda grad, grad_output, self, target, reduction, delta:
       F.loss_backward_by_grad_output(
           lambda flow: F.huber_loss_backward(flow, self, target, reduction, delta),
           grad, grad_output, reduction),
   d_self=lambda grad, grad_output, self, target, reduction, delta:
       F.huber_loss_double_backward(grad * grad_output, self, target, reduction, delta),
   d_target=lambda grad, grad_output, self, target, reduction, delta:
       -F.huber_loss_double_backward(grad * grad_output, self, target, reduction, delta),
   public=False, sign="huber′",
   text="clamp({self} − {target}, −{delta}, {delta}) · {grad_output}{over_n}", onnx=None)


# Probabilities item by item -----------------------------------------------------------------------
op("binary_cross_entropy(self, target, weight=None, /, reduction=1)",
   binary_cross_entropy, refuses="binary_cross_entropy: bool integer",
   d_self=lambda grad, self, target, weight, reduction:
       F.binary_cross_entropy_backward(grad, self, target, weight, reduction),
   d_target=lambda grad, self, target, weight, reduction:
       F.divide_if_mean(F.multiply_weight(-F.logit(self, None) * grad, weight), reduction),
   public=False, sign="bce",
   text="{reduced}−({target} · log({self}) + (1 − {target}) · log(1 − {self})){weighted}",
   onnx=None)


@composite
def binary_cross_entropy_derivative(self: Any, target: Any) -> Any:
    """The derivative of a binary cross entropy: (a - t) / (a (1 - a))."""
    one, rest = self + 1e-12, 1 - self + 1e-12
    return (self - target) / (one * rest)


@composite
def binary_cross_entropy_double_backward(self: Any, target: Any) -> Any:
    """The second derivative of a binary cross entropy: (a² - 2 a t + t) / (a (1 - a))²."""
    one, rest = self + 1e-12, 1 - self + 1e-12
    return (self * self - 2 * self * target + target) / (F.pow(one, 2) * F.pow(rest, 2))


op("binary_cross_entropy_backward(grad_output, self, target, weight=None, /, reduction)",
   binary_cross_entropy_backward, node="BinaryCrossEntropyBackwardBackward0",
   d_grad_output=lambda grad, self, target, weight, reduction, _grad_output_shape: F.sum_to_size(
       F.divide_if_mean(
           F.multiply_weight(F.binary_cross_entropy_derivative(self, target) * grad, weight),
           reduction),
       _grad_output_shape),
   d_self=lambda grad, grad_output, self, target, weight, reduction: F.divide_if_mean(
       F.multiply_weight(
           F.binary_cross_entropy_double_backward(self, target) * (grad * grad_output), weight),
       reduction),
   d_target=lambda grad, grad_output, self, weight, reduction:
       F.divide_if_mean(
           F.multiply_weight(-grad * grad_output, weight) / ((1 - self) * self), reduction),
   public=False, sign="bce′",
   text="({self} − {target}) ÷ ({self} · (1 − {self})) · {grad_output}{weighted}{over_n}",
   onnx=None)

op("binary_cross_entropy_with_logits(self, target, weight=None, pos_weight=None, /, reduction=1)",
   cross_entropy_of_logits,
   d_self=lambda grad, self, target, weight, pos_weight, reduction: F.scale_loss_gradient(
       F.logits_derivative(self, target, pos_weight), grad, weight, reduction),
   d_target=lambda grad, self, target, weight, pos_weight, reduction:
       F.multiply_weight(grad, weight) * F.mean_factor(self.shape, reduction)
       * F.logits_target_derivative(self, pos_weight),
   public=False, sign="bce of logits",
   text="{reduced}bce(σ({self}), {target}{pos_weighted}){weighted}", onnx=None)


@composite
def scale_loss_gradient(slope: Any, grad: Any, weight: Any, reduction: Any) -> Any:
    """A slope times the gradient and the weight, over the number of items for the mean."""
    product = F.multiply_weight(slope * grad, weight)
    return product / max(count(slope.shape), 1) if reduction == MEAN else product


ARRAYS.__dict__["scale_loss_gradient"] = scaled_gradient


@composite
def logits_derivative(self: Any, target: Any, pos_weight: Any) -> Any:
    """The derivative by the logits: σ - t, with the weight of positives ((p - 1) t + 1) σ - p t."""
    if pos_weight is None:
        return F.sigmoid(self) - target
    positive = pos_weight * target
    return (positive + 1 - target) * F.sigmoid(self) - positive


@composite
def logits_target_derivative(self: Any, pos_weight: Any) -> Any:
    """The derivative by the target: -a, or log σ(-a) - p log σ(a)."""
    if pos_weight is None:
        return -self
    return pos_weight * F.softplus(-self, 1.0, 20.0) - F.softplus(self, 1.0, 20.0)


# Margins between classes --------------------------------------------------------------------------
