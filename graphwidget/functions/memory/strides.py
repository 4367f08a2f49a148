"""``clone``, ``contiguous``, ``stride``, ``set_``, ``resize_``: how a tensor lies in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.kernel_errors import C_WORDS
from ...arrays.memory_formats import (
    check_format,
    contiguous_format,
    is_in_format,
    preserve_format,
    to_format,
)
from ...arrays.memory_order import memory_of, real_strides
from ...arrays.warnings import warn
from ...dispatch.offer import offer
from ...dispatch.out import bytes_of, enlarge, resize_storage
from ...eager.inplace import set_history
from ...eager.op_functions import TENSORS as F
from ...graph import runtime
from ...graph.node import NotImplementedNode, on_data_replaced
from ...graph.runtime import meta_of
from ...graph.tensor import Tensor
from ...graph.version import bump
from ...graph.views import check_writable
from ..dims import shape_args, wrap_dim
from . import storage as storages
from .storage import StorageBase, TypedStorage, UntypedStorage, mark_shared, warn_of_typed_storage


@offer()
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy that gradients flow through, with the dims in the same order in memory or in that of
    a format."""
    check_format("clone", memory_format)
    if memory_format is contiguous_format:
        return F.clone_contiguous(input)
    out = F.clone(input)
    if memory_format not in (None, preserve_format):
        out._replace_memory(to_format(out._data, memory_format))
    return out


@offer(function=False)
def contiguous(self: Tensor, memory_format: Any = contiguous_format) -> Tensor:
    """The tensor itself when its items lie in C order (or the format's), else a copy."""
    check_format("contiguous", memory_format)
    if is_in_format(self._data, memory_format):
        return self
    if memory_format is preserve_format:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return clone(self, memory_format=memory_format)


@offer(function=False)
def is_contiguous(self: Tensor, memory_format: Any = contiguous_format) -> bool:
    """Return whether the items lie in C order (or the format's)."""
    check_format("is_contiguous", memory_format)
    return is_in_format(self._data, memory_format)


@offer(function=False)
def stride(self: Tensor, dim: int | None = None) -> Any:
    """Return the distance, in items, of neighbours along each dim (or one) in memory."""
    data = self._data
    strides = tuple(step // data.itemsize for step in real_strides(data))
    return strides if dim is None else strides[wrap_dim(dim, data.ndim)]


@offer(function=False)
def storage_offset(self: Tensor) -> int:
    """Return the offset of the tensor in its storage, in items."""
    begin = self._data.ctypes.data - memory_of(self._data).ctypes.data
    return int(begin) // self._data.itemsize


@offer(function=False)
def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory that the tensor shares with its views, as bytes."""
    made: UntypedStorage = UntypedStorage._of(bytes_of(self._data))
    return made


@offer(function=False)
def storage(self: Tensor) -> TypedStorage:
    """The memory that the tensor shares with its views, as items of its type.

    Warns:
        UserWarning: typed storages are deprecated.
    """
    warn_of_typed_storage()
    memory = bytes_of(self._data)
    usable = memory.size - memory.size % self._data.itemsize
    made: TypedStorage = TypedStorage._of(memory[:usable].view(self._data.dtype))
    return made


@offer(function=False)
def set_(
    self: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None
) -> Tensor:
    """Make this tensor show another tensor's (or a storage's) memory; without a source, nothing.

    Raises:
        RuntimeError: a leaf that requires grad, another type, or what lies outside of the storage
            (PyTorch's texts).
    """
    data = self._data
    if isinstance(source, Tensor) and size is None and source._data.dtype != data.dtype:
        one, two = C_WORDS[source._data.dtype.name], C_WORDS[data.dtype.name]
        raise RuntimeError(f"Could not set tensor of type {one} to a tensor of type {two}")
    given = [self, source] if isinstance(source, Tensor) and size is None else [self]
    wanted = runtime.grad_enabled() and any(each.requires_grad for each in given)
    if wanted:
        check_writable(self, "set_")
    node = NotImplementedNode("set_", given) if wanted else None
    if source is None:
        found = np.empty(0, data.dtype)
    elif isinstance(source, Tensor) and size is None:
        found = source._data
    else:
        found = array_on_storage(data.dtype, source, storage_offset, size, stride)
    before, self._data, self._meta = self._meta, found, meta_of(found)
    if self._node is None:
        self._accumulator = None  # graphs that refer to it have lost the leaf
    else:
        on_data_replaced(self, before)
    bump(self, "set_")
    if node is not None:
        set_history(self, node)
    return self


def array_on_storage(
    dtype: np.dtype[Any], source: Tensor | StorageBase, offset: int, size: Any, stride: Any
) -> np.ndarray:
    """Items of a type in a tensor's (or a storage's) memory, which grows where strides are given.

    Raises:
        RuntimeError: no such place (PyTorch's texts).
    """
    if isinstance(source, TypedStorage) and source._memory.dtype != dtype:
        raise RuntimeError(
            f"Expected a Storage of type {dtypes.c_type(dtype)} or an UntypedStorage, but got type "
            f"{dtypes.scalar_type(source._memory.dtype)} for argument 1 'storage'"
        )
    shown = source._data if isinstance(source, Tensor) else source._memory
    memory, width = bytes_of(shown), dtype.itemsize
    shape = (memory.size // width,) if size is None else tuple(size)
    check_sizes(shape)
    steps = contiguous_strides(shape) if stride is None else tuple(stride)
    if len(shape) != len(steps):
        raise RuntimeError(f"unequal size length ({len(shape)}) and stride length ({len(steps)})")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    if any(step < 0 for step in steps):
        raise RuntimeError(
            "Storage size calculation overflowed with "
            f"sizes={list(shape)} and strides={list(steps)}"
        )
    reach = 0 if 0 in shape else 1 + sum((n - 1) * s for n, s in zip(shape, steps, strict=True))
    needed = (offset + reach) * width
    if needed > memory.size and stride is None and isinstance(source, Tensor):
        raise RuntimeError(
            f"setStorage: sizes {list(shape)}, strides [], storage offset {offset}, and itemsize "
            f"{width} requiring a storage size of {needed} are out of bounds for storage of size "
            f"{memory.size}"
        )
    strides = tuple(step * width for step in steps)
    return np.ndarray(shape, dtype, enlarge(shown, needed), offset * width, strides)


def check_sizes(shape: tuple[int, ...]) -> None:
    """Refuse negative sizes.

    Raises:
        RuntimeError: PyTorch's text.
    """
    if min(shape, default=0) < 0 and 0 not in shape:
        raise RuntimeError("numel: integer multiplication overflow")


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides, in items, of C order."""
    return tuple(int(np.prod(shape[place + 1 :])) for place in range(len(shape)))


@offer(function=False)
def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Return whether both are the same items of the same storage in the same shape."""
    mine, other = self._data, tensor._data
    return (
        mine.ctypes.data == other.ctypes.data
        and mine.shape == other.shape
        and real_strides(mine) == real_strides(other)
    )


@offer(function=False)
def resize_(
    self: Tensor, *sizes: Any, size: Any = None, memory_format: Any = contiguous_format
) -> Tensor:
    """Another size over the same storage, which grows where it must; new items are not set.

    Raises:
        RuntimeError: the tensor requires grad, outside of inference mode.
    """
    if self.requires_grad and not runtime.mode.inference:
        raise RuntimeError("cannot resize variables that require grad")
    shape = shape_args(sizes if size is None else (size,))
    check_sizes(shape)
    check_format("resize_", memory_format)
    if memory_format is preserve_format:
        raise RuntimeError("Unsupported memory formatPreserve")
    like = to_format(np.empty(shape, self._data.dtype), memory_format)
    if shape == self._data.shape and self._data.strides == like.strides:
        return self
    self._data = resize_storage(self._data, shape, like.strides)
    self._meta = meta_of(self._data)
    bump(self, "resize_")
    return self


@offer()
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """``resize_`` to another tensor's size."""
    return resize_(input, the_template._data.shape)


def deprecated_view(self: Tensor, name: str, shape: Any, shown: Any) -> Tensor:
    """The same items in another shape, by a deprecated name.

    Raises:
        RuntimeError: another number of items (PyTorch's text).
    """
    warn(f"non-inplace {name} is deprecated", UserWarning)
    count, data = int(np.prod(shape)), self._data
    if count != data.size:
        sizes = "x".join(map(str, data.shape))
        raise RuntimeError(
            f"requested resize to {shown} ({shown} elements in total), but the given tensor has a "
            f"size of {sizes} ({data.size} elements). autograd's resize can only change the shape "
            "of a given tensor, while preserving the number of elements. "
        )
    return F.view(self if data.flags.c_contiguous else self.contiguous(), shape)


@offer(function=False)
def resize(self: Tensor, *sizes: Any) -> Tensor:
    """The same items in another shape; deprecated."""
    return deprecated_view(self, "resize", shape_args(sizes), "x".join(map(str, sizes)))


@offer(function=False)
def resize_as(self: Tensor, tensor: Tensor) -> Tensor:
    """The same items in another tensor's shape; deprecated."""
    shape = tensor._data.shape
    return deprecated_view(self, "resize_as", shape, "x".join(map(str, shape)))


@offer(function=False)
def share_memory_(self: Tensor) -> Tensor:
    """The tensor itself: workers are threads here and share everything."""
    mark_shared(self._data)
    return self


@offer(function=False)
def is_shared(self: Tensor) -> bool:
    """Return whether ``share_memory_`` was called for the tensor's storage."""
    return storages.is_shared(self._data)


@offer(function=False)
def storage_type(self: Tensor) -> type[TypedStorage]:
    """The class of ``storage()``."""
    return TypedStorage


@offer(method=False)
def detach(input: Tensor) -> Tensor:
    """A tensor without history that shares values and version counter."""
    return input.detach()


@offer(method=False)
def detach_(input: Tensor) -> Tensor:
    """Cut a tensor from its history, in place."""
    return input.detach_()
