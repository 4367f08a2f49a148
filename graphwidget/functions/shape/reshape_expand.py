"""``view``, ``reshape``, ``flatten``, ``squeeze``, ``expand`` and their kin.

Dims go into the ops as the user gave them, because nodes show them so (``node._saved_dim``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...arrays import dtypes
from ...arrays.kernel_errors import broadcast_shape
from ...arrays.memory_order import memory_of
from ...arrays.size import Size
from ...dispatch.offer import offer
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ...graph.version import counter_of
from ..dims import checked_dim, checked_dims, infer_shape, shape_args, wrap_dim


# Sizes ------------------------------------------------------------------------------------------
@offer(function=False)
def view(self: Tensor, *shape: Any, size: Any = None, dtype: Any = None) -> Tensor:
    """The same items in another shape, sharing memory; with a dtype, the same bits as that type.

    Raises:
        RuntimeError: the size or the strides do not allow it.
    """
    if (shape and isinstance(shape[0], dtypes.dtype)) or dtype is not None:
        return view_bits(self, dtype or shape[0])
    wanted = shape_args(shape) if size is None else tuple(size)
    return F.view(self, infer_shape(wanted, self._data.size))


def view_bits(self: Tensor, dtype: dtypes.dtype) -> Tensor:
    """The same bits as another type. Not differentiable, and no view by PyTorch's book-keeping.

    Raises:
        RuntimeError: an item of the new type would not consist of neighbours.
    """
    data, target = self._data, dtype.numpy
    have, wanted = data.itemsize, target.itemsize
    words = f"{dtypes.scalar_type(data.dtype)} as {dtypes.scalar_type(target)}"
    tail = f"to view {words} (different element sizes)"
    if have != wanted:
        ratio = wanted // have
        if data.ndim == 0:
            raise RuntimeError(f"self.dim() cannot be 0 {tail}")
        if ratio > 1 and data.shape[-1] % ratio:
            raise RuntimeError(
                f"self.size(-1) must be divisible by {ratio} {tail}, but got {data.shape[-1]}"
            )
        begin = (data.ctypes.data - memory_of(data).ctypes.data) // have
        if ratio > 1 and begin % ratio:
            raise RuntimeError(
                f"self.storage_offset() must be divisible by {ratio} {tail}, but got {begin}"
            )
        *rest, last = self.stride()
        if last != 1 and data.shape[-1] != 1:
            raise RuntimeError(f"self.stride(-1) must be 1 {tail}, but got {last}")
        for dim, step in enumerate(rest):
            if ratio > 1 and step % ratio:
                raise RuntimeError(
                    f"self.stride({dim}) must be divisible by {ratio} {tail}, but got {step}"
                )
    out = Tensor._wrap(data.view(target))
    out._counter = counter_of(self)
    return out


@offer()
def reshape(input: Tensor, *sizes: Any, shape: Any = None) -> Tensor:
    """The same items in another shape; a view where possible, else a copy."""
    shape = sizes if shape is None else (shape,)
    return reshape_to(input, infer_shape(shape_args(shape), input._data.size))


def reshape_to(input: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Like ``reshape``, of a shape that is known to fit."""
    data = input._data
    if data.flags.c_contiguous:
        return F.view(input, shape)
    try:
        data.reshape(shape, copy=False)
    except ValueError:
        return F.unsafe_view(F.clone_contiguous(input), shape)
    return F.reshape_alias(input, shape)


@offer()
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Dims ``start_dim`` to ``end_dim`` as one.

    Shapes: any; one size in place of several, their product.
    """
    ndim = input._data.ndim
    if ndim == 0:
        wrap_dim(start_dim, 0), wrap_dim(end_dim, 0)
        return reshape(input, 1)
    start, end = wrap_dim(start_dim, ndim), wrap_dim(end_dim, ndim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end:
        return input
    shape = input._data.shape
    merged = math.prod(shape[start : end + 1])
    return reshape(input, (*shape[:start], merged, *shape[end + 1 :]))


@offer()
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """One dim as several, of the given sizes (one may be -1).

    Raises:
        RuntimeError: the sizes do not multiply to the dim's.
    """
    shape, sizes = input._data.shape, tuple(sizes)
    dim = wrap_dim(dim, len(shape))
    if not shape:
        raise RuntimeError(
            "unflatten got an unexpected error:\n"
            "Dimension specified as 0 but tensor has no dimensions"
        )
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    try:
        inferred = infer_shape(sizes, shape[dim])
    except RuntimeError as error:
        if list(sizes).count(-1) > 1:
            raise RuntimeError(f"unflatten got an unexpected error:\n{error}") from None
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} "
            f"({shape[dim]}) in the input tensor"
        ) from None
    return F.view(input, (*shape[:dim], *inferred, *shape[dim + 1 :]))


@offer()
def ravel(input: Tensor) -> Tensor:
    """All items in one dim.

    Shapes: any; (n,) for n items.
    """
    if input._data.flags.c_contiguous:
        return F.view(input, (input._data.size,))
    return F.view(F.clone_contiguous(input), (input._data.size,))


@offer(function=False)
def view_as(self: Tensor, other: Tensor) -> Tensor:
    """A view in the shape of another tensor."""
    return F.view(self, infer_shape(other._data.shape, self._data.size))


@offer(function=False)
def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """The same items in the shape of another tensor; a view where possible."""
    return reshape(self, other._data.shape)


@offer()
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A new dim of size 1."""
    return F.unsqueeze(input, checked_dim(dim, input._data.ndim + 1))


@offer()
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Without all dims of size 1, or without the given ones that have it."""
    if dim is None:
        return F.squeeze(input)
    if isinstance(dim, int):
        return F.squeeze_dim(input, checked_dim(dim, input._data.ndim))
    return F.squeeze_dims(input, checked_dims(dim, input._data.ndim))


@offer(function=False)
def expand(self: Tensor, *sizes: Any, size: Any = None, implicit: bool = False) -> Tensor:
    """A view spread to a larger size; -1 keeps a dim.

    Raises:
        RuntimeError: the sizes do not allow it (PyTorch's texts).
    """
    size = sizes if size is None else (size,)
    return F.expand(self, expand_shape(self, list(shape_args(size))))


def expand_shape(self: Tensor, target: list[int]) -> tuple[int, ...]:
    """The larger size, with every -1 filled in.

    Raises:
        RuntimeError: the tensor's own size does not allow it (PyTorch's texts).
    """
    shape = self._data.shape
    offset = len(target) - len(shape)
    if offset < 0:
        raise RuntimeError(
            f"expand({dtypes.printed_type(self._data.dtype)}{{{list(shape)}}}, size={target}): the "
            f"number of sizes provided ({len(target)}) must be greater or equal to the number of "
            f"dimensions in the tensor ({len(shape)})"
        )
    asked = list(target)
    for i in reversed(range(len(target))):
        have = shape[i - offset] if i >= offset else 1
        if target[i] == -1:
            if i < offset and not shape:
                continue
            if i < offset:
                raise RuntimeError(
                    f"The expanded size of the tensor ({asked[i]}) isn't allowed in a leading, "
                    f"non-existing dimension {i}"
                )
            target[i] = have
        elif have not in (1, target[i]):
            raise RuntimeError(
                f"The expanded size of the tensor ({target[i]}) must match the existing "
                f"size ({have}) at non-singleton dimension {i}.  Target sizes: {asked}.  "
                f"Tensor sizes: {list(shape)}"
            )
    if min(target, default=0) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    return tuple(target)


@offer(function=False)
def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """A view spread to the shape of another tensor."""
    return expand(self, other._data.shape)


@offer()
def broadcast_to(input: Tensor, size: Any) -> Tensor:
    """A view spread to a larger size."""
    return expand(input, size)


@offer(method=False)
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """All tensors as views of their common shape.

    Raises:
        RuntimeError: there is none.
    """
    check_tensors(tensors)
    given = tensors
    shape = broadcast_shape([each._data.shape for each in given]) if given else ()
    return tuple(each if each._data.shape == shape else F.expand(each, shape) for each in given)


@offer(method=False)
def broadcast_shapes(*shapes: Any) -> Size:
    """The shape to which all shapes spread.

    Raises:
        RuntimeError, ValueError: there is none (PyTorch's texts).
    """
    given = [(each,) if isinstance(each, int) else each for each in shapes if each is not None]
    for shape in given:
        if not isinstance(shape, Sequence):
            raise RuntimeError(
                "Input shapes should be of type ints, a tuple of ints, or a list of ints, got "
                f"{shape}"
            )
    result = [1] * max((len(shape) for shape in given), default=0)
    for number, shape in enumerate(given):
        for place in range(-1, -1 - len(shape), -1):
            size = shape[place]
            if size in (1, result[place]):
                continue
            if result[place] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {size} at {place}! Mismatching "
                    f"argument at index {number} had {shape}; but expected shape should be "
                    f"broadcastable to {result}"
                )
            if size < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            result[place] = size
    return Size(result)


# At least 1, 2 or 3 dims -------------------------------------------------------------------------
def check_tensors(given: Sequence[Any]) -> None:
    """Refuse what is no tensor in a list of them.

    Raises:
        TypeError: there is something else (PyTorch's text).
    """
    for i, each in enumerate(given):
        if not isinstance(each, Tensor):
            raise TypeError(
                f"expected Tensor as element {i} in argument 0, but got {type(each).__name__}"
            )


def map_tensors(tensors: tuple[Any, ...], make: Any) -> Any:
    """A function of one tensor, for one, several or a list of them."""
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return make(tensors[0])
    given = tensors[0] if len(tensors) == 1 else tensors
    check_tensors(given)
    return tuple(make(each) for each in given)


def to_1d(tensor: Tensor) -> Tensor:
    """The tensor, with a dim at least."""
    return tensor if tensor._data.ndim else F.view(tensor, (1,))


def to_2d(tensor: Tensor) -> Tensor:
    """The tensor, with two dims at least."""
    if tensor._data.ndim == 0:
        return F.view(tensor, (1, 1))
    return F.unsqueeze(tensor, 0) if tensor._data.ndim == 1 else tensor


def to_3d(tensor: Tensor) -> Tensor:
    """The tensor, with three dims at least."""
    if tensor._data.ndim == 0:
        return F.view(tensor, (1, 1, 1))
    return F.unsqueeze(to_2d(tensor), -1) if tensor._data.ndim < 3 else tensor


@offer(method=False)
def atleast_1d(*tensors: Any) -> Any:
    """0-d tensors with a dim, others as they are."""
    return map_tensors(tensors, to_1d)


@offer(method=False)
def atleast_2d(*tensors: Any) -> Any:
    """Tensors with two dims at least, new ones in front.

    Shapes: any; 0-d becomes (1, 1), (n,) becomes (1, n).
    """
    return map_tensors(tensors, to_2d)


@offer(method=False)
def atleast_3d(*tensors: Any) -> Any:
    """Tensors with three dims at least.

    Shapes: any; 0-d becomes (1, 1, 1), (n,) becomes (1, n, 1), (m, n) becomes (m, n, 1).
    """
    return map_tensors(tensors, to_3d)
