"""Rows of tables."""

from __future__ import annotations

import numpy as np

from ...core import dtypes
from ...core.compile import TENSORS as F
from ...core.modes import no_grad
from ...core.tensor import Tensor


def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Tensor:  # fmt: skip
    """The rows of ``weight`` (V, D) at the integers of ``input`` (*): (*, D).

    Args:
        padding_idx: a row that gets no gradient.
        max_norm: rows whose ``norm_type``-norm is larger are scaled to it first, in place.
        scale_grad_by_freq: divide each row's gradient by how often it was taken.
        sparse: not offered.

    Raises:
        IndexError: there is no such row.
        RuntimeError: indices that are no integers, or a table that is no matrix.
    """
    if sparse:
        raise NotImplementedError("embedding: sparse gradients are not offered")
    rows = weight._data.shape[0]
    if padding_idx is not None:
        if not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= rows
    if not isinstance(input, Tensor):
        raise TypeError(
            "embedding(): argument 'indices' (position 2) must be Tensor, not "
            f"{type(input).__name__}"
        )
    if weight._data.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    if input._data.dtype.name not in ("int64", "int32"):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
            f"Long, Int; but got {dtypes.tensor_type(input._data.dtype)} instead (while checking "
            "arguments for embedding)"
        )
    if max_norm is not None:
        _limit(weight, input, max_norm, norm_type)
    index = -1 if padding_idx is None else padding_idx
    return F.embedding(weight, input, index, scale_grad_by_freq, sparse)


def _limit(weight: Tensor, rows: Tensor, max_norm: float, norm_type: float) -> None:
    """Scale the rows that are used down to a norm, in place."""
    with no_grad():
        used = np.unique(rows._data)
        norms = np.linalg.norm(weight._data[used], norm_type, 1)
        factor = np.where(norms > max_norm, max_norm / (norms + 1e-7), 1).astype(weight._data.dtype)
        if used.size:
            scaled = weight.detach()
            index = Tensor._wrap(used)
            scaled.index_copy_(0, index, Tensor._wrap(weight._data[used] * factor[:, None]))
