"""Views (``view``, ``transpose``, ``slice``, ``expand``), their derivatives and copies.

Dims in declarations are as the user gave them; they may count from the end.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...arrays import memory_order
from ..declare import ARRAYS, TABLE, Namespace, also_in_place, composite, op
from ..out import Out
from . import view_kernels

F = Namespace()

# Sizes ------------------------------------------------------------------------------------------
op("view(self, /, shape)", view_kernels.view, view=True, reshapes=True,
   d_self=lambda grad, self_shape: F.reshape(grad, self_shape),
   text="{self} as {shape}", tex=r"{self}", onnx="Reshape")

op("reshape_alias(self, /, shape)", view_kernels.view, view=True, reshapes=True,
   node="ReshapeAliasBackward0",
   d_self=lambda grad, self_shape: F.reshape(grad, self_shape),
   public=False, text="{self} as {shape}", tex=r"{self}", onnx="Reshape")

op("unsafe_view(self, /, shape)", lambda a, shape: memory_order.as_array(a).reshape(shape),
   borrows=True, reshapes=True,
   d_self=lambda grad, self_shape: F.reshape(grad, self_shape),
   public=False, sign="reshape", text="{self} as {shape}", tex=r"{self}", onnx="Reshape")

op("alias(self, /)", lambda a: a[...], view=True, reshapes=True,
   d_self=lambda grad: grad,
   public=False, text="{self}", tex=r"{self}", onnx="Identity")

op("unsqueeze(self, /, dim)", view_kernels.unsqueeze, view=True, reshapes=True,
   d_self=lambda grad, dim: F.squeeze_dim(grad, dim),
   text="unsqueeze({self})", tex=r"{self}", onnx="Unsqueeze")


@composite
def unsqueezed(grad: Any, shape: Any, dims: Any = None) -> Any:
    """Undo ``squeeze`` of some dims, or of all."""
    places = range(len(shape)) if dims is None else [dim % len(shape) for dim in dims if shape]
    for place, size in enumerate(shape):
        if size == 1 and place in places:
            grad = F.unsqueeze(grad, place)
    return grad


ARRAYS.__dict__["unsqueezed"] = lambda grad, shape, dims=None: grad.reshape(shape)

op("squeeze(self, /)", lambda a: a.squeeze() if 1 in a.shape else a[...], view=True,
   reshapes=True,
   d_self=lambda grad, self_shape: F.unsqueezed(grad, self_shape),
   text="squeeze({self})", tex=r"{self}", onnx="Squeeze")

op("squeeze.dim(self, /, dim)", lambda a, dim: view_kernels.squeeze(a, (dim,)), view=True,
   reshapes=True, node="SqueezeBackward1",
   d_self=lambda grad, self_shape, dim:
       F.unsqueeze(grad, dim) if self_shape and self_shape[dim] == 1 else grad,
   text="squeeze({self})", tex=r"{self}", onnx="Squeeze")

op("squeeze.dims(self, /, dim)", view_kernels.squeeze, view=True, reshapes=True,
   node="SqueezeBackward2",
   d_self=lambda grad, self_shape, dim: F.unsqueezed(grad, self_shape, dim),
   text="squeeze({self})", tex=r"{self}", onnx="Squeeze")

op("expand(self, /, shape)", view_kernels.expand, view=True,
   d_self=lambda grad, self_shape: F.sum_to_size(grad, self_shape),
   text="{self} spread to {shape}", tex=r"{self}", onnx="Expand")

# Order of dims ----------------------------------------------------------------------------------
op("t(self, /)", view_kernels.t, view=True,
   d_self=lambda grad: F.t(grad),
   sign="ᵀ", text="{self}ᵀ", tex=r"{self}^T", onnx="Transpose")

op("transpose(self, /, dim0, dim1)", view_kernels.transpose, view=True,
   d_self=lambda grad, dim0, dim1: F.transpose(grad, dim0, dim1),
   sign="ᵀ", text="{self}ᵀ", tex=r"{self}^T", onnx="Transpose")


def inverse_permutation(dims: Any) -> Any:
    """The order that undoes an order of dims."""
    count = len(dims)
    return tuple(sorted(range(count), key=lambda i: dims[i] % count))


op("permute(self, /, dims)", view_kernels.permute, view=True,
   d_self=lambda grad, dims: F.permute(grad, inverse_permutation(dims)),
   text="{self} with dims {dims}", tex=r"{self}", onnx="Transpose")

# Parts ------------------------------------------------------------------------------------------
op("select(self, /, dim, index)", view_kernels.select, view=True,
   d_self=lambda grad, self_shape, dim, index: F.select_backward(grad, self_shape, dim, index),
   sign="[i]", text="{self}[{index}]", tex=r"{self}_{{{index}}}", onnx="Gather")

op("select_backward(grad_output, /, shape, dim, index)", view_kernels.select_backward,
   node="SelectBackwardBackward0",
   d_grad_output=lambda grad, dim, index: F.select(grad, dim, index),
   public=False, text="{grad_output} at [{index}], 0 elsewhere", tex=r"{grad_output}", onnx=None)

op("slice(self, /, dim=0, start=0, end=None, step=1)", view_kernels.slice_, view=True,
   d_self=lambda grad, self_shape, dim, start, end, step:
       F.slice_backward(grad, self_shape, dim, start, end, step),
   public=False,
   sign="[:]", text="{self}[{start}:{end}]", tex=r"{self}_{{{start}:{end}}}", onnx="Slice")

op("slice_backward(grad_output, /, shape, dim, start, end, step)", view_kernels.slice_backward,
   node="SliceBackwardBackward0",
   d_grad_output=lambda grad, dim, start, end, step: F.slice(grad, dim, start, end, step),
   public=False,
   text="{grad_output} at [{start}:{end}], 0 elsewhere", tex=r"{grad_output}", onnx=None)

op("diagonal(self, /, offset=0, dim1=0, dim2=1)", view_kernels.diagonal, view=True,
   d_self=lambda grad, self_shape, offset, dim1, dim2:
       F.diagonal_backward(grad, self_shape, offset, dim1, dim2),
   text="diag({self})", tex=r"\operatorname{{diag}} {self}", onnx=None)

op("diagonal_backward(grad_output, /, shape, offset, dim1, dim2)",
   view_kernels.diagonal_backward, node="DiagonalBackwardBackward0",
   d_grad_output=lambda grad, offset, dim1, dim2: F.diagonal(grad, offset, dim1, dim2),
   public=False, text="{grad_output} on the diagonal", tex=r"{grad_output}", onnx=None)

op("unbind(self, /, dim=0) -> *outputs", view_kernels.unbind, view=True,
   d_self=lambda grads, dim: F.stack(grads, dim),
   text="unbind({self})", tex=r"\operatorname{{unbind}} {self}", onnx="Split")


@composite
def split_backward(grads: Any, self_shape: Any, sizes: Any, dim: Any) -> Any:
    """The gradients of the parts, joined. ``self_shape`` and ``sizes`` are kept for the user."""
    return F.cat(grads, dim)


op("split(self, /, split_size, dim=0) -> *outputs", view_kernels.split, view=True,
   d_self=lambda grads, self_shape, split_size, dim:
       F.split_backward(grads, self_shape, split_size, dim),
   text="the parts of {self}", tex=r"{self}", onnx="Split")

op("split.sizes(self, /, split_sizes, dim=0) -> *outputs", view_kernels.split_with_sizes,
   view=True, node="SplitWithSizesBackward0",
   d_self=lambda grads, self_shape, split_sizes, dim:
       F.split_backward(grads, self_shape, split_sizes, dim),
   text="the parts of {self}", tex=r"{self}", onnx="Split")

op("unfold(self, /, dimension, size, step)", view_kernels.unfold, view=True,
   d_self=lambda grad, self_shape, dimension, size, step:
       F.unfold_backward(grad, self_shape, dimension, size, step),
   text="windows of {size} in {self}", tex=r"\operatorname{{unfold}} {self}", onnx=None)

op("unfold_backward(grad_output, /, shape, dim, size, step)",
   view_kernels.unfold_backward, node="UnfoldBackwardBackward0",
   d_grad_output=lambda grad, dim, size, step: F.unfold(grad, dim, size, step),
   public=False, text="windows of {grad_output}, added", tex=r"{grad_output}", onnx=None)

# Any view of the storage --------------------------------------------------------------------------
op("as_strided(self, /, size, stride, storage_offset=None, _geometry=None)",
   view_kernels.as_strided, view=True,
   d_self=lambda grad, size, stride, storage_offset, _geometry:
       F.restride(grad, (size, stride, _geometry[2] if storage_offset is None else storage_offset),
                  _geometry, _geometry),
   text="{self} as {size} with strides {stride}", tex=r"{self}", onnx=None)


@composite
def restride(grad: Any, source: Any, target: Any, shared: Any) -> Any:
    """Items that lie in memory as ``source`` says, read again as ``target`` says: a view of a
    storage, as PyTorch's gradient is.

    Items that fall together add up; what ``shared`` addresses several times is divided among
    them. This is the derivative of ``as_strided`` and, with source and target exchanged, its own.
    """
    before = min(source[2], target[2])
    source, target = ((*each[:2], each[2] - before) for each in (source, target))
    size = max(view_kernels.storage_size(source), view_kernels.storage_size(target))
    if view_kernels.has_overlap(source):
        storage = F.put_strided(grad, source, size)
    else:
        storage = F.zeros_of(grad, (size,))
        F.write("copy", F.as_strided(storage, *source, ((size,), (1,), 0)), grad)
    if view_kernels.has_overlap(shared):
        storage = F.shared_out(storage, (*shared[:2], shared[2] - before))
    return F.as_strided(storage, *target, ((size,), (1,), 0))


op("put_strided(self, /, source, numel)", view_kernels.put_strided, node="IndexAddBackward0",
   d_self=lambda grad, source, numel: F.as_strided(grad, *source, ((numel,), (1,), 0)),
   public=False, text="{self} in its storage", tex=r"{self}", onnx=None)

op("shared_out(self, /, shared)", view_kernels.divide_by_count, node="DivBackward0",
   d_self=lambda grad, shared: F.shared_out(grad, shared),
   public=False, text="{self}, divided among the items that share it", tex=r"{self}", onnx=None)

# Views in place: the tensor itself becomes the view ---------------------------------------------
for _key, _node in (
    ("t", "TBackward1"),
    ("transpose", "TransposeBackward1"),
    ("unsqueeze", "UnsqueezeBackward1"),
    ("squeeze", "SqueezeBackward3"),
    ("squeeze.dim", "SqueezeBackward4"),
    ("squeeze.dims", "SqueezeBackward5"),
    ("as_strided", "AsStridedBackward1"),
):
    also_in_place(_key, _node)


# The diagonal of a matrix as ``diag`` gives it, copied -------------------------------------------
def copied_diagonal(a: memory_order.Array, *args: Any, **params: Any) -> Any:
    """Return a copy of the items on a diagonal."""
    return np.array(view_kernels.diagonal(a, *args, **params), order="C")


TABLE["diagonal_copy"] = replace(
    TABLE["diagonal"], key="diagonal_copy", name="diagonal_copy", kernel=copied_diagonal,
    node=TABLE["diagonal"].node + "_copy", view=False, borrows=False, public=False,
    out=Out(history="ended"),
)  # fmt: skip
ARRAYS.__dict__["diagonal_copy"] = copied_diagonal

# Parts that share memory with the whole and are no views of it: autograd trusts the caller --------
TABLE["unsafe_split"] = replace(
    TABLE["split"], key="unsafe_split", name="unsafe_split", node="UnsafeSplitBackward0",
    view=False, public=False,
)  # fmt: skip
ARRAYS.__dict__["unsafe_split"] = TABLE["split"].kernel

# Into a part of a copy --------------------------------------------------------------------------
op("select_scatter(self, src, /, dim, index)", view_kernels.scatter_kernel(view_kernels.select),
   d_self=lambda grad, _src_shape, dim, index:
       F.select_scatter(grad, F.zeros_of(grad, _src_shape), dim, index),
   d_src=lambda grad, dim, index: F.select(grad, dim, index),
   text="{self} with {src} at [{index}]", tex=r"{self}", onnx=None)

op("slice_scatter(self, src, /, dim=0, start=None, end=None, step=1)",
   view_kernels.scatter_kernel(view_kernels.slice_), out=Out(history="ended"),
   d_self=lambda grad, _src_shape, dim, start, end, step:
       F.slice_scatter(grad, F.zeros_of(grad, _src_shape), dim, start, end, step),
   d_src=lambda grad, dim, start, end, step: F.slice(grad, dim, start, end, step),
   text="{self} with {src} at [{start}:{end}]", tex=r"{self}", onnx=None)

op("diagonal_scatter(self, src, /, offset=0, dim1=0, dim2=1)",
   view_kernels.scatter_kernel(view_kernels.diagonal),
   d_self=lambda grad, _src_shape, offset, dim1, dim2:
       F.diagonal_scatter(grad, F.zeros_of(grad, _src_shape), offset, dim1, dim2),
   d_src=lambda grad, offset, dim1, dim2: F.diagonal(grad, offset, dim1, dim2),
   text="{self} with {src} on the diagonal", tex=r"{self}", onnx=None)
