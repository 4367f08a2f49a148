"""Kernels that read and write at indices given along one dim.

Dims may count from the end. Results lie in C order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.kernel_errors import not_implemented
from ...arrays.memory_order import Array, Shape, as_array, clone
from ...arrays.scalars import scalar_array
from .index_kernels import add_slices


def writable_copy(a: Array) -> Array:
    """A copy in C order, to be written to."""
    return np.array(a, order="C")


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
    """The same with one number."""
    return scatter_reduce_legacy(a, index, np.full(index.shape, value, a.dtype), dim, reduce)


# Along a dim, one index for each slice -----------------------------------------------------------
def dim_index(index: Array, dim: int, ndim: int) -> tuple[Any, ...]:
    """A numpy index: the slices of a dim."""
    return (*(slice(None),) * (dim % max(ndim, 1)), index.reshape(-1))


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


def index_copy(a: Array, index: Array, source: Array, dim: int) -> Array:
    """A copy of a with slices replaced."""
    result = writable_copy(a)
    if not a.ndim:
        result[...] = as_array(source).reshape(())
    else:
        result[dim_index(index, dim, a.ndim)] = source
    return result


def index_fill(a: Array, index: Array, dim: int, value: float) -> Array:
    """A copy of a with slices filled with one number, the dims in a's order in memory."""
    result, item = clone(a), scalar_array(value, a.dtype)
    if index.size:
        spread = result if result.ndim else result.reshape(1)
        spread[dim_index(index, dim, a.ndim)] = item
    return result


def index_fill_tensor(a: Array, index: Array, value: Array, dim: int) -> Array:
    """The same with the number in a 0-d array."""
    return index_fill(a, index, dim, as_array(value).item())
