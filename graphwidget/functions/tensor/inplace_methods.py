"""The in-place methods that are written by hand; the others are derived from the table."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from ...arrays import dtypes
from ...arrays.overlap import real_strides
from ...dispatch.offer import offer
from ...eager.inplace import check_fill_value, write
from ...eager.op_functions import TENSORS as F
from ...eager.promote import is_number, not_a_tensor_error
from ...graph.tensor import Tensor
from ...optable import TABLE
from ..memory.strides import storage_offset
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
