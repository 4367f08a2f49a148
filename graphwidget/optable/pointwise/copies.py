"""Copies, tensors of zeros, and random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import memory_order
from ...arrays.scalars import scalar_array
from ..declare import Namespace, op
from .common_kernels import Array

F = Namespace()

op("clone(self, /)", memory_order.clone, pointwise=True, reshapes=True, out=False,
   warns=False,
   d_self=lambda grad: grad,
   text="{self}", onnx="Identity")

op("clone.contiguous(self, /)", lambda a: np.array(a, order="C"), node="CloneBackward0",
   reshapes=True, warns=False,
   d_self=lambda grad: grad,
   public=False, text="{self}", onnx="Identity")

op("to_copy(self, /, dtype)", memory_order.to_copy, node="ToCopyBackward0",
   d_self=lambda grad, self_dtype: F.to_copy(grad, self_dtype),
   public=False, sign="to", text="{self} as {dtype}", onnx="Cast")

op("zeros_like(self, /)", np.zeros_like, pointwise=True, uniform=0, nograd=True,
   public=False, sign="0", text="0", onnx=None)

op("ones_like(self, /)", np.ones_like, pointwise=True, uniform=1, nograd=True,
   public=False, sign="1", text="1", onnx=None)

op("detach(self, /)", lambda a: a, borrows=True, reshapes=True, nograd=True, public=False,
   text="detach({self})", onnx="Identity")

# In place only -------------------------------------------------------------------------------
op("zero(self, /)", np.zeros_like, inplace=True, pointwise=True, overlap="anything",
   uniform=0, overwrites=True,
   d_self=lambda grad: F.zeros_like(grad),
   public=False, sign="0", text="0", onnx=None)

op("fill(self, /, value)", lambda a, value: np.full_like(a, value), inplace=True, pointwise=True,
   node="FillBackward2", overlap="anything", overwrites=True,
   d_self=lambda grad: F.zeros_like(grad),
   public=False, sign="fill", text="{value}", onnx=None)

op("fill.tensor(self, value, /)", lambda a, value: np.full_like(a, value), inplace=True,
   pointwise=True, node="FillBackward3", overwrites=True,
   d_self=lambda grad: F.zeros_like(grad),
   d_value=lambda grad: F.sum(grad),
   sign="fill", text="{value}", onnx=None)

op("filled(self, /, value)",
   lambda a, value: memory_order.full_like(a, scalar_array(value, a.dtype)),
   pointwise=True,
   node="FillBackward0",
   d_self=lambda grad: F.zeros_like(grad),
   public=False, sign="fill", text="{value}", onnx=None)

op("filled.tensor(self, value, /)", memory_order.full_like, node="FillBackward1",
   d_self=lambda grad: F.zeros_like(grad),
   d_value=lambda grad: F.sum(grad),
   public=False, sign="fill", text="{value}", onnx=None)

op("copy(self, src, /)", lambda a, src: src, inplace=True, pointwise=True, node="CopyBackwards",
   borrows=True, overwrites=True,
   d_self=lambda grad: F.zeros_like(grad),
   d_src=lambda grad: grad,
   public=False, sign="copy", text="{src}", onnx="Identity")


class ZeroArray(np.ndarray):
    """Zeros without memory of their own. Products with them, quotients by something else and sums
    of two of them are such zeros again, and so are views; quotients by them are all nan or all
    inf, whatever is divided. So Python's operators have it, and ufuncs that are given that
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
    """Like ``product_value``, for a quotient."""
    if second:
        return np.nan if first else np.inf
    return 0.0 if first else None


def sum_value(first: bool, second: bool) -> float | None:
    """Like ``quotient_value``, for a sum or difference."""
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
   nograd=True, public=False, text="0", onnx=None)


def replace_by_random(a: Array, drawn: Array) -> Array:
    """Return the drawn numbers."""
    return drawn


def replace_pair_by_random(a: Array, b: Array, drawn: Array) -> Array:
    """Return the drawn numbers."""
    return drawn


for key, node in (
    ("normal.written", "NormalBackward0"), ("uniform.written", "UniformBackward0"),
    ("exponential.written", "ExponentialBackward0"),
    ("bernoulli.written", "BernoulliBackward2"), ("random.range", "RandomBackward0"),
    ("random.below", "RandomBackward1"), ("random.written", "RandomBackward2"),
):
    op(f"{key}(self, drawn, /)", replace_by_random, borrows=True, inplace=True, node=node,
       public=False,
       d_self=lambda grad: F.zeros_like(grad),
       text="random numbers", onnx=None)

op("bernoulli.tensor(self, p, drawn, /)", replace_pair_by_random, borrows=True, inplace=True,
   node="BernoulliBackward1", public=False,
   d_self=lambda grad: F.zeros_like(grad),
   d_p=lambda grad, _p_shape: F.sum_to_size(F.zeros_like(grad), _p_shape),
   text="1 with probability {p}", onnx=None)

op("bernoulli(self, drawn, /)", replace_by_random, borrows=True, public=False,
   d_self=lambda grad: F.zeros_like(grad),
   text="bernoulli({self})", onnx=None)


op("normal.mean(mean, drawn, /)", replace_by_random, borrows=True,
   node="NormalBackward1", public=False,
   d_mean=lambda grad, mean_shape: F.zeros_of(grad, mean_shape),
   text="normal about {mean}", onnx=None)
op("normal.std(std, drawn, /)", replace_by_random, borrows=True,
   node="NormalBackward2", public=False,
   d_std=lambda grad, std_shape: F.zeros_of(grad, std_shape),
   text="normal with deviation {std}", onnx=None)
op("normal.both(mean, std, drawn, /)", replace_pair_by_random, borrows=True,
   node="NormalBackward3", public=False,
   d_mean=lambda grad, mean_shape: F.zeros_of(grad, mean_shape),
   d_std=lambda grad, std_shape: F.zeros_of(grad, std_shape),
   text="normal about {mean} with deviation {std}",
   onnx=None)
