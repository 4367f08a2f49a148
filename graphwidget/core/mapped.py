"""Tensors whose memory is a file."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import devices, dtypes
from .making import made
from .public import offer
from .storages import share
from .tensor import Tensor


@offer(method=False)
def from_file(
    filename: Any, shared: bool | None = None, size: int = 0, *, dtype: Any = None,
    layout: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """A vector of so many items of a file. Where it is ``shared``, writes go to the file, which is
    made or lengthened as needed; else they stay in memory.

    Raises:
        RuntimeError: there is no such file, or it is too short (PyTorch's texts).
    """
    devices.require_cpu(device)
    kind = (dtype or dtypes.get_default_dtype()).numpy
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
    found = np.empty(0, kind)
    if size:
        memory = np.memmap(filename, kind, "r+" if shared else "c", 0, (size,))
        found = np.ndarray((size,), kind, memory)
    share(found)
    return made(found, requires_grad)
