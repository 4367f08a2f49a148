"""Views and their derivatives: kernels and ops. Dims may count from the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...arrays import memory_order
from ...arrays.memory_order import (  # fmt: skip
    Array,
    Geometry,
    Shape,
    as_array,
    copy_with_memory,
    item_offsets,
    memory_of,
    torch_strides,
)
from ..declare import ARRAYS, TABLE, Namespace, also_in_place, composite, op
from ..out import Out

VIEW_ERROR = (
    "view size is not compatible with input tensor's size and stride (at least one dimension spans "
    "across two contiguous subspaces). Use .reshape(...) instead."
)


def view(a: Array, shape: Shape) -> Array:
    """The same items in another shape, sharing memory.

    Raises:
        RuntimeError: the strides do not allow it (PyTorch's text).
    """
    try:
        return as_array(a).reshape(shape, copy=False)
    except ValueError:
        raise RuntimeError(VIEW_ERROR) from None


def expand(a: Array, shape: Shape) -> Array:
    """A broadcast view with stride 0 along new and stretched dims (numpy's is read-only)."""
    a = as_array(a)
    if a.shape == shape:
        return a[...]
    offset = len(shape) - a.ndim
    strides = tuple(
        0 if i < offset or (a.shape[i - offset] == 1 and size != 1) else a.strides[i - offset]
        for i, size in enumerate(shape)
    )
    if a.flags.c_contiguous and a.flags.writeable and 0 not in shape:
        return np.ndarray(shape, a.dtype, a, 0, strides)
    return np.lib.stride_tricks.as_strided(a, shape, strides)


def strided(a: Array) -> Array:
    """The array; where it has no items, with PyTorch's strides, for numpy's are all 0."""
    if a.size:
        return a
    return np.ndarray(a.shape, a.dtype, a, 0, torch_strides(a.shape, a.strides, a.itemsize))


def t(a: Array) -> Array:
    """The dims in reverse order."""
    return a.T if a.size else strided(a).T


def transpose(a: Array, dim0: int, dim1: int) -> Array:
    """Two dims exchanged; 0-d arrays as they are."""
    return strided(a).swapaxes(dim0, dim1) if a.ndim else a[...]


def permute(a: Array, dims: Shape) -> Array:
    """The dims in another order."""
    return strided(a).transpose(dims)


def slice_(a: Array, dim: int, start: int, end: int | None, step: int) -> Array:
    """Items start, start + step, ... below end along a dim."""
    index: list[Any] = [slice(None)] * a.ndim
    index[dim] = slice(start, end, step)
    return a[tuple(index)]


def slice_backward(
    grad: Array, shape: Shape, dim: int, start: int, end: int | None, step: int
) -> Array:
    """Zeros of ``shape`` with grad in the slice."""
    result = np.zeros(shape, as_array(grad).dtype)
    slice_(result, dim, start, end, step)[...] = grad
    return result


def select(a: Array, dim: int, index: int) -> Array:
    """The items at one index of a dim, which goes."""
    if dim == 0:
        return a[index, ...]
    place: tuple[Any, ...] = (*(slice(None),) * (dim if dim >= 0 else dim + a.ndim), index, ...)
    return a[place]


def select_backward(grad: Array, shape: Shape, dim: int, index: int) -> Array:
    """Zeros of ``shape`` with grad at one index of a dim."""
    result = np.zeros(shape, as_array(grad).dtype)
    select(result, dim, index)[...] = grad
    return result


def unsqueeze(a: Array, dim: int) -> Array:
    """With a new dim of size 1."""
    a = as_array(a)
    at = dim if dim >= 0 else dim + a.ndim + 1
    if a.ndim == at > 0:  # a reshape would repeat the last stride; PyTorch's is 1 there
        return a[..., None]
    return a.reshape(*a.shape[:at], 1, *a.shape[at:])


def squeeze(a: Array, dim: Shape) -> Array:
    """Without those of the dims that have size 1."""
    keep = tuple(d for d in dim if a.ndim and a.shape[d] == 1)
    return a.squeeze(keep) if keep else a[...]


def diagonal(a: Array, offset: int, dim1: int, dim2: int) -> Array:
    """A writable view of the diagonal (numpy's is read-only)."""
    found = np.diagonal(a, offset, dim1, dim2)
    if found.size == 0:
        return np.zeros(found.shape, a.dtype)
    start = a[
        tuple(
            slice(max(0, -offset), None) if i == dim1 % a.ndim
            else slice(max(0, offset), None) if i == dim2 % a.ndim
            else slice(None)
            for i in range(a.ndim)
        )
    ]  # fmt: skip
    return np.lib.stride_tricks.as_strided(start, found.shape, found.strides)


def diagonal_backward(grad: Array, shape: Shape, offset: int, dim1: int, dim2: int) -> Array:
    """Zeros of ``shape`` with grad on the diagonal."""
    result = np.zeros(shape, as_array(grad).dtype)
    diagonal(result, offset, dim1, dim2)[...] = grad
    return result


def unbind(a: Array, dim: int) -> tuple[Array, ...]:
    """One view for each index of a dim."""
    return tuple(select(a, dim, i) for i in range(a.shape[dim]))


def split(a: Array, split_size: int, dim: int) -> tuple[Array, ...]:
    """Consecutive views of one size along a dim, the last with what is left."""
    starts = range(0, a.shape[dim], split_size or 1) or (0,)
    return tuple(slice_(a, dim, start, start + split_size, 1) for start in starts)


def split_with_sizes(a: Array, split_sizes: Shape, dim: int) -> tuple[Array, ...]:
    """Consecutive views of the given sizes along a dim."""
    parts, start = [], 0
    for size in split_sizes:
        parts.append(slice_(a, dim, start, start + size, 1))
        start += size
    return tuple(parts)


def unfold(a: Array, dimension: int, size: int, step: int) -> Array:
    """All windows of ``size`` items along a dim, ``step`` apart, each in a new last dim."""
    if a.ndim == 0:
        return a.reshape(1)
    length = a.shape[dimension]
    shape, strides = [*a.shape, size], [*a.strides, a.strides[dimension]]
    place = dimension % a.ndim
    shape[place] = (length - size) // step + 1
    strides[place] *= step
    return np.lib.stride_tricks.as_strided(a, shape, strides)


def unfold_backward(grad: Array, shape: Shape, dimension: int, size: int, step: int) -> Array:
    """Zeros of ``shape`` to which each window's gradient is added."""
    result = np.zeros(shape, as_array(grad).dtype)
    if not shape:
        result[...] = grad[0]
        return result
    reach = (grad.shape[dimension % len(shape)] - 1) * step + 1
    for i in range(size):
        part = slice_(result, dimension, i, i + reach, step)
        np.add(part, grad[..., i], part)
    return result


def as_strided(
    a: Array, size: Shape, stride: Shape, storage_offset: int | None, _geometry: Geometry
) -> Array:
    """Any view of a's memory; sizes, strides and offset count items.

    ``_geometry`` is that of the tensor it was asked of: a gradient laid out like that tensor is
    addressed relative to its own beginning.
    """
    shift = 0 if storage_offset is None else storage_offset - _geometry[2]
    memory = memory_of(a)
    start = (a.ctypes.data - memory.ctypes.data) + shift * a.itemsize
    strides = [step * a.itemsize for step in stride]
    return np.ndarray(size, a.dtype, memory, start, strides)


def storage_size(geometry: Geometry) -> int:
    """Return how many items of storage there must be."""
    return int(item_offsets(geometry).max(initial=-1)) + 1


def has_overlap(geometry: Geometry) -> bool:
    """Return whether some items fall together in memory."""
    places = item_offsets(geometry).reshape(-1)
    return len(np.unique(places)) < len(places)


def put_strided(a: Array, source: Geometry, numel: int) -> Array:
    """A storage of so many items, 0 but for those that lie in it as ``source`` says; items that
    fall together add up."""
    memory = np.zeros(numel, as_array(a).dtype)
    np.add.at(memory, item_offsets(source).reshape(-1), as_array(a).reshape(-1))
    return memory


def divide_by_count(memory: Array, shared: Geometry) -> Array:
    """A storage, divided by how often ``shared`` addresses each of its items."""
    counts = np.bincount(item_offsets(shared).reshape(-1), minlength=len(memory))
    return np.divide(memory, np.maximum(counts, 1).astype(memory.dtype), out=...)


def scatter_kernel(part: Callable[..., Array]) -> Callable[..., Array]:
    """The kernel that writes into a part of a copy, from the one that shows the part."""

    def kernel(a: Array, src: Array, *where: Any) -> Array:
        result = copy_with_memory(as_array(a))
        part(result, *where)[...] = src
        return result

    return kernel


F = Namespace()

# Sizes ------------------------------------------------------------------------------------------
op("view(self, /, shape)", view, view=True, reshapes=True,
   d_self=lambda grad, self_shape: F.reshape(grad, self_shape),
   text="{self} as {shape}", onnx="Reshape")

op("reshape_alias(self, /, shape)", view, view=True, reshapes=True,
   node="ReshapeAliasBackward0",
   d_self=lambda grad, self_shape: F.reshape(grad, self_shape),
   public=False, sign="reshape", text="{self} as {shape}", onnx="Reshape")

op("unsafe_view(self, /, shape)", lambda a, shape: memory_order.as_array(a).reshape(shape),
   borrows=True, reshapes=True,
   d_self=lambda grad, self_shape: F.reshape(grad, self_shape),
   public=False, sign="reshape", text="{self} as {shape}", onnx="Reshape")

op("alias(self, /)", lambda a: a[...], view=True, reshapes=True,
   d_self=lambda grad: grad,
   public=False, text="{self}", onnx="Identity")

op("unsqueeze(self, /, dim)", unsqueeze, view=True, reshapes=True,
   d_self=lambda grad, dim: F.squeeze_dim(grad, dim),
   text="unsqueeze({self})", onnx="Unsqueeze")


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
   text="squeeze({self})", onnx="Squeeze")

op("squeeze.dim(self, /, dim)", lambda a, dim: squeeze(a, (dim,)), view=True,
   reshapes=True, node="SqueezeBackward1",
   d_self=lambda grad, self_shape, dim:
       F.unsqueeze(grad, dim) if self_shape and self_shape[dim] == 1 else grad,
   text="squeeze({self})", onnx="Squeeze")

op("squeeze.dims(self, /, dim)", squeeze, view=True, reshapes=True,
   node="SqueezeBackward2",
   d_self=lambda grad, self_shape, dim: F.unsqueezed(grad, self_shape, dim),
   text="squeeze({self})", onnx="Squeeze")

op("expand(self, /, shape)", expand, view=True,
   d_self=lambda grad, self_shape: F.sum_to_size(grad, self_shape),
   text="{self} spread to {shape}", onnx="Expand")

# Order of dims ----------------------------------------------------------------------------------
op("t(self, /)", t, view=True,
   d_self=lambda grad: F.t(grad),
   sign="ᵀ", text="{self}ᵀ", onnx="Transpose")

op("transpose(self, /, dim0, dim1)", transpose, view=True,
   d_self=lambda grad, dim0, dim1: F.transpose(grad, dim0, dim1),
   sign="ᵀ", text="{self}ᵀ", onnx="Transpose")


def inverse_permutation(dims: Any) -> Any:
    """The order that undoes an order of dims."""
    count = len(dims)
    return tuple(sorted(range(count), key=lambda i: dims[i] % count))


op("permute(self, /, dims)", permute, view=True,
   d_self=lambda grad, dims: F.permute(grad, inverse_permutation(dims)),
   text="{self} with dims {dims}", onnx="Transpose")

# Parts ------------------------------------------------------------------------------------------
op("select(self, /, dim, index)", select, view=True,
   d_self=lambda grad, self_shape, dim, index: F.select_backward(grad, self_shape, dim, index),
   sign="[i]", text="{self}[{index}]", onnx="Gather")

op("select_backward(grad_output, /, shape, dim, index)", select_backward,
   node="SelectBackwardBackward0",
   d_grad_output=lambda grad, dim, index: F.select(grad, dim, index),
   public=False, text="{grad_output} at [{index}], 0 elsewhere", onnx=None)

op("slice(self, /, dim=0, start=0, end=None, step=1)", slice_, view=True,
   d_self=lambda grad, self_shape, dim, start, end, step:
       F.slice_backward(grad, self_shape, dim, start, end, step),
   public=False,
   sign="[:]", text="{self}[{start}:{end}]", onnx="Slice")

op("slice_backward(grad_output, /, shape, dim, start, end, step)", slice_backward,
   node="SliceBackwardBackward0",
   d_grad_output=lambda grad, dim, start, end, step: F.slice(grad, dim, start, end, step),
   public=False,
   text="{grad_output} at [{start}:{end}], 0 elsewhere", onnx=None)

op("diagonal(self, /, offset=0, dim1=0, dim2=1)", diagonal, view=True,
   d_self=lambda grad, self_shape, offset, dim1, dim2:
       F.diagonal_backward(grad, self_shape, offset, dim1, dim2),
   text="diag({self})", onnx=None)

op("diagonal_backward(grad_output, /, shape, offset, dim1, dim2)",
   diagonal_backward, node="DiagonalBackwardBackward0",
   d_grad_output=lambda grad, offset, dim1, dim2: F.diagonal(grad, offset, dim1, dim2),
   public=False, text="{grad_output} on the diagonal", onnx=None)

op("unbind(self, /, dim=0) -> *outputs", unbind, view=True,
   d_self=lambda grads, dim: F.stack(grads, dim),
   text="unbind({self})", onnx="Split")


@composite
def split_backward(grads: Any, self_shape: Any, sizes: Any, dim: Any) -> Any:
    """The gradients of the parts, joined. ``self_shape`` and ``sizes`` are kept for the user."""
    return F.cat(grads, dim)


op("split(self, /, split_size, dim=0) -> *outputs", split, view=True,
   d_self=lambda grads, self_shape, split_size, dim:
       F.split_backward(grads, self_shape, split_size, dim),
   text="the parts of {self}", onnx="Split")

op("split.sizes(self, /, split_sizes, dim=0) -> *outputs", split_with_sizes,
   view=True, node="SplitWithSizesBackward0",
   d_self=lambda grads, self_shape, split_sizes, dim:
       F.split_backward(grads, self_shape, split_sizes, dim),
   text="the parts of {self}", onnx="Split")

op("unfold(self, /, dimension, size, step)", unfold, view=True,
   d_self=lambda grad, self_shape, dimension, size, step:
       F.unfold_backward(grad, self_shape, dimension, size, step),
   text="windows of {size} in {self}", onnx=None)

op("unfold_backward(grad_output, /, shape, dim, size, step)",
   unfold_backward, node="UnfoldBackwardBackward0",
   d_grad_output=lambda grad, dim, size, step: F.unfold(grad, dim, size, step),
   public=False, text="windows of {grad_output}, added", onnx=None)

# Any view of the storage --------------------------------------------------------------------------
op("as_strided(self, /, size, stride, storage_offset=None, _geometry=None)",
   as_strided, view=True,
   d_self=lambda grad, size, stride, storage_offset, _geometry:
       F.restride(grad, (size, stride, _geometry[2] if storage_offset is None else storage_offset),
                  _geometry, _geometry),
   text="{self} as {size} with strides {stride}", onnx=None)


@composite
def restride(grad: Any, source: Any, target: Any, shared: Any) -> Any:
    """Items that lie in memory as ``source`` says, read again as ``target`` says: a view of a
    storage, as PyTorch's gradient is.

    Items that fall together add up; what ``shared`` addresses several times is divided among
    them. This is the derivative of ``as_strided`` and, with source and target exchanged, its own.
    """
    before = min(source[2], target[2])
    source, target = ((*each[:2], each[2] - before) for each in (source, target))
    size = max(storage_size(source), storage_size(target))
    if has_overlap(source):
        storage = F.put_strided(grad, source, size)
    else:
        storage = F.zeros_of(grad, (size,))
        F.write("copy", F.as_strided(storage, *source, ((size,), (1,), 0)), grad)
    if has_overlap(shared):
        storage = F.shared_out(storage, (*shared[:2], shared[2] - before))
    return F.as_strided(storage, *target, ((size,), (1,), 0))


op("put_strided(self, /, source, numel)", put_strided, node="IndexAddBackward0",
   d_self=lambda grad, source, numel: F.as_strided(grad, *source, ((numel,), (1,), 0)),
   public=False, text="{self} in its storage", onnx=None)

op("shared_out(self, /, shared)", divide_by_count, node="DivBackward0",
   d_self=lambda grad, shared: F.shared_out(grad, shared),
   public=False, text="{self}, divided among the items that share it", onnx=None)

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
    return np.array(diagonal(a, *args, **params), order="C")


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
op("select_scatter(self, src, /, dim, index)", scatter_kernel(select),
   d_self=lambda grad, _src_shape, dim, index:
       F.select_scatter(grad, F.zeros_of(grad, _src_shape), dim, index),
   d_src=lambda grad, dim, index: F.select(grad, dim, index),
   text="{self} with {src} at [{index}]", onnx=None)

op("slice_scatter(self, src, /, dim=0, start=None, end=None, step=1)",
   scatter_kernel(slice_), out=Out(history="ended"),
   d_self=lambda grad, _src_shape, dim, start, end, step:
       F.slice_scatter(grad, F.zeros_of(grad, _src_shape), dim, start, end, step),
   d_src=lambda grad, dim, start, end, step: F.slice(grad, dim, start, end, step),
   text="{self} with {src} at [{start}:{end}]", onnx=None)

op("diagonal_scatter(self, src, /, offset=0, dim1=0, dim2=1)",
   scatter_kernel(diagonal),
   d_self=lambda grad, _src_shape, offset, dim1, dim2:
       F.diagonal_scatter(grad, F.zeros_of(grad, _src_shape), offset, dim1, dim2),
   d_src=lambda grad, offset, dim1, dim2: F.diagonal(grad, offset, dim1, dim2),
   text="{self} with {src} on the diagonal", onnx=None)
