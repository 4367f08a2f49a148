"""Kernels that several families use: sigmoid, powers, where, sums and maxima along dims.

All take and return arrays.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from ...arrays.blocks import BLOCK, apply_in_blocks
from ...arrays.kernel_errors import not_implemented
from ...arrays.memory_order import as_array, clone
from ...arrays.scalars import scalar_array
from ..declare import ARRAYS
from .where_clamp_kernels import between, maximum, minimum, where_mask, zero, zero_where

Array: TypeAlias = Any
"""An ndarray. numpy's stubs do not know ``out=...``, so they would call every result Any."""
Shape = tuple[int, ...]

ONE = np.ones((), np.float32)
"""The number 1, to be combined with a floating array into that array: a Python number would be
converted anew on every call, which on small arrays costs as much as the arithmetic."""
MINUS_ONE = np.full((), -1, np.float32)


# Sums as products --------------------------------------------------------------------------------
# A product with ones sums a matrix several times as fast as a reduction, whose loop starts anew in
# each row, or goes through memory once for each of them.
MOST_ONES = 1 << 14


@lru_cache(64)
def _cached_ones(count: int, kind: str) -> Array:
    return np.ones(count, kind)


def ones(count: int, kind: str) -> Array:
    """Check that many ones of a type, not to be written: a matrix times them is the sum of its
    columns."""
    return _cached_ones(count, kind) if count <= MOST_ONES else np.ones(count, kind)


# Pointwise -----------------------------------------------------------------------------------
def sigmoid(a: Array, out: Any = ...) -> Array:
    """1 / (1 + exp(-a)), which neither overflows nor loses precision at the ends."""
    if out is ... and a.size > BLOCK:  # a decorator would cost small arrays a call
        return apply_in_blocks(sigmoid, (a,))
    # numpy 2.4's negative misreads, of its own memory, items 16 or 64 bytes apart.
    result = np.negative(a, out=out) if out is ... else np.multiply(a, MINUS_ONE, out)
    np.exp(result, result)
    np.add(result, ONE, result)
    return np.divide(ONE, result, result)


def sigmoid_backward(grad: Array, result: Array, out: Any = ...) -> Array:
    """grad (1 - result) result."""
    if not isinstance(grad, np.ndarray):
        result = result[()]
        return grad * ((1 - result) * result)
    if out is ... and result.size > BLOCK and grad.shape == result.shape:
        return apply_in_blocks(sigmoid_backward, (grad, result))
    factor = np.subtract(ONE, result, out=out, dtype=result.dtype)
    np.multiply(factor, result, factor)
    if grad.shape != factor.shape:
        return np.multiply(grad, factor, out=...)
    return np.multiply(grad, factor, factor)


def tanh_backward(grad: Array, result: Array, out: Any = ...) -> Array:
    """grad (1 - result**2)."""
    if not isinstance(grad, np.ndarray):
        result = result[()]
        return grad * (1 - result * result)
    if out is ... and result.size > BLOCK and grad.shape == result.shape:
        return apply_in_blocks(tanh_backward, (grad, result))
    factor = np.multiply(result, result, out=out)
    np.subtract(ONE, factor, factor)
    return np.multiply(grad, factor, factor)


def relu(a: Array) -> Array:
    """max(a, 0); nan stays nan."""
    return maximum(a, 0)


def threshold_backward(grad: Array, result: Array, threshold: float) -> Array:
    """0 where result <= threshold, else grad."""
    if not isinstance(grad, np.ndarray):
        return type(grad)(0) if result <= threshold else grad
    limit = zero(result.dtype) if threshold == 0 else threshold
    return zero_where(np.less_equal(result, limit), as_array(grad))


def power(a: Array, exponent: float) -> Array:
    """a**exponent for a Python number; squares and cubes by multiplication, as PyTorch does."""
    if exponent == 2:
        return np.multiply(a, a, out=...)
    if exponent == 3:
        return np.multiply(a * a, a, out=...)
    if exponent == 0.5 and a.dtype.kind == "f":
        return np.sqrt(a, out=...)
    if exponent == -0.5 and a.dtype.kind == "f":
        return np.divide(ONE, np.sqrt(a), out=..., dtype=a.dtype)
    if exponent == 1:
        return clone(a)
    if a.dtype.kind != "f" and isinstance(exponent, int) and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return np.power(a, scalar_array(exponent, a.dtype), out=...)


def power_backward(grad: Array, a: Array, exponent: float) -> Array:
    """grad times the slope of a**exponent, exponent a**(exponent - 1); 0 where that is 0."""
    if exponent == 0:
        return np.zeros_like(a)
    if exponent == 2:
        return grad * (a + a)
    number = float(exponent)
    return grad * (number * power(a, number - 1))


def power_of(exponent: Array, base: float) -> Array:
    """base**exponent for a Python number as the base."""
    return whole_power(np.asarray(base, exponent.dtype), exponent, order="C")


def whole_power(a: Array, exponent: Array, order: Any = "K") -> Array:
    """a**exponent; of integers too where exponents are negative (then 0, but for 1 and -1)."""
    if exponent.dtype.kind != "i" or not (negative := np.less(exponent, 0)).any():
        return np.power(a, exponent, out=..., order=order)
    parity = np.where(exponent & 1, a, np.ones_like(a))
    units = np.where(np.abs(a) == 1, parity, np.zeros_like(a))
    powers = np.power(a, np.where(negative, 0, exponent))
    return np.where(negative, units, powers).astype(a.dtype)


def reversed_subtract(a: Array, other: Array | float, alpha: float) -> Array:
    """other - alpha a; other may be a number."""
    check_alpha(a, alpha)
    scaled = a if alpha == 1 else np.multiply(a, scalar_array(alpha, a.dtype))
    return np.subtract(np.asarray(other).astype(a.dtype), scaled, out=...)


def check_alpha(a: Array, alpha: float) -> None:
    """Refuse factors that integers or bools cannot take (PyTorch's texts)."""
    if a.dtype.kind != "f" and isinstance(alpha, float):
        raise RuntimeError(
            "For integral input tensors, argument alpha must not be a floating point number."
        )
    if a.dtype.kind != "b" and isinstance(alpha, bool):
        raise RuntimeError("Boolean alpha only supported for Boolean results.")


def scaled_add(a: Array, b: Array, alpha: float, out: Any = ...) -> Array:
    """a + alpha b."""
    check_alpha(a, alpha)
    return np.add(a, np.multiply(b, scalar_array(alpha, b.dtype)), out=out)


def scaled_subtract(a: Array, b: Array, alpha: float, out: Any = ...) -> Array:
    """a - alpha b."""
    check_alpha(a, alpha)
    return np.subtract(a, np.multiply(b, scalar_array(alpha, b.dtype)), out=out)


def clamp(a: Array, min: float | None, max: float | None) -> Array:
    """a, at least min and at most max."""
    if min is not None and max is not None:
        return between(a, min, max)
    if min is not None:
        return maximum(a, min)
    return a if max is None else minimum(a, max)


def where(condition: Array, a: Array, b: Array) -> Array:
    """a where condition, else b."""
    return where_mask(condition, a, b)


def sign(a: Array) -> Array:
    """-1, 0 or 1; 0 for nan too, unlike numpy's. Bools are their own sign."""
    if a.dtype == bool:
        return a.copy()
    return np.subtract(a > 0, a < 0, out=..., dtype=a.dtype)


# Reductions ----------------------------------------------------------------------------------
def sum_type(a: Array) -> Any:
    """Sums of integers and bools are int64."""
    return None if a.dtype.kind == "f" else np.int64


def sum_all(a: Array, dtype: Any = None) -> Array:
    """The sum of all items, 0-d."""
    return as_array(np.add.reduce(a, None, dtype or sum_type(a)))


def sum_dim(a: Array, dim: Shape, keepdim: Any = False, dtype: Any = None) -> Array:
    """Sums along dims."""
    dims = dim if dim and a.ndim else None
    total = np.add.reduce(a, dims, dtype or sum_type(a), keepdims=keepdim)
    return np.asarray(total, order="C")


def mean_all(a: Array, dtype: Any = None) -> Array:
    """The mean of all items, 0-d."""
    total = np.add.reduce(a, None, dtype)
    return np.divide(total, np.asarray(a.size, total.dtype), out=...)


def mean_dim(a: Array, dim: Shape, keepdim: Any = False, dtype: Any = None) -> Array:
    """Means along dims."""
    total = np.add.reduce(a, dim if dim and a.ndim else None, dtype, keepdims=keepdim)
    count = count_along(a.shape, dim)
    return np.divide(total, np.asarray(count, total.dtype), out=..., order="C")


def wrap_dims(dim: Any, ndim: int) -> Shape:
    """Dims as users give them (one, several, or None or () for all), in order and counted from
    the start; a 0-d tensor has none."""
    if dim is None or dim == () or not ndim:
        return tuple(range(ndim))
    return tuple(sorted(d % ndim for d in ((dim,) if isinstance(dim, int) else dim)))


def count_along(shape: Shape, dim: Any) -> int:
    """Return how many items are reduced into one."""
    return math.prod(shape[d] for d in wrap_dims(dim, len(shape)))


def max_all(a: Array) -> Array:
    """The largest item; nan wins."""
    return as_array(np.maximum.reduce(a, None))


def min_all(a: Array) -> Array:
    """The smallest item; nan wins."""
    return as_array(np.minimum.reduce(a, None))


def max_dim(a: Array, dim: int, keepdim: Any) -> tuple[Array, Array]:
    """Largest items along a dim and their (first) indices."""
    return _values_and_index(a, np.argmax(a, dim, keepdims=True) if a.ndim else None, dim, keepdim)


def min_dim(a: Array, dim: int, keepdim: Any) -> tuple[Array, Array]:
    """Smallest items along a dim and their (first) indices."""
    return _values_and_index(a, np.argmin(a, dim, keepdims=True) if a.ndim else None, dim, keepdim)


def _values_and_index(a: Array, index: Array | None, dim: int, keepdim: Any) -> tuple[Array, Array]:
    if index is None:
        return a.copy(), np.zeros((), np.int64)
    values = np.take_along_axis(a, index, dim)
    if not keepdim:
        values, index = values.squeeze(dim), index.squeeze(dim)
    return as_array(values), as_array(index)


def scatter_along_dim(zeros: None, grad: Array, index: Array, shape: Shape, dim: int) -> Array:
    """Zeros of ``shape`` with grad at the chosen indices along a dim. (``zeros`` stands for them in
    the op's signature, where PyTorch's has a slot for them.)"""
    result = np.zeros(shape, as_array(grad).dtype)
    if not shape:
        result[...] = grad
        return result
    np.put_along_axis(result, index, grad, dim)
    return result


def gather_along_dim(a: Array, index: Array, dim: int) -> Array:
    """The items at the chosen indices along a dim."""
    return np.take_along_axis(a, index, dim) if a.ndim else a.copy()


def sum_to_size(a: Array, shape: Shape) -> Array:
    """The sum over the dims that a broadcast from ``shape`` stretched. Where the broadcast added
    dims, the result is a view of a sum with these dims, as in PyTorch: a view is never added to in
    place."""
    a = as_array(a)
    if a.shape == shape:
        return a
    extra = a.ndim - len(shape)
    if extra == 1 and a.ndim == 2 and a.shape[1:] == shape and a.flags.c_contiguous:
        rows = len(a)
        if 0 < rows <= MOST_ONES and a.dtype.char in "fd":  # the gradient of a bias
            return np.matmul(ones(rows, a.dtype.char), a).reshape(shape)
    dims = tuple(range(extra)) + tuple(
        i + extra for i, size in enumerate(shape) if size == 1 and a.shape[i + extra] != 1
    )
    if not shape:
        return as_array(np.add.reduce(a, dims))
    found = np.add.reduce(a, dims, keepdims=True)
    return found.reshape(shape) if extra else found


def write_op(key: str, target: Array, *operands: Any, **params: Any) -> Array:
    """Write the result of an op on ``target`` and other operands into ``target``. Formulas write
    parts of new tensors in this way, where PyTorch's do."""
    np.copyto(target, getattr(ARRAYS, key)(target, *operands, **params))
    return target


ARRAYS.__dict__.update(
    reshape=lambda a, shape: a.reshape(shape), sum_to_size=sum_to_size, write=write_op
)


def rsqrt(a: Array) -> Array:
    """1 / sqrt(a)."""
    root = np.sqrt(a, out=...)
    return np.divide(ONE, root, root)


def rounding(name: str, ufunc: Any) -> Any:
    """A rounding function that leaves integers as they are."""

    def kernel(a: Array) -> Array:
        if a.dtype.kind == "b":
            raise not_implemented(name, a.dtype)
        return a.copy() if a.dtype.kind in "iu" else ufunc(a, out=...)

    return kernel


def log1p(x: Array, out: Any = ...) -> Array:
    """log(1 + x) for x >= 0, to the last bits: what rounding 1 + x lost is made up for. Five times
    as fast as numpy's log1p."""
    whole = np.add(x, ONE, out=..., dtype=x.dtype)
    lost = np.subtract(whole, ONE, out=..., dtype=x.dtype)
    np.subtract(x, lost, out=lost)
    lost /= whole
    np.log(whole, out=whole)
    return np.add(whole, lost, out=whole if out is ... else out)
