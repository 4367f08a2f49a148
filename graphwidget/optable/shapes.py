"""Ops that rearrange: views, joins, and the copies that undo them."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import kernels
from .declare import Namespace, also_in_place, composite, op

F = Namespace()

# Views ------------------------------------------------------------------------------------------
op("view(self, /, shape)", kernels.view, view=True,
   d_self=lambda grad, self_shape: F.reshape(grad, self_shape),
   text="{self} as {shape}", tex=r"{self}", onnx="Reshape")

op("reshape_alias(self, /, shape)", kernels.view, view=True, node="ReshapeAliasBackward0",
   d_self=lambda grad, self_shape: F.reshape(grad, self_shape),
   public=False, text="{self} as {shape}", tex=r"{self}", onnx="Reshape")

op("unsafe_view(self, /, shape)", lambda a, shape: np.reshape(a, shape).copy(),
   d_self=lambda grad, self_shape: F.reshape(grad, self_shape),
   public=False, sign="reshape", text="{self} as {shape}", tex=r"{self}", onnx="Reshape")

op("alias(self, /)", lambda a: a[...], view=True,
   d_self=lambda grad: grad,
   public=False, text="{self}", tex=r"{self}", onnx="Identity")

op("t(self, /)", lambda a: a.T, view=True,
   d_self=lambda grad: F.t(grad),
   sign="ᵀ", text="{self}ᵀ", tex=r"{self}^T", onnx="Transpose")

op("transpose(self, /, dim0, dim1)", kernels.transpose, view=True,
   d_self=lambda grad, dim0, dim1: F.transpose(grad, dim0, dim1),
   sign="ᵀ", text="{self}ᵀ", tex=r"{self}^T", onnx="Transpose")


def inverse(dims: Any) -> Any:
    """The order that undoes an order of dims."""
    return tuple(sorted(range(len(dims)), key=lambda i: dims[i]))


op("permute(self, /, dims)", lambda a, dims: a.transpose(dims), view=True,
   d_self=lambda grad, dims: F.permute(grad, inverse(dims)),
   text="{self} with dims {dims}", tex=r"{self}", onnx="Transpose")

op("unsqueeze(self, /, dim)", lambda a, dim: np.expand_dims(a, dim), view=True,
   d_self=lambda grad, dim: F.squeeze_dim(grad, dim),
   text="{self}", tex=r"{self}", onnx="Unsqueeze")

op("squeeze(self, /)", lambda a: a.squeeze() if 1 in a.shape else a[...], view=True,
   d_self=lambda grad, self_shape: F.reshape(grad, self_shape),
   text="{self}", tex=r"{self}", onnx="Squeeze")

op("squeeze.dim(self, /, dim)", lambda a, dim: kernels.squeeze(a, (dim,)), view=True,
   node="SqueezeBackward1",
   d_self=lambda grad, self_shape, dim:
       F.unsqueeze(grad, dim) if self_shape and self_shape[dim] == 1 else grad,
   text="{self}", tex=r"{self}", onnx="Squeeze")

op("squeeze.dims(self, /, dim)", kernels.squeeze, view=True, node="SqueezeBackward2",
   d_self=lambda grad, self_shape: F.reshape(grad, self_shape),
   text="{self}", tex=r"{self}", onnx="Squeeze")

op("expand(self, /, shape)", kernels.expand, view=True,
   d_self=lambda grad, self_shape: F.sum_to_size(grad, self_shape),
   text="{self} spread to {shape}", tex=r"{self}", onnx="Expand")

op("select(self, /, dim, index)", kernels.select, view=True,
   d_self=lambda grad, self_shape, dim, index: F.select_backward(grad, self_shape, dim, index),
   sign="[i]", text="{self}[{index}]", tex=r"{self}_{{{index}}}", onnx="Gather")

op("select_backward(grad_output, /, shape, dim, index)", kernels.select_backward,
   node="SelectBackwardBackward0",
   d_grad_output=lambda grad, dim, index: F.select(grad, dim, index),
   public=False, text="{grad_output} at [{index}], 0 elsewhere", tex=r"{grad_output}", onnx=None)

op("slice(self, /, dim=0, start=0, end=None, step=1)", kernels.slice_, view=True,
   d_self=lambda grad, self_shape, dim, start, end, step:
       F.slice_backward(grad, self_shape, dim, start, end, step),
   public=False,
   sign="[:]", text="{self}[{start}:{end}]", tex=r"{self}_{{{start}:{end}}}", onnx="Slice")

op("slice_backward(grad_output, /, shape, dim, start, end, step)", kernels.slice_backward,
   node="SliceBackwardBackward0",
   d_grad_output=lambda grad, dim, start, end, step: F.slice(grad, dim, start, end, step),
   public=False,
   text="{grad_output} at [{start}:{end}], 0 elsewhere", tex=r"{grad_output}", onnx=None)

op("diagonal(self, /, offset=0, dim1=0, dim2=1)", kernels.diagonal, view=True,
   d_self=lambda grad, self_shape, offset, dim1, dim2:
       F.diagonal_backward(grad, self_shape, offset, dim1, dim2),
   text="diag({self})", tex=r"\operatorname{{diag}} {self}", onnx=None)

op("diagonal_backward(grad_output, /, shape, offset, dim1, dim2)", kernels.diagonal_backward,
   node="DiagonalBackwardBackward0",
   d_grad_output=lambda grad, offset, dim1, dim2: F.diagonal(grad, offset, dim1, dim2),
   public=False, text="{grad_output} on the diagonal", tex=r"{grad_output}", onnx=None)

op("unbind(self, /, dim=0) -> *outputs", kernels.unbind, view=True,
   d_self=lambda grads, dim: F.stack(grads, dim),
   text="the items of {self}", tex=r"{self}", onnx="Split")

op("split(self, /, sizes, dim=0) -> *outputs", kernels.split_sizes, view=True,
   d_self=lambda grads, dim: F.cat(grads, dim),
   text="the parts of {self}", tex=r"{self}", onnx="Split")

op("split.sizes(self, /, sizes, dim=0) -> *outputs", kernels.split_sizes, view=True,
   node="SplitWithSizesBackward0",
   d_self=lambda grads, dim: F.cat(grads, dim),
   text="the parts of {self}", tex=r"{self}", onnx="Split")

# Joins --------------------------------------------------------------------------------------------


@composite
def cat_backward(grad: Any, shapes: Any, dim: Any) -> Any:
    """The part of the gradient that belongs to each joined tensor; empty ones get none."""
    parts, start = [], 0
    for shape in shapes:
        size = 0 if shape == (0,) else shape[dim]
        part = F.slice(grad, dim, start, start + size, 1)
        parts.append(F.reshape(part, (0,)) if shape == (0,) else part)
        start += size
    return parts


op("cat(*tensors, /, dim=0)", kernels.cat,
   d_tensors=lambda grad, tensors_shape, dim: F.cat_backward(grad, tensors_shape, dim),
   text="cat({tensors})", tex=r"[{tensors}]", onnx="Concat")

op("stack(*tensors, /, dim=0)", kernels.stack,
   d_tensors=lambda grad, dim: F.unbind(grad, dim),
   text="stack({tensors})", tex=r"[{tensors}]", onnx=None)

# Views in place: the tensor itself becomes the view ---------------------------------------------
for _key, _node in (
    ("t", "TBackward1"),
    ("transpose", "TransposeBackward1"),
    ("unsqueeze", "UnsqueezeBackward1"),
    ("squeeze", "SqueezeBackward3"),
    ("squeeze.dim", "SqueezeBackward4"),
    ("squeeze.dims", "SqueezeBackward5"),
):
    also_in_place(_key, _node)
