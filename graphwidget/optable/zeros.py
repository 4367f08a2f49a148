"""Zeros that may not be written: what PyTorch's ``sgn`` gives its operand as a gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from .declare import op
from .kernels import Array


class Zeros(np.ndarray):
    """Zeros without memory of their own. Products with them, quotients and sums of two of them are
    such zeros again, and so are views; whatever else is computed of them is an ordinary array.

    One that can be written (numpy makes some: copies, arrays "like" one) is an ordinary array too.
    """

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [each.view(np.ndarray) if isinstance(each, Zeros) else each for each in inputs]
        if options.get("out"):
            options["out"] = tuple(
                each.view(np.ndarray) if isinstance(each, Zeros) else each
                for each in options["out"]
            )
        elif method != "at":
            options["out"] = ...  # numpy drops this on its way here; without, 0-d becomes a number
        return getattr(ufunc, method)(*plain, **options)

    def __mul__(self, other: Any) -> Array:
        return np.multiply(self, other) if self.flags.writeable else self._combined(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Array:
        return np.true_divide(self, other) if self.flags.writeable else self._combined(other)

    def __add__(self, other: Any) -> Array:
        both = isinstance(other, Zeros) and not other.flags.writeable and not self.flags.writeable
        return self._combined(other) if both else np.add(self, other)

    __radd__ = __add__

    def _combined(self, other: Any) -> Zeros:
        return immutable(np.broadcast_shapes(self.shape, np.shape(other)), self.dtype)


def immutable(shape: tuple[int, ...], dtype: Any) -> Zeros:
    """Zeros that may not be written."""
    found = np.zeros(shape, dtype).view(Zeros)
    found.flags.writeable = False
    return found


op("zero_tensor(self, /)", lambda a: immutable(np.shape(a), a.dtype), nograd=True, public=False,
   text="0", tex="0", onnx=None)
