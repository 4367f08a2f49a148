"""Reductions: kernels and ops.

``dim`` is a tuple of dims as users give them (one dim where PyTorch takes one); the empty tuple
and None mean all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.memory_order import as_array
from ..declare import ARRAYS, Namespace, composite, op
from ..out import POINTWISE, Out
from ..pointwise import common_kernels as kernels
from ..pointwise.common_kernels import Array, Shape, count_along, sum_type, wrap_dims


def as_c_order(found: Any) -> Array:
    """A reduction's result as an array in C order."""
    return np.asarray(found, order="C")


def nansum(a: Array, dim: Shape, keepdim: Any = False, dtype: Any = None) -> Array:
    """Sums along dims that pass over nan."""
    kept = np.where(np.isnan(a), a.dtype.type(0), a) if a.dtype.kind == "f" else a
    dims = wrap_dims(dim, a.ndim)
    return as_c_order(np.add.reduce(kept, dims, dtype or sum_type(a), keepdims=keepdim))


def prod_all(a: Array, dtype: Any = None) -> Array:
    """The product of all items, 0-d."""
    return as_array(np.multiply.reduce(a, None, dtype or sum_type(a)))


def prod_dim(a: Array, dim: int, keepdim: Any = False, dtype: Any = None) -> Array:
    """Products along a dim."""
    dims = dim if a.ndim else None
    return as_c_order(np.multiply.reduce(a, dims, dtype or sum_type(a), keepdims=keepdim))


def amax(a: Array, dim: Shape, keepdim: Any = False) -> Array:
    """Largest items along dims; nan wins. Of no items it is the least number of the type."""
    start = {} if a.size else {"initial": _end_of_range(a.dtype, least=True)}
    return as_c_order(np.maximum.reduce(a, wrap_dims(dim, a.ndim), keepdims=keepdim, **start))


def amin(a: Array, dim: Shape, keepdim: Any = False) -> Array:
    """Smallest items along dims; nan wins. Of no items it is the largest number of the type."""
    start = {} if a.size else {"initial": _end_of_range(a.dtype, least=False)}
    return as_c_order(np.minimum.reduce(a, wrap_dims(dim, a.ndim), keepdims=keepdim, **start))


def _end_of_range(dtype: np.dtype[Any], least: bool) -> Any:
    if dtype.kind in "iu":
        return np.iinfo(dtype).min if least else np.iinfo(dtype).max
    return not least if dtype.kind == "b" else dtype.type(-np.inf if least else np.inf)


# Spread --------------------------------------------------------------------------------------
def var(a: Array, dim: Shape | None, correction: float | None, keepdim: Any = False) -> Array:
    """The summed squared distance from the mean, over the count less ``correction`` (None: 1)."""
    return var_mean(a, dim, correction, keepdim)[0]


def std(a: Array, dim: Shape | None, correction: float | None, keepdim: Any = False) -> Array:
    """The square root of ``var``."""
    return as_array(np.sqrt(var(a, dim, correction, keepdim)))


def var_mean(
    a: Array, dim: Shape | None, correction: float | None, keepdim: Any
) -> tuple[Array, Array]:  # fmt: skip
    """Variance and mean; float16 is computed in float32."""
    dims = wrap_dims(dim, a.ndim)
    count = count_along(a.shape, dim)
    left = count - (1 if correction is None else correction)
    wide = a.astype(np.float32) if a.itemsize == 2 else a
    mean = np.divide(np.add.reduce(wide, dims, keepdims=True), wide.dtype.type(count))
    off = np.asarray(np.subtract(wide, mean))
    np.multiply(off, off, off)
    total = np.asarray(np.add.reduce(off, dims, keepdims=keepdim))
    found = np.divide(total, wide.dtype.type(max(left, 0)))
    mean = np.reshape(mean, total.shape)
    spread, mean = (each.astype(a.dtype, copy=False) for each in (found, mean))
    return as_c_order(spread), as_c_order(mean)


def std_mean(
    a: Array, dim: Shape | None, correction: float | None, keepdim: Any
) -> tuple[Array, Array]:  # fmt: skip
    """Standard deviation and mean."""
    spread, mean = var_mean(a, dim, correction, keepdim)
    return as_array(np.sqrt(spread)), mean


# Logarithms and norms ------------------------------------------------------------------------
def logsumexp(a: Array, dim: Shape, keepdim: Any = False) -> Array:
    """log of the sum of exp, the largest item taken out before."""
    dims = wrap_dims(dim, a.ndim)
    top = np.maximum.reduce(a, dims, keepdims=True, initial=-np.inf)
    top = np.where(np.isinf(top), a.dtype.type(0), top)
    total = np.asarray(np.add.reduce(np.exp(a - top), dims, keepdims=keepdim))
    return as_c_order(np.log(total) + top.reshape(total.shape))


def vector_norm(
    a: Array, ord: float, dim: Shape | None, keepdim: Any = False, dtype: Any = None
) -> Array:  # fmt: skip
    """(sum |a| ** ord) ** (1 / ord), and its limits for 0, inf and -inf; float16 is computed in
    float32."""
    a = a if dtype is None else a.astype(dtype)
    if a.itemsize == 2:
        wide = vector_norm(a.astype(np.float32), ord, dim, keepdim)
        return np.asarray(wide.astype(a.dtype))
    dims = wrap_dims(dim, a.ndim)
    if ord == 2:
        total = np.add.reduce(np.multiply(a, a), dims, keepdims=keepdim)
        return as_c_order(np.sqrt(total))
    if ord == 0:
        return as_c_order(np.add.reduce(a != 0, dims, a.dtype, keepdims=keepdim))
    size = np.absolute(a)
    if ord in (np.inf, -np.inf):
        choose = np.maximum if ord > 0 else np.minimum
        return as_c_order(choose.reduce(size, dims, keepdims=keepdim))
    if ord == 1:
        return as_c_order(np.add.reduce(size, dims, keepdims=keepdim))
    total = np.add.reduce(np.power(size, a.dtype.type(ord)), dims, keepdims=keepdim)
    return as_c_order(np.power(total, a.dtype.type(1 / ord)))


def dist(a: Array, b: Array, p: float) -> Array:
    """The norm of the difference."""
    return vector_norm(np.asarray(np.subtract(a, b)), p, None, False, None)


# Truth and counts ----------------------------------------------------------------------------
def all_any(choose: Any) -> Any:
    """``all`` or ``any`` as a kernel; of uint8 the result is uint8, as PyTorch has it."""

    def kernel(a: Array, dim: Shape | None, keepdim: Any = False) -> Array:
        dims = dim if dim is None or a.ndim else None
        found = choose.reduce(a, dims, np.bool_, keepdims=keepdim)
        return np.asarray(found, np.uint8 if a.dtype == np.uint8 else np.bool_, order="C")

    return kernel


def count_nonzero(a: Array, dim: Shape | None) -> Array:
    """Return how many items along dims are not 0."""
    return as_c_order(np.add.reduce(a != 0, dim or None, np.int64))


def nonzero(a: Array) -> Array:
    """The indices of the items that are not 0, one row each."""
    return np.argwhere(a)


def trace(a: Array) -> Array:
    """The sum of the diagonal."""
    return as_array(np.add.reduce(np.diagonal(a), 0, sum_type(a)))


def argmax(a: Array, dim: int | None, keepdim: Any = False) -> Array:
    """Indices of the first largest items; nan is largest."""
    return as_c_order(np.argmax(a, dim if a.ndim else None, keepdims=keepdim))


def argmin(a: Array, dim: int | None, keepdim: Any = False) -> Array:
    """Indices of the first smallest items; nan is smallest."""
    return as_c_order(np.argmin(a, dim if a.ndim else None, keepdims=keepdim))


F = Namespace()


@composite
def sum_backward(grad: Any, shape: Any, dim: Any, keepdim: Any) -> Any:
    """Spread the gradient of a reduction along dims back over what was reduced."""
    if dim and len(dim) == 1 and shape and not keepdim:
        return F.expand(F.unsqueeze(grad, dim[0]), shape)
    return F.expand(F.restore_reduced_dims(grad, shape, dim, keepdim), shape)


@composite
def restore_reduced_dims(grad: Any, shape: Any, dim: Any, keepdim: Any) -> Any:
    """The result of a reduction of ``shape`` (or its gradient) with the reduced dims as dims of
    size 1; as it is, where all were reduced."""
    if not keepdim and dim is not None and dim != ():
        for d in kernels.wrap_dims(dim, len(shape)):
            grad = F.unsqueeze(grad, d)
    return grad


def reduced_shape(shape: Any, dim: Any) -> Any:
    """A shape with the dims of a reduction as dims of size 1; no dims, where all were reduced."""
    reduced = kernels.wrap_dims(dim, len(shape))
    return tuple(1 if d in reduced else size for d, size in enumerate(shape)) if dim else ()


@composite
def value_selecting_reduction_backward(
    grad: Any, index: Any, shape: Any, dim: Any, keepdim: Any
) -> Any:
    """The gradient of a choice along a dim, at what was chosen."""
    if shape and not keepdim:
        grad, index = F.unsqueeze(grad, dim), F.unsqueeze(index, dim)
    return F.scatter_along_dim(None, grad, index, shape, dim)


def size(shape: Any, dim: Any = None) -> int:
    """The number of items of a shape, or of its dims."""
    return kernels.count_along(shape, dim)


op("sum(self, /, dtype=None)", kernels.sum_all, out=Out("own"),
   d_self=lambda grad, self_shape: F.expand(grad, self_shape),
   sign="Σ", text="Σ {self}", onnx="ReduceSum")

op("sum.dim(self, /, dim, keepdim=False, dtype=None)", kernels.sum_dim, node="SumBackward1",
   d_self=lambda grad, self_shape, dim, keepdim: F.sum_backward(grad, self_shape, dim, keepdim),
   sign="Σ", text="Σ {self} over {dim}", onnx="ReduceSum")

op("mean(self, /, dtype=None)", kernels.mean_all, out=Out("cast"),
   d_self=lambda grad, self_shape: F.expand(grad, self_shape) / size(self_shape),
   text="mean({self})", onnx="ReduceMean")

op("mean.dim(self, /, dim, keepdim=False, dtype=None)", kernels.mean_dim, node="MeanBackward1",
   d_self=lambda grad, self_shape, dim, keepdim:
       F.sum_backward(grad, self_shape, dim, keepdim) / size(self_shape, dim),
   text="mean({self}) over {dim}", onnx="ReduceMean")

op("nansum(self, /, dim=(), keepdim=False, dtype=None)", nansum, out=Out("cast"),
   d_self=lambda grad, self, dim, keepdim:
       F.sum_backward(F.cast_to_grad(self, grad), self.shape, dim, keepdim)
       * F.logical_not(F.isnan(self)),
   sign="Σ", text="Σ {self} without nan", onnx=None)


# Products ----------------------------------------------------------------------------------------
@composite
def products_of_others(self: Any, dim: Any) -> Any:
    """For each item the product of all others along a dim, without dividing."""
    dim = dim % len(self.shape)
    count = self.shape[dim]
    one = F.ones_like(F.slice(self, dim, 0, 1, 1))
    before = F.cumprod(F.cat([one, F.slice(self, dim, 0, count - 1, 1)], dim), dim)
    turned = F.flip(F.slice(self, dim, 1, count, 1), (dim,))
    after = F.cumprod(F.cat([one, turned], dim), dim)
    return before * F.flip(after, (dim,))


@composite
def cast_to_grad(grad: Any, self: Any) -> Any:
    """An operand in the type of the gradient: what was computed in another type is derived there.
    In words the type does not matter."""
    return self


ARRAYS.__dict__["cast_to_grad"] = lambda grad, self: self.astype(grad.dtype, copy=False)


@composite
def prod_backward(grad: Any, self: Any, result: Any, dim: Any, keepdim: Any) -> Any:
    """The gradient of a product, exact where items are 0 (dim None: of all items)."""
    if len(self.shape) == 0:
        return grad
    self = F.cast_to_grad(grad, self)
    if dim is not None:
        grad = F.restore_reduced_dims(grad, self.shape, dim, keepdim)
        result = F.restore_reduced_dims(result, self.shape, dim, keepdim)
    if not bool((self == 0).any()):
        return grad * (result / self)
    items = F.reshape(self, (-1,)) if dim is None else self
    along = 0 if dim is None else dim
    if items.shape[along] != 1:
        grad = grad * F.products_of_others(items, along)
    return F.reshape(grad, self.shape) if dim is None else grad


op("prod(self, /, dtype=None)", prod_all, out=Out("own"),
   d_self=lambda grad, self, result: F.prod_backward(grad, self, result, None, False),
   sign="Π", text="Π {self}", onnx="ReduceProd")

op("prod.dim(self, /, dim, keepdim=False, dtype=None)", prod_dim,
   node="ProdBackward1",
   d_self=lambda grad, self, result, dim, keepdim:
       F.prod_backward(grad, self, result, dim, keepdim),
   sign="Π", text="Π {self} over {dim}", onnx="ReduceProd")


# Extremes ----------------------------------------------------------------------------------------
@composite
def evenly_distribute_backward(grad: Any, self: Any, result: Any, dtype: Any) -> Any:
    """The gradient of a chosen item, shared equally where several are equal to it."""
    mask = F.logical_or(F.eq(self, result), F.logical_and(F.isnan(self), F.isnan(result)))
    part = grad / F.sum(F.to_copy(mask, dtype))
    return F.masked_fill_tensor(F.zeros_like(self), mask, part)


@composite
def amax_backward(grad: Any, self: Any, result: Any, dim: Any, keepdim: Any, dtype: Any) -> Any:
    """The gradient of extremes along dims, shared equally by the items equal to them."""
    if not keepdim:
        kept = reduced_shape(self.shape, dim)
        grad, result = F.reshape(grad, kept), F.reshape(result, kept)
    mask = F.to_copy(F.eq(self, result), dtype)
    count = F.sum_dim(mask, dim, True) if dim else F.sum(mask)
    return grad / count * mask


for name, kernel, along, every in (
    ("max", kernels.max_all, kernels.max_dim, amax),
    ("min", kernels.min_all, kernels.min_dim, amin),
):
    op(f"{name}(self, /)", kernel, node=f"{name.title()}Backward1", out=POINTWISE,
       d_self=lambda grad, self, result, self_dtype:
           F.evenly_distribute_backward(grad, self, result, self_dtype),
       text=name + "({self})", onnx=f"Reduce{name.title()}")
    op(f"{name}.dim(self, /, dim, keepdim=False) -> values, indices", along,
       node=f"{name.title()}Backward0",
       d_self=lambda grad, indices, self_shape, dim, keepdim:
           F.value_selecting_reduction_backward(grad, indices, self_shape, dim, keepdim),
       text=name + "({self}) along {dim}", onnx=None)
    op(f"a{name}(self, /, dim=(), keepdim=False)", every,
       d_self=lambda grad, self, result, dim, keepdim, self_dtype:
           F.amax_backward(grad, self, result, dim, keepdim, self_dtype),
       sign=name, text=name + "({self}) over {dim}",
       onnx=f"Reduce{name.title()}")


op("scatter_along_dim(zeros=None, grad_output, index, /, shape, dim)", kernels.scatter_along_dim,
   node="ScatterBackward0",
   d_zeros=lambda grad: grad,
   d_grad_output=lambda grad, index, dim: F.gather_along_dim(grad, index, dim),
   public=False,
   text="{grad_output} at the chosen items, 0 elsewhere", onnx=None)

op("gather_along_dim(self, index, /, dim)", kernels.gather_along_dim, node="GatherBackward0",
   d_self=lambda grad, index, self_shape, dim:
       F.scatter_along_dim(None, grad, index, self_shape, dim),
   public=False, text="the chosen items of {self}", onnx=None)

op("argmax(self, /, dim=None, keepdim=False)", argmax, nograd=True,
   text="argmax({self})", onnx="ArgMax")

op("argmin(self, /, dim=None, keepdim=False)", argmin, nograd=True,
   text="argmin({self})", onnx="ArgMin")


# Spread ------------------------------------------------------------------------------------------
def twice_over_degrees_of_freedom(shape: Any, dim: Any, correction: float | None) -> float:
    """2 over the degrees of freedom that ``var`` divides by; inf where there are none."""
    left = size(shape, dim) - (1 if correction is None else correction)
    return 2.0 / left if left else float("inf")


@composite
def var_backward(grad: Any, self: Any, dim: Any, correction: Any, keepdim: Any) -> Any:
    """The gradient of the variance."""
    mean = F.mean_dim(self, dim, True) if dim else F.mean(self)
    scale = twice_over_degrees_of_freedom(self.shape, dim, correction)
    kept = F.restore_reduced_dims(grad, self.shape, dim, keepdim) if len(self.shape) > 1 else grad
    return kept * scale * (self - mean)


@composite
def std_backward(grad: Any, self: Any, result: Any, dim: Any, correction: Any, keepdim: Any) -> Any:
    """The gradient of the standard deviation; 0 where that is 0."""
    part = F.masked_fill(grad / (result * 2), F.eq(result, F.zeros_like(result)), 0)
    return F.var_backward(part, self, dim, correction, keepdim)


op("var(self, /, dim=None, correction=None, keepdim=False)", var, out=Out("cast"),
   d_self=lambda grad, self, dim, correction, keepdim:
       F.var_backward(grad, self, dim, correction, keepdim),
   text="var({self})", onnx=None)

op("std(self, /, dim=None, correction=None, keepdim=False)", std, out=Out("cast"),
   d_self=lambda grad, self, result, dim, correction, keepdim:
       F.std_backward(grad, self, result, dim, correction, keepdim),
   text="std({self})", onnx=None)


@composite
def var_mean_backward(spread: Any, mean: Any, shape: Any, dim: Any, keepdim: Any) -> Any:
    """The gradient of a deviation or variance, if there is one, and that of the mean beside it."""
    if mean is None:
        return spread
    mean = F.sum_backward(mean, shape, dim, keepdim) / size(shape, dim)
    return mean if spread is None else spread + mean


op("var_mean(self, /, dim=None, correction=None, keepdim=False) -> result0, result1",
   var_mean,
   d_self=lambda some_grads, self, dim, correction, keepdim:
       F.var_mean_backward(None if some_grads[0] is None else
                   F.var_backward(some_grads[0], self, dim, correction, keepdim),
                   some_grads[1], self.shape, dim, keepdim),
   text="var and mean of {self}", onnx=None)

op("std_mean(self, /, dim=None, correction=None, keepdim=False) -> result0, result1",
   std_mean,
   d_self=lambda some_grads, self, result0, dim, correction, keepdim:
       F.var_mean_backward(None if some_grads[0] is None else
                   F.std_backward(some_grads[0], self, result0, dim, correction, keepdim),
                   some_grads[1], self.shape, dim, keepdim),
   text="std and mean of {self}", onnx=None)

# Truth and counts --------------------------------------------------------------------------------
op("all(self, /, dim=None, keepdim=False)", all_any(np.logical_and), nograd=True,
   out=Out("truth"),
   sign="∀", text="all({self})", onnx=None)

op("any(self, /, dim=None, keepdim=False)", all_any(np.logical_or), nograd=True,
   out=Out("truth"),
   sign="∃", text="any({self})", onnx=None)

op("count_nonzero(self, /, dim=None)", count_nonzero, nograd=True,
   text="count of {self} ≠ 0", onnx=None)

op("nonzero(self, /)", nonzero, nograd=True, sized_by_values=True,
   text="where {self} ≠ 0", onnx="NonZero")


def diagonal_shape(shape: Any) -> tuple[int]:
    """The length of a matrix's diagonal, as a shape."""
    return (min(shape[0], shape[1]),)


@composite
def scaled_identity(number: Any, shape: Any) -> Any:
    """A matrix with a number on its diagonal, 0 elsewhere."""
    return F.diagonal_backward(F.expand(number, diagonal_shape(shape)), shape, 0, 0, 1)


op("trace(self, /)", trace, refuses="trace: bool",
   d_self=lambda grad, self_shape: F.scaled_identity(grad, self_shape),
   text="trace({self})", onnx=None)

op("logsumexp(self, /, dim, keepdim=False)", logsumexp, out=Out("cast"),
   d_self=lambda grad, self, result, dim, keepdim:
       F.restore_reduced_dims(grad, self.shape, dim, keepdim)
       * F.exp(self - F.restore_reduced_dims(result, self.shape, dim, keepdim)),
   text="log Σ exp({self}) over {dim}",
   onnx="ReduceLogSumExp")
