"""``gather``, ``scatter`` and ``index_add``: kernels and ops.

Dims may count from the end. Results lie in C order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.kernel_errors import broadcast_shape, not_implemented
from ...arrays.memory_order import Array, Shape, as_array
from ...arrays.scalars import scalar_array
from ..declare import ARRAYS, Namespace, composite, op
from ..out import Out
from .indexing import add_slices, writable_copy


# Along a dim, one index for each item ------------------------------------------------------------
def check_bounds(index: Array, size: int, dim: int) -> None:
    """Indices of ``gather`` and ``scatter`` must be in bounds; negative ones are not.

    Raises:
        RuntimeError: PyTorch's text.
    """
    if index.size and (index.min() < 0 or index.max() >= size):
        bad = index[(index < 0) | (index >= size)][0]
        raise RuntimeError(f"index {bad} is out of bounds for dimension {dim} with size {size}")


def flat_places(shape: Shape, index: Array, dim: int) -> Array:
    """Return where in C-ordered memory of ``shape`` the items lie that ``index`` names along a dim.

    Raises:
        RuntimeError: out of bounds.
    """
    if not shape or not index.ndim:
        check_bounds(index, shape[0] if shape else 1, 0)
        return index.astype(np.int64)
    dim %= len(shape)
    check_bounds(index, shape[dim], dim)
    found: Any = 0
    step = 1
    for d in reversed(range(len(shape))):
        along = index
        if d != dim:
            along = np.arange(index.shape[d]).reshape(-1, *(1,) * (len(shape) - 1 - d))
        found = found + along * step
        step *= shape[d]
    return as_array(found)


def leading_part(a: Array, shape: Shape) -> Array:
    """The part of a that begins where a begins and has ``shape``; a number counts as a vector."""
    if a.ndim != len(shape):
        return a.reshape(-1)[:1].reshape(shape)
    return a[tuple(slice(size) for size in shape)]


def gather(a: Array, index: Array, dim: int) -> Array:
    """The items that ``index`` names along a dim, in C order."""
    if not index.size:
        return np.zeros(index.shape, a.dtype)
    chosen = flat_places(a.shape, np.asarray(index, order="C"), dim)
    return as_array(np.ascontiguousarray(a).reshape(-1)[chosen])


def scatter(a: Array, index: Array, src: Array, dim: int) -> Array:
    """A copy of a with ``src`` written where ``index`` says; the last of several wins."""
    result = writable_copy(a)
    if index.size:
        result.reshape(-1)[flat_places(a.shape, index, dim).reshape(-1)] = leading_part(
            as_array(src), index.shape
        ).reshape(-1)
    return result


def scatter_value(a: Array, index: Array, dim: int, value: float) -> Array:
    """A copy of a with one number written where ``index`` says."""
    result, item = writable_copy(a), scalar_array(value, a.dtype)
    if index.size:
        result.reshape(-1)[flat_places(a.shape, index, dim).reshape(-1)] = item
    return result


JOINED: dict[str, Any] = {
    "sum": np.add, "add": np.add, "mean": np.add, "prod": np.multiply, "multiply": np.multiply,
    "amax": np.maximum, "amin": np.minimum,
}  # fmt: skip
"""Reductions of items that fall on one place, by PyTorch's names."""
BEGINNINGS = {"sum": 0, "mean": 0, "prod": 1}


def reduce_at(result: Array, at: Array, values: Array, reduce: str, include_self: bool) -> None:
    """Combine values into flat places of a C-ordered array itself."""
    flat, at, values = result.reshape(-1), at.reshape(-1), values.reshape(-1)
    if not include_self:
        flat[at] = values if reduce in ("amax", "amin") else BEGINNINGS[reduce]
    JOINED[reduce].at(flat, at, values)
    if reduce == "mean":
        counts = np.bincount(at, minlength=flat.size)
        hit = counts > 0
        counts += include_self
        divide = np.floor_divide if flat.dtype.kind in "iu" else np.true_divide
        divide(flat, np.maximum(counts, 1).astype(flat.dtype), out=flat, where=hit)


def scatter_add(a: Array, index: Array, src: Array, dim: int) -> Array:
    """A copy of a with ``src`` added where ``index`` says."""
    return scatter_reduce(a, index, src, dim, "sum", True)


def scatter_reduce(
    a: Array, index: Array, src: Array, dim: int, reduce: str, include_self: bool
) -> Array:
    """A copy of a with ``src`` combined into it where ``index`` says."""
    if a.dtype.kind == "b" and reduce == "mean":
        raise not_implemented("scatter_gather_tensor_cpu_reduce_mean", a.dtype)
    result = writable_copy(a)
    if index.size:
        values = leading_part(as_array(src), index.shape)
        reduce_at(result, flat_places(a.shape, index, dim), values, reduce, include_self)
    return result


def scatter_reduce_legacy(a: Array, index: Array, src: Array, dim: int, reduce: str) -> Array:
    """``scatter(reduce="add" or "multiply")``."""
    result = writable_copy(a)
    if index.size:
        at = flat_places(a.shape, index, dim)
        values = leading_part(src, index.shape).reshape(-1)
        JOINED[reduce].at(result.reshape(-1), at.reshape(-1), values)
    return result


def scatter_value_reduce(a: Array, index: Array, dim: int, value: float, reduce: str) -> Array:
    """Like ``scatter_reduce_legacy``, with one number."""
    return scatter_reduce_legacy(a, index, np.full(index.shape, value, a.dtype), dim, reduce)


# Along a dim, one index for each slice -----------------------------------------------------------


def index_select(a: Array, index: Array, dim: int) -> Array:
    """The slices that ``index`` names."""
    if not a.ndim:
        return a.copy()
    return np.ascontiguousarray(a.take(index.reshape(-1), dim))


def index_add(a: Array, index: Array, source: Array, dim: int, alpha: float) -> Array:
    """A copy of a with slices added."""
    result = writable_copy(a)
    scaled = source if alpha == 1 else source * scalar_array(alpha, a.dtype)
    if index.size and result.size:
        spread = result if result.ndim else result.reshape(1)
        add_slices(spread, index.reshape(-1), as_array(scaled), dim % spread.ndim)
    return result


F = Namespace()


# Along a dim, one index for each item -------------------------------------------------------------
@composite
def gather_backward(grad: Any, self: Any, index: Any, dim: Any) -> Any:
    """Zeros to which the gradient is added where it was read."""
    return F.scatter_add(F.zeros_like(self), index, grad, dim)


op("gather(self, index, /, dim, sparse_grad=False)",
   lambda a, index, dim, sparse_grad=False: gather(a, index, dim), out=Out(memory="none"),
   d_self=lambda grad, self, index, dim, sparse_grad: F.gather_backward(grad, self, index, dim),
   text="{self} at {index}", onnx="GatherElements")

op("scatter(self, index, src, /, dim)", scatter, inplace=True, out=Out(memory="first"),
   d_self=lambda grad, index, dim: F.scatter_value(grad, index, dim, 0),
   d_src=lambda grad, index, dim: F.gather(grad, index, dim),
   text="{self} with {src} at {index}", onnx="ScatterElements")

op("scatter.value(self, index, /, dim, value)", scatter_value, inplace=True,
   node="ScatterBackward1",
   d_self=lambda grad, index, dim: F.scatter_value(grad, index, dim, 0),
   text="{self} with {value} at {index}", onnx="ScatterElements")

op("scatter.joined(self, index, src, /, dim, reduce)", scatter_reduce_legacy, inplace=True,
   node="NotImplemented",
   d_self=lambda grad: F.without_derivative("aten::scatter"),
   d_src=lambda grad: F.without_derivative("aten::scatter"),
   text="{reduce} of {self} and {src} at {index}", onnx="ScatterElements")

op("scatter.value_joined(self, index, /, dim, value, reduce)", scatter_value_reduce,
   inplace=True, node="NotImplemented",
   d_self=lambda grad: F.without_derivative("aten::scatter"),
   text="{reduce} of {self} and {value} at {index}", onnx="ScatterElements")

op("scatter_add(self, index, src, /, dim)", scatter_add, inplace=True,
   out=Out(memory="first"),
   d_self=lambda grad: grad,
   d_src=lambda grad, index, dim: F.gather(grad, index, dim),
   text="{self} + {src} at {index}", onnx="ScatterElements")


@composite
def mask_to_numbers(mask: Any, like: Any) -> Any:
    """A mask as 0 and 1."""
    return F.where(mask, F.ones_like(like), F.zeros_like(like))


@composite
def counts_at_index(like: Any, index: Any, src: Any, dim: Any, include_self: Any) -> Any:
    """Return how many items each place received, at least 1."""
    start = F.ones_like(like) if include_self else F.zeros_like(like)
    counts = F.scatter_add(start, index, F.ones_like(src), dim)
    return F.masked_fill(counts, counts == 0, 1)


def check_items(index: Any, src: Any, reduce: Any) -> None:
    """Refuse an index that is smaller than its source where backward compares the two item by item.

    Raises:
        RuntimeError: they do not broadcast (PyTorch's text).
    """
    if reduce not in ("sum", "mean"):
        broadcast_shape([src.shape, index.shape])


@composite
def scatter_reduce_backward_self(
    grad: Any, self: Any, index: Any, src: Any, result: Any, dim: Any, reduce: Any,
    include_self: Any,
) -> Any:  # fmt: skip
    """d scatter_reduce by self. ``amax`` and ``amin`` share among equal items; ``prod`` is the
    product of the others. What takes no part itself has a gradient only where nothing was
    written."""
    check_items(index, src, reduce)
    if reduce == "sum":
        found = grad
    elif reduce == "mean":
        found = grad / F.counts_at_index(grad, index, src, dim, include_self)
    elif reduce == "prod":
        filled = F.masked_fill(self, self == 0, 1)
        others = F.scatter_reduce(filled, index, src, dim, reduce, include_self)
        found = (grad * others) / filled
    else:
        mine = F.mask_to_numbers(self == result, self)
        theirs = F.mask_to_numbers(src == F.gather(result, index, dim), src)
        found = mine * (grad / F.scatter_add(mine, index, theirs, dim))
    return found if include_self else F.scatter_value(found, index, dim, 0)


@composite
def scatter_reduce_backward_src(
    grad: Any, self: Any, index: Any, src: Any, result: Any, dim: Any, reduce: Any,
    include_self: Any,
) -> Any:  # fmt: skip
    """d scatter_reduce by what is written."""
    check_items(index, src, reduce)
    if reduce == "sum":
        return F.gather(grad, index, dim)
    if reduce == "mean":
        counts = F.counts_at_index(grad, index, src, dim, include_self)
        return F.gather(grad, index, dim) / F.gather(counts, index, dim)
    if reduce == "prod":
        zero = src == 0
        zeros = F.scatter_add(F.zeros_like(self), index, F.mask_to_numbers(zero, src), dim)
        single = zero & (F.gather(zeros, index, dim) == 1)
        others = F.scatter_reduce(
            self, index, F.masked_fill(src, single, 1), dim, reduce, include_self
        )
        quotient = F.gather(grad * result, index, dim) / F.masked_fill(src, zero, 1)
        found = F.where(single, F.gather(grad * others, index, dim), quotient)
        return F.derived_once(found, zeros)
    mine = F.mask_to_numbers(self == result, self)
    theirs = F.mask_to_numbers(src == F.gather(result, index, dim), src)
    shared = grad / F.scatter_add(mine, index, theirs, dim)
    return theirs * F.gather(shared, index, dim)


DERIVED_ONCE = (
    "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are scattered "
    "to the same position in self"
)


@composite
def derived_once(found: Any, zeros: Any) -> Any:
    """The gradient of a product; where several factors of one place are 0, no derivatives follow,
    though it has a graph."""
    return F.delayed_error(found, DERIVED_ONCE) if bool(F.any(zeros > 1)) else found


ARRAYS.__dict__["derived_once"] = lambda found, zeros: found

op("scatter_reduce(self, index, src, /, dim, reduce, include_self=True)", scatter_reduce,
   inplace=True, out=Out(memory="first"),
   d_self=lambda grad, self, index, src, result, dim, reduce, include_self:
       F.scatter_reduce_backward_self(
           grad, self, index, src, result, dim, reduce, include_self),
   d_src=lambda grad, self, index, src, result, dim, reduce, include_self:
       F.scatter_reduce_backward_src(
           grad, self, index, src, result, dim, reduce, include_self),
   text="{reduce} of {self} and {src} at {index}", onnx="ScatterElements")


# Along a dim, one index for each slice ------------------------------------------------------------
@composite
def index_select_backward(grad: Any, self_shape: Any, index: Any, dim: Any) -> Any:
    """Zeros to which the slices of the gradient are added."""
    return F.index_add(F.zeros_of(grad, self_shape), index, grad, dim, 1)


op("index_select(self, index, /, dim)", index_select, out=Out(memory="none"),
   d_self=lambda grad, self_shape, index, dim:
       F.index_select_backward(grad, self_shape, index, dim),
   text="{self} at {index}", onnx="Gather")


@composite
def slices_at_index(grad: Any, source_dim: Any, index: Any, dim: Any) -> Any:
    """The slices of the gradient at an index, as what was written there: a number has no dims."""
    found = F.index_select(grad, index, dim)
    return F.reshape(found, ()) if source_dim == 0 else F.expand(found, found.shape)


op("index_add(self, index, source, /, dim, alpha=1)", index_add, inplace=True,
   out=Out(memory="first"),
   d_self=lambda grad: grad,
   d_source=lambda grad, index, source, source_dim, dim, alpha:
       F.slices_at_index(grad, source_dim, index, dim) if alpha == 1
       else F.slices_at_index(grad, source_dim, index, dim) * alpha,
   text="{self} + {source} at {index}", onnx=None)
