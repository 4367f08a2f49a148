"""Elementary functions of one or two tensors, as ``exp``, ``sin``, ``tanh``, ``hypot``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...arrays.kernel_errors import refuse_all_bools, refuse_bool_exponents
from ..declare import Namespace, composite, op
from ..out import PLAIN
from . import arithmetic_kernels as more
from . import common_kernels as kernels

F = Namespace()
LN2, LN10 = math.log(2), math.log(10)

# Functions of one tensor ---------------------------------------------------------------------
op("exp(self, /)", np.exp, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, result: grad * result,
   text="exp({self})", onnx="Exp")

op("log(self, /)", np.log, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self: grad / self,
   text="log({self})", onnx="Log")

op("sqrt(self, /)", np.sqrt, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, result: grad / (2 * result),
   sign="√", text="√{self}", onnx="Sqrt")

op("sin(self, /)", np.sin, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self: grad * F.cos(self),
   text="sin({self})", onnx="Sin")

op("cos(self, /)", np.cos, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self: grad * -F.sin(self),
   text="cos({self})", onnx="Cos")

op("sign(self, /)", kernels.sign, inplace=True, pointwise=True, out=PLAIN,
   d_self=lambda grad: F.zeros_like(grad),
   text="sign({self})", onnx="Sign")

op("abs(self, /)", np.absolute, inplace=True, also=("absolute",), pointwise=True,
   guard=refuse_all_bools("abs_cpu"), out=PLAIN,
   d_self=lambda grad, self: grad * F.sgn(self),
   sign="|·|", text="|{self}|", onnx="Abs")

op("tanh(self, /)", np.tanh, inplace=True, pointwise=True, dtype="float", warns=False,
   d_self=lambda grad, result: F.tanh_backward(grad, result),
   text="tanh({self})", onnx="Tanh")

op("tanh_backward(grad_output, output, /)", kernels.tanh_backward, pointwise=True,
   d_grad_output=lambda grad, output: F.tanh_backward(grad, output),
   d_output=lambda grad, grad_output, output: grad * grad_output * (-2 * output),
   public=False, sign="tanh′", text="{grad_output} · (1 − {output}²)", onnx=None)

op("sigmoid(self, /)", kernels.sigmoid, inplace=True, pointwise=True, dtype="float",
   also=("special.expit",),
   d_self=lambda grad, result: F.sigmoid_backward(grad, result),
   sign="σ", text="σ({self})", onnx="Sigmoid")

op("sigmoid_backward(grad_output, output, /)", kernels.sigmoid_backward, pointwise=True,
   d_grad_output=lambda grad, output: F.sigmoid_backward(grad, output),
   d_output=lambda grad, grad_output, output: grad * grad_output * (-2 * output + 1),
   public=False, sign="σ′", text="{grad_output} · {output} · (1 − {output})", onnx=None)

# Trigonometric and hyperbolic -----------------------------------------------------------------
op("tan(self, /)", np.tan, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, result: grad * (1 + F.pow(result, 2)),
   text="tan({self})", onnx="Tan")

op("asin(self, /)", np.arcsin, inplace=True, pointwise=True, dtype="float",
   also=("arcsin",),
   d_self=lambda grad, self: grad * F.rsqrt(-self * self + 1),
   text="asin({self})", onnx="Asin")

op("acos(self, /)", np.arccos, inplace=True, pointwise=True, dtype="float",
   also=("arccos",),
   d_self=lambda grad, self: grad * -F.rsqrt(-self * self + 1),
   text="acos({self})", onnx="Acos")

op("atan(self, /)", np.arctan, inplace=True, pointwise=True, dtype="float",
   also=("arctan",),
   d_self=lambda grad, self: grad / (self * self + 1),
   text="atan({self})", onnx="Atan")

op("sinh(self, /)", np.sinh, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self: grad * F.cosh(self),
   text="sinh({self})", onnx="Sinh")

op("cosh(self, /)", np.cosh, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self: grad * F.sinh(self),
   text="cosh({self})", onnx="Cosh")

op("asinh(self, /)", np.arcsinh, pointwise=True, dtype="float",
   also=("arcsinh",),
   d_self=lambda grad, self: grad * F.rsqrt(F.pow(self, 2) + 1),
   text="asinh({self})", onnx="Asinh")

op("acosh(self, /)", np.arccosh, pointwise=True, dtype="float",
   also=("arccosh",),
   d_self=lambda grad, self: grad * F.rsqrt(self * self - 1),
   text="acosh({self})", onnx="Acosh")

op("atanh(self, /)", np.arctanh, pointwise=True, dtype="float",
   also=("arctanh",),
   d_self=lambda grad, self: grad * 1 / (1 - F.pow(self, 2)),
   text="atanh({self})", onnx="Atanh")

# PyTorch has no derivative of these in place.
for name, inverse in (("asinh", np.arcsinh), ("acosh", np.arccosh), ("atanh", np.arctanh)):
    op(f"{name}.written(self, /)", inverse, inplace=True, pointwise=True, dtype="float",
       node=f"{name.capitalize()}Backward1", public=False,
       d_self={"asinh": lambda grad: F.no_derivative("inplace version of asinh"),
               "acosh": lambda grad: F.no_derivative("inplace version of acosh"),
               "atanh": lambda grad: F.no_derivative("inplace version of atanh")}[name],
       text=name + "({self})", onnx=None)

# Exponentials, logarithms, roots ----------------------------------------------------------------
op("exp2(self, /)", np.exp2, inplace=True, pointwise=True, dtype="float",
   also=("special.exp2",),
   d_self=lambda grad, result: grad * result * LN2,
   text="2 ^ {self}", onnx=None)

op("expm1(self, /)", np.expm1, inplace=True, pointwise=True, dtype="float",
   also=("special.expm1",),
   d_self=lambda grad, result: grad * (result + 1),
   text="exp({self}) − 1", onnx=None)

op("log2(self, /)", np.log2, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self: grad / (self * LN2),
   text="log2({self})", onnx=None)

op("log10(self, /)", np.log10, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self: grad / (self * LN10),
   text="log10({self})", onnx=None)

op("log1p(self, /)", np.log1p, inplace=True, pointwise=True, dtype="float",
   also=("special.log1p",), node="Log1PBackward0",
   d_self=lambda grad, self: grad / (self + 1),
   text="log(1 + {self})", onnx=None)

op("rsqrt(self, /)", kernels.rsqrt, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, result: -0.5 * grad * F.pow(result, 3),
   sign="1/√", text="1 ÷ √{self}", onnx=None)

op("hypot(self, other, /)", np.hypot, refuses="hypot_cpu: bool integer",
   inplace=True, pointwise=True,
   numbers=False,
   d_self=lambda grad, self, result: grad * self / result,
   d_other=lambda grad, other, result: grad * other / result,
   text="√({self}² + {other}²)", onnx=None)

op("logaddexp(self, other, /)", more.logaddexp, refuses="logaddexp_cpu: bool integer",
   pointwise=True, numbers=False,
   d_self=lambda grad, self, other: grad / (1 + F.exp(other - self)),
   d_other=lambda grad, self, other: grad / (1 + F.exp(self - other)),
   text="log(exp({self}) + exp({other}))", onnx=None)

op("logaddexp2(self, other, /)", more.logaddexp2, refuses="logaddexp2_cpu: bool integer",
   pointwise=True, numbers=False,
   d_self=lambda grad, self, other: grad / (1 + F.pow_base(other - self, 2)),
   d_other=lambda grad, self, other: grad / (1 + F.pow_base(self - other, 2)),
   text="log2(2 ^ {self} + 2 ^ {other})", onnx=None)

op("ldexp(self, other, /)", more.ldexp, pointwise=True, inplace=True, dtype="float", numbers=False,
   guard=refuse_bool_exponents, order=("self",),
   d_self=lambda grad, other: grad * F.pow_base(other, 2),
   d_other=lambda grad, result: grad * result * LN2,
   text="{self} · 2 ^ {other}", onnx=None)

op("frexp(self, /) -> mantissa, exponent", more.frexp, public=False,
   d_self=lambda grad, exponent, self_dtype: F.divide_by_power_of_two(grad, exponent, self_dtype),
   text="mantissa and exponent of {self}", onnx=None)


@composite
def divide_by_power_of_two(grad: Any, exponent: Any, dtype: Any) -> Any:
    """grad / 2**exponent, divided in single precision at least."""
    power = F.exp2(F.to_copy(exponent, np.result_type(dtype, np.float32)))
    return grad / power if dtype != np.float16 else F.to_copy(grad / power, dtype)


@composite
def atan2_part(self: Any, other: Any) -> Any:
    """1 / (self² + other²), 0 at the origin."""
    square = self * self + other * other
    return F.masked_fill(F.reciprocal(square), F.eq(square, F.zeros_like(square)), 0)


op("atan2(self, other, /)", np.arctan2, inplace=True, pointwise=True, dtype="float",
   also=("arctan2",), numbers=False,
   d_self=lambda grad, self, other: grad * other * F.atan2_part(self, other),
   d_other=lambda grad, self, other: grad * -self * F.atan2_part(self, other),
   text="atan2({self}, {other})", onnx=None)

op("copysign(self, other, /)", np.copysign, inplace=True, pointwise=True, dtype="float",
   numbers=False,
   d_self=lambda grad, self, result: F.copysign_backward(grad, self, result),
   d_other=lambda grad: F.zeros_like(grad),
   text="|{self}| with the sign of {other}", onnx=None)

op("copysign.number(self, /, other)", more.copysign_number, inplace=True, pointwise=True,
   dtype="float", node="CopysignBackward1",
   d_self=lambda grad, self, result: F.copysign_backward(grad, self, result),
   text="|{self}| with the sign of {other}", onnx=None)


@composite
def copysign_backward(grad: Any, self: Any, result: Any) -> Any:
    """grad with the sign's change; 0 where self is 0."""
    return grad * F.masked_fill(result / self, F.eq(self, F.zeros_like(self)), 0)


op("nextafter(self, other, /)", more.nextafter, refuses="nextafter_cpu: bool integer", inplace=True,
   pointwise=True, numbers=False,
   d_self=lambda grad, self, other: F.where(F.ne(self, other), grad, F.zeros_like(grad)),
   d_other=lambda grad: F.zeros_like(grad),
   text="{self} a little nearer to {other}",
   onnx=None)

op("sinc(self, /)", more.sinc, inplace=True, pointwise=True, dtype="float", also=("special.sinc",),
   d_self=lambda grad, self: F.sinc_backward(grad, self),
   text="sin(π {self}) ÷ (π {self})", onnx=None)


@composite
def sinc_backward(grad: Any, self: Any) -> Any:
    """d sinc: (πx cos πx - sin πx) / πx²; 0 at 0."""
    angle = self * math.pi
    square = self * self * math.pi
    slope = grad * ((angle * F.cos(angle) - F.sin(angle)) / square)
    return F.where(F.eq(square, F.zeros_like(square)), F.zeros_like(grad), slope)


op("deg2rad(self, /)", more.scaled_by(math.pi / 180), inplace=True, pointwise=True, dtype="float",
   node="Deg2RadBackward0",
   d_self=lambda grad: grad * (math.pi / 180),
   text="{self} · π ÷ 180", onnx=None)

op("rad2deg(self, /)", more.scaled_by(180 / math.pi), inplace=True, pointwise=True, dtype="float",
   node="Rad2DegBackward0",
   d_self=lambda grad: grad * (180 / math.pi),
   text="{self} · 180 ÷ π", onnx=None)

op("angle(self, /)", more.angle, pointwise=True, dtype="float",
   d_self=lambda grad, self: F.zeros_like(grad),
   text="π where {self} < 0, else 0", onnx=None)

op("sgn(self, /)", kernels.sign, inplace=True, pointwise=True, out=PLAIN,
   d_self=lambda grad, self, result: F.zero_tensor(grad),
   text="sign({self})", onnx="Sign")

op("logit(self, /, eps=None)", more.logit, inplace=True, pointwise=True, dtype="float",
   also=("special.logit",),
   d_self=lambda grad, self, eps: F.logit_backward(grad, self, eps),
   text="log({self} ÷ (1 − {self}))", onnx=None)


@composite
def logit_backward(grad: Any, self: Any, eps: float | None) -> Any:
    """d logit: 1 / (x (1 - x)); 0 outside [eps, 1 - eps], nan outside [0, 1] without eps."""
    low = 0.0 if eps is None else eps
    outside = F.zeros_like(grad) if eps is not None else F.zeros_like(grad) / 0.0
    return F.where(F.within(self, low, 1.0 - low), grad / (self * (1.0 - self)), outside)


op("xlogy(self, other, /)", more.xlogy, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self, other: F.masked_fill(
       F.xlogy(grad, other),
       F.logical_and(F.within(self, 0.0, 0.0), F.within(other, None, 0.0)), 0),
   d_other=lambda grad, self, other: grad * self / other,
   text="{self} · log({other})", onnx=None)

op("xlogy.number(self, /, other)", more.xlogy_number, inplace=True, pointwise=True, dtype="float",
   node="XlogyBackward2",
   d_self=lambda grad, self, other: F.xlogy_number(grad, other) if other > 0
       else F.masked_fill(F.xlogy_number(grad, other), F.within(self, 0.0, 0.0), 0),
   text="{self} · log({other})", onnx=None)

op("xlogy.base(other, /, self)", more.xlogy_of, pointwise=True, dtype="float",
   node="XlogyBackward1",
   d_other=lambda grad, self, other: grad * self / other,
   text="{self} · log({other})", onnx=None)

# Rounding ---------------------------------------------------------------------------------------
for name, ufunc, also, onnx in (
    ("floor", np.floor, (), "Floor"), ("ceil", np.ceil, (), "Ceil"),
    ("round", np.rint, (), "Round"), ("trunc", np.trunc, ("fix",), None),
):  # fmt: skip
    op(f"{name}(self, /)", kernels.rounding(f"{name}_vml_cpu", ufunc), inplace=True, pointwise=True,
       also=also, out=PLAIN,
       d_self=lambda grad: F.zeros_like(grad),
       text=name + "({self})", onnx=onnx)

op("round.decimals(self, /, decimals)", more.round_decimals, inplace=True, pointwise=True,
   node="RoundBackward1",
   d_self=lambda grad: F.zeros_like(grad),
   text="round({self}, {decimals})", onnx=None)

op("frac(self, /)", more.frac, inplace=True, pointwise=True, out=PLAIN,
   d_self=lambda grad: grad,
   text="{self} − trunc({self})", onnx=None)
