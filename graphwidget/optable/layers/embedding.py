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
   public=False, text="{weight}[{indices}]", tex=r"{weight}_{{{indices}}}", onnx="Gather")

op("embedding_dense_backward(grad_output, indices, /, num_weights, padding_idx, "
   "scale_grad_by_freq)", embedding_dense_backward, node="EmbeddingDenseBackwardBackward0",
   d_grad_output=lambda grad, indices, padding_idx:
       F.embedding_dense_double_backward(grad, indices, padding_idx),
   public=False, sign="embedding′", text="{grad_output} added at rows {indices}",
   tex=r"{grad_output}", onnx=None)


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


# Bags of rows -------------------------------------------------------------------------------------
SUM, MEAN, MAX = 0, 1, 2


def _bag_starts(indices: Array, offsets: Array, include_last_offset: bool) -> tuple[Array, Array]:
    """Return where the bags begin, and the bag of each index."""
    starts = offsets[:-1] if include_last_offset else offsets
    return starts, np.searchsorted(starts, np.arange(indices.size), "right") - 1


def embedding_bag(
    weight: Array, indices: Array, offsets: Array, per_sample_weights: Array | None,
    scale_grad_by_freq: bool, mode: int, sparse: bool, include_last_offset: bool,
    padding_idx: int,
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """The sum, average or largest of the rows of each bag; then the bag of each index, the sizes
    of the bags, and of ``MAX`` the rows that were chosen (PyTorch's, which tells less of sums)."""
    starts, bag = _bag_starts(indices, offsets, include_last_offset)
    count = len(starts)
    keep = indices != padding_idx
    if include_last_offset:  # nothing beyond it (PyTorch's gradients do go there)
        keep[offsets[-1] :] = False
    used, place = (indices, bag) if keep.all() else (indices[keep], bag[keep])
    sizes = np.bincount(place, minlength=count).astype(np.int64)
    rows = np.take(weight, used, 0)
    if per_sample_weights is not None:
        rows *= per_sample_weights[keep][:, None]
    out = np.zeros((count, weight.shape[1]), weight.dtype)
    chosen = np.zeros((count, weight.shape[1] if mode == MAX else 0), np.int64)
    filled = np.flatnonzero(sizes)
    begin = (np.cumsum(sizes) - sizes)[filled]
    if mode == MAX:
        for number, first in zip(filled.tolist(), begin.tolist(), strict=True):
            part = rows[first : first + sizes[number]]
            best = part.argmax(0)
            out[number] = np.take_along_axis(part, best[None], 0)[0]
            chosen[number] = used[first + best]
        return out, bag, sizes, chosen
    if filled.size:
        out[filled] = np.add.reduceat(rows, begin, 0)
    if mode == MEAN:
        out /= np.maximum(sizes, 1)[:, None].astype(out.dtype)
        return out, bag, sizes, sizes
    none = np.zeros(count, np.int64)
    return out, np.zeros(0, np.int64), none, none


def embedding_bag_backward(
    grad: Array, indices: Array, offsets: Array, chosen: Array, per_sample_weights: Array | None,
    num_weights: int, scale_grad_by_freq: bool, mode: int, include_last_offset: bool,
    padding_idx: int,
) -> Array:  # fmt: skip
    """Each bag's gradient at the rows that are in it, or those that were the largest."""
    grad, size = as_array(grad), grad.shape[-1]
    bag = _bag_starts(indices, offsets, include_last_offset)[1]
    keep = indices != padding_idx
    sizes = np.bincount(bag[keep], minlength=len(grad))
    if mode == MAX:
        out = np.zeros((num_weights, size), grad.dtype)
        filled = sizes > 0
        np.add.at(out, (chosen[filled], np.arange(size)), grad[filled])
        return out
    rows = grad[bag]
    if mode == MEAN:
        rows /= np.maximum(sizes, 1)[bag][:, None].astype(rows.dtype)
    if per_sample_weights is not None:
        rows *= per_sample_weights[:, None]
    if scale_grad_by_freq:
        # PyTorch takes the frequency of the i-th sorted index for the i-th distinct one
        place = np.unique(indices, return_inverse=True)[1]
        often = np.bincount(indices)[np.sort(indices)]
        rows /= often[place][:, None].astype(rows.dtype)
    return embedding_dense_backward(rows, indices, num_weights, padding_idx, False)


def embedding_bag_weights_backward(
    grad: Array, weight: Array, indices: Array, offsets: Array, include_last_offset: bool,
    padding_idx: int,
) -> Array:  # fmt: skip
    """The products of each row with the gradient of its bag."""
    bag = _bag_starts(indices, offsets, include_last_offset)[1]
    found = np.einsum("ij,ij->i", as_array(grad)[bag], weight[indices])
    found[indices == padding_idx] = 0
    return found


op("embedding_bag(weight, indices, offsets, per_sample_weights=None, /, scale_grad_by_freq, mode, "
   "sparse, _include_last_offset, padding_idx) -> result; result1, result2, result3",
   embedding_bag, saved_sizes={"weight": (0,)},
   d_weight=lambda grad, indices, offsets, result1, result2, result3, per_sample_weights,
                   _weight_shape, scale_grad_by_freq, mode, sparse, _include_last_offset,
                   padding_idx:
       F.embedding_bag_backward(
           grad, indices, offsets, result3, per_sample_weights, _weight_shape[0],
           scale_grad_by_freq, mode, _include_last_offset, padding_idx
       ),
   d_per_sample_weights=lambda grad, weight, indices, offsets, _include_last_offset, padding_idx:
       F.embedding_bag_weights_backward(
           grad, weight, indices, offsets, _include_last_offset, padding_idx
       ),
   public=False, sign="embedding bag", text="rows {indices} of {weight} by bag",
   tex=r"\sum {weight}_{{{indices}}}", onnx=None)

op("embedding_bag_backward(grad_output, indices, offsets, chosen, per_sample_weights=None, /, "
   "num_weights, scale_grad_by_freq, mode, include_last_offset, padding_idx)",
   embedding_bag_backward, node="EmbeddingBagBackwardBackward0",
   d_grad_output=lambda grad: F.no_derivative("_embedding_bag_backward"),
   d_per_sample_weights=lambda grad: F.no_derivative("_embedding_bag_backward"),
   public=False, sign="embedding bag′", text="{grad_output} added at rows {indices}",
   tex=r"{grad_output}", onnx=None)

op("embedding_bag_weights_backward(grad_output, weight, indices, offsets, /, "
   "include_last_offset, padding_idx)", embedding_bag_weights_backward,
   node="NotImplemented",
   d_grad_output=lambda grad: F.without_derivative(
       "aten::_embedding_bag_per_sample_weights_backward"),
   d_weight=lambda grad: F.without_derivative(
       "aten::_embedding_bag_per_sample_weights_backward"),
   public=False, sign="embedding bag′", text="{grad_output} · rows {indices} of {weight}",
   tex=r"{grad_output}", onnx=None)
