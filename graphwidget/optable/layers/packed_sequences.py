"""Sequences of different lengths, packed: all first items, then all second ones, and so on."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.memory_order import as_array
from ..declare import ARRAYS, Namespace, composite, op
from ..pointwise.common_kernels import Array, Shape

F = Namespace()


def _valid_mask(batch_sizes: Any, rows: int) -> Array:
    """Return a mask of the (time, sequence) pairs that exist, of sequences sorted from long to
    short."""
    counts = np.asarray(batch_sizes)
    return np.arange(rows) < counts[:, None]


def pack_valid(a: Array, batch_sizes: Any, batch_first: bool) -> tuple[Array, Array]:
    """The items of (T, N, *), or (N, T, *), that exist, by time; and how many at each time."""
    a = a.swapaxes(0, 1) if batch_first else a
    present = _valid_mask(batch_sizes, a.shape[1])[: len(a)]
    return a[: len(present)][present], np.asarray(batch_sizes)


def unpack_valid(grad: Array, batch_sizes: Any, shape: Shape, batch_first: bool) -> Array:
    """The reverse of ``pack_valid``: zeros where nothing exists."""
    out = np.zeros(shape, grad.dtype)
    rows = out.swapaxes(0, 1) if batch_first else out
    present = _valid_mask(batch_sizes, rows.shape[1])[: len(rows)]
    rows[: len(present)][present] = as_array(grad)
    return out


op("pack_padded_sequence(input, /, _batch_sizes, batch_first) -> result; result1", pack_valid,
   d_input=lambda grad, input_shape, result1, _batch_sizes, batch_first:
       F.pack_padded_sequence_backward(grad, _batch_sizes, input_shape, batch_first),
   public=False, sign="pack", text="items of {input} by time", tex=r"{input}", onnx=None)


@composite
def pack_padded_sequence_backward(
    grad: Any, batch_sizes: Any, shape: Any, batch_first: Any
) -> Any:
    """The gradients of all times where they were taken from: written into zeros time by time, as
    PyTorch does, whose graph of it then tells of the writes."""
    first, second, *rest = shape
    lead = (second, first) if batch_first else (first, second)
    out, row = grad.new_zeros((*lead, *rest)), 0
    for time, count in enumerate(batch_sizes):
        out[time][:count].copy_(grad[row : row + count])
        row += count
    return F.transpose(out, 0, 1) if batch_first else out


ARRAYS.__dict__["pack_padded_sequence_backward"] = unpack_valid
