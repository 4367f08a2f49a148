"""``gather``, ``scatter``, ``index_select``, ``index_add``, ``index_copy``, ``index_fill``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.kernel_errors import broadcast_shape
from ..declare import ARRAYS, Namespace, composite, op
from ..out import Out
from . import scatter_kernels as kernels

F = Namespace()


# Along a dim, one index for each item -------------------------------------------------------------
@composite
def gather_backward(grad: Any, self: Any, index: Any, dim: Any) -> Any:
    """Zeros to which the gradient is added where it was read."""
    return F.scatter_add(F.zeros_like(self), index, grad, dim)


op("gather(self, index, /, dim, sparse_grad=False)",
   lambda a, index, dim, sparse_grad=False: kernels.gather(a, index, dim), out=Out(memory="none"),
   d_self=lambda grad, self, index, dim, sparse_grad: F.gather_backward(grad, self, index, dim),
   text="{self} at {index}", tex=r"{self}_{{{index}}}", onnx="GatherElements")

op("scatter(self, index, src, /, dim)", kernels.scatter, inplace=True, out=Out(memory="first"),
   d_self=lambda grad, index, dim: F.scatter_value(grad, index, dim, 0),
   d_src=lambda grad, index, dim: F.gather(grad, index, dim),
   text="{self} with {src} at {index}", tex=r"{self}", onnx="ScatterElements")

op("scatter.value(self, index, /, dim, value)", kernels.scatter_value, inplace=True,
   node="ScatterBackward1",
   d_self=lambda grad, index, dim: F.scatter_value(grad, index, dim, 0),
   text="{self} with {value} at {index}", tex=r"{self}", onnx="ScatterElements")

op("scatter.joined(self, index, src, /, dim, reduce)", kernels.scatter_reduce_legacy, inplace=True,
   node="NotImplemented",
   d_self=lambda grad: F.without_derivative("aten::scatter"),
   d_src=lambda grad: F.without_derivative("aten::scatter"),
   text="{reduce} of {self} and {src} at {index}", tex=r"{self}", onnx="ScatterElements")

op("scatter.value_joined(self, index, /, dim, value, reduce)", kernels.scatter_value_reduce,
   inplace=True, node="NotImplemented",
   d_self=lambda grad: F.without_derivative("aten::scatter"),
   text="{reduce} of {self} and {value} at {index}", tex=r"{self}", onnx="ScatterElements")

op("scatter_add(self, index, src, /, dim)", kernels.scatter_add, inplace=True,
   out=Out(memory="first"),
   d_self=lambda grad: grad,
   d_src=lambda grad, index, dim: F.gather(grad, index, dim),
   text="{self} + {src} at {index}", tex=r"{self}", onnx="ScatterElements")


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

op("scatter_reduce(self, index, src, /, dim, reduce, include_self=True)", kernels.scatter_reduce,
   inplace=True, out=Out(memory="first"),
   d_self=lambda grad, self, index, src, result, dim, reduce, include_self:
       F.scatter_reduce_backward_self(
           grad, self, index, src, result, dim, reduce, include_self),
   d_src=lambda grad, self, index, src, result, dim, reduce, include_self:
       F.scatter_reduce_backward_src(
           grad, self, index, src, result, dim, reduce, include_self),
   text="{reduce} of {self} and {src} at {index}", tex=r"{self}", onnx="ScatterElements")


# Along a dim, one index for each slice ------------------------------------------------------------
@composite
def index_select_backward(grad: Any, self_shape: Any, index: Any, dim: Any) -> Any:
    """Zeros to which the slices of the gradient are added."""
    return F.index_add(F.zeros_of(grad, self_shape), index, grad, dim, 1)


op("index_select(self, index, /, dim)", kernels.index_select, out=Out(memory="none"),
   d_self=lambda grad, self_shape, index, dim:
       F.index_select_backward(grad, self_shape, index, dim),
   text="{self} at {index}", tex=r"{self}_{{{index}}}", onnx="Gather")


@composite
def slices_at_index(grad: Any, source_dim: Any, index: Any, dim: Any) -> Any:
    """The slices of the gradient at an index, as what was written there: a number has no dims."""
    found = F.index_select(grad, index, dim)
    return F.reshape(found, ()) if source_dim == 0 else F.expand(found, found.shape)


op("index_add(self, index, source, /, dim, alpha=1)", kernels.index_add, inplace=True,
   out=Out(memory="first"),
   d_self=lambda grad: grad,
   d_source=lambda grad, index, source, source_dim, dim, alpha:
       F.slices_at_index(grad, source_dim, index, dim) if alpha == 1
       else F.slices_at_index(grad, source_dim, index, dim) * alpha,
   text="{self} + {source} at {index}", tex=r"{self}", onnx=None)

op("index_copy(self, index, source, /, dim)", kernels.index_copy, inplace=True,
   out=Out(memory="first"),
   d_self=lambda grad, index, dim: F.index_fill(grad, index, dim, 0),
   d_source=lambda grad, index, source, source_dim, dim:
       F.slices_at_index(grad, source_dim, index, dim),
   text="{self} with {source} at {index}", tex=r"{self}", onnx=None)

op("index_fill(self, index, /, dim, value)", kernels.index_fill, inplace=True, overlap="anything",
   d_self=lambda grad, index, dim: F.index_fill(grad, index, dim, 0),
   text="{self} with {value} at {index}", tex=r"{self}", onnx=None)

op("index_fill.tensor(self, index, value, /, dim)", kernels.index_fill_tensor, inplace=True,
   node="IndexFillBackward1", overlap="anything",
   d_self=lambda grad, index, dim: F.index_fill(grad, index, dim, 0),
   d_value=lambda grad, index, dim: F.sum(F.index_select(grad, F.unique_of(index), dim)),
   text="{self} with {value} at {index}", tex=r"{self}", onnx=None)

op("unique_of(self, /)", np.unique, nograd=True, public=False, sized_by_values=True,
   text="the different items of {self}", tex=r"{self}", onnx=None)
