"""Shared storages in a file: tensors that share one share it again when they are read.

A storage is one entry of the file. Where a tensor shows all of it, the entry is that tensor, under
its name and in its shape, as any reader of safetensors expects it; else the entry is the storage
itself, flat, under the first tensor's name and ``.storage``. Every other tensor of the storage is
described by its sizes, strides and offset, in items.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..arrays.memory_order import memory_of, real_strides

Arrays = Mapping[str, np.ndarray]
TWO_TYPES = "Cannot save multiple tensors or storages that view the same data as different types"


class Part(NamedTuple):
    """A tensor's items, the name it would have, and its description, to be completed."""

    data: np.ndarray
    name: str
    described: dict[str, Any]


class Storages:
    """The storages of what is saved."""

    def __init__(self) -> None:
        self.entries: dict[str, np.ndarray] = {}
        self._groups: dict[tuple[int, int], list[Part]] = {}

    def add(self, data: np.ndarray, name: str, described: dict[str, Any]) -> None:
        """Note a tensor: the first key of its description becomes its entry's name.

        Raises:
            RuntimeError: its storage has items of another type (PyTorch's text).
        """
        memory = memory_of(data)
        if not memory.flags.c_contiguous:  # foreign memory with gaps
            data = memory = np.ascontiguousarray(data)
        key = (memory.ctypes.data, memory.nbytes) if data.size else (0, -len(self._groups))
        group = self._groups.setdefault(key, [])
        if group and group[0].data.dtype != data.dtype:
            raise RuntimeError(TWO_TYPES)
        group.append(Part(data, name, described))

    def settle(self) -> None:
        """Choose the entries, and complete the descriptions."""
        for group in self._groups.values():
            whole = next((part for part in group if fills_memory(part.data)), None)
            if whole is None:
                name, array = self._free(group[0].name + ".storage"), memory_items(group[0].data)
            else:
                name, array = self._free(whole.name), whole.data
            self.entries[name] = array
            for data, _, described in group:
                described[next(iter(described))] = name
                if item_geometry(data) != item_geometry(array):
                    described.update(item_geometry(data))

    def _free(self, name: str) -> str:
        while name in self.entries:
            name += "_"
        return name


def memory_items(data: np.ndarray) -> np.ndarray:
    """The memory behind an array, as a row of items of its type."""
    memory = memory_of(data).reshape(-1).view(np.uint8)
    found: np.ndarray = memory[: memory.size - memory.size % data.itemsize].view(data.dtype)
    return found


def fills_memory(data: np.ndarray) -> bool:
    """Return whether every item of an array's memory is shown once."""
    if not data.size:
        return True
    order = sorted(range(data.ndim), key=lambda dim: -data.strides[dim])
    return data.nbytes == memory_of(data).nbytes and data.transpose(order).flags.c_contiguous


def item_geometry(data: np.ndarray) -> dict[str, Any]:
    """Sizes, strides and offset of an array in its memory, in items."""
    start = data.ctypes.data - memory_of(data).ctypes.data if data.size else 0
    return {
        "size": list(data.shape),
        "stride": [step // data.itemsize for step in real_strides(data)],
        "offset": start // data.itemsize,
    }


def array_on_storage(described: dict[str, Any], kind: str, arrays: Arrays) -> np.ndarray:
    """The array of a description, on its entry's memory.

    Raises:
        ValueError: it lies outside of that, or has no entry.
    """
    array = arrays.get(described[kind])
    if array is None:
        raise ValueError(f"this file has no tensor {described[kind]!r}, but tells of it")
    if "size" not in described:
        return array
    memory, width = memory_items(array), array.itemsize
    steps = tuple(step * width for step in described["stride"])
    return np.ndarray(described["size"], array.dtype, memory, described["offset"] * width, steps)
