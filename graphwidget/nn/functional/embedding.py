"""``embedding`` and ``one_hot``: numbers of rows or classes as vectors."""

from __future__ import annotations

import numpy as np

from ...arrays import dtypes
from ...autograd.grad_mode import no_grad
from ...eager.op_functions import TENSORS as F
from ...graph import runtime
from ...graph.tensor import Tensor
from ...graph.version import counter_at_version


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
        IndexError: there is no such row, or a number in the place of a table that requires grad.
        RuntimeError: indices that are no integers, or a table that is no matrix.
    """
    if padding_idx is None:
        padding_idx = -1
    elif padding_idx:
        rows = weight.size(0)
        if not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= rows
    if max_norm is not None:
        _renorm_rows(weight, input.contiguous(), max_norm, norm_type)
    return lookup_rows(weight, input, padding_idx, scale_grad_by_freq, sparse)


def lookup_rows(
    weight: Tensor, input: Tensor, padding_idx: int, scale_grad_by_freq: bool, sparse: bool
) -> Tensor:
    """The rows at the integers of ``input``; no row is padding when its number is negative."""
    if sparse:
        raise NotImplementedError("embedding: sparse gradients are not offered")
    if not isinstance(input, Tensor):
        raise TypeError(
            "embedding(): argument 'indices' (position 2) must be Tensor, not "
            f"{type(input).__name__}"
        )
    if weight.requires_grad and runtime.grad_enabled():
        weight.size(0)  # PyTorch's node is told first how many rows there are
    if weight._data.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    _check_integers(input, 1, "embedding")
    return F.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


def _check_integers(indices: Tensor, place: int, name: str) -> None:
    """Refuse indices that are no integers, the argument in this place of the op of this name."""
    if indices._data.dtype not in (np.int64, np.int32):
        raise RuntimeError(
            f"Expected tensor for argument #{place} 'indices' to have one of the following scalar "
            f"types: Long, Int; but got {dtypes.printed_type(indices._data.dtype)} instead (while "
            f"checking arguments for {name})"
        )


def _renorm_rows(weight: Tensor, rows: Tensor, max_norm: float, norm_type: float) -> None:
    """Scale the rows that are used down to a norm, in place."""
    if weight._data.ndim != 2:
        raise RuntimeError(
            f"Expected 2-dimensional tensor, but got {weight._data.ndim}-dimensional tensor for "
            "argument #1 'self' (while checking arguments for embedding_renorm_)"
        )
    _check_integers(rows, 2, "embedding_renorm_")
    with no_grad():
        used = np.unique(rows._data)
        norms = np.linalg.norm(weight._data[used], norm_type, 1)
        factor = np.where(norms > max_norm, max_norm / (norms + 1e-7), 1).astype(weight._data.dtype)
        if used.size:
            scaled = weight.detach()
            index = Tensor._wrap(used)
            scaled.index_copy_(0, index, Tensor._wrap(weight._data[used] * factor[:, None]))


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Classes as vectors of 0 with one 1; ``num_classes`` -1 takes the largest class.

    Raises:
        RuntimeError: not int64, or out of range.
    """
    data = tensor._data
    if data.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not data.size:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return Tensor._wrap(np.zeros((*data.shape, num_classes), np.int64))
    if data.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(data.max()) + 1
    elif data.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    ones = data[..., None] == np.arange(num_classes)
    result = Tensor._wrap(ones.astype(np.int64, order="C"))
    result._counter = counter_at_version(2)  # PyTorch writes zeros, then ones
    return result
