"""``clone``, ``to``, ``fill_`` and ``copy_``: items as they are, in another tensor or type."""

from __future__ import annotations

import numpy as np

from ...arrays import memory_order
from ...arrays.scalars import scalar_array
from ..declare import Namespace, op

F = Namespace()

op("clone(self, /)", memory_order.clone, pointwise=True, reshapes=True, out=False,
   warns=False,
   d_self=lambda grad: grad,
   text="{self}", tex=r"{self}", onnx="Identity")

op("clone.contiguous(self, /)", lambda a: np.array(a, order="C"), node="CloneBackward0",
   reshapes=True, warns=False,
   d_self=lambda grad: grad,
   public=False, text="{self}", tex=r"{self}", onnx="Identity")

op("to_copy(self, /, dtype)", memory_order.to_copy, node="ToCopyBackward0",
   d_self=lambda grad, self_dtype: F.to_copy(grad, self_dtype),
   public=False, sign="to", text="{self} as {dtype}", tex=r"{self}", onnx="Cast")

op("zeros_like(self, /)", np.zeros_like, pointwise=True, uniform=0, nograd=True,
   public=False, sign="0", text="0", tex=r"0", onnx=None)

op("ones_like(self, /)", np.ones_like, pointwise=True, uniform=1, nograd=True,
   public=False, sign="1", text="1", tex=r"1", onnx=None)

op("detach(self, /)", lambda a: a, borrows=True, reshapes=True, nograd=True, public=False,
   text="detach({self})", tex=r"\operatorname{{detach}}({self})", onnx="Identity")

# In place only -------------------------------------------------------------------------------
op("zero(self, /)", np.zeros_like, inplace=True, pointwise=True, overlap="anything",
   uniform=0, overwrites=True,
   d_self=lambda grad: F.zeros_like(grad),
   public=False, sign="0", text="0", tex=r"0", onnx=None)

op("fill(self, /, value)", lambda a, value: np.full_like(a, value), inplace=True, pointwise=True,
   node="FillBackward2", overlap="anything", overwrites=True,
   d_self=lambda grad: F.zeros_like(grad),
   public=False, sign="fill", text="{value}", tex=r"{value}", onnx=None)

op("fill.tensor(self, value, /)", lambda a, value: np.full_like(a, value), inplace=True,
   pointwise=True, node="FillBackward3", overwrites=True,
   d_self=lambda grad: F.zeros_like(grad),
   d_value=lambda grad: F.sum(grad),
   sign="fill", text="{value}", tex=r"{value}", onnx=None)

op("filled(self, /, value)",
   lambda a, value: memory_order.full_like(a, scalar_array(value, a.dtype)),
   pointwise=True,
   node="FillBackward0",
   d_self=lambda grad: F.zeros_like(grad),
   public=False, sign="fill", text="{value}", tex=r"{value}", onnx=None)

op("filled.tensor(self, value, /)", memory_order.full_like, node="FillBackward1",
   d_self=lambda grad: F.zeros_like(grad),
   d_value=lambda grad: F.sum(grad),
   public=False, sign="fill", text="{value}", tex=r"{value}", onnx=None)

op("copy(self, src, /)", lambda a, src: src, inplace=True, pointwise=True, node="CopyBackwards",
   borrows=True, overwrites=True,
   d_self=lambda grad: F.zeros_like(grad),
   d_src=lambda grad: grad,
   public=False, sign="copy", text="{src}", tex=r"{src}", onnx="Identity")
