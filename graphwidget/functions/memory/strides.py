"""``clone``, ``contiguous``, ``stride``, ``resize_``: how a tensor lies in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.memory_formats import (
    check_format,
    contiguous_format,
    is_in_format,
    preserve_format,
    to_format,
)
from ...arrays.memory_order import memory_of, real_strides
from ...dispatch.offer import offer
from ...dispatch.out import bytes_of, resize_storage
from ...eager.op_functions import TENSORS as F
from ...graph import runtime
from ...graph.runtime import meta_of
from ...graph.tensor import Tensor
from ...graph.version import bump
from ..dims import shape_args, wrap_dim
from .storage import UntypedStorage


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
    return UntypedStorage(bytes_of(self._data))


def check_sizes(shape: tuple[int, ...]) -> None:
    """Refuse negative sizes.

    Raises:
        RuntimeError: PyTorch's text.
    """
    if min(shape, default=0) < 0 and 0 not in shape:
        raise RuntimeError("numel: integer multiplication overflow")


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


@offer(function=False)
def share_memory_(self: Tensor) -> Tensor:
    """The tensor itself: workers are threads here and share everything."""
    return self


@offer(method=False)
def detach(input: Tensor) -> Tensor:
    """A tensor without history that shares values and version counter."""
    return input.detach()


@offer(method=False)
def detach_(input: Tensor) -> Tensor:
    """Cut a tensor from its history, in place."""
    return input.detach_()
