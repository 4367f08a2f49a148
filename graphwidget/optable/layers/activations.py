"""Activations: relu and its relatives, gelu, silu, softplus, glu, with their derivatives."""

from __future__ import annotations

import math
from typing import Any

from ...arrays.kernel_errors import refuse_all_bools, refuse_bools_in_relu
from ..declare import ARRAYS, Namespace, composite, op
from ..out import PLAIN
from ..pointwise.common_kernels import relu, threshold_backward
from . import activation_kernels as kernels
from . import activation_kernels as smooth

F = Namespace()
ROOT_ONE_OVER_TWO_PI, ROOT_TWO_OVER_PI = (2 * math.pi) ** -0.5, (2 / math.pi) ** 0.5

# Straight pieces ---------------------------------------------------------------------------------
op("relu(self, /)", relu, inplace=True, pointwise=True, out=False,
   guard=refuse_bools_in_relu, warns=False,
   d_self=lambda grad, result: F.threshold_backward(grad, result, 0),
   text="max({self}, 0)", onnx="Relu")

op("threshold_backward(grad_output, self, /, threshold)", threshold_backward,
   pointwise=True, order=("self", "grad_output"),
   d_grad_output=lambda grad, self, threshold: F.threshold_backward(grad, self, threshold),
   d_self=lambda grad: F.zeros_like(grad),
   public=False, sign="relu′", text="{grad_output} where {self} > {threshold}, else 0", onnx=None)

for key, node in (("threshold", "ThresholdBackward0"), ("threshold.written", "ThresholdBackward1")):
    op(f"{key}(self, /, threshold, value)", kernels.threshold, pointwise=True,
       inplace=key != "threshold", node=node, public=False, guard=refuse_all_bools("threshold_cpu"),
       d_self=lambda grad, self, threshold: F.threshold_backward(grad, self, threshold),
       text="{self} where {self} > {threshold}, else {value}", onnx=None)

op("leaky_relu(self, /, negative_slope=0.01)", kernels.leaky_relu,
   refuses="leaky_relu_cpu: bool integer",
   pointwise=True,
   d_self=lambda grad, self, negative_slope:
       F.leaky_relu_backward(grad, self, negative_slope, False),
   public=False,
   sign="leaky relu", text="{self} where {self} > 0, else {negative_slope} · {self}",
   onnx="LeakyRelu")

# In place the derivative follows from the result, so that nothing need be kept.
op("leaky_relu.written(self, /, negative_slope=0.01)",
   kernels.leaky_relu, refuses="leaky_relu_cpu: bool integer", inplace=True, pointwise=True,
   node="LeakyReluBackward1", public=False,
   d_self=lambda grad, result, negative_slope:
       F.leaky_relu_backward(grad, result, negative_slope, True),
   sign="leaky relu", text="{self} where {self} > 0, else {negative_slope} · {self}", onnx=None)

op("leaky_relu_backward(grad_output, self, /, negative_slope, is_result)",
   kernels.leaky_relu_backward, pointwise=True, order=("self", "grad_output"),
   d_grad_output=lambda grad, self, negative_slope, is_result:
       F.leaky_relu_backward(grad, self, negative_slope, is_result),
   d_self=lambda grad: F.zeros_like(grad),
   public=False,
   sign="leaky relu′",
   text="{grad_output} where {self} > 0, else {negative_slope} · {grad_output}", onnx=None)

op("hardtanh(self, /, min_val=-1.0, max_val=1.0)", kernels.hardtanh, inplace=True, pointwise=True,
   d_self=lambda grad, self, min_val, max_val: F.hardtanh_backward(grad, self, min_val, max_val),
   public=False,
   text="min(max({self}, {min_val}), {max_val})", onnx="Clip")

op("hardtanh_backward(grad_output, self, /, min_val, max_val)", kernels.hardtanh_backward,
   pointwise=True,
   d_grad_output=lambda grad, self, min_val, max_val:
       F.hardtanh_backward(grad, self, min_val, max_val),
   d_self=lambda grad: F.zeros_like(grad),
   public=False,
   sign="hardtanh′", text="{grad_output} where {min_val} < {self} < {max_val}", onnx=None)

op("prelu_kernel(self, weight, /)", kernels.prelu, refuses="prelu_cpu: bool integer",
   pointwise=True, public=False, numbers=False,
   d_self__weight=lambda grad, self, weight: F.prelu_kernel_backward(grad, self, weight),
   sign="prelu", text="{self} where {self} > 0, else {weight} · {self}", onnx="PRelu")

op("prelu_kernel_backward(grad_output, self, weight, /) -> grad_self, grad_weight",
   kernels.prelu_backward,
   d_grad_output=lambda grads, self, weight: F.where(
       F.not_negative(self), grads[0], grads[0] * weight + grads[1] * self),
   d_self=lambda grads, grad_output, self: F.where(
       F.not_negative(self), F.zeros_like(self), grad_output * grads[1]),
   d_weight=lambda grads, grad_output, self, _weight_shape: F.sum_to_size(F.where(
       F.not_negative(self), F.zeros_like(self), grad_output * grads[0]), _weight_shape),
   public=False, sign="prelu′",
   text="{grad_output} where {self} > 0, else {weight} · {grad_output}", onnx=None)


@composite
def not_negative(self: Any) -> Any:
    """Return whether items are 0 or more."""
    return F.ge(self, F.zeros_like(self))


op("hardswish(self, /)", kernels.hardswish, refuses="hardswish_cpu: bool integer", inplace=True,
   pointwise=True, public=False,
   d_self=lambda grad, self: F.hardswish_backward(grad, self),
   text="{self} · min(max({self} + 3, 0), 6) ÷ 6",
   onnx="HardSwish")

op("hardswish_backward(grad_output, self, /)", kernels.hardswish_backward, pointwise=True,
   public=False,
   d_grad_output=lambda grad, self: F.hardswish_backward(grad, self),
   d_self=lambda grad, grad_output, self: F.where(
       F.logical_and(F.gt(self, F.ones_like(self) * -3.0), F.lt(self, F.ones_like(self) * 3.0)),
       grad * grad_output / 3.0, F.zeros_like(grad)),
   sign="hardswish′", text="{grad_output} · ({self} ÷ 3 + 1 ÷ 2) between ±3", onnx=None)

op("hardsigmoid(self, /)", kernels.hardsigmoid,
   refuses="hardsigmoid_cpu: bool integer", inplace=True,
   pointwise=True, public=False,
   d_self=lambda grad, self: F.hardsigmoid_backward(grad, self),
   text="min(max({self} + 3, 0), 6) ÷ 6",
   onnx="HardSigmoid")

op("hardsigmoid_backward(grad_output, self, /)", kernels.hardsigmoid_backward, pointwise=True,
   public=False, node="NotImplemented",
   d_grad_output=lambda grad: F.without_derivative("aten::hardsigmoid_backward"),
   d_self=lambda grad: F.without_derivative("aten::hardsigmoid_backward"),
   sign="hardsigmoid′", text="{grad_output} ÷ 6 between ±3", onnx=None)

# Exponential pieces ------------------------------------------------------------------------------
op("elu(self, /, alpha=1.0, scale=1, input_scale=1)", kernels.elu, refuses="elu_cpu: bool integer",
   pointwise=True, public=False,
   d_self=lambda grad, self, alpha, scale, input_scale:
       F.elu_backward(grad, self, alpha, scale, input_scale, False),
   text="{scale} · ({self} where {self} > 0, else {alpha} · (exp({input_scale} · {self}) − 1))",
   onnx="Elu")

# In place the derivative follows from the result, so that nothing need be kept.
op("elu.written(self, /, alpha=1.0, scale=1, input_scale=1)", kernels.elu,
   refuses="elu_cpu: bool integer",
   pointwise=True, node="EluBackward1", inplace=True, public=False,
   d_self=lambda grad, result, alpha, scale, input_scale:
       F.elu_backward(grad, result, alpha, scale, input_scale, True),
   text="{scale} · ({self} where {self} > 0, else {alpha} · (exp({input_scale} · {self}) − 1))",
   onnx=None)

op("elu_backward(grad_output, self_or_result, /, alpha, scale, input_scale, is_result)",
   kernels.elu_backward, pointwise=True, public=False,
   d_grad_output=lambda grad, self_or_result, alpha, scale, input_scale, is_result:
       F.elu_backward(grad, self_or_result, alpha, scale, input_scale, is_result),
   d_self_or_result=lambda grad, grad_output, self_or_result, alpha, scale, input_scale, is_result:
       F.elu_double_backward(
           grad, grad_output, self_or_result, alpha, scale, input_scale, is_result),
   sign="elu′", text="{grad_output} led back through elu at {self_or_result}", onnx=None)


@composite
def elu_double_backward(
    grad: Any, grad_output: Any, self_or_result: Any, alpha: float, scale: float,
    input_scale: float, is_result: bool,
) -> Any:  # fmt: skip
    """The second derivative of elu, by x or by its result; 0 from x = 0 on."""
    bent = grad * grad_output * input_scale
    if not is_result:
        bent = F.elu_backward(bent, self_or_result, alpha, scale, input_scale, False)
    return bent * F.lt(self_or_result, F.zeros_like(self_or_result))


# Smooth -----------------------------------------------------------------------------------------
op("gelu(self, /, approximate='none') -> result; _share", smooth.gelu, out=PLAIN,
   refuses="GeluKernelImpl: bool integer", pointwise=True, public=False,
   d_self=lambda grad, self, approximate, _share: F.gelu_gradient(grad, self, approximate, _share),
   text="{self} · Φ({self})", onnx="Gelu")

op("gelu_backward(grad_output, self, /, approximate)", smooth.gelu_backward, pointwise=True,
   public=False,
   d_grad_output=lambda grad, self, approximate: F.gelu_backward(grad, self, approximate),
   d_self=lambda grad, grad_output, self, approximate:
       F.gelu_double_backward(grad, grad_output, self, approximate),
   sign="gelu′", text="{grad_output} · (Φ({self}) + {self} · φ({self}))", onnx=None)


@composite
def gelu_gradient(grad: Any, self: Any, approximate: str, share: Any) -> Any:
    """The derivative of gelu, which arrays compute from Φ."""
    return F.gelu_backward(grad, self, approximate)


ARRAYS.__dict__["gelu_gradient"] = smooth.gelu_backward


@composite
def gelu_double_backward(grad: Any, grad_output: Any, self: Any, approximate: str) -> Any:
    """The second derivative of gelu: φ (2 - x²); of its tanh form by the product rule."""
    if approximate == "none":
        square = self * self
        density = F.exp(square * -0.5) * ROOT_ONE_OVER_TWO_PI
        return grad * grad_output * (density * 2 - square * density)
    inner = ROOT_TWO_OVER_PI * (self + 0.044715 * F.pow(self, 3))
    slope = ROOT_TWO_OVER_PI * (1 + 0.134145 * F.pow(self, 2))
    bend = ROOT_TWO_OVER_PI * 0.26829 * self
    level = F.tanh(inner)
    rise = 1 - level * level
    return grad * grad_output * (
        rise * slope + 0.5 * self * (rise * bend - 2 * level * rise * slope * slope)
    )


op("silu(self, /)", smooth.silu, refuses="silu_cpu: bool integer", inplace=True,
   pointwise=True, public=False,
   d_self=lambda grad, self: F.silu_backward(grad, self),
   text="{self} × σ({self})", onnx=None)


@composite
def silu_backward(grad: Any, self: Any) -> Any:
    """d silu: σ (1 + x (1 - σ)) with σ = sigmoid(x)."""
    gate = F.sigmoid(self)
    rise = 1 + self * (1 - gate)  # first, as the order decides how further gradients add up
    return grad * gate * rise


op("mish(self, /)", smooth.mish,
   refuses="mish_cpu: bool integer", inplace=True, pointwise=True, public=False,
   d_self=lambda grad, self: F.mish_backward(grad, self),
   text="{self} · tanh(log(1 + exp({self})))",
   onnx="Mish")


@composite
def mish_backward(grad: Any, self: Any) -> Any:
    """d mish: t + x σ (1 - t²) with t = tanh(softplus(x)), σ = sigmoid(x)."""
    gate = F.sigmoid(self)
    level = F.tanh(F.log1p(F.exp(self)))
    rise = 1 - level * level
    return grad * (level + self * gate * rise)


ARRAYS.__dict__.update(silu_backward=smooth.silu_backward, mish_backward=smooth.mish_backward)

op("softplus(self, /, beta=1.0, threshold=20.0)", smooth.softplus, out=PLAIN,
   refuses="softplus_cpu: bool integer",
   pointwise=True,
   d_self=lambda grad, self, beta, threshold: F.softplus_backward(grad, self, beta, threshold),
   public=False,
   text="log(1 + exp({self}))", onnx="Softplus")

op("softplus_backward(grad_output, self, /, beta, threshold)", smooth.softplus_backward,
   pointwise=True,
   d_grad_output=lambda grad, self, beta, threshold:
       F.softplus_backward(grad, self, beta, threshold),
   d_self=lambda grad, grad_output, self, beta, threshold:
       F.softplus_double_backward(grad * grad_output, self, beta, threshold),
   public=False,
   sign="softplus′", text="{grad_output} · σ({self})", onnx=None)


@composite
def softplus_double_backward(grad: Any, self: Any, beta: float, threshold: float) -> Any:
    """The second derivative of softplus, 0 where it is straight."""
    scaled = self * beta
    bent = F.lt(scaled, F.ones_like(scaled) * threshold)
    return F.sigmoid_backward(grad, F.sigmoid(scaled)) * bent * beta


op("log_sigmoid(self, /) -> result; buffer", smooth.log_sigmoid,
   refuses="log_sigmoid_cpu: bool integer",
   public=False,
   d_self=lambda grad, self, buffer: F.log_sigmoid_backward(grad, self, buffer),
   sign="log σ", text="log σ({self})", onnx=None)

op("log_sigmoid_backward(grad_output, self, buffer, /)", smooth.log_sigmoid_backward,
   pointwise=True, public=False, order=("grad_output",),
   d_grad_output=lambda grad, self, buffer: F.log_sigmoid_backward(grad, self, buffer),
   d_self=lambda grad, grad_output, self: F.log_sigmoid_double_backward(grad * grad_output, self),
   sign="log σ′", text="{grad_output} · σ(−{self})",
   onnx=None)


@composite
def log_sigmoid_double_backward(grad: Any, self: Any) -> Any:
    """The second derivative of the logarithm of σ."""
    level = F.sigmoid(self)
    return grad * (level - 1) * level


op("glu(self, /, dim=-1)", smooth.glu, refuses="glu_cpu: bool integer", public=False,
   d_self=lambda grad, self, dim: F.glu_backward(grad, self, dim),
   text="first half · σ(second half) of {self}", onnx=None)

op("glu_backward(grad_output, self, /, dim)", smooth.glu_backward, public=False,
   d_grad_output=lambda grad, self, dim: F.glu_backward_by_grad(grad, self, dim),
   d_self=lambda grad, grad_output, self, dim: F.glu_double_backward(grad, grad_output, self, dim),
   sign="glu′", text="slopes · {grad_output}", onnx=None)


@composite
def glu_backward_by_grad(grad: Any, self: Any, dim: int) -> Any:
    """The derivative of ``glu_backward`` by its gradient: both halves' slopes."""
    first, _ = F.halves(self, dim)
    one, two = F.halves(grad * F.glu_backward(F.ones_like(first), self, dim), dim)
    return one + two


@composite
def glu_double_backward(grad: Any, grad_output: Any, self: Any, dim: int) -> Any:
    """The second derivative of glu, a σ(b): with slope s = σ (1 - σ), by a it is s, by b
    a s (1 - 2 σ)."""
    first, second = F.halves(self, dim)
    gate = F.sigmoid(second)
    rest = 1 - gate
    slope = gate * rest
    one, two = F.halves(grad, dim)
    by_second = two * first
    found = two * grad_output * slope
    bend = slope * rest - gate * slope
    return F.cat([found, by_second * grad_output * bend + one * grad_output * slope], dim)


@composite
def halves(self: Any, dim: int) -> tuple[Any, Any]:
    """The two halves along a dim."""
    size = self.shape[dim]
    return (F.slice(self, dim, 0, size // 2, 1), F.slice(self, dim, size // 2, size, 1))
