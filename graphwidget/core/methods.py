"""The methods of Tensor: questions about it, conversions, and all that the others offer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import (  # noqa: F401  (each offers its functions when it is imported)
    conversion,
    factories,
    functions,
    interchange,
    operators,
    products,
    shapes,
    writes,
)
from .compile import TENSORS as F
from .dims import wrap_dim
from .public import METHODS, offer, offer_table
from .tensor import Tensor


@offer(function=False)
def size(self: Tensor, dim: int | None = None) -> Any:
    """The shape, or the size of one dim."""
    if dim is None:
        return self.shape
    return self._data.shape[wrap_dim(dim, self._data.ndim)]


@offer(function=False)
def is_contiguous(self: Tensor) -> bool:
    """Whether the items lie in C order."""
    return bool(self._data.flags.c_contiguous)


@offer(function=False)
def stride(self: Tensor, dim: int | None = None) -> Any:
    """How many items apart neighbours along each dim (or one) lie in memory."""
    strides = tuple(step // self._data.itemsize for step in self._data.strides)
    return strides if dim is None else strides[dim]


@offer(function=False)
def storage_offset(self: Tensor) -> int:
    """How many items into its storage the tensor begins."""
    root = self._data
    while isinstance(root.base, np.ndarray):
        root = root.base
    return int(self._data.ctypes.data - root.ctypes.data) // self._data.itemsize


def new_factory(name: str) -> Callable[..., Tensor]:
    """``new_zeros`` and the like: of this tensor's dtype."""
    factory: Callable[..., Tensor] = getattr(factories, name)

    def method(self: Tensor, *args: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        return factory(*args, dtype=dtype or self.dtype, **kwargs)

    method.__doc__ = f"``{name}`` with this tensor's dtype by default."
    return method


for _name in ("zeros", "ones", "empty", "full", "tensor"):
    METHODS["new_" + _name] = new_factory(_name)
METHODS.update(
    numel=lambda self: self._data.size,
    nelement=lambda self: self._data.size,
    dim=lambda self: self._data.ndim,
    ndimension=lambda self: self._data.ndim,
    tolist=lambda self: self._data.tolist(),
    view_as=lambda self, other: shapes.view(self, *other._data.shape),
    reshape_as=lambda self, other: shapes.reshape(self, *other._data.shape),
    expand_as=lambda self, other: shapes.expand(self, *other._data.shape),
    element_size=lambda self: self._data.itemsize,
    is_floating_point=lambda self: self._meta.floating,
    data_ptr=lambda self: self._data.ctypes.data,
    ravel=lambda self: shapes.reshape(self, -1),
    where=lambda self, condition, other: functions.where(condition, self, other),
    T=property(lambda self: shapes.permute(self, *reversed(range(self._data.ndim)))),
    mT=property(lambda self: shapes.transpose(self, -2, -1)),
)
offer_table()
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)
F.__dict__.update(reshape=shapes.reshape, sum_to_size=functions.sum_to_size)
