"""Embedding: rows of a table by number."""

from __future__ import annotations

from typing import Any

import numpy as np

from .declare import Namespace, composite, op
from .kernels import Array
from .layout import as_array

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
    # items one by one: numpy adds at indices of one dim several times as fast as rows
    out = np.zeros(num_weights * size, rows.dtype)
    np.add.at(out, (flat[:, None] * size + np.arange(size)).reshape(-1), rows.reshape(-1))
    out = out.reshape(num_weights, size)
    if padding_idx >= 0:
        out[padding_idx] = 0
    return out


op("embedding(weight, indices, /, padding_idx=-1, scale_grad_by_freq=False, sparse=False)",
   embedding,
   d_weight=lambda grad, indices, weight_shape, padding_idx, scale_grad_by_freq, sparse:
       F.embedding_dense_backward(
           grad, indices, weight_shape[0], padding_idx, scale_grad_by_freq
       ),
   public=False, text="{weight}[{indices}]", tex=r"{weight}_{{{indices}}}", onnx="Gather")

op("embedding_dense_backward(grad_output, indices, /, num_weights, padding_idx, "
   "scale_grad_by_freq)", embedding_dense_backward, node="EmbeddingDenseBackwardBackward0",
   d_grad_output=lambda grad, indices, padding_idx: F.embedding_again(grad, indices, padding_idx),
   public=False, sign="embedding′", text="{grad_output} added at rows {indices}",
   tex=r"{grad_output}", onnx=None)


@composite
def embedding_again(grad: Any, indices: Any, padding_idx: Any) -> Any:
    """The rows of ``grad`` at the indices, zeros at ``padding_idx``."""
    rows = F.embedding(grad, indices, -1, False, False)
    if padding_idx < 0:
        return rows
    return F.masked_fill(rows, F.unsqueeze(F.eq(indices, padding_idx), -1), 0)
