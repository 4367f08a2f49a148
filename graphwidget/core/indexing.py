"""``x[...]`` and ``x[...] = value``: basic indexing as a chain of views, the rest as one op.

Views are recorded with the numbers as the user gave them (-1, or no end at all), which is what
PyTorch's nodes show.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..optable import TABLE
from ..optable.index_kernels import indexed_shape
from . import dtypes, errors, inplace
from .compile import TENSORS
from .dtypes import number_dtype as number_type
from .promote import constant
from .tensor import Tensor

BAD_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
    "indices (got {})"
)
EXPANDED = (
    "Use of {} on expanded tensors is deprecated. Please clone() the tensor before performing this "
    "operation. This also applies to advanced indexing e.g. tensor[{}] = {}"
)
ZERO_DIM = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ "
    "to convert a 0-dim tensor to a number"
)
ZERO_DIM_SLICE = "slice() cannot be applied to a 0-dim tensor."
NOT_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in "
    "pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as "
    "tensor index, x[torch.tensor(seq)], which will result either in an error or a different result"
)
BYTES = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
LONG_SEQUENCE = 32
"""From this length on a list is one index, whatever is in it."""


class End(int):
    """The end of a slice that has none: larger than any size, and not written out."""

    def __repr__(self) -> str:
        return ""

    __str__ = __repr__


END = End(2**63 - 1)


class Indices(tuple[Any, ...]):
    """Advanced indices: an array or None for each dim (a mask takes several), and the Tensors
    that they are, with their versions, because a node keeps them for backward."""

    tensors: tuple[Tensor | None, ...]
    versions: tuple[int, ...]

    def __new__(cls, tensors: Sequence[Tensor | None]) -> Indices:
        arrays = [None if each is None else each._data for each in tensors]
        self = super().__new__(
            cls, (a.view(bool) if a is not None and a.dtype == np.uint8 else a for a in arrays)
        )
        self.tensors = tuple(tensors)
        self.versions = tuple(0 if each is None else each._version for each in tensors)
        return self

    def check(self, node: Any) -> None:
        """Refuse tensors that were written since.

        Raises:
            RuntimeError: the version error of backward.
        """
        for tensor, version in zip(self.tensors, self.versions, strict=True):
            if tensor is not None and tensor._version != version:
                raise errors.stale(node, "indices", tensor, version)


# What an index is -----------------------------------------------------------------------------
def is_integer(item: Any) -> bool:
    """An index that is one integer: Python's, numpy's or a 0-d integer tensor."""
    kind = item.__class__
    if kind is int:
        return True
    if kind is bool or isinstance(item, np.bool_):
        return False
    if isinstance(item, (int, np.integer)):
        return True
    array = item._data if isinstance(item, Tensor) else item
    return isinstance(array, np.ndarray) and array.ndim == 0 and array.dtype.kind in "iu"


def as_tuple(index: Any) -> tuple[Any, ...]:
    """An index as a tuple of indices for the dims; lists with more than numbers are tuples too.

    Warns:
        UserWarning: for such a list.
    """
    if isinstance(index, tuple):
        return index
    if isinstance(index, (Tensor, np.ndarray)) or not isinstance(index, Sequence):
        return (index,)
    several = (slice, Tensor, np.ndarray, Sequence, type(None), type(Ellipsis))
    if len(index) < LONG_SEQUENCE and any(isinstance(item, several) for item in index):
        warnings.warn(NOT_TUPLE, stacklevel=3)
        return tuple(index)
    return (index,)


def as_index_tensor(item: Any) -> Tensor:
    """An advanced index as a tensor.

    Raises:
        IndexError, TypeError: it is none.
    """
    if isinstance(item, Tensor):
        if item._data.dtype.kind not in "iub":
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        return item
    if isinstance(item, bool):
        return Tensor._wrap(np.asarray(item))
    if isinstance(item, str):
        raise TypeError("new(): invalid data type 'str'")
    if isinstance(item, Sequence):
        item = np.array([each._data if isinstance(each, Tensor) else each for each in item])
    return Tensor._wrap(item if item.dtype.kind in "iub" and item.size else item.astype(np.int64))


def class_name(item: Any) -> str:
    """The class's name as C sees it: numpy's with the module."""
    name = type(item).__name__
    return f"numpy.{name}" if isinstance(item, np.generic) and type(item) is not float else name


def dims_of(item: Any) -> int:
    """How many dims an index takes.

    Raises:
        IndexError: it is no index.
    """
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    if isinstance(item, (slice, int, np.integer)):
        return 1
    if isinstance(item, (Tensor, np.ndarray)):
        array = item._data if isinstance(item, Tensor) else item
        return array.ndim if array.dtype in (bool, np.uint8) else 1
    if isinstance(item, Sequence):
        if isinstance(item, str):
            raise TypeError("new(): invalid data type 'str'")
        bools = np.array([each for each in item if isinstance(each, (bool, Sequence))])
        return 1 if bools.dtype != bool else max(bools.ndim, 1)
    raise IndexError(BAD_INDEX.format(class_name(item)))


def expand_index(tensor: Tensor, items: tuple[Any, ...]) -> list[tuple[int, Any]]:
    """The index with the ellipsis written out; each with its place in the original, which
    PyTorch's messages call the dimension.

    Raises:
        IndexError: more indices than dimensions, or something that is no index.
    """
    used = sum([dims_of(item) for item in items])
    ndim = tensor._data.ndim
    if used > ndim:
        if ndim == 0 and len(items) == 1:
            refuse_zero_dim(items[0])
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    places = [i for i, item in enumerate(items) if item is Ellipsis]
    if not places:
        return list(enumerate(items))
    first = places[0]
    whole = [slice(None) if item is Ellipsis else item for item in items]
    missing = ndim - used - (len(places) - 1)
    return [*enumerate(whole[:first]), *((first, slice(None)) for _ in range(missing)),
            *enumerate(whole[first + 1 :], first + 1)]  # fmt: skip


def refuse_zero_dim(item: Any) -> None:
    """The errors of one index into a 0-d tensor that has texts of its own.

    Raises:
        IndexError, ValueError: PyTorch's texts.
    """
    if isinstance(item, slice):
        slice_numbers(item)
        raise IndexError(ZERO_DIM_SLICE)
    if is_integer(item) and not isinstance(item, Tensor):
        place = int(item)
        outside = f"index {place} is out of bounds for dimension 0 with size 0"
        raise IndexError(outside if place else ZERO_DIM)


# Basic indices ----------------------------------------------------------------------------------
def slice_numbers(item: slice) -> tuple[int, int, int]:
    """start, end and step as numbers.

    Raises:
        ValueError: the step is not positive.
    """

    def number(bound: Any, default: int) -> int:
        if bound is None:
            return default
        if isinstance(bound, Tensor):
            return int(bound.item())
        return bound if bound.__class__ is int else int(bound.__index__())

    step = number(item.step, 1)
    if step <= 0:
        raise ValueError("step must be greater than zero")
    return number(item.start, 0), number(item.stop, END), step


def integer_index(item: Any, dim: int, size: int) -> int:
    """An integer index, checked.

    Raises:
        IndexError: out of bounds (PyTorch's text).
    """
    index = item if item.__class__ is int else int(item._data if isinstance(item, Tensor) else item)
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")
    return index


def basic_part(tensor: Tensor, items: list[tuple[int, Any]]) -> tuple[Tensor, list[Tensor | None]]:
    """Apply what is basic in an index as views; return the view and one entry per dimension
    left: a tensor for an advanced index, or None."""
    view, dim = tensor, 0
    left: list[Tensor | None] = []
    for at, item in items:
        if item is None:
            view = TENSORS.unsqueeze(view, dim)
            left.append(None)
            dim += 1
        elif isinstance(item, slice):
            start, end, step = slice_numbers(item)
            if view._data.ndim == 0:
                raise IndexError(ZERO_DIM_SLICE)
            if start != 0 or end < view._data.shape[dim] or step != 1:
                view = TENSORS.slice(view, dim, start, end, step)
            left.append(None)
            dim += 1
        elif is_integer(item):
            size = view._data.shape[dim]
            view = TENSORS.select(view, dim, integer_index(item, at, size))
        else:
            index = as_index_tensor(item)
            if index._data.dtype == bool and index._data.ndim == 0:  # x[True] adds a dimension
                view = TENSORS.unsqueeze(view, dim)
                index = Tensor._wrap(np.zeros(int(index._data), np.int64))
            left.append(index)
            if index._data.dtype in (bool, np.uint8):
                check_mask(index._data, view, dim)
                dim += index._data.ndim
            else:
                dim += 1
    return view, left


def check_mask(array: np.ndarray, view: Tensor, dim: int) -> None:
    """Masks must have the indexed dims' sizes.

    Raises:
        IndexError: PyTorch's text.
    """
    shape = view._data.shape
    if array.dtype == np.uint8:
        warnings.warn(BYTES, stacklevel=4)
    for offset, size in enumerate(array.shape):
        if size != shape[dim + offset]:
            raise IndexError(
                f"The shape of the mask {list(array.shape)} at index {offset} does not match "
                f"the shape of the indexed tensor {list(shape)} at index {dim + offset}"
            )


def check_bounds(indices: Indices, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Integer indices must be in bounds, where any item is read at all. Returns the shape of
    what the indices read.

    Raises:
        IndexError: PyTorch's texts.
    """
    parts = [each.shape for each in indices if each is not None and each.dtype != bool]
    try:
        found = indexed_shape(shape, indices)
    except ValueError:
        shapes = ", ".join(str(list(each)) for each in parts)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        ) from None
    dim = 0
    for array in indices:
        if array is None or array.dtype == bool:
            dim += 1 if array is None else array.ndim
            continue
        size = shape[dim]
        if array.size and not size:
            raise IndexError("index is out of bounds for dimension with size 0")
        if array.size and 0 not in found and (array.min() < -size or array.max() >= size):
            outside = array[(array < -size) | (array >= size)]
            raise IndexError(
                f"index {outside[0]} is out of bounds for dimension {dim} with size {size}"
            )
        dim += 1
    return found


# Reading ----------------------------------------------------------------------------------------
def getitem(tensor: Tensor, index: Any) -> Tensor:
    """``tensor[index]``: a view for basic indices, a copy for advanced ones.

    Raises:
        IndexError, ValueError: as PyTorch's.
    """
    kind = index.__class__
    if kind is int:
        shape = tensor._data.shape
        if shape and -shape[0] <= index < shape[0]:
            return TENSORS.select(tensor, 0, index)
    elif kind is slice and tensor._data.ndim:
        return TENSORS.slice(tensor, 0, *slice_numbers(index))
    view, left = basic_part(tensor, expand_index(tensor, as_tuple(index)))
    if any(item is not None for item in left):
        indices = Indices(left)
        check_bounds(indices, view._data.shape)
        return TENSORS.index(view, indices)
    return view if view is not tensor else TENSORS.alias(tensor)


# Writing ----------------------------------------------------------------------------------------
def setitem(tensor: Tensor, index: Any, value: Any) -> None:
    """``tensor[index] = value``, through a view for basic indices.

    Raises:
        IndexError, RuntimeError, TypeError: as PyTorch's.
    """
    if not isinstance(value, (Tensor, bool, int, float, np.integer)):
        kind = dtypes.tensor_type(tensor._data.dtype)
        raise TypeError(f"can't assign a {written_name(value)} to a {kind}")
    if index is False:
        return
    whole = index is Ellipsis
    if isinstance(index, slice) and tensor._data.ndim:
        whole = index == slice(None)
    view, left = tensor, []
    if not whole:
        view, left = basic_part(tensor, expand_index(tensor, as_tuple(index)))
    if any(item is not None for item in left):
        number = not isinstance(value, Tensor)
        source = constant(plain_number(value), view._data.dtype) if number else value
        put(view, Indices(left), source, False, number)
    elif isinstance(value, Tensor):
        assign(view, value)
    else:
        number = plain_number(value)
        filler = constant(number, number_type(number))
        key = "fill.tensor" if view._data.ndim else "copy"
        inplace.write(TABLE[key], view, (filler,), {})


def plain_number(value: Any) -> Any:
    """A Python number."""
    return value.item() if isinstance(value, np.generic) else value


def written_name(value: Any) -> str:
    """The class's name in the error of an assignment."""
    module = type(value).__module__
    return f"numpy.{type(value).__name__}" if module == "numpy" else type(value).__name__


def assign(view: Tensor, value: Tensor) -> None:
    """Write a tensor into a view, broadcast to its size.

    Raises:
        RuntimeError: it does not broadcast (PyTorch's texts).
    """
    target = view._data.shape
    if value._data.shape != target:
        if value._data.ndim == 0:
            inplace.write(TABLE["fill.tensor"], view, (value,), {})
            return
        value = without_leading_ones(value)
        check_expand(value._data, target)
        if value._data.shape != target:
            value = TENSORS.expand(value, target)
    inplace.write(TABLE["copy"], view, (value,), {})


def without_leading_ones(value: Tensor) -> Tensor:
    """A view from the first size that is not 1."""
    shape = value._data.shape
    start = next((i for i, size in enumerate(shape) if size != 1), len(shape))
    return TENSORS.view(value, shape[start:])


def check_expand(data: np.ndarray, target: tuple[int, ...]) -> None:
    """Whether an array broadcasts to ``target``.

    Raises:
        RuntimeError: PyTorch's text.
    """
    shape = data.shape
    if len(shape) > len(target):
        raise RuntimeError(
            f"expand({dtypes.tensor_type(data.dtype)}{{{list(shape)}}}, size={list(target)}): the "
            f"number of sizes provided ({len(target)}) must be greater or equal to the number of "
            f"dimensions in the tensor ({len(shape)})"
        )
    for i in range(1, len(shape) + 1):
        if shape[-i] not in (1, target[-i]):
            raise RuntimeError(
                f"The expanded size of the tensor ({target[-i]}) must match the existing size "
                f"({shape[-i]}) at non-singleton dimension {len(target) - i}.  Target sizes: "
                f"{list(target)}.  Tensor sizes: {list(shape)}"
            )


def put(view: Tensor, indices: Indices, value: Tensor, accumulate: bool, number: bool) -> None:
    """Write (or add) at advanced indices.

    Raises:
        RuntimeError: the value does not broadcast to the indexed shape.
    """
    inplace.allowed(TABLE["index_put"], (view, value))
    shape = check_bounds(indices, view._data.shape)
    if not number and value._data.shape[:1] == (1,):
        value = without_leading_ones(value)
    masks = value._data.size == 1 and not accumulate and all(
        each is None or each.dtype == bool for each in indices
    )  # fmt: skip
    if inplace.overlaps_itself(view._data):
        warnings.warn(EXPANDED.format("index_put_", "indices", "tensor"), stacklevel=3)
        if masks:
            warnings.warn(EXPANDED.format("masked_fill_", "mask", "scalar"), stacklevel=3)
    check_put(view, indices, value, shape, masks)
    params = {"indices": indices, "accumulate": accumulate}
    inplace.write(TABLE["index_put"], view, (value,), params)


def check_put(
    view: Tensor, indices: Indices, value: Tensor, shape: tuple[int, ...], masks: bool
) -> None:
    """The value of a write at advanced indices. One number under masks is a ``masked_fill``.

    Raises:
        RuntimeError: PyTorch's texts.
    """
    given = [each for each in indices.tensors if each is not None]
    if masks and any(each._data.dtype != bool for each in given):
        raise RuntimeError(
            "masked_fill_ only supports boolean masks, but got mask with dtype unsigned char"
        )
    if not masks:
        inplace.check_overlap(view._data, [value._data], whole=True)
    try:
        fits = np.broadcast_shapes(value._data.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(value._data.shape)} cannot be "
            f"broadcast to indexing result of shape {list(shape)}"
        )
    if not masks and value._data.dtype != view._data.dtype:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{dtypes.type_word(view._data.dtype)} for the destination and "
            f"{dtypes.type_word(value._data.dtype)} for the source."
        )
