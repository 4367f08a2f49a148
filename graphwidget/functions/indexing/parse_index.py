"""Parses the user's index ``x[...]`` into views and advanced indices.

Views are recorded with the numbers as the user gave them (-1, or no end at all), which is what
PyTorch's nodes show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...arrays.warnings import warn
from ...eager.op_functions import TENSORS
from ...graph import errors
from ...graph.tensor import Tensor
from ...graph.version import counter_at_version, version_of
from ...optable.shape.indexing import indexed_shape
from ..dims import ZERO_DIM_SLICE

BYTES = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
MASKS = (np.dtype(bool), np.dtype(np.uint8))
TYPES = (np.dtype(np.int64), np.dtype(np.int32), *MASKS)


def check_masks(indices: Indices, shape: tuple[int, ...]) -> None:
    """Indices must have types that indices have, masks the indexed dims' sizes.

    Raises:
        IndexError: PyTorch's texts.
    """
    dim = 0
    for tensor in indices.tensors:
        if tensor is None:
            dim += 1
            continue
        array = tensor._data
        if array.dtype not in TYPES:
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        if array.dtype not in MASKS:
            dim += 1
            continue
        for offset, size in enumerate(array.shape[: max(len(shape) - dim, 0)]):
            if size != shape[dim + offset]:
                raise IndexError(
                    f"The shape of the mask {list(array.shape)} at index {offset} does not match "
                    f"the shape of the indexed tensor {list(shape)} at index {dim + offset}"
                )
        dim += array.ndim


def warn_of_byte_masks(indices: Indices) -> None:
    """Masks should be bools.

    Warns:
        UserWarning: one is not.
    """
    for tensor in indices.tensors:
        if tensor is not None and tensor._data.dtype == np.uint8:
            warn(BYTES)


def checked_index_shape(indices: Indices, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of what the indices read.

    Raises:
        IndexError: they are no indices of such a tensor (PyTorch's texts).
    """
    check_masks(indices, shape)
    try:
        result = indexed_shape(shape, indices)
    except ValueError:
        parts: list[list[int]] = []
        for each in indices:
            if each is not None and each.dtype == bool:  # one vector of places for each dim
                parts += [[int(np.count_nonzero(each))]] * each.ndim
            elif each is not None:
                parts.append(list(each.shape))
        shapes = ", ".join(map(str, parts))
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        ) from None
    return result


def integer_dims(indices: Indices, shape: tuple[int, ...]) -> Iterator[tuple[np.ndarray, int, int]]:
    """Each index of integers, with the size of its dim, and its number among the indices, by
    which PyTorch calls the dim (a mask counts for each of its own)."""
    dim = number = 0
    for array in indices:
        taken = array.ndim if array is not None and array.dtype == bool else 1
        if array is not None:
            if array.dtype != bool:
                yield array, shape[dim], number
            number += taken
        dim += taken


def check_items(indices: Indices, shape: tuple[int, ...]) -> None:
    """Check that dims indexed by integers are not empty.

    Raises:
        IndexError: PyTorch's text.
    """
    for array, size, _ in integer_dims(indices, shape):
        if array.size and not size:
            raise IndexError("index is out of bounds for dimension with size 0")


def check_bounds(indices: Indices, shape: tuple[int, ...], found: tuple[int, ...]) -> None:
    """Integers must be in bounds, where any item is read at all.

    Raises:
        IndexError: PyTorch's text.
    """
    check_items(indices, shape)
    if 0 in found:
        return
    for array, size, dim in integer_dims(indices, shape):
        if array.size and (array.min() < -size or array.max() >= size):
            outside = array[(array < -size) | (array >= size)]
            raise IndexError(
                f"index {outside[0]} is out of bounds for dimension {dim} with size {size}"
            )


BAD_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
    "indices (got {})"
)
ZERO_DIM = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ "
    "to convert a 0-dim tensor to a number"
)
NOT_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in "
    "pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as "
    "tensor index, x[torch.tensor(seq)], which will result either in an error or a different result"
)
LONG, BOOL, BYTE = (np.dtype(kind).num for kind in (np.int64, np.bool_, np.uint8))
PLAIN = LONG, BOOL
"""numpy's numbers of the types that most indices have."""
LONG_SEQUENCE = 32
"""From this length on a list is one index, whatever is in it."""


class End(int):
    """The end of a slice that has none: larger than any size, and not written out."""

    def __repr__(self) -> str:
        return ""

    __str__ = __repr__


END = End(2**63 - 1)
NO_BOUND = "slice indices must be integers or None or have an __index__ method"
TRUNCATED = (
    "Truncating the start/stop/step of slice. This is likely because of saved old models when the "
    "start/stop/step were larger."
)


class Indices(tuple[Any, ...]):
    """Advanced indices: an array or None for each dim (a mask takes several), and the Tensors
    that they are, with their versions, because a node keeps them for backward."""

    tensors: tuple[Tensor | None, ...]
    versions: tuple[int, ...]

    def __new__(cls, tensors: Sequence[Tensor | None]) -> Indices:
        while tensors[-1] is None:
            tensors = tensors[:-1]
        self = super().__new__(
            cls,
            [
                None if each is None
                else each._data.view(bool) if each._data.dtype.num == BYTE else each._data
                for each in tensors
            ],
        )  # fmt: skip
        self.tensors = tuple(tensors)
        self.versions = tuple([0 if each is None else version_of(each) for each in tensors])
        return self

    def check(self, node: Any) -> None:
        """Refuse tensors that were written since.

        Raises:
            RuntimeError: the version error of backward.
        """
        for tensor, version in zip(self.tensors, self.versions, strict=True):
            if tensor is not None and version_of(tensor) != version:
                raise errors.version_error(node, "indices", tensor, version)


# What an index is -----------------------------------------------------------------------------
def plain_indices(tensor: Tensor, index: Any) -> tuple[Tensor, ...] | None:
    """The index as Indices take it when it is nothing but tensors, each a vector or more, of
    int64 or bools: the most common one, in which nothing is basic. None for all others."""
    items = index if index.__class__ is tuple else (index,)
    shape = tensor._data.shape
    if 0 in shape:  # there numpy takes any indices
        return None
    for item in items:
        if not isinstance(item, Tensor):
            return None
        array = item._data
        kind = array.dtype.num
        if not array.ndim or kind not in PLAIN:
            return None
        taken = array.ndim if kind == BOOL else 1
        if len(shape) < taken or (kind == BOOL and array.shape != shape[:taken]):
            return None
        shape = shape[taken:]
    return items or None


def is_integer(item: Any) -> bool:
    """An index that is one integer: Python's, numpy's or a 0-d tensor, of bytes a mask."""
    kind = item.__class__
    if kind is int:
        return True
    if kind is bool or isinstance(item, np.bool_):
        return False
    if isinstance(item, (int, np.integer)):
        return True
    if isinstance(item, Tensor):
        return item._data.ndim == 0 and item._data.dtype.kind == "i"
    return isinstance(item, np.ndarray) and item.ndim == 0 and item.dtype.kind in "iu"


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
        warn(NOT_TUPLE)
        return tuple(index)
    return (index,)


def as_index_tensor(item: Any) -> Tensor:
    """An advanced index as a tensor.

    Raises:
        TypeError: a string.
    """
    if isinstance(item, Tensor):
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
    return f"numpy.{name}" if isinstance(item, np.generic) else name


def count_dims(item: Any) -> int:
    """Return how many dims an index takes.

    Raises:
        IndexError: it is no index.
    """
    kind = item.__class__
    if kind is int or kind is slice:
        return 1
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    if isinstance(item, (slice, int, np.integer)):
        return 1
    if isinstance(item, (Tensor, np.ndarray)):
        array = item._data if isinstance(item, Tensor) else item
        return array.ndim if array.dtype in MASKS else 1
    if isinstance(item, Sequence):
        if isinstance(item, str):
            return 1
        bools = np.array([each for each in item if isinstance(each, (bool, Sequence))])
        return 1 if bools.dtype != bool else max(bools.ndim, 1)
    raise IndexError(BAD_INDEX.format(class_name(item)))


def expand_index(tensor: Tensor, index: Any) -> list[tuple[int, Any]]:
    """The index with the ellipsis written out; each with its place in the original, which
    PyTorch's messages call the dimension.

    Raises:
        IndexError: more indices than dimensions, or something that is no index.
    """
    ndim, items = tensor._data.ndim, as_tuple(index)
    if ndim == 0 and len(items) == 1 and isinstance(items[0], float):
        raise IndexError("too many indices for tensor of dimension 0")
    used = sum([count_dims(item) for item in items])
    if used > ndim:
        if ndim == 0:
            refuse_zero_dim(index)
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    if not any(item is Ellipsis for item in items):
        return list(enumerate(items))
    gap, dim, whole = ndim - used, 0, []  # every ellipsis stands for the gap, as far as it goes
    for place, item in enumerate(items):
        if item is Ellipsis:
            whole += [(place, slice(None))] * min(gap, ndim - dim)
            dim += gap
        elif count_dims(item) and dim >= ndim:
            raise IndexError(f"index {item} is out of bounds for dimension {place} with size 0")
        else:
            whole.append((place, item))
            dim += count_dims(item)
    return whole


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
        TypeError, ValueError: one is no number, or the step is not positive.
    """
    start, stop = item.start, item.stop
    if item.step is None and start is None and stop is None:
        return 0, END, 1

    def number(bound: Any, default: int) -> int:
        if bound is None:
            return default
        if bound.__class__ is not int and not hasattr(type(bound), "__index__"):
            raise TypeError(NO_BOUND)
        result = bound if bound.__class__ is int else int(bound.__index__())
        if result < -END:
            warn(TRUNCATED)
        return result

    step = number(item.step, 1)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step < 0:
        raise ValueError("step must be greater than zero")
    return number(start, 0), number(stop, END), step


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
        if item.__class__ is int:
            size = view._data.shape[dim]
            view = TENSORS.select(view, dim, integer_index(item, at, size))
        elif item is None:
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
            if index._data.dtype in MASKS and index._data.ndim == 0:  # x[True] adds a dimension
                view = TENSORS.unsqueeze(view, dim)
                index = Tensor._wrap(np.zeros(int(bool(index._data)), np.int64))
                if index._data.size:
                    index._counter = counter_at_version()
            left.append(index)
            dim += index._data.ndim if index._data.dtype in MASKS else 1
    return view, left
