"""The order of dims in memory that PyTorch gives to results and copies; memory that overlaps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = Any
Shape = tuple[int, ...]


def as_array(value: Any) -> Array:
    """Kernels work on arrays; backward may hand them numpy scalars."""
    return value if value.__class__ is np.ndarray else np.asarray(value)


# The order of the dims in memory, outermost first -------------------------------------------------
def memory_order(shape: Shape, *operands: Array) -> list[int]:
    """The order of what is computed from operands that are broadcast to a shape."""
    return iteration_order(shape, *[broadcast_strides(shape, operand) for operand in operands])


def iteration_order(shape: Shape, *known: Sequence[int]) -> list[int]:
    """The order in which PyTorch's TensorIterator lays out what it computes, from the strides of
    its operands. Where items repeat (stride 0) an operand does not know; the insertion sort then
    asks the next one, and C order is the default."""

    def inside(one: int, two: int) -> int:
        """Positive when ``two`` must be further inside than ``one``, negative when it must not."""
        for strides in known:
            first, second = strides[one], strides[two]
            if first and second:
                if first != second:
                    return first - second
                if shape[one] > shape[two]:
                    return 1
        return 0

    order = list(reversed(range(len(shape))))  # innermost first
    for start in range(1, len(shape)):
        place = start
        for other in reversed(range(start)):
            decided = inside(order[other], order[place])
            if decided > 0:
                order[other], order[place] = order[place], order[other]
                place = other
            elif decided < 0:
                break
    return order[::-1]


def broadcast_strides(shape: Shape, operand: Array) -> list[int]:
    """The strides of an operand broadcast to a shape: 0 where it repeats."""
    own, new = operand.shape, len(shape) - operand.ndim
    strides = torch_strides(own, operand.strides, operand.itemsize)
    return [0] * new + [
        0 if size == 1 != shape[new + dim] else strides[dim] for dim, size in enumerate(own)
    ]


def empty_in_order(order: list[int], shape: Shape, dtype: Any) -> Array:
    """Memory that is filled by the dims in this order."""
    memory = np.empty([shape[dim] for dim in order], dtype)
    return memory.transpose([order.index(dim) for dim in range(len(shape))])


def is_in_order(a: Array, order: list[int]) -> bool:
    """Return whether the items fill their memory with the dims in this order."""
    return bool(a.transpose(order).flags.c_contiguous)


def copy_in_order(a: Array, order: list[int]) -> Array:
    """A copy with the dims in this order."""
    result = empty_in_order(order, a.shape, a.dtype)
    np.copyto(result, a)
    return result


def ordered(data: Array, operands: Sequence[Array]) -> Array:
    """A result in the memory order that PyTorch gives it: numpy falls back on C order where the
    operands disagree, PyTorch follows the first that knows."""
    operands = [operand for operand in operands if operand is not None]
    for operand in operands:
        if not operand.flags.c_contiguous:
            break
    else:
        return data
    order = memory_order(data.shape, *operands)
    return data if is_in_order(data, order) or not data.size else copy_in_order(data, order)


def empty_for_result(shape: Shape, dtype: Any, *operands: Array) -> Array:
    """Memory for a result of these operands."""
    return empty_in_order(memory_order(shape, *operands), shape, dtype)


# Channels last ------------------------------------------------------------------------------------
def is_channels_last(a: Array) -> bool:
    """Return whether a batch of images or volumes has its channels innermost in memory, by
    PyTorch's rule of strides: where it is ambiguous, it has not."""
    if a.ndim not in (4, 5) or a.strides[1] > a.strides[-1]:
        return False
    strides = torch_strides(a.shape, a.strides, a.itemsize)
    least = 0
    for dim in (1, *range(a.ndim - 1, 1, -1), 0):
        unclear = dim == 0 and least == strides[1]
        if not a.shape[dim] or not strides[1] or strides[dim] < least or unclear:
            return False
        least = strides[dim] * a.shape[dim]
    return True


def to_channels_last(a: Array) -> Array:
    """A copy with the channels innermost."""
    return copy_in_order(a, channels_last_order(a.ndim))


def channels_last_order(ndim: int) -> list[int]:
    """The order of dims that is called channels last."""
    return [0, *range(2, ndim), 1]


def keep_channels_last(kernel: Callable[..., Any], dims: Shape = (4, 5)) -> Callable[..., Any]:
    """The kernel with its result's channels innermost where they are so in its operand of so many
    dims; of several results, those of the first one's shape."""

    @wraps(kernel)
    def keeping(a: Array, *args: Any, **kwargs: Any) -> Any:
        found = kernel(a, *args, **kwargs)
        if a.ndim not in dims or not is_channels_last(a):
            return found
        if isinstance(found, tuple):
            shape = found[0].shape
            return tuple(to_channels_last(x) if x.shape == shape else x for x in found)
        return to_channels_last(found)

    return keeping


keep_images_channels_last = partial(keep_channels_last, dims=(4,))
"""The same where PyTorch does it for images only."""


# Copies -------------------------------------------------------------------------------------------
def clone(a: Array) -> Array:
    """A copy with the dims in the same order in memory."""
    return to_copy(a, a.dtype)


def to_copy(a: Array, dtype: Any) -> Array:
    """A copy in another type, with the dims in the same order in memory."""
    if 0 not in a.strides:
        return np.array(a, dtype, order="K")
    result = empty_like(a, dtype)
    np.copyto(result, a, casting="unsafe")
    return result


def empty_like(a: Array, dtype: Any) -> Array:
    """Memory for a copy of a, with the dims in the same order."""
    return np.empty_like(a, dtype) if 0 not in a.strides else empty_for_result(a.shape, dtype, a)


def full_like(a: Array, value: Any) -> Array:
    """The same value everywhere, laid out as a copy of a."""
    result = empty_like(a, a.dtype)
    result.fill(value)
    return result


def new_zeros(a: Array, shape: Shape) -> Array:
    """Zeros of a shape, in a's type."""
    return np.zeros(shape, as_array(a).dtype)


Geometry = tuple[Shape, Shape, int]
"""Sizes, strides and offset of an array in its storage, all in items."""


def item_offsets(geometry: Geometry) -> Array:
    """Return where in its storage each item lies."""
    sizes, strides, offset = geometry
    found = np.full((), offset, np.int64)
    for size, stride in zip(sizes, strides, strict=True):
        found = found[..., None] + np.arange(size) * stride
    return found


def memory_owner(a: Array) -> Array:
    """The array that owns a's memory."""
    owner = a
    while True:
        base = owner.base
        if not isinstance(base, np.ndarray):  # as_strided puts an object of its own in between
            base = getattr(base, "base", None)
        if not isinstance(base, np.ndarray):
            return owner
        owner = base


def memory_of(a: Array) -> Array:
    """The array that owns a's memory, its dims in the order in which they lie there."""
    return in_memory_order(memory_owner(a))


def in_memory_order(a: Array) -> Array:
    """An array that has its memory to itself, its dims in the order in which they lie there."""
    if a.flags.c_contiguous:
        return a
    return a.transpose(sorted(range(a.ndim), key=lambda dim: -a.strides[dim]))


def copy_with_memory(a: Array) -> Array:
    """A copy that lies in a copy of the whole memory as ``a`` does, where no items repeat."""
    if 0 in a.strides:
        return clone(a)
    memory = memory_of(a)
    start = a.ctypes.data - memory.ctypes.data if a.size else 0
    return np.ndarray(a.shape, a.dtype, memory.copy(), start, a.strides)


def torch_strides(shape: Shape, strides: Shape, itemsize: int) -> list[int]:
    """Strides as PyTorch has them: numpy gives new dims of size 1 the stride 0, and all dims of
    an array without items."""
    empty = 0 in shape and not any(strides)
    found: list[int] = []
    beyond = itemsize
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        found.append(beyond if empty or (not stride and size == 1) else stride)
        beyond = found[-1] * (max(size, 1) if empty else size)
    return found[::-1]


OVERLAP = (
    "unsupported operation: more than one element of the written-to tensor refers to a single "
    "memory location. Please clone() the tensor before performing the operation."
)
PARTIAL_OVERLAP = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to "
    "a single memory location. Please clone() the tensor before performing the operation."
)

MOST_WORK = 10_000
"""Steps that may be spent on whether items overlap; if they do not suffice, they might."""


def is_dense(data: np.ndarray) -> bool:
    """Return whether the items fill their memory without gaps, in some order of the dims."""
    if not data.size:
        return True
    expected = data.itemsize
    sizes = sorted(zip(data.strides, data.shape, strict=True))
    for stride, size in sizes:
        if size != 1:
            if stride != expected:
                return False
            expected *= size
    return True


def is_same_memory(data: np.ndarray, other: np.ndarray) -> bool:
    """Return whether two arrays are the same items of the same memory."""
    if other is data:
        return True
    return (
        np.may_share_memory(data, other)
        and other.ctypes.data == data.ctypes.data
        and other.size == data.size
        and other.dtype == data.dtype
        and real_strides(other) == real_strides(data)
    )


def real_strides(data: np.ndarray) -> list[int]:
    """Strides in bytes as PyTorch has them."""
    return torch_strides(data.shape, data.strides, data.itemsize)


def has_internal_overlap(data: np.ndarray) -> bool:
    """Return whether several items share one memory location, as in an expanded tensor."""
    return (
        0 in data.strides
        and data.size > 0
        and any(
            stride == 0 and size > 1 for stride, size in zip(data.strides, data.shape, strict=True)
        )
    )


def check_overlap(data: np.ndarray, others: list[np.ndarray], whole: bool = False) -> bool:
    """Refuse a write whose items or operands overlap in part (with ``whole``, at all).

    PyTorch answers only for tensors without gaps; the others it lets pass. Returns whether there
    are such that overlap in part.

    Raises:
        RuntimeError: PyTorch's texts.
    """
    if not whole and has_internal_overlap(data):
        raise RuntimeError(OVERLAP)
    tangled = False
    for other in others:
        if whole and other is data:  # even where there is no item
            raise RuntimeError(PARTIAL_OVERLAP)
        if np.may_share_memory(data, other) and (whole or not is_same_memory(data, other)):
            if is_dense(data) and is_dense(other):
                raise RuntimeError(PARTIAL_OVERLAP)
            # So far only the ends were compared, between which the items may alternate (chunks).
            # numpy's stubs know two values of the last argument only.
            tangled |= np.may_share_memory(data, other, MOST_WORK)  # type: ignore[arg-type]
    return tangled


def may_interleave(data: np.ndarray) -> bool:
    """Return whether items may share memory although no stride is 0: windows that overlap, which
    PyTorch does not notice."""
    flags = data.flags
    if flags.c_contiguous or flags.f_contiguous or not data.size:
        return False
    extent = 0
    for stride, size in sorted(zip(data.strides, data.shape, strict=True)):
        if size > 1:
            if 0 < stride <= extent:
                return True
            extent += stride * (size - 1)
    return False
