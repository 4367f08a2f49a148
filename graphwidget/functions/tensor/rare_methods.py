"""Rarely used methods: ``new``, ``as_subclass``, ``grad_dtype`` and the like.

What debuggers and older programs ask for, and refusals of types that numpy does not have.
"""

from __future__ import annotations

from typing import Any

from ...arrays import devices, dtypes
from ...arrays.kernel_errors import type_name
from ...arrays.size import Size
from ...autograd.grad_mode import no_grad
from ...dispatch.offer import METHODS, offer
from ...eager.op_functions import TENSORS as F
from ...eager.op_functions import alias_as
from ...graph.base import OWN
from ...graph.tensor import Tensor
from ..creation.factories import legacy_tensor
from ..creation.factory_decorator import new_leaf
from .operators import copy_

NO_SUBCLASS = (
    "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. "
    "Make sure your class inherits from Tensor."
)


@offer()
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Return whether two tensors have the same shape."""
    return input._data.shape == other._data.shape


# Sizes and types ----------------------------------------------------------------------------------
@offer(function=False)
def new(self: Tensor, *args: Any, size: Any = None, device: Any = None) -> Tensor:
    """The legacy constructor: a tensor of this type, from sizes (uninitialised) or values."""
    devices.require_cpu(device)
    if len(args) == 1 and isinstance(args[0], Tensor):
        return F.alias(args[0])
    given = args if size is None else (Size(size),)
    if given and isinstance(given[0], str):
        raise TypeError(f"new(): invalid data type '{type(given[0]).__name__}'")
    return new_leaf(legacy_tensor(self._data.dtype, *given))


@offer(function=False)
def as_subclass(self: Tensor, cls: type[Tensor]) -> Any:
    """The tensor as an instance of a subclass, sharing memory and history.

    Raises:
        TypeError: the class is none of tensors.
    """
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type(cls).__name__})")
    return alias_as(checked_class(cls), self)


def checked_class(cls: type) -> type[Tensor]:
    """A class of tensors.

    Raises:
        TypeError: it is none.
    """
    if not issubclass(cls, Tensor):
        raise TypeError(NO_SUBCLASS)
    return cls


def make_subclass(cls: type[Tensor], data: Tensor, require_grad: bool = False) -> Any:
    """An instance of a subclass that shares memory with a tensor, without its history.

    Raises:
        TypeError: the class is none of tensors; no tensor is given.
    """
    if not isinstance(data, Tensor):
        raise TypeError(
            f"_make_subclass(): argument 'data' (position 2) must be Tensor, not {type_name(data)}"
        )
    made = data._detached(checked_class(cls))
    made._requires_grad = require_grad
    return made


@offer(function=False)
def module_load(self: Tensor, other: Tensor, assign: bool = False) -> Tensor:
    """Return the tensor that ``load_state_dict`` puts in this one's place: itself with the other's
    values."""
    if assign:
        return other.detach()
    with no_grad():
        return copy_(self, other).detach()


def grad_dtype(self: Tensor) -> dtypes.dtype | None:
    """The type of a leaf's gradient: its own, or the one that was set; None for any.

    Raises:
        RuntimeError: not a leaf.
    """
    if not self.is_leaf:
        raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
    hooks = self._hooks
    found = self._data.dtype if hooks is None or hooks.dtype is OWN else hooks.dtype
    return None if found is None else dtypes.of(found)


def set_grad_dtype(self: Tensor, wanted: dtypes.dtype | None) -> None:
    """Tell a leaf of which type its gradient is to be.

    Raises:
        RuntimeError: not a leaf, no type, or there is a gradient of another type.
    """
    there = self.grad
    if not self.is_leaf:
        raise RuntimeError("grad_dtype can only be set on leaf tensors.")
    if not (wanted is None or isinstance(wanted, dtypes.dtype)):
        raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {type_name(wanted)}")
    if wanted is not None and there is not None and there.dtype is not wanted:
        raise RuntimeError(
            f"Cannot set grad_dtype to '{dtypes.scalar_type(wanted.numpy)}' because there is "
            f"already a gradient with dtype '{dtypes.c_type(there._data.dtype)}'. Please clear the "
            "gradient (.grad = None) before changing grad_dtype, or ensure the new grad_dtype "
            "matches the existing gradient's dtype."
        )
    self._leaf_hooks().dtype = None if wanted is None else wanted.numpy


METHODS.update(
    itemsize=property(lambda self: self._data.itemsize, doc="The size of an item in bytes."),
    nbytes=property(
        lambda self: self._data.size * self._data.itemsize, doc="The size of all items in bytes."
    ),
    name=property(lambda self: None, doc="None: tensors have no names."),
    grad_dtype=property(grad_dtype, set_grad_dtype),
)
for _name in ("ipu", "maia", "mkldnn", "mtia", "nested", "sparse_csr", "vulkan", "xla"):
    METHODS["is_" + _name] = property(lambda self: False)
