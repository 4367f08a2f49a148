"""numpy's protocols, copies and pickles of tensors.

``numpy()`` shares memory. Tensors that share a storage still share it after a ``deepcopy`` of both.
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np

from ...arrays.memory_order import memory_of
from ...arrays.warnings import warn
from ...dispatch.offer import METHODS, offer
from ...dispatch.out import bytes_of
from ...graph import runtime
from ...graph.tensor import Tensor
from ...graph.version import counter_at_version
from ...optable.pointwise.copies import is_zero_tensor
from ..memory.storage import copied_memory

NOT_RESIZABLE = (
    "The default implementation of __deepcopy__() for non-wrapper subclasses only works for "
    "subclass types that implement new_empty() and for which that function returns another "
    "instance of the same subclass. You should either properly implement new_empty() for your "
    "subclass or override __deepcopy__() if it is intended behavior for new_empty() to return an "
    "instance of a different type."
)
LEAVES_ONLY = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at "
    "the moment.  If you were attempting to deepcopy a module, this may be because of a "
    "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
)


# numpy -------------------------------------------------------------------------------------------
@offer(function=False)
def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """The tensor's memory as an array.

    Raises:
        RuntimeError: it requires grad.
    """
    if self.requires_grad and runtime.grad_enabled() and not force:
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    if is_zero_tensor(self._data) and not force:
        raise RuntimeError(
            " Cannot convert a ZeroTensor to numpy. Set force=True if you need the zero array."
        )
    if runtime.reading is not None:
        runtime.reading((self,), None, "numpy()")
    return np.asarray(self._data)


def as_numpy_array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    """Return the array of ``np.asarray(tensor)``: the tensor's memory where dtype and ``copy``
    allow."""
    return np.array(numpy(self), dtype, copy=copy)


def from_ufunc(
    self: Tensor, array: np.ndarray, context: Any = None, return_scalar: bool = False
) -> Tensor:
    """The result of a numpy ufunc on a tensor, as a tensor (numpy's ``__array_wrap__``); truth
    values are bytes, as PyTorch has them."""
    array = np.asarray(array)
    return Tensor._wrap(array.astype(np.uint8) if array.dtype == bool else array)


# Copies and pickles ----------------------------------------------------------------------------
class StoragePlace(NamedTuple):
    """Place of typed items in a storage, in bytes."""

    dtype: str
    shape: tuple[int, ...]
    offset: int
    strides: tuple[int, ...]


def storage_place(data: np.ndarray) -> tuple[np.ndarray, StoragePlace]:
    """An array whose memory has no gaps (a copy, if it has), and its place in that."""
    if not memory_of(data).flags.c_contiguous:
        data = np.ascontiguousarray(data)
    offset = data.ctypes.data - memory_of(data).ctypes.data if data.size else 0
    return data, StoragePlace(data.dtype.str, data.shape, offset, data.strides)


def rebuild_tensor(
    kind: type[Tensor] | None,
    memory: np.ndarray,
    place: StoragePlace,
    requires_grad: bool,
    attributes: dict[str, Any],
) -> Tensor:
    """A leaf on a part of a storage. Pickles name no class for plain tensors: by its public name
    it would be PyTorch's."""
    dtype, shape, offset, strides = place
    out = (kind or Tensor)._wrap(np.ndarray(shape, dtype, memory, offset, strides))
    out._counter = counter_at_version()
    out._requires_grad = requires_grad
    out.__dict__.update(attributes)
    return out


def backward_hooks(self: Tensor) -> OrderedDict[int, Any] | None:
    """The tensor's hooks by their handles' ids; None without any."""
    hooks = self._hooks if self._node is None else self._node.hooks
    return OrderedDict(hooks.tensor) if hooks is not None and hooks.tensor else None


def accumulated_hooks(self: Tensor) -> OrderedDict[int, Any] | None:
    """Hooks that run after accumulation into a leaf, by the handles' ids; None without any."""
    hooks = self._hooks
    return OrderedDict(hooks.accumulated) if hooks is not None and hooks.accumulated else None


HOOK_STAYS = (
    "backward hook {!r} on tensor will not be serialized.  If this is expected, you can decorate "
    "the function with @torch.utils.hooks.unserializable_hook to suppress this warning"
)


def warn_if_has_hooks(tensor: Tensor) -> None:
    """Warn of the hooks of a tensor that is pickled: they stay behind."""
    for hook in (backward_hooks(tensor) or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warn(HOOK_STAYS.format(hook))


def reduce(self: Tensor, protocol: Any) -> tuple[Any, ...]:
    """For pickle: storage, place and ``requires_grad``, without gradient and history.

    As in PyTorch each tensor brings a storage of its own, and warns that its hooks stay behind.
    """
    warn_if_has_hooks(self)
    data, place = storage_place(self._data)
    kind = None if type(self) is Tensor else type(self)
    memory = bytes_of(data).copy()
    return rebuild_tensor, (kind, memory, tuple(place), self.requires_grad, self.__dict__)


def deepcopy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """A copy of a leaf with its gradient.

    Raises:
        RuntimeError: not a leaf, or an instance of a subclass whose ``new_empty`` makes none.
    """
    if not self.is_leaf:
        raise RuntimeError(LEAVES_ONLY)
    if type(self) is not Tensor and type(self.new_empty([])) is not type(self):
        raise RuntimeError(NOT_RESIZABLE)
    data, place = storage_place(self._data)
    attributes = copy.deepcopy(self.__dict__, memo)
    memory = copied_memory(data, memo)
    out = rebuild_tensor(type(self), memory, place, self.requires_grad, attributes)
    memo[id(self)] = out
    if self._grad is not None:
        out._grad = copy.deepcopy(self._grad, memo)
    return out


def shallow_copy(self: Tensor) -> Tensor:
    """A leaf with the same memory and none of its gradient, as ``copy.copy`` gives."""
    out = type(self)._wrap(self._data)
    if type(self) is Tensor:
        out._counter = counter_at_version()
    out._requires_grad = self._requires_grad
    out.__dict__.update(self.__dict__)
    return out


METHODS.update(
    __array__=as_numpy_array, __array_wrap__=from_ufunc, __array_priority__=1000,
    __deepcopy__=deepcopy, __copy__=shallow_copy, __reduce_ex__=reduce,
    _backward_hooks=property(backward_hooks),
    _post_accumulate_grad_hooks=property(accumulated_hooks),
)  # fmt: skip
