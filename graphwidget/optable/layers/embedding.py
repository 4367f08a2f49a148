"""Embedding: rows of a table by number."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.memory_order import as_array
from ..declare import Namespace, composite, op
from ..pointwise.common_kernels import Array
from ..shape.indexing import add_slices

F = Namespace()


def embedding(
    weight: Array, indices: Array, padding_idx: int, scale_grad_by_freq: bool, sparse: bool
) -> Array:
    """The rows of ``weight`` at the indices.

    Raises:
        IndexError: there is no such row (PyTorch's text).
    """
    if indices.size and not 0 <= int(indices.min()) <= int(indices.max()) < len(weight):
        raise IndexError("index out of range in self")
    return np.take(weight, indices, 0)


def embedding_dense_backward(
    grad: Array, indices: Array, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Array:
    """Rows of a gradient added up where they were taken from, none at ``padding_idx``; divided by
    how often each was taken, when asked for."""
    flat, size = indices.reshape(-1), grad.shape[-1]
    rows = as_array(grad).reshape(flat.size, size)
    if scale_grad_by_freq:
        rows = rows / np.bincount(flat)[flat][:, None].astype(rows.dtype)
    out = np.zeros((num_weights, size), rows.dtype)
    if rows.size:
        add_slices(out, flat, rows, 0)
    if padding_idx >= 0:
        out[padding_idx] = 0
    return out


op("embedding(weight, indices, /, padding_idx=-1, scale_grad_by_freq=False, sparse=False)",
   embedding, saved_sizes={"weight": (0,)},
   d_weight=lambda grad, indices, _weight_shape, padding_idx, scale_grad_by_freq, sparse:
       F.embedding_dense_backward(
           grad, indices, _weight_shape[0], padding_idx, scale_grad_by_freq
       ),
   public=False, text="{weight}[{indices}]", onnx="Gather")

op("embedding_dense_backward(grad_output, indices, /, num_weights, padding_idx, "
   "scale_grad_by_freq)", embedding_dense_backward, node="EmbeddingDenseBackwardBackward0",
   d_grad_output=lambda grad, indices, padding_idx:
       F.embedding_dense_double_backward(grad, indices, padding_idx),
   public=False, sign="embedding′", text="{grad_output} added at rows {indices}", onnx=None)


@composite
def embedding_dense_double_backward(grad: Any, indices: Any, padding_idx: Any) -> Any:
    """The rows of ``grad`` at the indices, zeros at ``padding_idx``.

    Raises:
        RuntimeError: no indices; PyTorch asks the rows for their length.
    """
    shape = (*indices.shape, -1)
    if 0 in shape:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
            "dimension size -1 can be any value and is ambiguous"
        )
    rows = F.index_select(grad, F.reshape(indices, (-1,)), 0)
    if padding_idx >= 0:
        rows = F.masked_fill(rows, F.reshape(F.eq(indices, padding_idx), (-1, 1)), 0)
    return F.reshape(rows, shape)
