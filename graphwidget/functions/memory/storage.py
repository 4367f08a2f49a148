"""Storages: the memory that a tensor shares with its views, as bytes or as items."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...arrays import devices, dtypes
from ...arrays.memory_order import memory_owner
from ...arrays.warnings import warn_once
from ...dispatch.offer import FUNCTIONS
from ...dispatch.out import SHOWING, bytes_of, move_storage

DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the "
    "only storage class. This should only matter to you if you are using storages directly.  To "
    "access UntypedStorage directly, use tensor.untyped_storage() instead of tensor.storage()"
)


class StorageBase:
    """Base of both kinds of storage. ``_memory`` is a flat array of bytes, or of items."""

    is_cuda = is_sparse = is_sparse_csr = is_hpu = False
    filename: Any = None

    _memory: np.ndarray

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
        """Return how many bytes (of a typed one: items) there are."""
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
        return self._of(self._memory.copy())

    def copy_(self, source: StorageBase, non_blocking: bool = False) -> Any:
        """Another storage's contents, written into this one."""
        self._memory[...] = source._memory
        return self

    def fill_(self, value: Any) -> Any:
        """One value everywhere."""
        self._memory[...] = value
        return self

    @property
    def _cdata(self) -> int:
        """Number that identifies a storage."""
        return self.data_ptr()

    def resizable(self) -> bool:
        """True: it is replaced in all that shows it."""
        return True

    def resize_(self, size: int) -> Any:
        """Another size, in items, for this storage and all that shows it; new ones are not set.

        Raises:
            RuntimeError: a tensor shows more than would be left.
        """
        kind, place = self._memory.dtype, np.empty(size, self._memory.dtype)
        move_storage(self._memory, bytes_of(self._memory), place.view(np.uint8))
        self._memory = place.view(kind)
        return self

    def is_pinned(self, device: Any = None) -> bool:
        """Return whether the memory is page-locked for a GPU: never."""
        return False

    def is_shared(self) -> bool:
        """Return whether ``share_memory_`` was called, which is all that it does."""
        return is_shared(self._memory)

    def share_memory_(self) -> Any:
        """The storage itself: workers are threads here and share everything."""
        mark_shared(self._memory)
        return self

    def cpu(self) -> Any:
        """The storage itself: it is on the CPU."""
        return self

    def _words(self) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        items = "".join(f" {item}\n" for item in self.tolist())
        return f"{items}[torch.storage.{self._words()} of size {self.size()}]"

    def __reduce__(self) -> Any:
        return rebuild_storage, (type(self) is TypedStorage, np.array(self._memory))

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        copied = copied_memory(self._memory, memo)
        made = type(self)._of(copied[: self._memory.nbytes].view(self._memory.dtype))
        return memo.setdefault(id(self), made)

    @classmethod
    def _of(cls, memory: np.ndarray) -> Any:
        """The storage that an array of bytes, or of items, is."""
        made = cls.__new__(cls)
        made._memory = memory
        return made


SHOWING.append((StorageBase, "_memory"))


def copied_memory(data: np.ndarray, memo: dict[int, Any]) -> np.ndarray:
    """A copy of the memory behind an array, as bytes; the same one for all within a deepcopy."""
    owner = memory_owner(data)
    if id(owner) not in memo:
        memo[id(owner)] = bytes_of(data).copy()
        memo.setdefault(id(memo), []).append(owner)  # as ``copy`` does, so that ids stay theirs
    result: np.ndarray = memo[id(owner)]
    return result


_shared: weakref.WeakValueDictionary[int, np.ndarray] = weakref.WeakValueDictionary()
"""The memory that programs said other processes share."""


def mark_shared(data: np.ndarray) -> None:
    """Note that the memory behind an array is shared."""
    owner = memory_owner(data)
    _shared[id(owner)] = owner


def is_shared(data: np.ndarray) -> bool:
    """Return whether that was noted."""
    return id(memory_owner(data)) in _shared


def mapped_memory(filename: Any, shared: bool, size: int, kind: np.dtype[Any]) -> np.ndarray:
    """Map items of a file. Where it is ``shared``, writes go to the file, which is made or
    lengthened as needed; else they stay in memory.

    Raises:
        RuntimeError: there is no such file, or it is too short (PyTorch's texts).
    """
    needed = size * kind.itemsize
    if shared and (not os.path.exists(filename) or os.path.getsize(filename) < needed):
        with open(filename, "ab") as file:
            file.truncate(needed)
    if not os.path.exists(filename):
        raise RuntimeError(
            f"unable to open file <{filename}> in read-only mode: No such file or directory (2)"
        )
    have = os.path.getsize(filename)
    if have < needed:
        raise RuntimeError(
            f"file <{filename}> size <{have}> is smaller than the required mapping size <{needed}>"
        )
    result = np.empty(0, kind)
    if size:
        memory = np.memmap(filename, kind, "r+" if shared else "c", 0, (size,))
        result = np.ndarray((size,), kind, memory)
    mark_shared(result)
    return result


def rebuild_storage(typed: bool, memory: np.ndarray) -> Any:
    """A storage out of a pickle."""
    return (TypedStorage if typed else UntypedStorage)._of(memory)


class UntypedStorage(StorageBase):
    """The bytes of a tensor's memory; so many new ones, or those of a list."""

    def __init__(self, size: Any = 0, *, device: Any = None) -> None:
        devices.require_cpu(device)
        given = np.zeros(size, np.uint8) if isinstance(size, int) else np.array(size, np.uint8)
        self._memory = given

    @staticmethod
    def from_file(filename: Any, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """Map bytes of a file into memory; writes go to the file if it is ``shared``.

        Raises:
            RuntimeError: there is no such file, or it is too short (PyTorch's texts).
        """
        memory = mapped_memory(filename, shared, nbytes, np.dtype(np.uint8))
        made: UntypedStorage = UntypedStorage._of(memory)
        made.filename = filename if shared else None
        return made

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return UntypedStorage._of(self._memory[index])
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
    """The items of a tensor's memory; so many new ones, those of a list, or a storage's."""

    def __init__(
        self, *args: Any, wrap_storage: Any = None, dtype: Any = None, device: Any = None
    ) -> None:
        devices.require_cpu(device)
        kind = (dtype or dtypes.get_default_dtype()).numpy
        size = args[0] if args else 0
        if wrap_storage is not None:
            self._memory = wrap_storage._memory.view(kind)
        elif isinstance(size, int):
            self._memory = np.zeros(size, kind)
        else:
            self._memory = np.array(list(size), kind)

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
        return dtypes.legacy_type(self._memory.dtype).replace("Tensor", "Storage")

    def untyped(self) -> UntypedStorage:
        """The same memory as bytes."""
        made: UntypedStorage = UntypedStorage._of(self._memory.view(np.uint8))
        return made

    def _words(self) -> str:
        return f"TypedStorage(dtype={self.dtype!r}, device=cpu)"


def _converting(kind: dtypes.dtype) -> Any:
    def convert(self: TypedStorage) -> Any:
        """The items in another type."""
        return self._of(self._memory.astype(kind.numpy))

    return convert


for _name, _dtype in (
    ("float", dtypes.float32), ("double", dtypes.float64), ("half", dtypes.float16),
    ("int", dtypes.int32), ("long", dtypes.int64), ("short", dtypes.int16),
    ("char", dtypes.int8), ("byte", dtypes.uint8), ("bool", dtypes.bool_),
):  # fmt: skip
    setattr(TypedStorage, _name, _converting(_dtype))


def warn_of_typed_storage() -> None:
    """Say that typed storages are deprecated, as PyTorch does."""
    warn_once(DEPRECATED)


for _kind in (StorageBase, UntypedStorage, TypedStorage):
    _kind.__module__ = "torch.storage"
FUNCTIONS.update(UntypedStorage=UntypedStorage, TypedStorage=TypedStorage)
