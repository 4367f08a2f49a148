"""Value: what an ONNX node gives, with the operators that formulas are written with."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..static.tensor_shape import Sizes
from .errors import OnnxExporterError


class Value:
    """A value of the file under construction: its name, its type, and what is known of its shape.

    Operators on it add nodes; numbers become constants of its type.
    """

    __slots__ = ("dtype", "name", "sizes", "writer")

    def __init__(self, writer: Any, name: str, dtype: Any, sizes: Sizes | None) -> None:
        self.writer, self.name, self.sizes = writer, name, sizes
        self.dtype: np.dtype[Any] = np.dtype(dtype)

    @property
    def rank(self) -> int:
        """Number of dims.

        Raises:
            OnnxExporterError: it is unknown.
        """
        if self.sizes is None:
            raise OnnxExporterError(f"the number of dims of {self.name} is unknown")
        return len(self.sizes)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes, all of them known.

        Raises:
            OnnxExporterError: they are not.
        """
        if self.sizes is None or None in self.sizes:
            raise OnnxExporterError(f"the shape of {self.name} must be known")
        return self.sizes  # type: ignore[return-value]

    def size(self, dim: int) -> int:
        """One size.

        Raises:
            OnnxExporterError: it is unknown.
        """
        if not -self.rank <= dim < self.rank or self.sizes[dim] is None:  # type: ignore[index]
            raise OnnxExporterError(f"size {dim} of {self.name} must be known")
        return self.sizes[dim]  # type: ignore[index, return-value]

    def axis(self, dim: int) -> int:
        """A dim as a number from 0.

        Raises:
            OnnxExporterError: it is a single number, which has no dims.
        """
        if not self.rank:
            raise OnnxExporterError(f"{self.name} is a single number")
        return dim % self.rank

    @property
    def floating(self) -> bool:
        """True if it holds floats."""
        return self.dtype.kind == "f"

    def like(self, other: Any) -> Value:
        """A number as a constant of this one's type; a value as it is."""
        if isinstance(other, Value):
            return other
        found: Value = self.writer.constant(np.asarray(other, self.dtype))
        return found

    def cast(self, dtype: Any) -> Value:
        """The same numbers in another type."""
        if self.dtype == np.dtype(dtype):
            return self
        made: Value = self.writer(
            "Cast", self, to=self.writer.type_of(dtype), dtype=dtype, sizes=self.sizes
        )
        return made

    def _binary(self, type: str, other: Any, turned: bool = False, dtype: Any = None) -> Value:
        pair = (self.like(other), self) if turned else (self, self.like(other))
        made: Value = self.writer(type, *pair, dtype=dtype)
        return made

    def __add__(self, other: Any) -> Value:
        return self._binary("Add", other)

    def __radd__(self, other: Any) -> Value:
        return self._binary("Add", other, True)

    def __sub__(self, other: Any) -> Value:
        return self._binary("Sub", other)

    def __rsub__(self, other: Any) -> Value:
        return self._binary("Sub", other, True)

    def __mul__(self, other: Any) -> Value:
        return self._binary("Mul", other)

    def __rmul__(self, other: Any) -> Value:
        return self._binary("Mul", other, True)

    def __truediv__(self, other: Any) -> Value:
        return self._binary("Div", other)

    def __rtruediv__(self, other: Any) -> Value:
        return self._binary("Div", other, True)

    def __pow__(self, other: Any) -> Value:
        return self._binary("Pow", other)

    def __matmul__(self, other: Value) -> Value:
        return self._binary("MatMul", other)

    def __neg__(self) -> Value:
        made: Value = self.writer("Neg", self)
        return made

    def __invert__(self) -> Value:
        made: Value = self.writer("Not", self)
        return made

    def __and__(self, other: Value) -> Value:
        return self._binary("And", other)

    def __or__(self, other: Value) -> Value:
        return self._binary("Or", other)

    def __lt__(self, other: Any) -> Value:
        return self._binary("Less", other, dtype=bool)

    def __le__(self, other: Any) -> Value:
        return self._binary("LessOrEqual", other, dtype=bool)

    def __gt__(self, other: Any) -> Value:
        return self._binary("Greater", other, dtype=bool)

    def __ge__(self, other: Any) -> Value:
        return self._binary("GreaterOrEqual", other, dtype=bool)

    def equals(self, other: Any) -> Value:
        """Return an elementwise comparison with another value."""
        return self._binary("Equal", other, dtype=bool)

    def differs(self, other: Any) -> Value:
        """Return an elementwise test for difference from another value."""
        return ~self.equals(other)
