"""Zero tensors, which may not be written: the gradient that PyTorch's ``sgn`` gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import op
from .common_kernels import Array


class ZeroArray(np.ndarray):
    """Zeros without memory of their own. Products with them, quotients by something else and sums
    of two of them are such zeros again, and so are views; quotients by them are all nan or all
    inf, whatever is divided. So Python's operators have it, and ufuncs that are told that
    subclasses pass (``subok=True``); what else is computed of them is an ordinary array.

    One that can be written (numpy makes some: copies, arrays "like" one) is an ordinary array too.
    """

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [each.view(np.ndarray) if isinstance(each, ZeroArray) else each for each in inputs]
        if options.get("subok") and ufunc in COMBINED:
            found = COMBINED[ufunc](*map(is_zero_tensor, inputs))
            if found is not None:
                shape, dtype = np.broadcast_shapes(*map(np.shape, plain)), np.result_type(*plain)
                return np.full(shape, found, dtype) if found else zero_tensor(shape, dtype)
        if options.get("out"):
            options["out"] = tuple(
                each.view(np.ndarray) if isinstance(each, ZeroArray) else each
                for each in options["out"]
            )
        elif method != "at":
            options["out"] = ...  # numpy drops this on its way here; without, 0-d becomes a number
        return getattr(ufunc, method)(*plain, **options)

    def __mul__(self, other: Any) -> Array:
        return np.multiply(self, other, subok=True)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Array:
        return np.true_divide(self, other, subok=True)

    def __rtruediv__(self, other: Any) -> Array:
        return np.true_divide(other, self, subok=True)

    def __add__(self, other: Any) -> Array:
        return np.add(self, other, subok=True)

    __radd__ = __add__


def is_zero_tensor(each: Any) -> bool:
    """Return whether this is such zeros."""
    return isinstance(each, ZeroArray) and not each.flags.writeable


def as_array(found: Any) -> Array:
    """Return a kernel's result as an array: numbers become 0-d arrays, zero tensors stay."""
    return found if is_zero_tensor(found) else np.asarray(found)


def product_value(first: bool, second: bool) -> float | None:
    """Return the constant that a product with a zero tensor is everywhere; None for an ordinary
    product."""
    return 0.0 if first or second else None


def quotient_value(first: bool, second: bool) -> float | None:
    """The same of a quotient."""
    if second:
        return np.nan if first else np.inf
    return 0.0 if first else None


def sum_value(first: bool, second: bool) -> float | None:
    """The same of a sum or difference."""
    return 0.0 if first and second else None


COMBINED = {
    np.multiply: product_value, np.true_divide: quotient_value, np.add: sum_value,
    np.subtract: sum_value,
}  # fmt: skip


def zero_tensor(shape: tuple[int, ...], dtype: Any) -> ZeroArray:
    """Zeros that may not be written."""
    found = np.zeros(shape, dtype).view(ZeroArray)
    found.flags.writeable = False
    return found


op("zero_tensor(self, /)", lambda a: zero_tensor(np.shape(a), a.dtype), borrows=True, uniform=0,
   nograd=True, public=False, text="0", tex="0", onnx=None)
