"""Kernels of reductions. All take and return arrays.

``dim`` is a tuple of dims as users give them (one dim where PyTorch takes one); the empty tuple
and None mean all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.memory_order import as_array
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


def aminmax(a: Array, dim: int | None, keepdim: Any = False) -> tuple[Array, Array]:
    """Smallest and largest items along a dim, or of all."""
    dims = () if dim is None or not a.ndim else (dim,)
    return amin(a, dims, keepdim), amax(a, dims, keepdim)


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
