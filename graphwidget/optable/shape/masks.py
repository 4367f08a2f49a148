"""``masked_fill``, ``masked_select``, ``masked_scatter``."""

from __future__ import annotations

from typing import Any

from ..declare import Namespace, composite, op
from ..out import Out
from . import mask_kernels as kernels

F = Namespace()

op("masked_fill(self, mask, /, value)", kernels.masked_fill, inplace=True, pointwise=True,
   order=(), overlap="anything",
   d_self=lambda grad, mask: F.masked_fill(grad, mask, 0),
   text="{self} with {value} where {mask}",
   tex=r"\operatorname{{masked\_fill}}({self}, {mask})", onnx=None)

op("masked_fill.tensor(self, mask, filler, /)", kernels.masked_fill_tensor, inplace=True,
   pointwise=True, node="MaskedFillBackward1", order=(), overlap="anything",
   d_self=lambda grad, mask: F.masked_fill(grad, mask, 0),
   d_filler=lambda grad, mask: F.where(mask, grad, F.zeros_like(grad)),
   text="{self} with {filler} where {mask}",
   tex=r"\operatorname{{masked\_fill}}({self}, {mask})", onnx="Where")


@composite
def masked_select_backward(grad: Any, self: Any, mask: Any) -> Any:
    """The gradient at the items that were selected, 0 elsewhere."""
    whole = F.zeros_like(F.where(mask, self, self))
    return F.sum_to_size(F.masked_scatter(whole, mask, grad), self.shape)


op("masked_select(self, mask, /)", kernels.masked_select, out=Out(memory="none"),
   sized_by_values=True,
   d_self=lambda grad, self, mask: F.masked_select_backward(grad, self, mask),
   text="{self} where {mask}", tex=r"{self}_{{{mask}}}", onnx="Compress")

op("masked_scatter(self, mask, source, /)", kernels.masked_scatter, inplace=True,
   d_self=lambda grad, _self_shape, mask:
       F.sum_to_size(F.masked_fill(grad, mask, 0), _self_shape),
   d_source=lambda grad, mask, source_shape: F.masked_scatter_backward(grad, mask, source_shape),
   text="{self}, items of {source} where {mask}", tex=r"{self}", onnx=None)

op("masked_scatter_backward(grad_output, mask, /, _sizes)", kernels.masked_scatter_backward,
   d_grad_output=lambda grad, mask, _grad_output_shape:
       F.masked_scatter(F.zeros_of(grad, _grad_output_shape), mask, grad),
   public=False, text="items of {grad_output} where {mask}, in order, then zeros",
   tex=r"{grad_output}_{{{mask}}}", onnx=None)
