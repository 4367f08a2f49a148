"""How a tensor lies in memory: strides, storage, contiguity, resizing."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..optable.layout import memory_of
from .compile import TENSORS as F
from .conversion import channels_last, contiguous_format, preserve_format
from .dims import shape_args, wrap_dim
from .hot import meta_of
from .inplace import real_strides
from .public import offer
from .tensor import Tensor
from .version import bump


def in_format(data: np.ndarray, wanted: Any) -> bool:
    """Whether the items lie in the format's order."""
    if wanted is channels_last:
        return data.ndim == 4 and bool(data.transpose(0, 2, 3, 1).flags.c_contiguous)
    return bool(data.flags.c_contiguous)


def formatted(data: np.ndarray, wanted: Any) -> np.ndarray:
    """The items in the format's order, copied where they are not."""
    if wanted is not channels_last:
        return np.ascontiguousarray(data)
    if data.ndim != 4:
        raise RuntimeError("required rank 4 tensor to use channels_last format")
    return np.ascontiguousarray(data.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)


@offer()
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy that gradients flow through, with the dims in the same order in memory or in that of
    a format."""
    out = F.clone(input)
    if memory_format not in (None, preserve_format):
        out._data = formatted(out._data, memory_format)
    return out


@offer(function=False)
def contiguous(self: Tensor, memory_format: Any = contiguous_format) -> Tensor:
    """The tensor itself when its items lie in C order (or the format's), else a copy."""
    if in_format(self._data, memory_format):
        return self
    return clone(self, memory_format=memory_format)


@offer(function=False)
def is_contiguous(self: Tensor, memory_format: Any = contiguous_format) -> bool:
    """Whether the items lie in C order (or the format's)."""
    return in_format(self._data, memory_format)


@offer(function=False)
def stride(self: Tensor, dim: int | None = None) -> Any:
    """How many items apart neighbours along each dim (or one) lie in memory."""
    data = self._data
    strides = tuple(step // data.itemsize for step in real_strides(data))
    return strides if dim is None else strides[wrap_dim(dim, data.ndim)]


@offer(function=False)
def storage_offset(self: Tensor) -> int:
    """How many items into its storage the tensor begins."""
    begin = self._data.ctypes.data - memory_of(self._data).ctypes.data
    return int(begin) // self._data.itemsize


class Storage:
    """The memory of a tensor and its views."""

    def __init__(self, memory: np.ndarray) -> None:
        self._memory = memory

    def data_ptr(self) -> int:
        """Its address."""
        return int(self._memory.ctypes.data)

    def nbytes(self) -> int:
        """Its size in bytes."""
        return int(self._memory.nbytes)

    size = __len__ = nbytes


@offer(function=False)
def untyped_storage(self: Tensor) -> Storage:
    """The memory that the tensor shares with its views."""
    return Storage(memory_of(self._data))


@offer(function=False)
def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether both are the same items of the same storage in the same shape."""
    mine, other = self._data, tensor._data
    return (
        mine.ctypes.data == other.ctypes.data
        and mine.shape == other.shape
        and real_strides(mine) == real_strides(other)
    )


@offer(function=False)
def resize_(self: Tensor, *sizes: Any, memory_format: Any = contiguous_format) -> Tensor:
    """Another size over the same storage, which grows where it must; new items are not set.

    Raises:
        RuntimeError: the tensor requires grad.
    """
    if self.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    shape, data = shape_args(sizes), self._data
    memory = memory_of(data)
    begin = data.ctypes.data - memory.ctypes.data
    needed = begin + data.itemsize * int(np.prod(shape))
    if shape == data.shape:
        return self
    if needed > memory.nbytes:
        grown = np.empty(-(-needed // memory.itemsize), memory.dtype)
        grown[: memory.size] = memory.reshape(-1)
        memory = grown
    self._data = np.ndarray(shape, data.dtype, memory, begin)
    self._meta = meta_of(self._data)
    bump(self, "resize_")
    return self


@offer(function=False)
def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """``resize_`` to another tensor's size."""
    return resize_(self, the_template._data.shape)


@offer(method=False)
def detach(input: Tensor) -> Tensor:
    """A tensor without history that shares values and version counter."""
    return input.detach()


@offer(method=False)
def detach_(input: Tensor) -> Tensor:
    """Cut a tensor from its history, in place."""
    return input.detach_()
