"""The element types of symbols, under TensorFlow's names (``tf.float32``)."""

from __future__ import annotations

from typing import Any

import numpy as np

CODES = {
    "float16": "half", "float32": "float", "float64": "double", "bool": "bool",
    "int8": "int8", "int16": "int16", "int32": "int32", "int64": "int64", "uint8": "uint8",
    "uint16": "uint16", "uint32": "uint32", "uint64": "uint64",
}  # fmt: skip
"""Numbers of the types in messages of TensorFlow's runtime."""


class DType:
    """An element type; of a variable itself (``is_ref``) or of a value."""

    __slots__ = ("is_ref", "name", "numpy")

    def __init__(self, numpy: Any, is_ref: bool = False) -> None:
        self.numpy: np.dtype[Any] = np.dtype(numpy)
        self.is_ref = is_ref
        self.name = self.numpy.name + "_ref" * is_ref

    @property
    def as_numpy_dtype(self) -> type:
        """numpy's scalar type."""
        return self.numpy.type

    @property
    def base_dtype(self) -> DType:
        """The type of the value that a variable holds."""
        return as_dtype(self.numpy)

    @property
    def is_floating(self) -> bool:
        """True if it is one of the floating types."""
        return self.numpy.kind == "f"

    @property
    def is_integer(self) -> bool:
        """True if it is one of the integer types; bool is none."""
        return self.numpy.kind in "iu"

    @property
    def is_bool(self) -> bool:
        """True if it is bool."""
        return self.numpy.kind == "b"

    @property
    def size(self) -> int:
        """Bytes of an item."""
        return self.numpy.itemsize

    @property
    def code(self) -> str:
        """The runtime's word for it (``float``)."""
        return CODES[self.numpy.name]

    @property
    def min(self) -> Any:
        """The smallest value."""
        return np.finfo(self.numpy).min if self.is_floating else np.iinfo(self.numpy).min

    @property
    def max(self) -> Any:
        """The largest value."""
        return np.finfo(self.numpy).max if self.is_floating else np.iinfo(self.numpy).max

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DType):
            return self.numpy == other.numpy and self.is_ref == other.is_ref
        try:
            return other is not None and as_dtype(other) == self
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __repr__(self) -> str:
        return f"tf.{self.name}"


TYPES = {name: DType(name) for name in CODES}
REFS = {name: DType(name, is_ref=True) for name in CODES}
FLOATING = "bfloat16, float16, float32, float64, complex64, complex128"
"""Types that TensorFlow allows where only floats make sense, as its messages list them."""


def as_dtype(value: Any) -> DType:
    """The type that a value names: one of ours, numpy's or Python's, or a string.

    Raises:
        TypeError: there is no such type here.
    """
    if isinstance(value, DType):
        return value
    numpy = getattr(value, "numpy", None)  # a type of the eager engine
    try:
        found = np.dtype(numpy if isinstance(numpy, np.dtype) else value)
        return TYPES[{"float": "float32", float: "float32", int: "int32"}.get(value, found.name)]
    except (TypeError, KeyError):
        raise TypeError(f"Cannot convert value {value!r} to a TensorFlow DType.") from None


float16, float32, float64 = TYPES["float16"], TYPES["float32"], TYPES["float64"]
half, double = float16, float64
int8, int16, int32, int64 = TYPES["int8"], TYPES["int16"], TYPES["int32"], TYPES["int64"]
uint8, uint16, uint32, uint64 = (
    TYPES["uint8"], TYPES["uint16"], TYPES["uint32"], TYPES["uint64"],
)  # fmt: skip
bool_ = TYPES["bool"]
