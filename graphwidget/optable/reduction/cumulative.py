"""``cumsum``, ``cumprod``, ``cummax``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...arrays.kernel_errors import not_implemented
from ...arrays.memory_order import as_array
from ..declare import Namespace, composite, op
from ..out import Out
from ..pointwise.common_kernels import Array, Shape, sum_type

F = Namespace()


def accumulate(ufunc: Any, refused: str = "") -> Any:
    """The kernel that accumulates with a ufunc; the result is in C order. ``refused`` is what
    PyTorch calls it where it refuses results that are bools. float16 is computed in float32."""

    def kernel(a: Array, dim: int, dtype: Any = None) -> Array:
        target = np.dtype(dtype or sum_type(a) or a.dtype)
        if not a.ndim:
            return a.astype(target)
        if target.kind == "b" and a.size:
            raise not_implemented(refused, target)
        if target.itemsize == 2 and target.kind == "f":
            return ufunc.accumulate(a, dim, np.float32).astype(target, "C")
        result = np.empty(a.shape, target)
        return ufunc.accumulate(a, dim, target, result)

    return kernel


def accumulate_extreme(ufunc: Any) -> Any:
    """The kernel of ``cummax`` and ``cummin``: the extreme so far, and where it stood last."""

    def kernel(a: Array, dim: int) -> tuple[Array, Array]:
        if not a.ndim:
            return a.copy(), np.zeros((), np.int64)
        values = ufunc.accumulate(a, dim, out=np.empty(a.shape, a.dtype))
        met = a == values
        if a.dtype.kind == "f":
            met |= np.isnan(a)
        places = np.arange(a.shape[dim]).reshape((-1,) + (1,) * (a.ndim - 1 - dim % a.ndim))
        indices = np.where(met, places, 0)
        return values, np.maximum.accumulate(indices, dim, out=np.empty(a.shape, np.int64))

    return kernel


def scatter_add_along_dim(zeros: None, grad: Array, index: Array, shape: Shape, dim: int) -> Array:
    """Zeros of ``shape`` to which grad is added at indices along a dim."""
    result = np.zeros(shape, as_array(grad).dtype)
    if not shape:
        return result + grad
    places: list[Any] = list(np.indices(index.shape, sparse=True))
    places[dim] = index
    np.add.at(result, tuple(places), grad)
    return result


def gather_repeated(a: Array, index: Array, dim: int) -> Array:
    """The items at indices along a dim."""
    return np.take_along_axis(a, index, dim) if a.ndim else a.copy()


op("cumsum(self, /, dim, dtype=None)", accumulate(np.add, "cumsum_out_cpu"), inplace=True,
   out=Out("own", "whole"),
   d_self=lambda grad, dim: F.cumsum_reversed(grad, dim),
   sign="Σ↓", text="running sum of {self} along {dim}",
   onnx="CumSum")


@composite
def cumsum_reversed(grad: Any, dim: Any) -> Any:
    """Running sums from the end."""
    if 0 in grad.shape or math.prod(grad.shape) == 1 or grad.shape[dim] == 1:
        return grad
    return F.flip(F.cumsum(F.flip(grad, (dim,)), dim), (dim,))


@composite
def cumprod_backward(grad: Any, self: Any, result: Any, dim: Any) -> Any:
    """The gradient of running products, exact where items are 0: there item k is replaced by 1 in
    a copy of its own, and the products of that copy are what it was multiplied with."""
    ndim = len(self.shape)
    if ndim == 0 or self.shape[dim] == 1 or 0 in self.shape:
        return grad
    if not bool((self == 0).any()):
        return F.cumsum_reversed(result * grad, dim) / self
    last = ndim - 1
    items = F.unsqueeze(F.transpose(self, dim, last), last)
    items = F.expand(items, (*items.shape[:-2], self.shape[dim], self.shape[dim]))
    own = F.triu(F.tril(F.ones_like(items), 0), 0)
    others = F.cumprod(F.where(own > 0, own, items), ndim)
    flow = F.triu(others, 0) * F.unsqueeze(F.transpose(grad, dim, last), last)
    found = F.zeros_like(self)
    F.write("copy", F.transpose(found, dim, last), F.sum_dim(flow, (ndim,)))
    return found


op("cumprod(self, /, dim, dtype=None)", accumulate(np.multiply, "cumprod_out_cpu"), inplace=True,
   out=Out("own", "whole"),
   d_self=lambda grad, self, result, dim: F.cumprod_backward(grad, self, result, dim),
   sign="Π↓", text="running product of {self} along {dim}",
   onnx=None)

for name, ufunc in (("max", np.maximum), ("min", np.minimum)):
    op(f"cum{name}(self, /, dim) -> values, indices", accumulate_extreme(ufunc),
       d_self=lambda grad, self, indices, dim:
           F.scatter_add_along_dim(None, grad, indices, self.shape, dim),
       sign=f"{name}↓", text=f"running {name} of " + "{self} along {dim}", onnx=None)

op("scatter_add_along_dim(zeros=None, grad_output, index, /, shape, dim)", scatter_add_along_dim,
   node="ScatterAddBackward0", d_zeros=lambda grad: grad,
   d_grad_output=lambda grad, index, dim: F.gather_repeated(grad, index, dim),
   public=False, text="{grad_output} added at the chosen items", onnx=None)

op("gather_repeated(self, index, /, dim)", gather_repeated, node="GatherBackward0",
   d_self=lambda grad, index, self_shape, dim:
       F.scatter_add_along_dim(None, grad, index, self_shape, dim),
   public=False, text="the chosen items of {self}", onnx=None)
