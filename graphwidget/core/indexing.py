"""``x[...]`` and ``x[...] = value``: basic indexing as a chain of views, the rest as one op."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..optable import TABLE
from . import dtypes, inplace
from .compile import TENSORS
from .dtypes import number_dtype as number_type
from .promote import constant, is_number
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


def is_integer(item: Any) -> bool:
    """An index that is one integer: Python's, numpy's or a 0-d integer tensor."""
    if isinstance(item, (bool, np.bool_)):
        return False
    if isinstance(item, (int, np.integer)):
        return True
    return isinstance(item, Tensor) and item._data.ndim == 0 and item._data.dtype.kind in "iu"


def as_array_index(item: Any) -> np.ndarray | None:
    """An advanced index as an array, or None for a basic one.

    Raises:
        IndexError: a tensor of another type than integers or bools.
    """
    if isinstance(item, Tensor):
        item = item._data
    elif isinstance(item, (bool, np.bool_)):
        item = np.asarray(item)
    elif isinstance(item, (list, tuple)):
        item = np.array([each._data if isinstance(each, Tensor) else each for each in item])
        if item.size == 0:
            item = item.astype(np.int64)
    if isinstance(item, np.ndarray):
        if item.dtype.kind not in "iub":
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        return item
    return None


def expand_index(tensor: Tensor, index: Any) -> list[tuple[int, Any]]:
    """The index as a list with the ellipsis written out; each with its place in the original,
    which PyTorch's messages call the dimension.

    Raises:
        IndexError: more indices than dimensions, or something that is no index.
    """
    items = list(index) if isinstance(index, tuple) else [index]
    used = 0
    for item in items:
        if item is None or item is Ellipsis or isinstance(item, (bool, np.bool_)):
            continue
        if isinstance(item, (slice, list, tuple, np.ndarray)) or is_integer(item):
            used += item.ndim if isinstance(item, np.ndarray) and item.dtype == bool else 1
        elif isinstance(item, Tensor):
            used += item._data.ndim if item._data.dtype == bool else 1
        else:
            raise IndexError(BAD_INDEX.format(type(item).__name__))
    ndim = tensor._data.ndim
    if used > ndim:
        if ndim == 0 and len(items) == 1 and is_integer(items[0]):
            place = int(items[0])
            outside = f"index {place} is out of bounds for dimension 0 with size 0"
            raise IndexError(outside if place else ZERO_DIM)
        if ndim == 0 and len(items) == 1 and isinstance(items[0], slice):
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    if ndim == 0 and any(isinstance(item, slice) for item in items):
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    full = [slice(None)] * (ndim - used)
    places = [i for i, item in enumerate(items) if item is Ellipsis]
    if places:
        whole = [slice(None) if item is Ellipsis else item for item in items]
        return [*enumerate(whole[: places[0]]), *((places[0], each) for each in full),
                *enumerate(whole[places[0] + 1 :], places[0] + 1)]  # fmt: skip
    return list(enumerate(items))


def slice_bounds(item: slice, size: int) -> tuple[int, int, int]:
    """start, end and step within a dimension.

    Raises:
        ValueError: the step is not positive.
    """

    def number(bound: Any) -> Any:
        return bound.item() if isinstance(bound, Tensor) else bound

    step = number(item.step)
    if step is not None and step <= 0:
        raise ValueError("step must be greater than zero")
    start, end, step = slice(number(item.start), number(item.stop), step).indices(size)
    return start, max(start, end), step


def wrapped_index(item: Any, dim: int, size: int) -> int:
    """An integer index counted from the start.

    Raises:
        IndexError: out of bounds (PyTorch's text).
    """
    index = int(item._data) if isinstance(item, Tensor) else int(item)
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")
    return index % size


def basic_part(
    tensor: Tensor, items: list[tuple[int, Any]]
) -> tuple[Tensor, list[np.ndarray | None]]:
    """Apply what is basic in an index as views; return the view and one entry per dimension
    left: an array for an advanced index, or None."""
    view, dim = tensor, 0
    left: list[np.ndarray | None] = []
    for at, item in items:
        if item is None:
            view = TENSORS.unsqueeze(view, dim)
            left.append(None)
            dim += 1
        elif isinstance(item, slice):
            if view._data.ndim == 0:
                raise IndexError("slice() cannot be applied to a 0-dim tensor.")
            size = view._data.shape[dim]
            start, end, step = slice_bounds(item, size)
            if item.start not in (None, 0) or (end, step) != (size, 1):
                view = TENSORS.slice(view, dim, start, end, step)
            left.append(None)
            dim += 1
        elif is_integer(item):
            size = view._data.shape[dim]
            view = TENSORS.select(view, dim, wrapped_index(item, at, size))
        else:
            array = as_array_index(item)
            assert array is not None
            if array.ndim == 0:  # x[True] adds a dimension
                view = TENSORS.unsqueeze(view, dim)
                array = np.zeros(int(array), np.int64)
            left.append(array)
            if array.dtype == bool:
                check_mask(array, view, dim)
            dim += array.ndim if array.dtype == bool else 1
    return view, left


def check_mask(array: np.ndarray, view: Tensor, dim: int) -> None:
    """Masks must have the indexed dims' sizes.

    Raises:
        IndexError: PyTorch's text.
    """
    shape = view._data.shape
    for offset, size in enumerate(array.shape):
        if size != shape[dim + offset]:
            raise IndexError(
                f"The shape of the mask {list(array.shape)} at index {offset} does not match "
                f"the shape of the indexed tensor {list(shape)} at index {dim + offset}"
            )


def check_bounds(indices: list[np.ndarray | None], view: Tensor) -> None:
    """Integer indices must be in bounds; one entry of ``indices`` per dim (masks take several).

    Raises:
        IndexError: PyTorch's texts.
    """
    dim = 0
    for array in indices:
        if array is None or array.dtype == bool:
            dim += 1 if array is None else array.ndim
            continue
        size = view._data.shape[dim]
        if array.size and not size:
            raise IndexError("index is out of bounds for dimension with size 0")
        outside = array[(array < -size) | (array >= size)]
        if outside.size:
            raise IndexError(
                f"index {outside[0]} is out of bounds for dimension {dim} with size {size}"
            )
        dim += 1


def getitem(tensor: Tensor, index: Any) -> Tensor:
    """``tensor[index]``: a view for basic indices, a copy for advanced ones.

    Raises:
        IndexError, ValueError: as PyTorch's.
    """
    view, left = basic_part(tensor, expand_index(tensor, index))
    if any(item is not None for item in left):
        check_bounds(left, view)
        return TENSORS.index(view, tuple(left))
    if view is not tensor:
        return view
    if not isinstance(index, slice):
        return TENSORS.alias(tensor)
    return TENSORS.slice(tensor, 0, 0, tensor._data.shape[0], 1)


def setitem(tensor: Tensor, index: Any, value: Any) -> None:
    """``tensor[index] = value``, through a view for basic indices.

    Raises:
        IndexError, RuntimeError, TypeError: as PyTorch's.
    """
    if not (isinstance(value, (Tensor, np.ndarray)) or is_number(value)):
        kind = dtypes.tensor_type(tensor._data.dtype)
        raise TypeError(f"can't assign a {type(value).__name__} to a {kind}")
    whole = index is Ellipsis
    if isinstance(index, slice) and index == slice(None):
        whole = tensor._data.ndim > 0
    view, left = (tensor, []) if whole else basic_part(tensor, expand_index(tensor, index))
    if any(item is not None for item in left):
        put(view, tuple(left), value)
    elif isinstance(value, Tensor):
        assign(view, value)
    else:
        number = value.item() if isinstance(value, np.generic) else value
        filler = constant(number, number_type(number))
        key = "fill.tensor" if view._data.ndim else "copy"
        inplace.write(TABLE[key], view, (filler,), {})


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
        value = TENSORS.view(value, without_leading_ones(value._data.shape))
        check_expand(value._data, target)
        if value._data.shape != target:
            value = TENSORS.expand(value, target)
    inplace.write(TABLE["copy"], view, (value,), {})


def without_leading_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape from its first size that is not 1."""
    start = next((i for i, size in enumerate(shape) if size != 1), len(shape))
    return shape[start:]


def check_expand(data: np.ndarray, target: tuple[int, ...]) -> None:
    """Whether an array broadcasts to ``target``.

    Raises:
        RuntimeError: PyTorch's text.
    """
    shape = data.shape
    if len(shape) > len(target):
        raise RuntimeError(
            f"expand({dtypes.printed_type(data.dtype)}{{{list(shape)}}}, size={list(target)}): the "
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


def put(view: Tensor, indices: tuple[Any, ...], value: Any) -> None:
    """Write at advanced indices.

    Raises:
        RuntimeError: the value does not broadcast to the indexed shape.
    """
    if not isinstance(value, Tensor):
        value = constant(value, view._data.dtype) if is_number(value) else Tensor._wrap(value)
    inplace.allowed(TABLE["index_put"], (view, value))
    check_bounds(list(indices), view)
    shape = TABLE["index"].kernel(view._data, indices).shape
    if value._data.shape != without_leading_ones(value._data.shape):
        value = TENSORS.view(value, without_leading_ones(value._data.shape))
    masks = value._data.size == 1 and any(
        each is not None and each.dtype == bool for each in indices
    )
    if inplace.overlaps_itself(view._data):
        warnings.warn(EXPANDED.format("index_put_", "indices", "tensor"), stacklevel=3)
        if masks:
            warnings.warn(EXPANDED.format("masked_fill_", "mask", "scalar"), stacklevel=3)
    if not masks:
        inplace.check_overlap(view._data, [value._data], whole=True)
    try:
        np.broadcast_to(value._data, shape)
    except ValueError:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(value._data.shape)} cannot be "
            f"broadcast to indexing result of shape {list(shape)}"
        ) from None
    if not masks and value._data.dtype != view._data.dtype:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{dtypes.type_word(view._data.dtype)} for the destination and "
            f"{dtypes.type_word(value._data.dtype)} for the source."
        )
    inplace.write(
        TABLE["index_put"], view, (value,), {"indices": indices, "accumulate": False}
    )  # fmt: skip
