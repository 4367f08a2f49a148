"""Operators of Tensor, and the in-place methods that are written by hand."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.memory_order import real_strides
from ...arrays.warnings import warn_once
from ...dispatch.offer import METHODS, offer
from ...eager.inplace import check_fill_value, inplace_method, write
from ...eager.op_functions import TENSORS as F
from ...eager.op_functions import operator
from ...eager.promote import is_number, not_a_tensor_error
from ...graph import runtime
from ...graph.tensor import Tensor
from ...optable import TABLE
from ..creation.factories import from_numpy
from ..indexing.getitem import getitem, setitem
from ..linalg import products
from ..memory.strides import storage_offset
from ..pointwise import arithmetic, overloads
from ..shape.select_diagonal import as_strided


def offer_scaled_inplace(key: str) -> Callable[..., Tensor]:
    """``add_`` and ``sub_``, which take ``alpha``."""

    def method(self: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
        if alpha == 1:
            return write(TABLE[key], self, (other,), {})
        return write(TABLE[key + ".alpha"], self, (other,), {"alpha": alpha})

    method.__name__ = method.__qualname__ = key + "_"
    method.__doc__ = f"``{key}``, written into this tensor."
    return method


@offer(function=False)
def pow_(self: Tensor, exponent: Any) -> Tensor:
    """self ** exponent, written into this tensor."""
    if isinstance(exponent, Tensor):
        return write(TABLE["pow.tensor"], self, (exponent,), {})
    if not is_number(exponent):
        raise not_a_tensor_error(TABLE["pow.tensor"], (self, exponent))
    kind = dtypes.result_type(self._data, exponent)
    if not dtypes.can_cast(kind, self._data.dtype):
        found, wanted = dtypes.scalar_type(kind), dtypes.scalar_type(self._data.dtype)
        raise RuntimeError(f"result type {found} can't be cast to the desired output type {wanted}")
    return write(TABLE["pow"], self, (), {"exponent": exponent})


@offer()
def fill_(input: Tensor, value: Any) -> Tensor:
    """One value everywhere.

    Raises:
        RuntimeError: the value is a tensor of one dimension or more.
    """
    if isinstance(value, Tensor):
        return write(TABLE["fill.tensor"], input, (value,), {})
    return write(TABLE["fill"], input, (), {"value": value})


@offer(method=False, out=True)
def fill(input: Tensor, value: Any) -> Tensor:
    """A tensor like this with one value everywhere.

    Raises:
        RuntimeError: the value is a tensor of one dimension or more.
    """
    if not isinstance(value, Tensor):
        return F.filled(input, value)
    check_fill_value(value._data)
    return F.filled_tensor(input, value)


@offer()
def zero_(input: Tensor) -> Tensor:
    """Zeros everywhere."""
    return write(TABLE["zero"], input, (), {})


@offer(function=False)
def copy_(self: Tensor, other: Tensor, non_blocking: bool = False) -> Tensor:
    """The values of another tensor (or a number), broadcast and cast to this one."""
    return write(TABLE["copy"], self, (other,), {})


@offer(function=False)
def square_(self: Tensor) -> Tensor:
    """self ** 2, written into this tensor."""
    return pow_(self, 2)


for _name in ("add", "sub"):
    offer(function=False)(offer_scaled_inplace(_name))


@offer(function=False)
def fill_diagonal_(self: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """One number on the main diagonal; with ``wrap`` it begins anew below, in tall matrices.

    Raises:
        RuntimeError: fewer than two dims, or more of different sizes.
    """
    shape, data = self._data.shape, self._data
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    strides = [step // data.itemsize for step in real_strides(data)]
    height, width, step = shape[0], shape[1], builtins.sum(strides)
    size, begin = builtins.min(height, width), storage_offset(self)
    as_strided(self, (size,), (step,), begin).fill_(fill_value)
    if wrap and len(shape) == 2 and height > width + 1:
        rest = -(-data.size // (width + 1)) - size
        offset = begin + strides[0] * (width + 1)
        as_strided(self, (rest,), (step,), offset).fill_(fill_value)
    return self


SCALAR_OF_A_GRAPH = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)


def rfloordiv(self: Tensor, other: Any) -> Tensor:
    """other // self."""
    return F.floor_divide(other, self)


def rlshift(self: Tensor, other: Any) -> Tensor:
    """other << self."""
    return F.bitwise_left_shift(other, self)


def rrshift(self: Tensor, other: Any) -> Tensor:
    """other >> self."""
    return F.bitwise_right_shift(other, self)


def rmod(self: Tensor, other: Any) -> Tensor:
    """other % self."""
    if not is_number(other):
        return runtime.operator_not_implemented("__rmod__", self, other)  # type: ignore[no-any-return]
    return overloads.remainder(other, self)


def invert(self: Tensor) -> Tensor:
    """~self.

    Raises:
        TypeError: floating items.
    """
    if self._meta.floating:
        raise TypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
        )
    return F.bitwise_not(self)


equal_items = operator("__eq__", "eq")


def equal(self: Tensor, other: Any) -> Any:
    """self == other, which may be an array, too."""
    result = equal_items(self, other)
    if result is NotImplemented and isinstance(other, np.ndarray):
        with suppress(TypeError):  # of what tensors do not have
            return F.eq(self, from_numpy(other))
    elif result is NotImplemented and hasattr(other, "__torch_function__"):
        with suppress(TypeError):
            return runtime.Tensor.eq(self, other)
    return result


def reverse_first_dim(self: Tensor) -> Tensor:
    """The tensor with its first dim reversed; a number as it is."""
    return F.flip(self, (0,)) if self._data.ndim else self


def matmul_operator(self: Tensor, other: Any) -> Tensor:
    """self @ other, which no number may be."""
    if not isinstance(other, Tensor):
        return runtime.operator_not_implemented("__matmul__", self, other)  # type: ignore[no-any-return]
    return products.matmul(self, other)


def rmatmul(self: Tensor, other: Any) -> Tensor:
    """other @ self."""
    if not isinstance(other, Tensor):
        return runtime.operator_not_implemented("__rmatmul__", self, other)  # type: ignore[no-any-return]
    return products.matmul(other, self)


def as_scalar(self: Tensor) -> Any:
    """The only item, for ``float(x)`` and the like.

    Raises:
        ValueError: there are more, or none.
    """
    if self._data.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    if runtime.reading is not None:
        runtime.reading((self,), np.ndarray.item, "a conversion to a Python number")
    return self._data.item()


@offer(function=False)
def item(self: Tensor) -> Any:
    """The only item as a Python number.

    Raises:
        RuntimeError: there are more, or none.
    """
    if self._data.size != 1:
        raise RuntimeError(
            f"a Tensor with {self._data.size} elements cannot be converted to Scalar"
        )
    if runtime.reading is not None:
        runtime.reading((self,), np.ndarray.item, "item()")
    return self._data.item()


def as_float(self: Tensor) -> float:
    """The only item as a float, with PyTorch's warning that it has no history."""
    result = float(as_scalar(self))
    if self.requires_grad and runtime.grad_enabled():
        warn_once(SCALAR_OF_A_GRAPH)
    return result


def as_bool(self: Tensor) -> bool:
    """The truth of the only item.

    Raises:
        RuntimeError: there are more, or none.
    """
    if self._data.size != 1:
        number = "no values" if self._data.size == 0 else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {number} is ambiguous")
    if runtime.reading is not None:
        runtime.reading((self,), bool, "its truth")
    return bool(self._data.item())


@offer()
def is_nonzero(input: Tensor) -> bool:
    """Return whether the only item is not 0.

    Shapes: one item, in any number of dims.

    Raises:
        RuntimeError: there are more, or none.
    """
    return bool(input)


def as_index(self: Tensor) -> int:
    """The only item of an integer tensor, where Python wants an index."""
    if self._data.size != 1 or self._data.dtype.kind not in "iub":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    if runtime.reading is not None:
        runtime.reading((self,), int, "an index")
    return int(self._data.item())


def length(self: Tensor) -> int:
    """The size of the first dim."""
    if self._data.ndim == 0:
        raise TypeError("len() of a 0-d tensor")
    return len(self._data)


def iterate(self: Tensor) -> Iterator[Tensor]:
    """The items along the first dim, views all made at once."""
    if self._data.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))


def delete(self: Tensor, index: Any) -> None:
    """Refuse ``del tensor[index]``.

    Raises:
        TypeError: always.
    """
    raise TypeError("Tensor does not support deleting items")


def contains(self: Tensor, item: Any) -> bool:
    """Return whether any item equals this one.

    Raises:
        RuntimeError: neither a tensor nor a number.
    """
    if not isinstance(item, (Tensor, int, float)):
        raise RuntimeError(
            f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(item)}."
        )
    if runtime.reading is not None:
        runtime.reading((self,), None, "`in`")
    return bool(np.any(self._data == (item._data if isinstance(item, Tensor) else item)))


def not_implemented(name: str, function: Callable[[Any, Any], Any]) -> Callable[[Tensor, Any], Any]:
    """The operator of a name, which leaves operands of other kinds to themselves: Python then says
    that there is no such operation."""

    @wraps(function)
    def known(self: Tensor, other: Any) -> Any:
        try:
            return function(self, other)
        except TypeError:
            if isinstance(other, (Tensor, complex, float, int, np.generic)):
                raise
            return runtime.operator_not_implemented(name, self, other)

    return known


WRITERS: dict[str, Callable[[Tensor, Any], Any]] = {
    "__iadd__": inplace_method("add"), "__isub__": inplace_method("sub"),
    "__imul__": inplace_method("mul"), "__itruediv__": inplace_method("div"),
    "__ipow__": pow_, "__ifloordiv__": METHODS["floor_divide_"],
    "__imod__": METHODS["remainder_"],
    "__iand__": inplace_method("bitwise_and"), "__ior__": inplace_method("bitwise_or"),
    "__ixor__": inplace_method("bitwise_xor"), "__ilshift__": inplace_method("bitwise_left_shift"),
    "__irshift__": inplace_method("bitwise_right_shift"),
}  # fmt: skip
METHODS.update({
    **{name: not_implemented(name, function) for name, function in WRITERS.items()},
    **{
        f"__{name}__": operator(f"__{name}__", key)
        for name, key in (
            ("add", "add"), ("radd", "add"), ("sub", "sub"), ("mul", "mul"), ("rmul", "mul"),
            ("truediv", "div"), ("floordiv", "floor_divide"), ("ne", "ne"),
            ("lt", "lt"), ("le", "le"), ("gt", "gt"), ("ge", "ge"), ("and", "bitwise_and"),
            ("or", "bitwise_or"), ("xor", "bitwise_xor"), ("rand", "bitwise_and"),
            ("ror", "bitwise_or"), ("rxor", "bitwise_xor"), ("lshift", "bitwise_left_shift"),
            ("rshift", "bitwise_right_shift"), ("neg", "neg"), ("abs", "abs"),
        )
    },
    "__rsub__": arithmetic.rsub, "__rtruediv__": not_implemented("__rtruediv__", arithmetic.rdiv),
    "__eq__": equal, "__reversed__": reverse_first_dim,
    "__pow__": arithmetic.pow, "__rpow__": arithmetic.rpow,
    "__mod__": not_implemented("__mod__", overloads.remainder),
    "__matmul__": matmul_operator, "__invert__": invert,
    "__getitem__": getitem, "__setitem__": setitem, "__delitem__": delete,
    "__rfloordiv__": not_implemented("__rfloordiv__", rfloordiv),
    "__rmod__": rmod, "__rmatmul__": rmatmul,
    "__rlshift__": not_implemented("__rlshift__", rlshift),
    "__rrshift__": not_implemented("__rrshift__", rrshift),
    "__pos__": arithmetic.positive,
    "__float__": as_float, "__int__": lambda self: int(as_scalar(self)),
    "__bool__": as_bool, "__index__": as_index, "__len__": length, "__iter__": iterate,
    "__contains__": contains, "__hash__": object.__hash__,  # defining __eq__ took it away
})  # fmt: skip
