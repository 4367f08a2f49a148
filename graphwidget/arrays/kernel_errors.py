"""Errors of kernels in PyTorch's words: types that they do not take, shapes that do not fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

HEAP_TYPE = 1 << 9
"""The flag of types that were not written in C."""

IN_C = {name: f"torch.{name}" for name in ("Size", "device", "dtype", "layout", "memory_format")}
IN_C["Generator"] = "torch._C.Generator"
"""Types that PyTorch writes in C, and we do not."""


def type_name(value: Any) -> str:
    """The type of a value as C calls it: types that are written in C say where they are from."""
    kind = type(value)
    if kind.__name__ in IN_C:
        return IN_C[kind.__name__]
    if kind.__flags__ & HEAP_TYPE or kind.__module__ == "builtins":
        return kind.__name__
    return f"{kind.__module__}.{kind.__name__}"


class LinAlgError(RuntimeError):
    """A matrix does not allow what was asked for: it is singular or not positive-definite."""


LinAlgError.__module__, LinAlgError.__qualname__ = "torch._C", "_LinAlgError"
LinAlgError.__name__ = "_LinAlgError"

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


KINDS = {
    "bool": "?", "half": "e", "float": "efd", "integer": "bhilqBHILQ", "short": "bhiBHI",
    "number": "bhilqHILQ",
}  # fmt: skip
"""Words for types in declarations (``short``: integers but int64; ``number``: integers but uint8,
which pictures have), and numpy's letters for them."""


def refuse_types(kernel: Callable[..., Any], refused: str) -> Callable[..., Any]:
    """A kernel that refuses some types of its first operand: ``"trace: bool half"`` says its name
    in PyTorch and the types; nothing is refused if that is empty."""
    if not refused:
        return kernel
    name, _, words = refused.partition(": ")
    unknown = "".join(KINDS[word] for word in words.split())
    compute = partial(kernel, out=...) if isinstance(kernel, np.ufunc) else kernel

    def checked(first: Any, *rest: Any, **params: Any) -> Any:
        if first.dtype.char in unknown:
            raise not_implemented(name, first.dtype)
        return compute(first, *rest, **params)

    return checked


def refuse_all_bools(kernel: str) -> Callable[..., None]:
    """A guard: operands that are all bools are refused."""

    def guard(*dtypes: Any) -> None:
        if all(dtype.kind == "b" for dtype in dtypes):
            raise not_implemented(kernel, dtypes[0])

    return guard


def refuse_bool_exponents(dtype: Any, exponent: Any) -> None:
    """Refuse powers of two whose exponents are bools, for floats.

    Raises:
        NotImplementedError: in PyTorch's words.
    """
    if dtype.kind == "f" and exponent.kind == "b":
        raise not_implemented("ldexp_cpu_exp", exponent)


def refuse_bools_in_relu(dtype: Any) -> None:
    """Refuse bools.

    Raises:
        RuntimeError: in PyTorch's words.
    """
    if dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")


def check_nonzero_divisor(a: Any, other: Any) -> None:
    """Refuse to divide integers by zero, if there are any.

    Raises:
        RuntimeError: there is a zero among them.
    """
    if other.dtype.kind in "iu" and not other.all() and a.size:
        raise RuntimeError("ZeroDivisionError")


def broadcast_shape(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The common shape.

    Raises:
        RuntimeError: two sizes differ and neither is 1 (PyTorch's text).
    """
    first = shapes[0]
    for shape in shapes:
        if shape != first:
            break
    else:
        return first
    result: list[int] = []
    for shape in shapes:
        if len(shape) > len(result):
            result = [1] * (len(shape) - len(result)) + result
        offset = len(result) - len(shape)
        for i in reversed(range(len(shape))):
            size = shape[i]
            if result[offset + i] == 1:
                result[offset + i] = size
            elif size not in (1, result[offset + i]):
                raise RuntimeError(
                    f"The size of tensor a ({result[offset + i]}) must match the size of tensor b "
                    f"({size}) at non-singleton dimension {offset + i}"
                )
    return tuple(result)
