"""Sequences of different lengths, packed: all first items, then all second ones, and so on."""

from __future__ import annotations

from typing import Any

import numpy as np

from .declare import Namespace, op
from .kernels import Array, Shape
from .layout import as_array

F = Namespace()


def _present(batch_sizes: Any, rows: int) -> Array:
    """Which of (time, sequence) exist, of sequences sorted from long to short."""
    counts = np.asarray(batch_sizes)
    return np.arange(rows) < counts[:, None]


def pack(a: Array, batch_sizes: Any, batch_first: bool) -> tuple[Array, Array]:
    """The items of (T, N, *), or (N, T, *), that exist, by time; and how many at each time."""
    a = a.swapaxes(0, 1) if batch_first else a
    present = _present(batch_sizes, a.shape[1])[: len(a)]
    return a[: len(present)][present], np.asarray(batch_sizes)


def unpack(grad: Array, batch_sizes: Any, shape: Shape, batch_first: bool) -> Array:
    """The reverse of ``pack``: zeros where nothing exists."""
    out = np.zeros(shape, grad.dtype)
    rows = out.swapaxes(0, 1) if batch_first else out
    present = _present(batch_sizes, rows.shape[1])[: len(rows)]
    rows[: len(present)][present] = as_array(grad)
    return out


op("pack_padded_sequence(input, /, _batch_sizes, batch_first) -> result; result1", pack,
   d_input=lambda grad, input_shape, result1, batch_first:
       F.pack_padded_sequence_backward(grad, result1, input_shape, batch_first),
   public=False, sign="pack", text="items of {input} by time", tex=r"{input}", onnx=None)

op("pack_padded_sequence_backward(grad_output, /, batch_sizes, shape, batch_first)", unpack,
   d_grad_output=lambda grad, batch_sizes, batch_first:
       F.pack_padded_sequence(grad, batch_sizes, batch_first),
   public=False, sign="pack′", text="{grad_output} back to {shape}", tex=r"{grad_output}",
   onnx=None)
