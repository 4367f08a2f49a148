"""Arrays from numbers and nested lists, sized and typed as ``torch.tensor`` does.

(PyTorch, tensor_new.cpp.)
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.warnings import warn_once
from ...graph.tensor import Tensor

ARRAYS_LISTED = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting "
    "the list to a single numpy.ndarray with numpy.array() before converting to a tensor."
)
MOST_DIMS = 128
PLAIN = {bool, int, float}
LISTS = (list, tuple, range)


def numpy_type(dtype: Any) -> Any:
    """The numpy dtype for a ``dtype=`` argument; the default dtype for None.

    Raises:
        TypeError: it is no dtype.
    """
    if dtype is None:
        return dtypes.default_numpy()
    if isinstance(dtype, dtypes.dtype):
        return dtype.numpy
    if dtype in (float, int, bool):
        return {float: np.dtype(np.float64), int: np.dtype(np.int64), bool: np.dtype(bool)}[dtype]
    raise TypeError(f"dtype must be a torch.dtype, not {type(dtype).__name__}")


def is_sequence(data: Any) -> bool:
    """Return whether data has items by number. Tensors among numbers stand for their only item."""
    if isinstance(data, (*LISTS, np.ndarray, str)):
        return True
    indexed = hasattr(type(data), "__getitem__") and hasattr(type(data), "__len__")
    return indexed and not isinstance(data, (dict, Tensor, np.generic))


def sizes_of(data: Any) -> tuple[int, ...]:
    """The shape that the first items of nested sequences have.

    Raises:
        ValueError: texts, whose items are texts.
        TypeError: a 0-d array, which has no items.
    """
    sizes: list[int] = []
    while is_sequence(data):
        sizes.append(len(data))
        if len(sizes) > MOST_DIMS:
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        if not sizes[-1]:
            break
        data = data[0]
    return tuple(sizes)


def type_of(data: Any) -> np.dtype[Any]:
    """The type in which all numbers of nested sequences fit: Python's floats are of the default
    type, its integers int64; arrays and tensors keep theirs.

    Raises:
        TypeError: texts, complex numbers, or arrays of what tensors do not have.
        RuntimeError: anything else that is no number.
    """
    if isinstance(data, (str, bytes, complex)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if isinstance(data, (np.ndarray, np.generic)):
        return dtypes.of(data.dtype.newbyteorder("=")).numpy
    if isinstance(data, Tensor):
        return data._data.dtype
    if isinstance(data, (bool, int, float)):
        return python_numbers_type({bool if isinstance(data, bool) else type(data + 0)})
    if not is_sequence(data):
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    if not len(data):
        return dtypes.default_numpy()
    kinds = set(map(type, data))
    if kinds <= PLAIN:
        return python_numbers_type(kinds)
    found = [type_of(item) for item in data]
    result = found[0]
    for each in found[1:]:
        result = dtypes.promote_types(result, each)
    return result


def python_numbers_type(kinds: set[type]) -> np.dtype[Any]:
    """The type of Python's own numbers."""
    if float in kinds:
        return dtypes.default_numpy()
    return np.dtype(np.int64 if int in kinds else np.bool_)


def number(item: Any, kind: str) -> Any:
    """One item as a Python number, for a type of this kind; floats also for integers.

    Raises:
        TypeError, ValueError: it is none.
    """
    if kind == "f":
        return math.ldexp(item, 0)  # which takes what is a float to Python
    return item if isinstance(item, (float, np.bool_) if kind == "b" else float) else (
        operator.index(item))  # fmt: skip


def nested_lists(data: Any, sizes: tuple[int, ...], dim: int, kind: str) -> Any:
    """Nested sequences as lists of numbers, and arrays, of the given sizes.

    Raises:
        TypeError: a number in the place of a sequence.
        ValueError: they are ragged.
    """
    if dim == len(sizes):
        return number(data, kind)
    if isinstance(data, np.ndarray) and data.shape == sizes[dim:]:
        return data
    try:
        items = data if isinstance(data, LISTS) else list(data)
    except TypeError:
        raise TypeError("not a sequence") from None
    if len(items) != sizes[dim]:
        raise ValueError(
            f"expected sequence of length {sizes[dim]} at dim {dim} (got {len(items)})"
        )
    if dim == len(sizes) - 1 and set(map(type, items)) <= PLAIN:
        return items
    if any(isinstance(item, np.ndarray) for item in items):
        warn_once(ARRAYS_LISTED)
    return [nested_lists(item, sizes, dim + 1, kind) for item in items]


def array_from(data: Any, dtype: Any = None) -> np.ndarray:
    """A new array from numbers, nested sequences, arrays or tensors, typed as PyTorch does.

    Raises:
        TypeError, RuntimeError: something that is no number.
        ValueError: ragged sequences, or an array that no tensor could share memory with.
    """
    if isinstance(data, Tensor):
        data = data._data
    elif isinstance(data, np.ndarray):
        check_array(data)
    elif dtype is None and type(data) is float:
        return np.array(data, dtypes.default_numpy())
    if isinstance(data, np.ndarray):
        return np.array(data, None if dtype is None else numpy_type(dtype))
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    sizes = sizes_of(data)
    wanted = type_of(data) if dtype is None else numpy_type(dtype)
    if 0 in sizes:
        return np.zeros(sizes, wanted)
    rows = nested_lists(data, sizes, 0, wanted.kind)
    found = np.array(rows, np.float64 if wanted.kind == "f" else None)
    if wanted.kind in "iu" and found.dtype.kind in "Ou" and found.dtype.itemsize == 8:
        raise ValueError("Overflow when unpacking long long")
    return found.astype(wanted) if dtype is None else cast_checked(found, wanted)


def check_array(array: np.ndarray) -> None:
    """Check that a tensor can share an array's memory.

    Raises:
        TypeError: a type that tensors do not have.
        ValueError: strides or a byte order that they do not have.
    """
    native = array.dtype.isnative
    dtypes.of(array.dtype if native else array.dtype.newbyteorder("="))
    if not native:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. Conversion "
            "between byte orders is currently not supported."
        )
    if array.flags.c_contiguous:
        return
    if min(array.strides) < 0:
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative "
            "strides are not currently supported. (You can probably work around this by making a "
            "copy of your array  with array.copy().) "
        )
    if any(stride % array.itemsize for stride in array.strides):
        raise ValueError(
            "given numpy array strides not a multiple of the element byte size. Copy the numpy "
            "array to reallocate the memory."
        )


def cast_checked(found: np.ndarray, dtype: np.dtype[Any]) -> np.ndarray:
    """The numbers in another type.

    Raises:
        RuntimeError: numbers outside the range of an integer type (PyTorch's text); negative
            integers wrap around in an unsigned one.
    """
    if found.dtype.kind in "if" and dtype.kind in "iu" and found.size:
        info = np.iinfo(dtype)
        wraps = dtype.kind == "u" and found.dtype.kind == "i"
        least = -info.max if wraps else info.min
        if not (least <= found.min() and found.max() <= info.max):  # false for nan, too
            raise RuntimeError(f"value cannot be converted to type {dtype} without overflow")
    return found.astype(dtype)
