"""Kernels of ``where``, ``maximum`` and ``clamp``, without a branch for each item.

``np.where`` takes ten times longer on a random mask than on a regular one, because the processor
guesses wrong; on large arrays the bits are combined instead.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from ...arrays.scalars import scalar_array

Array: TypeAlias = Any

LARGE = 1_000
"""Items from which on three passes over the bits beat one with branches."""
BITS: dict[int, Any] = {2: np.int16, 4: np.int32, 8: np.int64}
"""Integers by their size in bytes, to see floating items as bits."""


_ONE = np.ones((), np.int8)
_zeros: dict[Any, Array] = {}


def zero(dtype: Any) -> Array:
    """The number 0 of a type, as an array: a Python number would be converted on every call."""
    found = _zeros.get(dtype)
    if found is None:
        found = _zeros[dtype] = np.zeros((), dtype)
    return found


def zero_where(mask: Array, a: Array, out: Array | None = None) -> Array:
    """0 where the mask holds, else a; whatever a is there, inf and nan too."""
    if a.size < LARGE or a.dtype.kind != "f" or mask.shape != a.shape:
        found = _as_array(np.where(mask, zero(a.dtype), a))
        if out is None:
            return found
        out[...] = found
        return out
    kind = BITS[a.itemsize]
    bits = np.subtract(mask.view(np.int8), _ONE).astype(kind)  # all are set where the item stays
    found = np.bitwise_and(a.view(kind), bits, bits if out is None else out.view(kind))
    return found.view(a.dtype)


def where_numbers(mask: Array, yes: float, no: float, dtype: Any) -> Array:
    """One number where the mask holds, else the other."""
    first, second = np.asarray(yes, dtype), np.asarray(no, dtype)
    if mask.size < LARGE or first.dtype.kind != "f":
        return _as_array(np.where(mask, first, second))
    kind = BITS[first.itemsize]
    by = np.bitwise_xor(first.view(kind), second.view(kind))
    bits = np.multiply(mask, by, dtype=kind)
    return np.bitwise_xor(bits, second.view(kind), bits).view(first.dtype)


def where_mask(mask: Array, a: Array, b: Array) -> Array:
    """a where the mask holds, else b."""
    if mask.size < LARGE or a.dtype.kind != "f" or a.dtype != b.dtype:
        return _as_array(np.where(mask, a, b))
    kind = BITS[a.itemsize]
    bits = np.negative(mask.view(np.int8)).astype(kind)  # all are set where a is chosen
    first, second = a.view(kind), b.view(kind)
    if not a.shape == b.shape == mask.shape:
        return np.bitwise_xor(second, (first ^ second) & bits, out=...).view(a.dtype)
    np.bitwise_and(bits, first ^ second, bits)
    np.bitwise_xor(bits, second, bits)
    return bits.view(a.dtype)


# Bounds ------------------------------------------------------------------------------------------
def maximum(a: Array, low: float) -> Array:
    """a, or low where that is larger; nan stays, and so does -0 against 0, as in PyTorch."""
    bound = _number(low, a.dtype)
    if a.size < LARGE or a.dtype.kind != "f":
        return np.maximum(bound, a, out=...)
    return a.clip(bound, np.inf)  # numpy's quickest loop over an array and a number


def minimum(a: Array, high: float) -> Array:
    """a, or high where that is smaller; nan stays, and so does 0 against -0."""
    bound = _number(high, a.dtype)
    if a.size < LARGE or a.dtype.kind != "f":
        return np.minimum(bound, a, out=...)
    return a.clip(-np.inf, bound)


def between(a: Array, low: float, high: float) -> Array:
    """a, but at least low, and then at most high."""
    if a.size < LARGE or a.dtype.kind != "f":
        return minimum(maximum(a, low), high)
    return a.clip(_number(low, a.dtype), _number(high, a.dtype))


def _number(value: float, dtype: Any) -> Array:
    return zero(dtype) if value == 0 else scalar_array(value, dtype)


def _as_array(value: Any) -> Array:
    return value if value.__class__ is np.ndarray else np.asarray(value)
