"""``frombuffer``: a tensor on the memory of an object of Python's buffer protocol."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dispatch.offer import offer
from ...graph.tensor import Tensor
from .factory_decorator import new_leaf
from .nested_sequences import numpy_type


@offer(method=False)
def frombuffer(
    buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """A vector that shares memory with an object of Python's buffer protocol.

    Args:
        count: how many items (all that there are: -1).
        offset: how many bytes to leave out in front.

    Raises:
        ValueError: it has no buffer, or not one of these sizes (PyTorch's texts).
    """
    try:
        view = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    kind, length = numpy_type(dtype), view.nbytes
    if length == 0 or count == 0:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length "
            f"({length} bytes) minus 1"
        )
    width = kind.itemsize
    if count < 0:
        if (length - offset) % width:
            raise ValueError(
                f"buffer length ({length - offset} bytes) after offset ({offset} bytes) must be a "
                f"multiple of element size ({width})"
            )
        count = (length - offset) // width
    elif offset + count * width > length:
        raise ValueError(
            f"requested buffer length ({count} * {width} bytes) after offset ({offset} bytes) must "
            f"not be greater than actual buffer length ({length} bytes)"
        )
    return new_leaf(np.frombuffer(view, kind, count, offset), requires_grad, "frombuffer")
