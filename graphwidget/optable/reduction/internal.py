"""Internal ops that only PyTorch's own code reaches: with a number as operand, the older norm.

The number is in no slot of the node.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.scalars import Default
from ..declare import TABLE, Namespace, op
from ..pointwise.common_kernels import Array
from . import norms as vector_norms  # noqa: F401  (declares the norm)

F = Namespace()


def with_number(ufunc: Any) -> Any:
    """A ufunc of an array and a number of its type."""

    def kernel(a: Array, other: float) -> Array:
        if a.dtype.kind != "f" and isinstance(other, float):
            a = a.astype(Default.dtype)
        return ufunc(a, a.dtype.type(other), out=...)

    return kernel


op("mul.number(self, /, other)", with_number(np.multiply), node="MulBackward1", warns=False,
   d_self=lambda grad, other: grad * other,
   public=False, sign="×", text="{self} × {other}", tex=r"{self} \cdot {other}", onnx="Mul")

op("div.number(self, /, other)", with_number(np.divide), node="DivBackward1",
   d_self=lambda grad, other: grad / other,
   public=False, sign="÷", text="{self} ÷ {other}", tex=r"{self} / {other}", onnx="Div")

op("add.number(self, /, other)", with_number(np.add), node="AddBackward1", warns=False,
   d_self=lambda grad: grad,
   public=False, sign="+", text="{self} + {other}", tex=r"{self} + {other}", onnx="Add")

op("sub.number(self, /, other)", with_number(np.subtract), node="SubBackward1", warns=False,
   d_self=lambda grad: grad,
   public=False, sign="−", text="{self} − {other}", tex=r"{self} - {other}", onnx="Sub")

op("norm.all(self, /, p)",
   lambda a, p: TABLE["linalg_vector_norm"].kernel(a, p, None, False, None), node="NormBackward0",
   d_self=lambda grad, self, result, p: F.norm_backward(grad, self, p, result, None, False),
   public=False, sign="norm", text="‖{self}‖", tex=r"\lVert {self} \rVert_{{{p}}}", onnx=None)

op("norm.dim(self, /, p, dim, keepdim=False)", TABLE["linalg_vector_norm"].kernel,
   node="NormBackward1",
   d_self=lambda grad, self, result, p, dim, keepdim:
       F.norm_backward(grad, self, p, result, dim, keepdim),
   public=False, sign="norm", text="‖{self}‖", tex=r"\lVert {self} \rVert_{{{p}}}", onnx=None)
