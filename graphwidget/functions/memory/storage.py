"""Storages: the memory that a tensor shares with its views, as bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...absent import not_here
from ...arrays import devices
from ...arrays.memory_order import memory_owner
from ...dispatch.offer import FUNCTIONS
from ...dispatch.out import SHOWING, bytes_of, move_storage


class UntypedStorage:
    """The bytes of a tensor's memory."""

    device = devices.cpu
    is_cuda = False

    def __init__(self, memory: np.ndarray) -> None:
        self._memory = memory
        """A flat array of bytes."""

    @staticmethod
    def from_file(filename: Any, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """Bytes of a file, read into memory: libraries read safetensors files through it.

        Raises:
            NotImplementedError: memory shared with the file.
        """
        if shared:
            raise NotImplementedError(not_here("torch.UntypedStorage.from_file(shared=True)"))
        return UntypedStorage(np.fromfile(filename, np.uint8, nbytes))

    def untyped(self) -> UntypedStorage:
        """The storage itself."""
        return self

    def data_ptr(self) -> int:
        """Its address."""
        return int(self._memory.ctypes.data)

    def nbytes(self) -> int:
        """Its size in bytes."""
        return int(self._memory.nbytes)

    size = __len__ = nbytes

    def tolist(self) -> list[int]:
        """The bytes as Python numbers."""
        return self._memory.tolist()  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[int]:
        return iter(self.tolist())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return UntypedStorage(self._memory[index])
        size = self.size()
        if not -size <= index < size:
            raise IndexError(f"index {index} out of range for storage of size {size}")
        return int(self._memory[index])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and self.data_ptr() == other.data_ptr()

    __hash__ = object.__hash__

    @property
    def _cdata(self) -> int:
        """Number that identifies a storage."""
        return self.data_ptr()

    def resize_(self, size: int) -> UntypedStorage:
        """Another size, for this storage and all that shows it; new bytes are not set.

        Raises:
            RuntimeError: a tensor shows more than would be left.
        """
        place = np.empty(size, np.uint8)
        move_storage(self._memory, bytes_of(self._memory), place)
        self._memory = place
        return self

    def __repr__(self) -> str:
        items = "".join(f" {item}\n" for item in self.tolist())
        return f"{items}[torch.storage.UntypedStorage(device=cpu) of size {self.size()}]"


SHOWING.append((UntypedStorage, "_memory"))


def copied_memory(data: np.ndarray, memo: dict[int, Any]) -> np.ndarray:
    """A copy of the memory behind an array, as bytes; the same one for all within a deepcopy."""
    owner = memory_owner(data)
    if id(owner) not in memo:
        memo[id(owner)] = bytes_of(data).copy()
        memo.setdefault(id(memo), []).append(owner)  # as ``copy`` does, so that ids stay theirs
    result: np.ndarray = memo[id(owner)]
    return result


UntypedStorage.__module__ = "torch.storage"
FUNCTIONS["UntypedStorage"] = UntypedStorage
