"""``take`` and ``put``: items at flat indices."""

from __future__ import annotations

import numpy as np

from ...arrays.memory_order import Array, as_array, empty_like
from ..declare import Namespace, op
from ..out import Out
from .scatter_kernels import writable_copy

F = Namespace()


def check_flat(index: Array, size: int) -> None:
    """Flat indices must be in range; they may count from the end.

    Raises:
        IndexError: PyTorch's text.
    """
    if index.size and (index.min() < -size or index.max() >= size):
        bad = index[(index < -size) | (index >= size)][0]
        raise IndexError(
            f"out of range: tried to access index {bad} on a tensor of {size} elements."
        )


def take(a: Array, index: Array) -> Array:
    """The items at flat indices.

    Raises:
        IndexError: out of range (PyTorch's text).
    """
    check_flat(index, a.size)
    return np.asarray(np.ascontiguousarray(a).reshape(-1)[index], order="C")


def put(a: Array, index: Array, source: Array, accumulate: bool) -> Array:
    """A copy of a with items written (or added) at flat indices.

    Raises:
        IndexError: out of range (PyTorch's text).
    """
    check_flat(index, a.size)
    flat, values = writable_copy(a).reshape(-1), as_array(source).reshape(-1)
    if accumulate:
        np.add.at(flat, index.reshape(-1), values)
    else:
        flat[index.reshape(-1)] = values
    result = empty_like(a, a.dtype)
    result[...] = flat.reshape(a.shape)
    return result


op("take(self, index, /)", take, out=Out(memory="none"),
   d_self=lambda grad, self, index: F.put(F.zeros_like(self), index, grad, True),
   text="{self} at {index}", tex=r"{self}_{{{index}}}", onnx=None)

op("put(self, index, source, /, accumulate=False)", put, inplace=True,
   d_self=lambda grad, index, accumulate, _source_shape:
       grad if accumulate else F.put(grad, index, F.zeros_of(grad, _source_shape), False),
   d_source=lambda grad, index, source, accumulate:
       F.reshape(F.take(grad, index), source.shape),
   text="{self} with {source} at {index}", tex=r"{self}", onnx=None)
