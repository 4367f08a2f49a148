"""Copies and the order of their dims in memory, which is PyTorch's."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = Any
Shape = tuple[int, ...]


def as_array(value: Any) -> Array:
    """Kernels work on arrays; backward may hand them numpy scalars."""
    return value if value.__class__ is np.ndarray else np.asarray(value)


def clone(a: Array) -> Array:
    """A copy with the dims in the same order in memory."""
    return copied(a, a.dtype)


def to_copy(a: Array, dtype: Any) -> Array:
    """A copy in another type, laid out as ``clone``'s."""
    return copied(a, dtype)


def copied(a: Array, dtype: Any) -> Array:
    """A copy of a with the dims in the same order in memory."""
    if 0 not in a.strides:
        return np.array(a, dtype, order="K")
    result = empty_like(a, dtype)
    np.copyto(result, a, casting="unsafe")
    return result


def empty_like(a: Array, dtype: Any) -> Array:
    """Memory for a copy of a, with the dims in the same order."""
    return np.empty_like(a, dtype) if 0 not in a.strides else empty_ordered(a.shape, dtype, a)


def zeros_of(a: Array, shape: Shape) -> Array:
    """Zeros of a shape, in a's type."""
    return np.zeros(shape, as_array(a).dtype)


def empty_ordered(shape: Shape, dtype: Any, *operands: Array) -> Array:
    """Memory for a result, with its dims in the order of the operands' strides. Where items
    repeat (stride 0) that order is not clear: the insertion sort of PyTorch's TensorIterator
    decides, which asks the first operand that knows."""

    def after(one: int, two: int) -> int:
        for operand in operands:
            first, second = operand.strides[one], operand.strides[two]
            if first and second and first != second:
                return 1 if first > second else -1
            if first and second and shape[one] > shape[two]:
                return 1
        return 0

    order = list(reversed(range(len(shape))))
    for start in range(1, len(shape)):
        moving = start
        for other in reversed(range(start)):
            verdict = after(order[other], order[moving])
            if verdict < 0:
                break
            if verdict > 0:
                order[other], order[moving] = order[moving], order[other]
                moving = other
    outermost = list(reversed(order))
    memory = np.empty([shape[dim] for dim in outermost], dtype)
    return memory.transpose([outermost.index(dim) for dim in range(len(shape))])


Geometry = tuple[Shape, Shape, int]
"""How items lie in their storage: sizes, strides and offset, all in items."""


def positions(geometry: Geometry) -> Array:
    """Where in its storage each item lies."""
    sizes, strides, offset = geometry
    found = np.full((), offset, np.int64)
    for size, stride in zip(sizes, strides, strict=True):
        found = found[..., None] + np.arange(size) * stride
    return found


def memory_of(a: Array) -> Array:
    """The array that owns a's memory, its dims in the order in which they lie there."""
    owner = a
    while True:
        base = owner.base
        if not isinstance(base, np.ndarray):  # as_strided puts an object of its own in between
            base = getattr(base, "base", None)
        if not isinstance(base, np.ndarray):
            break
        owner = base
    if owner.flags.c_contiguous:
        return owner
    return owner.transpose(sorted(range(owner.ndim), key=lambda dim: -owner.strides[dim]))


def resized(a: Array, shape: Shape, strides: Shape | None = None) -> Array:
    """Another size (and strides, in bytes) over a's memory, from a's beginning. Where that is too
    small, over a larger copy of it: what else shows the memory keeps the old one."""
    memory = memory_of(a)
    begin = a.ctypes.data - memory.ctypes.data
    needed = begin + a.itemsize * math.prod(shape)
    if needed > memory.nbytes:
        grown = np.empty(-(-needed // memory.itemsize), memory.dtype)
        grown[: memory.size] = memory.reshape(-1)
        memory = grown
    return np.ndarray(shape, a.dtype, memory, begin, strides)


def true_strides(shape: Shape, strides: Shape, itemsize: int) -> list[int]:
    """Strides as PyTorch has them: numpy gives new dims of size 1 the stride 0, and all dims of
    an array without items."""
    empty = 0 in shape and not any(strides)
    found: list[int] = []
    beyond = itemsize
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        found.append(beyond if empty or (not stride and size == 1) else stride)
        beyond = found[-1] * (max(size, 1) if empty else size)
    return found[::-1]
