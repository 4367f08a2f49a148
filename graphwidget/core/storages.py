"""Storages: the memory that a tensor shares with its views, as bytes or as items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import devices, dtypes
from .public import FUNCTIONS
from .warning import warn_once

DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the "
    "only storage class. This should only matter to you if you are using storages directly.  To "
    "access UntypedStorage directly, use tensor.untyped_storage() instead of tensor.storage()"
)


class StorageBase:
    """What both kinds share. ``_memory`` is a flat array of bytes, or of items."""

    is_cuda = is_sparse = is_sparse_csr = is_hpu = False
    filename = None

    def __init__(self, memory: Any = 0) -> None:
        if isinstance(memory, int):
            memory = np.zeros(memory, np.uint8)
        self._memory: np.ndarray = memory

    @property
    def device(self) -> devices.device:
        """Always the CPU."""
        return devices.cpu

    def data_ptr(self) -> int:
        """Its address."""
        return int(self._memory.ctypes.data)

    def nbytes(self) -> int:
        """Its size in bytes."""
        return int(self._memory.nbytes)

    def size(self) -> int:
        """How many bytes (of a typed one: items) there are."""
        return int(self._memory.size)

    def __len__(self) -> int:
        return self.size()

    def element_size(self) -> int:
        """The size of an item in bytes."""
        return int(self._memory.itemsize)

    def tolist(self) -> list[Any]:
        """The bytes (items) as Python numbers."""
        return self._memory.tolist()  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StorageBase) and self.data_ptr() == other.data_ptr()

    __hash__ = object.__hash__

    def _place(self, index: int) -> int:
        size = self.size()
        if not -size <= index < size:
            raise IndexError(f"index {index} out of range for storage of size {size}")
        return index

    def __setitem__(self, index: Any, value: Any) -> None:
        self._memory[index if isinstance(index, slice) else self._place(index)] = value

    def clone(self) -> Any:
        """A copy."""
        return type(self)(self._memory.copy())

    def copy_(self, source: StorageBase, non_blocking: bool = False) -> Any:
        """Another storage's contents, written into this one."""
        self._memory[...] = source._memory
        return self

    def fill_(self, value: Any) -> Any:
        """One value everywhere."""
        self._memory[...] = value
        return self

    def resizable(self) -> bool:
        """False: the memory is numpy's."""
        return False

    def is_pinned(self, device: Any = None) -> bool:
        """Whether the memory is page-locked for a GPU: never."""
        return False

    def is_shared(self) -> bool:
        """Whether other processes share the memory: never."""
        return False

    def share_memory_(self) -> Any:
        """The storage itself: workers are threads here and share everything."""
        return self

    def cpu(self) -> Any:
        """The storage itself: it is on the CPU."""
        return self

    def _words(self) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        items = "".join(f" {item}\n" for item in self.tolist())
        return f"{items}[torch.storage.{self._words()} of size {self.size()}]"


class UntypedStorage(StorageBase):
    """The bytes of a tensor's memory."""

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return UntypedStorage(self._memory[index])
        return self._memory[self._place(index)].item()

    def type(self) -> str:
        """The name of its class."""
        return "torch.storage.UntypedStorage"

    def untyped(self) -> UntypedStorage:
        """The storage itself."""
        return self

    def _words(self) -> str:
        return "UntypedStorage(device=cpu)"


class TypedStorage(StorageBase):
    """The items of a tensor's memory."""

    @property
    def dtype(self) -> dtypes.dtype:
        """The items' type."""
        return dtypes.of(self._memory.dtype)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        return self._memory[self._place(index)].item()

    def type(self) -> str:
        """The legacy name of its type."""
        return dtypes.tensor_type(self._memory.dtype).replace("Tensor", "Storage")

    def untyped(self) -> UntypedStorage:
        """The same memory as bytes."""
        return UntypedStorage(self._memory.view(np.uint8))

    def _words(self) -> str:
        return f"TypedStorage(dtype={self.dtype!r}, device=cpu)"


def warn_typed() -> None:
    """Say that typed storages are deprecated, as PyTorch does."""
    warn_once(DEPRECATED)


for _kind in (StorageBase, UntypedStorage, TypedStorage):
    _kind.__module__ = "torch.storage"
FUNCTIONS.update(UntypedStorage=UntypedStorage, TypedStorage=TypedStorage)
