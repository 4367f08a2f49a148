"""Arrays from numbers and nested sequences, typed as PyTorch types them."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import dtypes
from .tensor import Tensor


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


def check_sequence(data: Any, dim: int = 0) -> tuple[int, ...]:
    """The shape of nested sequences.

    Raises:
        ValueError: they are ragged (PyTorch's text).
    """
    if isinstance(data, (Tensor, np.ndarray)):
        return tuple(data.shape)
    if not isinstance(data, (list, tuple, range)):
        return ()
    if not data:
        return (0,)
    first = check_sequence(data[0], dim + 1)
    for item in data[1:]:
        shape = check_sequence(item, dim + 1)
        if len(shape) != len(first):
            if not first:
                raise TypeError(_not_a_number(data[0], item))
            raise ValueError(f"expected sequence of length {first[0]} at dim {dim + 1} (got 0)")
        for offset, (want, got) in enumerate(zip(first, shape, strict=True)):
            if want != got:
                raise ValueError(
                    f"expected sequence of length {want} at dim {dim + 1 + offset} (got {got})"
                )
    return (len(data), *first)


def _not_a_number(first: Any, item: Any) -> str:
    """PyTorch's words for a sequence among numbers: it reads them as the first one's type."""
    if isinstance(first, int):
        return f"'{type(item).__name__}' object cannot be interpreted as an integer"
    return f"must be real number, not {type(item).__name__}"


def array_from(data: Any, dtype: Any = None) -> np.ndarray:
    """A new array from numbers, nested sequences, arrays or tensors, typed as PyTorch does."""
    if isinstance(data, Tensor):
        data = data._data
    if isinstance(data, (np.ndarray, np.generic)):
        result = np.array(data, None if dtype is None else numpy_type(dtype))
        if result.dtype == object or result.dtype.kind in "USOc":
            raise TypeError(f"can't convert np.ndarray of type {data.dtype.type.__module__}."
                            f"{data.dtype.type.__name__}.")  # fmt: skip
        return result
    if data is None:
        raise RuntimeError("Could not infer dtype of NoneType")
    check_sequence(data)
    found = np.array(_plain(data))
    if found.dtype.kind not in "fiub":
        raise _no_numbers(data, found)
    if found.dtype.kind == "u" and found.dtype.itemsize == 8:
        raise ValueError("Overflow when unpacking long long")
    if dtype is not None:
        return narrowed(found, numpy_type(dtype))
    if isinstance(_first(data), (np.generic, np.ndarray)):
        return found
    if found.dtype.kind == "f":
        return found.astype(dtypes.default_numpy())
    return found.astype(np.int64) if found.dtype.kind in "iu" else found


def _first(data: Any) -> Any:
    """The first number, array or tensor of nested sequences."""
    while isinstance(data, (list, tuple)) and data:
        data = data[0]
    return data


def _no_numbers(data: Any, found: np.ndarray) -> Exception:
    """The error for what holds no numbers."""
    first = _first(data)
    if isinstance(first, int) and found.dtype.kind == "O":
        return ValueError("Overflow when unpacking long long")
    if isinstance(first, (str, bytes)) or found.dtype.kind in "USc":
        kind = "str" if found.dtype.kind in "US" else type(first).__name__
        return TypeError(f"new(): invalid data type '{kind}'")
    return RuntimeError(f"Could not infer dtype of {type(first).__name__}")


def narrowed(found: np.ndarray, dtype: np.dtype[Any], called: str = "") -> np.ndarray:
    """The numbers in another type, which errors call by ``called`` if not by its name.

    Raises:
        RuntimeError: numbers outside the range of an integer type (PyTorch's text); negative
            integers wrap around in an unsigned one.
    """
    if found.dtype.kind in "if" and dtype.kind in "iu" and found.size:
        info = np.iinfo(dtype)
        wraps = dtype.kind == "u" and found.dtype.kind == "i"
        least = -info.max if wraps else info.min
        if not (least <= found.min() and found.max() <= info.max):  # false for nan, too
            name = called or dtype.name
            raise RuntimeError(f"value cannot be converted to type {name} without overflow")
    return found.astype(dtype)


def _plain(data: Any) -> Any:
    """Nested sequences with tensors in them as plain numbers and arrays."""
    if isinstance(data, Tensor):
        if data._data.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return data._data.tolist()
    if isinstance(data, (list, tuple)):
        if not data:
            return []
        return [_plain(item) for item in data]
    return list(data) if isinstance(data, range) else data
