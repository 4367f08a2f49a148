"""Storages that grow, and with them all tensors that share them.

Memory is numpy's, and an array cannot be moved to other memory. So the tensors and storages on the
old memory are looked for among all of Python's objects, and get new arrays. What nodes have saved
stays as it was.
"""

from __future__ import annotations

import contextlib
import gc
import math
from typing import Any

import numpy as np

from ..arrays.memory_order import memory_of, memory_owner
from ..graph.tensor import Tensor


def bytes_of(data: np.ndarray) -> np.ndarray:
    """The whole memory behind an array, as bytes."""
    memory: np.ndarray = memory_of(data).reshape(-1).view(np.uint8)
    return memory


def enlarge(data: np.ndarray, needed: int) -> np.ndarray:
    """The memory behind an array, as bytes; grown where it has less than is needed."""
    memory = bytes_of(data)
    if needed <= memory.size:
        return memory
    width = data.itemsize
    grown: np.ndarray = np.empty(-(-needed // width), data.dtype).view(np.uint8)
    move_storage(data, memory, grown)
    return grown


def move_storage(data: np.ndarray, memory: np.ndarray, place: np.ndarray) -> None:
    """Let all that shows an array's memory show another, to which the contents are copied.

    Raises:
        RuntimeError: a tensor would lie beyond its end, which no array can.
    """
    kept, owner = min(memory.size, place.size), memory_owner(data)
    place[:kept] = memory[:kept]
    if not memory.size:
        return
    shown = [found for found in map(memory_holder, gc.get_objects()) if found is not None]
    shown = [found for found in shown if memory_owner(found[2]) is owner]
    begin = memory.ctypes.data
    moved = []
    for each, name, array in shown:
        if name == "_memory":
            whole = place[: place.size - place.size % array.itemsize].view(array.dtype)
            moved.append((each, name, whole))
            continue
        start = array.ctypes.data - begin
        try:
            found = np.ndarray(array.shape, array.dtype, place, start, array.strides)
        except (TypeError, ValueError):
            raise RuntimeError(
                f"graphwidget cannot resize a storage to {place.size} bytes while a tensor of "
                f"shape {list(array.shape)} shows more of it"
            ) from None
        moved.append((each, name, found))
    for each, name, found in moved:
        setattr(each, name, found)


def memory_holder(each: Any) -> tuple[Any, str, np.ndarray] | None:
    """An object that shows memory, as which attribute, and what of it; else None."""
    for kind, name in SHOWING:
        if issubclass(type(each), kind):
            with contextlib.suppress(AttributeError, ValueError):  # a lazy parameter has none yet
                array = getattr(each, name)
                return None if array is None else (each, name, array)
    return None


SHOWING: list[tuple[type, str]] = [(Tensor, "_data")]
"""Types that show memory, and the attribute that does; storages join when the first one is made."""


def resize_storage(
    data: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...] | None = None
) -> np.ndarray:
    """Another size (and strides, in bytes) over an array's memory, from the array's beginning."""
    begin = data.ctypes.data - memory_of(data).ctypes.data
    memory = enlarge(data, begin + data.itemsize * math.prod(shape))
    return np.ndarray(shape, data.dtype, memory, begin, strides)
