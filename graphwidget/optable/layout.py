"""Copies and the order of their dims in memory, which is PyTorch's."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = Any
Shape = tuple[int, ...]


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
