"""Softmax and its logarithm."""

from __future__ import annotations

from typing import Any

from ..declare import Namespace, composite, op
from ..out import Out
from . import softmax_kernels as kernels

F = Namespace()

op("softmax(self, /, dim)", kernels.softmax, out=Out(history="ended"),
   d_self=lambda grad, result, dim: F.softmax_backward_data(grad, result, dim),
   public=False,
   text="softmax({self})", tex=r"\operatorname{{softmax}} {self}", onnx="Softmax")

op("softmax_backward_data(grad_output, output, /, dim)", kernels.softmax_backward,
   d_grad_output=lambda grad, output, dim: F.softmax_backward_data(grad, output, dim),
   d_output=lambda grad, grad_output, output, dim:
       F.softmax_double_backward(grad, grad_output, output, dim),
   public=False,
   sign="softmax′", text="{output} · ({grad_output} − Σ {grad_output} · {output})",
   tex=r"{output} ({grad_output} - \sum {grad_output} {output})", onnx=None)


@composite
def softmax_double_backward(grad: Any, grad_output: Any, output: Any, dim: Any) -> Any:
    """The derivative of softmax's derivative by softmax's result."""
    first = grad_output * grad - F.sum_dim(output * grad_output, (dim,), True) * grad
    return first - grad_output * F.sum_dim(output * grad, (dim,), True)


op("log_softmax(self, /, dim)", kernels.log_softmax, out=Out(history="ended"),
   d_self=lambda grad, result, dim: F.log_softmax_backward_data(grad, result, dim),
   public=False,
   sign="log softmax", text="log softmax({self})",
   tex=r"\ln \operatorname{{softmax}} {self}", onnx="LogSoftmax")

op("log_softmax_backward_data(grad_output, output, /, dim)", kernels.log_softmax_backward,
   d_grad_output=lambda grad, output, dim:
       grad - F.sum_dim(grad * F.exp(output), (dim,), True),
   d_output=lambda grad, grad_output, output, dim:
       -F.sum_dim(grad_output, (dim,), True) * F.exp(output) * grad,
   public=False,
   sign="log softmax′", text="{grad_output} − exp({output}) · Σ {grad_output}",
   tex=r"{grad_output} - e^{{{output}}} \sum {grad_output}", onnx=None)
