"""Losses: ``mse_loss``, ``nll_loss``, ``binary_cross_entropy``, margin losses."""

from __future__ import annotations

from typing import Any

from ..declare import ARRAYS, Namespace, composite, op
from . import loss_kernels as kernels

F = Namespace()

op("mse_loss(self, target, /, reduction=1)", kernels.mse_loss,
   d_self=lambda grad, self, target, reduction:
       F.mse_loss_backward(grad, self, target, reduction),
   d_target=lambda grad, self, target, reduction:
       F.mse_loss_backward(grad, target, self, reduction),
   public=False, sign="mse", text="{reduced}({self} − {target})²",
   tex=r"({self} - {target})^2", onnx=None)


@composite
def mse_loss_double_backward(grad: Any, reduction: int) -> Any:
    """The second derivative of a squared difference, 2; over the count for the mean."""
    return F.divide_if_mean(grad * 2.0, reduction)


op("mse_loss_backward(grad_output, self, target, /, reduction)", kernels.mse_loss_backward,
   d_grad_output=lambda grad, self, target, reduction, _grad_output_shape: F.sum_to_size(
       F.mse_loss_backward(grad, self, target, reduction), _grad_output_shape),
   d_self=lambda grad, grad_output, reduction:
       F.mse_loss_double_backward(grad * grad_output, reduction),
   d_target=lambda grad, grad_output, reduction:
       -F.mse_loss_double_backward(grad * grad_output, reduction),
   public=False, sign="mse′", text="2 · ({self} − {target}) · {grad_output}{over_n}",
   tex=r"2 ({self} - {target}) {grad_output}", onnx=None)

# The likelihood of classes ------------------------------------------------------------------------
for _name, _node, _kernel in (("nll_loss", "NllLoss", "nll_loss_out_frame"),
                              ("nll_loss2d", "NllLoss2D", "nll_loss2d_forward_out_frame")):
    op(f"{_name}(self, target, weight=None, /, reduction, ignore_index) -> result; total_weight",
       kernels.nll_loss, refuses=f"{_kernel}: bool integer", node=f"{_node}Backward0",
       d_self=lambda grad, self, target, total_weight, weight, reduction, ignore_index:
           F.nll_loss_backward(
               grad, self, target, total_weight, weight, reduction, ignore_index
           ),
       public=False, sign="nll", text="{reduced}−{self}[{target}]{weighted}",
       tex=r"-{self}_{{{target}}}", onnx="NegativeLogLikelihoodLoss")

op("nll_loss_backward(grad_output, self, target, _total, weight=None, /, reduction, "
   "ignore_index)", kernels.nll_loss_backward, node="NllLossBackwardBackward0",
   d_grad_output=lambda grad, target, _total, weight, reduction, ignore_index:
       F.nll_loss_double_backward(grad, target, _total, weight, reduction, ignore_index),
   d_self=lambda grad: F.zeros_like(grad),
   public=False, sign="nll′", text="−{grad_output}{weighted}{over_n} at {target}, 0 elsewhere",
   tex=r"-{grad_output}", onnx=None)

op("nll_loss_double_backward(self, target, total_weight, weight=None, /, reduction, ignore_index)",
   kernels.nll_loss_double_backward, node="NllLossBackward0",
   d_self=lambda grad, self, target, total_weight, weight, reduction, ignore_index:
       F.nll_loss_backward(grad, self, target, total_weight, weight, reduction, ignore_index),
   public=False, sign="nll", text="{reduced}−{self}[{target}]{weighted}",
   tex=r"-{self}_{{{target}}}", onnx=None)

# Distances item by item ---------------------------------------------------------------------------
@composite
def divide_if_mean(items: Any, reduction: int) -> Any:
    """Items that are over their number for the mean."""
    return items / max(kernels.count(items.shape), 1) if reduction == kernels.MEAN else items


@composite
def mean_factor(shape: Any, reduction: int) -> float:
    """Return the weight of each item's loss in the result: one over their number for the mean, else
    1."""
    return 1.0 / max(kernels.count(shape), 1) if reduction == kernels.MEAN else 1.0


op("smooth_l1_loss(self, target, /, reduction=1, beta=1.0)", kernels.smooth_l1,
   d_self=lambda grad, self, target, reduction, beta:
       F.smooth_l1_loss_backward(grad, self, target, reduction, beta),
   d_target=lambda grad, self, target, reduction, beta:
       F.smooth_l1_loss_backward(grad, target, self, reduction, beta),
   public=False, sign="smooth l1", text="{reduced}smooth |{self} − {target}|",
   tex=r"|{self} - {target}|_{{{beta}}}", onnx=None)

op("huber_loss(self, target, /, reduction=1, delta=1.0)", kernels.huber,
   refuses="huber_cpu: bool integer",
   d_self=lambda grad, self, target, reduction, delta:
       F.huber_loss_backward(grad, self, target, reduction, delta),
   d_target=lambda grad, self, target, reduction, delta:
       F.huber_loss_backward(grad, target, self, reduction, delta),
   public=False, sign="huber", text="{reduced}huber({self} − {target})",
   tex=r"\operatorname{{huber}}_{{{delta}}}({self} - {target})", onnx=None)


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
    if reduction == kernels.NONE:
        return backward(grad)
    return F.sum(backward(F.ones_like(grad_output)) * grad)


op("smooth_l1_loss_backward(grad_output, self, target, /, reduction, beta)",
   kernels.smooth_l1_backward, node="SmoothL1LossBackwardBackward0",
   d_grad_output=lambda grad, grad_output, self, target, reduction, beta:
       F.loss_backward_by_grad_output(
           lambda flow: F.smooth_l1_loss_backward(flow, self, target, reduction, beta),
           grad, grad_output, reduction),
   d_self=lambda grad, grad_output, self, target, reduction, beta:
       F.smooth_l1_loss_double_backward(grad * grad_output, self, target, reduction, beta),
   d_target=lambda grad, grad_output, self, target, reduction, beta:
       -F.smooth_l1_loss_double_backward(grad * grad_output, self, target, reduction, beta),
   public=False, sign="smooth l1′",
   text="clamp(({self} − {target}) ÷ {beta}, −1, 1) · {grad_output}{over_n}",
   tex=r"{grad_output}", onnx=None)

op("huber_loss_backward(grad_output, self, target, /, reduction, delta)",
   kernels.huber_backward, node="HuberLossBackwardBackward0",
   d_grad_output=lambda grad, grad_output, self, target, reduction, delta:
       F.loss_backward_by_grad_output(
           lambda flow: F.huber_loss_backward(flow, self, target, reduction, delta),
           grad, grad_output, reduction),
   d_self=lambda grad, grad_output, self, target, reduction, delta:
       F.huber_loss_double_backward(grad * grad_output, self, target, reduction, delta),
   d_target=lambda grad, grad_output, self, target, reduction, delta:
       -F.huber_loss_double_backward(grad * grad_output, self, target, reduction, delta),
   public=False, sign="huber′",
   text="clamp({self} − {target}, −{delta}, {delta}) · {grad_output}{over_n}",
   tex=r"{grad_output}", onnx=None)


# Probabilities item by item -----------------------------------------------------------------------
op("binary_cross_entropy(self, target, weight=None, /, reduction=1)",
   kernels.binary_cross_entropy, refuses="binary_cross_entropy: bool integer",
   d_self=lambda grad, self, target, weight, reduction:
       F.binary_cross_entropy_backward(grad, self, target, weight, reduction),
   d_target=lambda grad, self, target, weight, reduction:
       F.divide_if_mean(F.multiply_weight(-F.logit(self, None) * grad, weight), reduction),
   public=False, sign="bce",
   text="{reduced}−({target} · log({self}) + (1 − {target}) · log(1 − {self})){weighted}",
   tex=r"-({target} \ln {self} + (1 - {target}) \ln(1 - {self}))", onnx=None)


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
   kernels.binary_cross_entropy_backward, node="BinaryCrossEntropyBackwardBackward0",
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
   tex=r"{grad_output}", onnx=None)

op("binary_cross_entropy_with_logits(self, target, weight=None, pos_weight=None, /, reduction=1)",
   kernels.cross_entropy_of_logits,
   d_self=lambda grad, self, target, weight, pos_weight, reduction: F.scale_loss_gradient(
       F.logits_derivative(self, target, pos_weight), grad, weight, reduction),
   d_target=lambda grad, self, target, weight, pos_weight, reduction:
       F.multiply_weight(grad, weight) * F.mean_factor(self.shape, reduction)
       * F.logits_target_derivative(self, pos_weight),
   public=False, sign="bce of logits",
   text="{reduced}bce(σ({self}), {target}{pos_weighted}){weighted}",
   tex=r"\operatorname{{bce}}(\sigma({self}), {target})", onnx=None)


@composite
def scale_loss_gradient(slope: Any, grad: Any, weight: Any, reduction: Any) -> Any:
    """A slope times the gradient and the weight, over the number of items for the mean."""
    product = F.multiply_weight(slope * grad, weight)
    return product / max(kernels.count(slope.shape), 1) if reduction == kernels.MEAN else product


ARRAYS.__dict__["scale_loss_gradient"] = kernels.scale_loss_gradient


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
