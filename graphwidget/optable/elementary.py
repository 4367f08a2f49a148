"""Elementary functions of one or two tensors, item by item."""

from __future__ import annotations

import math

import numpy as np

from . import kernels
from .declare import Namespace, op

F = Namespace()
LN2, LN10 = math.log(2), math.log(10)

# Trigonometric and hyperbolic -----------------------------------------------------------------
op("tan(self, /)", np.tan, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, result: grad * (1 + F.pow(result, 2)),
   text="tan({self})", tex=r"\tan {self}", onnx="Tan")

op("asin(self, /)", np.arcsin, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self: grad * F.rsqrt(-self * self + 1),
   text="asin({self})", tex=r"\arcsin {self}", onnx="Asin")

op("acos(self, /)", np.arccos, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self: grad * -F.rsqrt(-self * self + 1),
   text="acos({self})", tex=r"\arccos {self}", onnx="Acos")

op("atan(self, /)", np.arctan, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self: grad / (self * self + 1),
   text="atan({self})", tex=r"\arctan {self}", onnx="Atan")

op("sinh(self, /)", np.sinh, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self: grad * F.cosh(self),
   text="sinh({self})", tex=r"\sinh {self}", onnx="Sinh")

op("cosh(self, /)", np.cosh, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self: grad * F.sinh(self),
   text="cosh({self})", tex=r"\cosh {self}", onnx="Cosh")

op("asinh(self, /)", np.arcsinh, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self: grad * F.rsqrt(F.pow(self, 2) + 1),
   text="asinh({self})", tex=r"\operatorname{{arsinh}} {self}", onnx="Asinh")

op("acosh(self, /)", np.arccosh, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self: grad * F.rsqrt(F.pow(self, 2) - 1),
   text="acosh({self})", tex=r"\operatorname{{arcosh}} {self}", onnx="Acosh")

op("atanh(self, /)", np.arctanh, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self: grad * 1 / (1 - F.pow(self, 2)),
   text="atanh({self})", tex=r"\operatorname{{artanh}} {self}", onnx="Atanh")

# Exponentials, logarithms, roots ----------------------------------------------------------------
op("exp2(self, /)", np.exp2, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, result: grad * result * LN2,
   text="2 ^ {self}", tex=r"2^{{{self}}}", onnx=None)

op("expm1(self, /)", np.expm1, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, result: grad * (result + 1),
   text="exp({self}) − 1", tex=r"e^{{{self}}} - 1", onnx=None)

op("log2(self, /)", np.log2, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self: grad / (self * LN2),
   text="log2({self})", tex=r"\log_2 {self}", onnx=None)

op("log10(self, /)", np.log10, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self: grad / (self * LN10),
   text="log10({self})", tex=r"\log_{{10}} {self}", onnx=None)

op("log1p(self, /)", np.log1p, inplace=True, pointwise=True, dtype="float",
   node="Log1PBackward0",
   d_self=lambda grad, self: grad / (self + 1),
   text="log(1 + {self})", tex=r"\ln (1 + {self})", onnx=None)

op("rsqrt(self, /)", kernels.rsqrt, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, result: -0.5 * grad * F.pow(result, 3),
   sign="1/√", text="1 ÷ √{self}", tex=r"1 / \sqrt{{{self}}}", onnx=None)

op("hypot(self, other, /)", np.hypot, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self, result: grad * (self / result),
   d_other=lambda grad, other, result: grad * (other / result),
   text="√({self}² + {other}²)", tex=r"\sqrt{{{self}^2 + {other}^2}}", onnx=None)

op("atan2(self, other, /)", np.arctan2, inplace=True, pointwise=True, dtype="float",
   d_self=lambda grad, self, other: grad * (other / (self * self + other * other)),
   d_other=lambda grad, self, other: grad * (-self / (self * self + other * other)),
   text="atan2({self}, {other})", tex=r"\operatorname{{atan2}}({self}, {other})", onnx=None)

# Rounding ---------------------------------------------------------------------------------------
for name, ufunc, onnx in (
    ("floor", np.floor, "Floor"), ("ceil", np.ceil, "Ceil"), ("round", np.rint, "Round"),
    ("trunc", np.trunc, None),
):  # fmt: skip
    op(f"{name}(self, /)", kernels.whole(ufunc), inplace=True, pointwise=True,
       d_self=lambda grad: F.zeros_like(grad),
       text=name + "({self})", tex=r"\operatorname{{" + name + "}} {self}", onnx=onnx)
