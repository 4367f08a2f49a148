"""Losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import loss_kernels as kernels
from .declare import Namespace, composite, op

F = Namespace()

op("mse_loss(self, target, /, reduction=1)", kernels.mse_loss,
   d_self=lambda grad, self, target, reduction:
       F.mse_loss_backward(grad, self, target, reduction),
   d_target=lambda grad, self, target, reduction:
       F.mse_loss_backward(grad, target, self, reduction),
   public=False, sign="mse", text="mse({self}, {target})",
   tex=r"\operatorname{{mse}}({self}, {target})", onnx=None)


@composite
def mse_factor(shape: Any, reduction: int) -> float:
    """2, over the count for the mean."""
    return 2.0 / max(kernels.count(shape), 1) if reduction == kernels.MEAN else 2.0


op("mse_loss_backward(grad_output, self, target, /, reduction)", kernels.mse_loss_backward,
   d_grad_output=lambda grad, self, target, reduction, self_shape, grad_output_shape:
       F.sum_to_size(
           grad * (self - target) * F.mse_factor(self_shape, reduction), grad_output_shape
       ),
   d_self=lambda grad, grad_output, self_shape, reduction:
       grad * grad_output * F.mse_factor(self_shape, reduction),
   d_target=lambda grad, grad_output, self_shape, reduction:
       -(grad * grad_output * F.mse_factor(self_shape, reduction)),
   public=False, sign="mse′", text="2 · ({self} − {target}) · {grad_output}",
   tex=r"2 ({self} - {target}) {grad_output}", onnx=None)

# The likelihood of classes ------------------------------------------------------------------------
for _name, _node in (("nll_loss", "NllLoss"), ("nll_loss2d", "NllLoss2D")):
    op(f"{_name}(self, target, weight=None, /, reduction, ignore_index) -> result; total_weight",
       kernels.nll_loss, node=f"{_node}Backward0",
       d_self=lambda grad, self, target, total_weight, weight, reduction, ignore_index:
           F.nll_loss_backward(
               grad, self, target, total_weight, weight, reduction, ignore_index
           ),
       public=False, sign="nll", text="−{self}[{target}]",
       tex=r"-{self}_{{{target}}}", onnx="NegativeLogLikelihoodLoss")

op("nll_loss_backward(grad_output, self, target, total_weight, weight=None, /, reduction, "
   "ignore_index)", kernels.nll_loss_backward, node="NllLossBackwardBackward0",
   d_grad_output=lambda grad, target, total_weight, weight, reduction, ignore_index:
       F.nll_loss_again(grad, target, total_weight, weight, reduction, ignore_index),
   d_self=lambda grad: None,
   public=False, sign="nll′", text="−{grad_output} at {target}, 0 elsewhere",
   tex=r"-{grad_output}", onnx=None)

op("nll_loss_again(self, target, total_weight, weight=None, /, reduction, ignore_index)",
   kernels.nll_loss_again, node="NllLossBackward0",
   d_self=lambda grad, self, target, total_weight, weight, reduction, ignore_index:
       F.nll_loss_backward(grad, self, target, total_weight, weight, reduction, ignore_index),
   public=False, sign="nll", text="−{self}[{target}]", tex=r"-{self}_{{{target}}}", onnx=None)

# A number as an operand where PyTorch's own code has one: no slot of the node --------------------
op("mul.number(self, /, other)", lambda a, other: np.multiply(a, a.dtype.type(other), out=...),
   node="MulBackward1", d_self=lambda grad, other: grad * other,
   public=False, sign="×", text="{self} × {other}", tex=r"{self} \cdot {other}", onnx="Mul")

op("div.number(self, /, other)", lambda a, other: np.divide(a, a.dtype.type(other), out=...),
   node="DivBackward1", d_self=lambda grad, other: grad / other,
   public=False, sign="÷", text="{self} ÷ {other}", tex=r"{self} / {other}", onnx="Div")

op("add.number(self, /, other)", lambda a, other: np.add(a, a.dtype.type(other), out=...),
   node="AddBackward1", d_self=lambda grad: grad,
   public=False, sign="+", text="{self} + {other}", tex=r"{self} + {other}", onnx="Add")
