"""Activation functions, softmax and the losses on it."""

from __future__ import annotations

from typing import Any

from . import activation_kernels as kernels
from .declare import Namespace, composite, op

F = Namespace()

# Kinks -----------------------------------------------------------------------------------------
op("leaky_relu(self, /, negative_slope=0.01)", kernels.leaky_relu, inplace=True, pointwise=True,
   d_self=lambda grad, self, negative_slope: F.leaky_relu_backward(grad, self, negative_slope),
   public=False,
   sign="leaky relu", text="{self} where {self} > 0 else {negative_slope} · {self}",
   tex=r"\max({self}, {negative_slope} {self})", onnx="LeakyRelu")

op("leaky_relu_backward(grad_output, self, /, negative_slope)", kernels.leaky_relu_backward,
   pointwise=True,
   d_grad_output=lambda grad, self, negative_slope:
       F.leaky_relu_backward(grad, self, negative_slope),
   public=False,
   sign="leaky relu′", text="{grad_output} where {self} > 0 else {negative_slope} · {grad_output}",
   tex=r"{grad_output} \{{1, {negative_slope}\}}", onnx=None)

op("hardtanh(self, /, min_val=-1.0, max_val=1.0)", kernels.hardtanh, inplace=True, pointwise=True,
   d_self=lambda grad, self, min_val, max_val: F.hardtanh_backward(grad, self, min_val, max_val),
   public=False,
   text="min(max({self}, {min_val}), {max_val})",
   tex=r"\operatorname{{hardtanh}} {self}", onnx="Clip")

op("hardtanh_backward(grad_output, self, /, min_val, max_val)", kernels.hardtanh_backward,
   pointwise=True,
   d_grad_output=lambda grad, self, min_val, max_val:
       F.hardtanh_backward(grad, self, min_val, max_val),
   public=False,
   sign="hardtanh′", text="{grad_output} where {min_val} < {self} < {max_val}",
   tex=r"{grad_output} [{min_val} < {self} < {max_val}]", onnx=None)

# Smooth -----------------------------------------------------------------------------------------
op("silu(self, /)", kernels.silu, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self: F.silu_slope(grad, self),
   public=False,
   text="{self} × σ({self})", tex=r"{self} \, \sigma({self})", onnx=None)


@composite
def silu_slope(grad: Any, self: Any) -> Any:
    """d silu: σ (1 + x (1 - σ)) with σ = sigmoid(x)."""
    gate = F.sigmoid(self)
    return grad * (gate * (1 + self * (1 - gate)))


op("softplus(self, /, beta=1.0, threshold=20.0)", kernels.softplus, pointwise=True, dtype="float",
   d_self=lambda grad, self, beta, threshold: F.softplus_backward(grad, self, beta, threshold),
   public=False,
   text="log(1 + exp({self}))", tex=r"\ln(1 + e^{{{self}}})", onnx="Softplus")

op("softplus_backward(grad_output, self, /, beta, threshold)", kernels.softplus_backward,
   pointwise=True,
   d_grad_output=lambda grad, self, beta, threshold:
       F.softplus_backward(grad, self, beta, threshold),
   d_self=lambda grad, grad_output, self, beta:
       grad * grad_output * (beta * F.sigmoid(beta * self) * (1 - F.sigmoid(beta * self))),
   public=False,
   sign="softplus′", text="{grad_output} · σ({self})",
   tex=r"{grad_output} \, \sigma({self})", onnx=None)

# Softmax ----------------------------------------------------------------------------------------
op("softmax(self, /, dim)", kernels.softmax,
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


op("log_softmax(self, /, dim)", kernels.log_softmax,
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
