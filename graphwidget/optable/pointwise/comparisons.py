"""Ops without a derivative: comparisons and functions of integers and bools."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import Namespace, composite, op
from ..out import PLAIN
from . import arithmetic_kernels as kernels

F = Namespace()

# Comparisons ------------------------------------------------------------------------------------
for name, ufunc, sign, also, onnx in (
    ("eq", np.equal, "=", (), "Equal"),
    ("ne", np.not_equal, "≠", ("not_equal",), None),
    ("lt", np.less, "<", ("less",), "Less"),
    ("le", np.less_equal, "≤", ("less_equal",), "LessOrEqual"),
    ("gt", np.greater, ">", ("greater",), "Greater"),
    ("ge", np.greater_equal, "≥", ("greater_equal",), "GreaterOrEqual"),
):
    op(f"{name}(self, other, /)", ufunc, pointwise=True, dtype="bool", nograd=True, also=also,
       numbers="last", sign=sign, text="{self} " + sign + " {other}", onnx=onnx)
    # In place the result takes the tensor's type, and its history goes on, with zeros.
    op(f"{name}.written(self, other, /)", ufunc, pointwise=True, dtype="bool", inplace=True,
       node=f"{name.capitalize()}Backward1", public=False,
       d_self=lambda grad: F.zeros_like(grad),
       d_other=lambda grad: F.zeros_like(grad),
       sign=sign, text="{self} " + sign + " {other}", onnx=None)
    op(f"{name}.written_number(self, /, other)", kernels.with_number(ufunc),
       pointwise=True, dtype="bool", inplace=True, public=False,
       d_self=lambda grad: F.zeros_like(grad),
       sign=sign, text="{self} " + sign + " {other}", onnx=None)

for name, test, out in (
    ("isnan", np.isnan, False), ("isinf", np.isinf, False), ("isfinite", np.isfinite, False),
    ("isposinf", kernels.isposinf, PLAIN), ("isneginf", kernels.isneginf, PLAIN),
    ("signbit", kernels.signbit, PLAIN), ("isreal", kernels.isreal, False),
):
    op(f"{name}(self, /)", test, pointwise=True, dtype="bool", nograd=True, out=out, onnx=None)

# Logic ------------------------------------------------------------------------------------------
op("logical_not(self, /)", np.logical_not, pointwise=True, dtype="bool", nograd=True, inplace=True,
   writes_leaves=True, sign="¬", text="not {self}", onnx="Not")
for name, connective, sign, onnx in (
    ("logical_and", np.logical_and, "∧", "And"),
    ("logical_or", np.logical_or, "∨", "Or"),
    ("logical_xor", np.logical_xor, "⊻", "Xor"),
):
    op(f"{name}(self, other, /)", connective, pointwise=True, dtype="bool", nograd=True,
       inplace=True, writes_leaves=True, numbers=False,
       sign=sign, text="{self} " + sign + " {other}", onnx=onnx)

# Bits and integers ------------------------------------------------------------------------------
for name, bits, sign in (("bitwise_and", np.bitwise_and, "&"), ("bitwise_or", np.bitwise_or, "|"),
                         ("bitwise_xor", np.bitwise_xor, "xor")):
    op(f"{name}(self, other, /)", bits, refuses=f"{name}_cpu: float", pointwise=True,
       inplace=True, nograd=True,
       sign=sign, text="{self} " + sign + " {other}", onnx=None)
op("bitwise_not(self, /)", np.invert, refuses="bitwise_not_cpu: float", pointwise=True,
   nograd=True, inplace=True, sign="~", text="~{self}", onnx=None)
op("bitwise_left_shift(self, other, /)", kernels.shift_left, refuses="lshift_cpu: bool float",
   pointwise=True, nograd=True, inplace=True, out=PLAIN,
   sign="<<", text="{self} << {other}", onnx=None)
op("bitwise_right_shift(self, other, /)", kernels.shift_right, refuses="rshift_cpu: bool float",
   pointwise=True, nograd=True, inplace=True,
   sign=">>", text="{self} >> {other}", onnx=None)
op("gcd(self, other, /)", np.gcd, refuses="gcd_cpu: bool float",
   pointwise=True, nograd=True, inplace=True,
   numbers=False, onnx=None)
op("lcm(self, other, /)", np.lcm, refuses="lcm_cpu: bool float",
   pointwise=True, nograd=True, inplace=True,
   numbers=False, onnx=None)


@composite
def without_derivative(name: str) -> Any:
    """Refuses backward through an op that PyTorch's table of derivatives leaves out.

    Raises:
        RuntimeError: always (PyTorch's text).
    """
    raise RuntimeError(f"derivative for {name} is not implemented")


@composite
def no_derivative(name: str) -> Any:
    """Refuses backward through an op that stands in that table without a derivative.

    Raises:
        NotImplementedError: always (PyTorch's text).
    """
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.")


@composite
def refuse(text: Any) -> Any:
    """Refuses backward with a text.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(text)


op("delayed_error(self, /, text)", lambda a, text: a.copy(), node="Error",
   d_self=lambda grad, text: F.refuse(text),
   public=False, sign="error", text="{self}", onnx=None)
