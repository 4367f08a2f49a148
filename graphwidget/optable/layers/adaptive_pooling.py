"""``adaptive_avg_pool`` and ``adaptive_max_pool``, which share a dim out into so many windows."""

from __future__ import annotations

import math
from functools import cache, reduce

import numpy as np

from ...arrays.memory_order import as_array, keep_images_channels_last
from ..declare import Namespace, op
from ..pointwise.common_kernels import Array, Shape
from .interpolation_kernels import multiply_last_dims

F = Namespace()


@cache
def averaging_matrix(size: int, count: int) -> Array:
    """The averages of ``count`` parts of ``size`` points, as even as can be; they may overlap."""
    rows = np.zeros((count, size))
    for i in range(count):
        start, end = i * size // count, -((-(i + 1) * size) // count)
        rows[i, start:end] = 1 / (end - start)
    return rows


@keep_images_channels_last
def adaptive_avg_pool(a: Array, output_size: Shape) -> Array:
    """The average of each of ``output_size`` parts."""
    sizes = a.shape[a.ndim - len(output_size) :]
    matrices = [averaging_matrix(*each) for each in zip(sizes, output_size, strict=True)]
    return multiply_last_dims(a, matrices)


def adaptive_avg_pool_backward(grad: Array, a: Array, dims: int) -> Array:
    """Each part's gradient shared among its points."""
    grad = as_array(grad)
    pairs = zip(a.shape[a.ndim - dims :], grad.shape[a.ndim - dims :], strict=True)
    return multiply_last_dims(grad, [averaging_matrix(*each).T for each in pairs])


# Largest items of parts ---------------------------------------------------------------------------
@keep_images_channels_last
def adaptive_max_pool(a: Array, output_size: Shape) -> tuple[Array, Array]:
    """The largest item of each of ``output_size`` parts, and its flat index; the first of equals,
    nan above all."""
    dims = len(output_size)
    sizes, lead = a.shape[a.ndim - dims :], a.shape[: a.ndim - dims]
    index = []
    for size, count in zip(sizes, output_size, strict=True):
        starts = np.arange(count) * size // count
        ends = -((-(np.arange(count) + 1) * size) // count)
        width = int((ends - starts).max()) if count else 1
        # parts that are shorter repeat their last point, which changes no maximum
        index.append(np.minimum(starts[:, None] + np.arange(width), ends[:, None] - 1))
    flat = reduce(lambda whole, each: whole * each[1] + _reshape_for_dim(each[0], dims), zip(
        enumerate(index), sizes, strict=True
    ), np.zeros((1,) * (2 * dims), np.int64))
    flat = flat.reshape(*output_size, math.prod(each.shape[1] for each in index))
    items = a.reshape(*lead, math.prod(sizes))[..., flat]
    chosen = items.argmax(-1)
    places = np.take_along_axis(np.broadcast_to(flat, items.shape), chosen[..., None], -1)[..., 0]
    return np.take_along_axis(items, chosen[..., None], -1)[..., 0], places


def _reshape_for_dim(numbered: tuple[int, Array], dims: int) -> Array:
    """Indices (count, width) of one dim, in the place of that dim among all counts and widths."""
    dim, index = numbered
    shape = [1] * (2 * dims)
    shape[dim], shape[dims + dim] = index.shape
    return index.reshape(shape)


def max_pool_derivative(grad: Array, a: Array, index: Array, dims: int) -> Array:
    """Each window's gradient at its largest item."""
    return scatter_flat(grad, index, a.shape, dims)


def scatter_flat(grad: Array, index: Array, shape: Shape, dims: int) -> Array:
    """Zeros of ``shape`` with ``grad`` added at flat indices into the last dims."""
    grad = as_array(grad)
    out = np.zeros((math.prod(shape[: len(shape) - dims]), math.prod(shape[len(shape) - dims :])),
                   grad.dtype)  # fmt: skip
    rows, each = np.arange(len(out))[:, None], (len(out), math.prod(index.shape[-dims:]))
    np.add.at(out, (rows, index.reshape(each)), grad.reshape(each))
    return out.reshape(shape)


def gather_flat(a: Array, index: Array, dims: int) -> Array:
    """The items of ``a`` at flat indices into its last dims."""
    flat = a.reshape(*a.shape[: a.ndim - dims], math.prod(a.shape[a.ndim - dims :]))
    lead, count = index.shape[: index.ndim - dims], math.prod(index.shape[index.ndim - dims :])
    chosen = np.take_along_axis(flat, np.ascontiguousarray(index.reshape(*lead, count)), -1)
    return chosen.reshape(index.shape)


def adaptive_pools(dims: int) -> None:
    """Declare both adaptive pools over so many dims."""
    cpu = "" if dims == 2 else "_cpu"
    op(f"adaptive_avg_pool{dims}d(self, /, output_size)", adaptive_avg_pool,
       node=f"AdaptiveAvgPool{dims}DBackward0",
       refuses=f"adaptive_avg_pool{dims}d{cpu}: bool integer",
       d_self=lambda grad, self: getattr(F, f"adaptive_avg_pool{dims}d_backward")(grad, self, dims),
       public=False, sign="avg pool", text="means of {output_size} parts of {self}",
       tex=r"\operatorname{{avgpool}} {self}", onnx=None)
    op(f"adaptive_avg_pool{dims}d_backward(grad_output, self, /, _dims)",
       adaptive_avg_pool_backward, node=f"AdaptiveAvgPool{dims}DBackwardBackward0",
       saved_sizes={"grad_output": tuple(range(-1, -1 - dims, -1))},
       d_grad_output=lambda grad, _grad_output_shape, _dims:
           getattr(F, f"adaptive_avg_pool{dims}d")(grad, _grad_output_shape[-_dims:]),
       d_self=lambda grad: F.zeros_like(grad),
       public=False, sign="avg pool′", text="{grad_output} shared by its part",
       tex=r"{grad_output}", onnx=None)
    op(f"adaptive_max_pool{dims}d(self, /, output_size) -> result; result1",
       adaptive_max_pool, node=f"AdaptiveMaxPool{dims}DBackward0",
       refuses=f"adaptive_max_pool{dims}d{cpu}: bool integer",
       d_self=lambda grad, self, result1:
           getattr(F, f"adaptive_max_pool{dims}d_backward")(grad, self, result1, dims),
       public=False, sign="max pool", text="max of {output_size} parts of {self}",
       tex=r"\operatorname{{maxpool}} {self}", onnx=None)
    op(f"adaptive_max_pool{dims}d_backward(grad_output, self, indices, /, _dims)",
       max_pool_derivative, node=f"AdaptiveMaxPool{dims}DBackwardBackward0",
       d_grad_output=lambda grad, indices, _dims: F.take_at(grad, indices, _dims),
       d_self=lambda grad: F.zeros_like(grad),
       public=False, sign="max pool′", text="{grad_output} at the largest items, 0 elsewhere",
       tex=r"{grad_output}", onnx=None)


for _dims in (2, 3):
    adaptive_pools(_dims)

op("adaptive_max_pool_indices(self, /, output_size)",
   lambda a, output_size: adaptive_max_pool(a, output_size)[1], nograd=True,
   public=False, text="where the largest items of {self} lie", tex=r"\arg\max {self}", onnx=None)

op("put_at(self, index, /, shape, _dims)", scatter_flat, node="ScatterAddBackward0",
   d_self=lambda grad, index, _dims: F.take_at(grad, index, _dims),
   public=False, text="{self} at {index}, 0 elsewhere", tex=r"{self}", onnx=None)

op("take_at(self, index, /, dims)", gather_flat, node="GatherBackward0",
   d_self=lambda grad, index, self_shape, dims: F.put_at(grad, index, self_shape, dims),
   public=False, text="{self} at {index}", tex=r"{self}_{{{index}}}", onnx=None)
