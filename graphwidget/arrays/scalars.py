"""Python numbers as 0-d arrays of a dtype, and errors for those that do not fit it."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = Any

C_TYPES: dict[np.dtype[Any], str] = {
    np.dtype(np.uint8): "uint8_t", np.dtype(np.int8): "int8_t", np.dtype(np.int16): "int16_t",
    np.dtype(np.int32): "int", np.dtype(np.int64): "int64_t", np.dtype(np.float16): "c10::Half",
    np.dtype(np.float32): "float", np.dtype(np.float64): "double",
}  # fmt: skip
"""Names of the types in kernels."""


def _range(dtype: np.dtype[Any]) -> tuple[float, float]:
    """The least and the largest number of a type."""
    if dtype.kind == "f":
        return float(np.finfo(dtype).min), float(np.finfo(dtype).max)
    return np.iinfo(dtype).min, np.iinfo(dtype).max


RANGES = {dtype: _range(dtype) for dtype in C_TYPES}
INTEGERS = -(1 << 63), (1 << 64) - 1
"""The integers that PyTorch takes from Python."""

COMMON = 1 << 15
"""Numbers up to this fit most types."""


class Default:
    """The floating type of what is made from Python's floats, or from integers where those are
    divided; users set it by ``set_default_dtype``."""

    dtype: np.dtype[Any] = np.dtype(np.float32)


def scalar_array(number: Any, dtype: np.dtype[Any]) -> Array:
    """A Python number as a 0-d array of a type.

    Raises:
        RuntimeError: it is beyond the type's range (PyTorch's text).
        OverflowError: it is an integer of more than 64 bits.
    """
    if dtype.itemsize > 1 and -COMMON < number < COMMON:
        return np.asarray(number, dtype)
    check_number_fits(number, dtype)
    return np.asarray(number).astype(dtype)


def check_number_fits(number: Any, dtype: np.dtype[Any]) -> None:
    """Refuse a number that a type cannot take. Floating types take inf and nan, bools take all,
    and negative integers wrap around in unsigned types."""
    check_integer_fits(number)
    least, most = RANGES.get(dtype, INTEGERS)
    if least <= number <= most or dtype.kind == "b":
        return
    if dtype.kind == "f":
        fits = number != number or abs(number) == np.inf
    else:
        fits = dtype.kind == "u" and isinstance(number, int) and -most <= number < 0
    if not fits:
        name = C_TYPES[dtype]
        raise RuntimeError(f"value cannot be converted to type {name} without overflow")


def check_scalar_fits(number: Any, dtype: np.dtype[Any]) -> None:
    """Like ``check_number_fits``, for a number that PyTorch makes a 0-d tensor first: half
    precision takes all."""
    if dtype.itemsize != 2 or dtype.kind != "f":
        check_number_fits(number, dtype)


def check_integer_fits(number: Any) -> None:
    """Refuse an integer of more than 64 bits: Python does, for PyTorch."""
    if isinstance(number, int) and number < INTEGERS[0]:
        raise OverflowError("can't convert negative int to unsigned")
    if isinstance(number, int) and number > INTEGERS[1]:
        raise OverflowError("int too big to convert")
