"""Indexing with integer arrays and masks (basic indexing is made of views)."""

from __future__ import annotations

from ..declare import Namespace, op
from . import index_kernels

F = Namespace()

op("index(self, /, indices)", index_kernels.index, sized_by_values=True,
   d_self=lambda grad, self_shape, indices: F.index_backward(None, grad, self_shape, indices),
   public=False, sign="[…]", text="{self}[{indices}]", tex=r"{self}_{{{indices}}}", onnx=None)

op("index_backward(zeros=None, grad_output, /, shape, indices, accumulate=True)",
   index_kernels.index_backward, node="IndexPutImplBackward0", d_zeros=lambda grad: grad,
   d_grad_output=lambda grad, indices, accumulate: F.index(grad, indices),
   public=False, text="{grad_output} added at [{indices}]", tex=r"{grad_output}", onnx=None)

op("index_put(self, values, /, indices, accumulate=False)", index_kernels.index_put, inplace=True,
   d_self=lambda grad, _values_shape, indices, accumulate:
       grad if accumulate else F.index_put(grad, F.zeros_of(grad, _values_shape), indices, False),
   d_values=lambda grad, indices, _values_shape:
       F.sum_to_size(F.index(grad, indices), _values_shape),
   public=False, sign="[…]=", text="{self} with {values} at [{indices}]", tex=r"{self}", onnx=None)
