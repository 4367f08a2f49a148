"""What kernels refuse, in PyTorch's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

WORDS = {
    "float64": "Double", "float32": "Float", "float16": "Half", "int64": "Long", "int32": "Int",
    "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool",
}  # fmt: skip
"""PyTorch's words for numpy's types."""

C_WORDS = {
    "float64": "double", "float32": "float", "float16": "c10::Half", "int64": "long int",
    "int32": "int", "int16": "short int", "int8": "signed char", "uint8": "unsigned char",
    "bool": "bool",
}  # fmt: skip
"""Its C++ words for the same."""


def not_implemented(kernel: str, dtype: Any) -> NotImplementedError:
    """The error of a kernel that does not know a type."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{WORDS[dtype.name]}'")


def integral(name: str, function: Callable[..., Any], bools: bool = False) -> Callable[..., Any]:
    """A kernel on integers (and bools) alone, of one or two arrays."""

    def kernel(*arrays: Any) -> Any:
        dtype = arrays[0].dtype
        if dtype.kind == "f" or (dtype.kind == "b" and not bools):
            raise not_implemented(name, dtype)
        return function(*arrays, out=...)

    return kernel


def floating(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel on floating types alone; params are handed on."""

    def kernel(first: Any, *rest: Any, **params: Any) -> Any:
        if first.dtype.kind != "f":
            raise not_implemented(name, first.dtype)
        return function(first, *rest, **params)

    return kernel


def no_bools(kernel: str) -> Callable[..., None]:
    """A guard: operands that are all bools are refused."""

    def guard(*dtypes: Any) -> None:
        if all(dtype.kind == "b" for dtype in dtypes):
            raise not_implemented(kernel, dtypes[0])

    return guard


def no_bools_in_relu(dtype: Any) -> None:
    """Refuse bools.

    Raises:
        RuntimeError: in PyTorch's words.
    """
    if dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")


def nonzero_divisor(other: Any) -> None:
    """Refuse to divide integers by zero.

    Raises:
        RuntimeError: there is a zero among them.
    """
    if other.dtype.kind in "iu" and not other.all():
        raise RuntimeError("ZeroDivisionError")
