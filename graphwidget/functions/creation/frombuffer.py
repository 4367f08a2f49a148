"""``frombuffer``, ``empty_permuted``, ``unravel_index`` and ``nonzero_static``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dispatch.offer import offer
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from .factory_decorator import factory, new_leaf
from .nested_sequences import numpy_type


@offer(method=False)
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """The coordinates in a tensor of the shape of items that are numbered in C order.

    Raises:
        TypeError, ValueError: PyTorch's texts.
    """
    if indices.is_complex() or indices._data.dtype.kind not in "iu":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype!r}")
    if not isinstance(shape, (int, Sequence)):
        name = "<class 'torch.Tensor'>" if isinstance(shape, Tensor) else str(type(shape))
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {name}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(size)}")
    if any(size < 0 for size in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(sizes)}")
    if 0 in sizes and indices._data.size:
        raise RuntimeError("ZeroDivisionError")
    steps = [int(np.prod(sizes[place + 1 :])) for place in range(len(sizes))]
    data = indices._data[..., None] // np.array(steps, np.int64) % np.array(sizes, np.int64)
    return tuple(Tensor._wrap(data.astype(np.int64)).unbind(-1))


@offer(out=True)
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """The first ``size`` rows of ``nonzero``, filled up where there are fewer.

    Raises:
        RuntimeError: a negative size.
    """
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = F.nonzero(input)._data[:size]
    filled = np.full((size, input._data.ndim), fill_value, np.int64)
    filled[: len(found)] = found
    return Tensor._wrap(filled)


@factory()
def empty_permuted(
    size: Sequence[int],
    physical_layout: Sequence[int],
    *,
    dtype: Any = None,
) -> np.ndarray:
    """Uninitialised memory whose dims lie in the given order, outermost first.

    Shapes: ``size``.

    Raises:
        RuntimeError: that is no order of the dims.
    """
    shape, order = tuple(size), tuple(physical_layout)
    if len(order) != len(shape):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. "
            f"len(size) = {len(shape)} is not equal to len(physical_layout) = {len(order)}"
        )
    for dim in order:
        if not 0 <= dim < len(shape):
            raise RuntimeError(f"Dimension out of range (expected to be between 0 and "
                               f"{len(shape) - 1}, but got {dim} at index {order.index(dim)}).  "
                               "NB: negative dims not currently supported; file an issue if you "
                               "want it.")  # fmt: skip
    if len(set(order)) != len(order):
        raise RuntimeError("Duplicate dim not allowed")
    memory = np.empty([shape[dim] for dim in order], numpy_type(dtype))
    return memory.transpose(np.argsort(order))


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
