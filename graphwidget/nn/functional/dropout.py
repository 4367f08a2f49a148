"""``dropout``, ``embedding`` and ``one_hot``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.memory_order import memory_order
from ...arrays.warnings import warn
from ...autograd.grad_mode import no_grad
from ...eager.op_functions import TENSORS as F
from ...functions.random import generator
from ...graph import runtime
from ...graph.tensor import Tensor
from ...graph.version import counter_at_version


def check_probability(p: float) -> float:
    """The probability itself; RuntimeError if it is none."""
    if not 0.0 <= p <= 1.0:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    return p


def _check(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    check_probability(p)  # nan


def _check_floating(input: Tensor) -> None:
    if not input._meta.floating:
        kind = dtypes.scalar_type(input._data.dtype)
        raise RuntimeError(f"result type Float can't be cast to the desired output type {kind}")


def keep_mask(like: np.ndarray, dtype: Any, p: float, scaled: bool = False) -> np.ndarray:
    """1 (if ``scaled``, 1 / (1 - p)) with probability 1 - p, else 0, drawn in the order of
    ``like``'s memory."""
    order = memory_order(like.shape, like)
    shape, back = tuple(like.shape[dim] for dim in order), np.argsort(order)

    def mask() -> np.ndarray:
        drawn = generator.bernoulli_scalar(shape, dtype, 1 - p).transpose(back)
        return np.divide(drawn, drawn.dtype.type(1 - p), drawn) if scaled and p < 1 else drawn

    return generator.draw(mask)


def _scaled_mask(like: np.ndarray, p: float) -> Tensor:
    """A mask that keeps the mean."""
    noise = Tensor._wrap(keep_mask(like, like.dtype, p, scaled=True))
    noise._counter = counter_at_version(2)  # drawn, then divided
    return noise


def _zero_mask(dtype: Any) -> Tensor:
    """The factor where nothing is kept."""
    noise = Tensor._wrap(np.zeros((), dtype))
    noise._counter = counter_at_version()
    return noise


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each item 0 with probability p, else divided by 1 - p; the input itself when not training.

    Raises:
        ValueError: p is no probability.
    """
    _check(p)
    if not input._data.size or not training or p == 0:
        return input
    _check_floating(input)
    noise = _scaled_mask(input._data, p) if p < 1 else _zero_mask(input._data.dtype)
    return input.mul_(noise) if inplace else F.mul(input, noise)


# Whole channels -----------------------------------------------------------------------------------
def _channel_shaped(input: Tensor) -> np.ndarray:
    """An array with one item for each channel of each sample."""
    data = input._data
    return np.empty((*data.shape[:2], *(1,) * (data.ndim - 2)), data.dtype)


def feature_dropout(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """``dropout`` with one draw for each channel of each sample."""
    if not input._data.size or not training or p == 0:
        return input
    if p < 1 and input._data.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    _check_floating(input)
    like = _channel_shaped(input)
    noise = _scaled_mask(like, p) if p < 1 else _zero_mask(like.dtype)
    return input.mul_(noise) if inplace else F.mul(input, noise)


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """``dropout`` of whole channels of (N, C, L), or (C, L)."""
    _check(p)
    dims = input._data.ndim
    if dims not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {dims}D input. Note that "
            "dropout1d exists to provide channel-wise dropout on inputs with 1 spatial dimension, "
            "a channel dimension, and an optional batch dimension (i.e. 2D or 3D inputs)."
        )
    if dims == 3:
        return feature_dropout(input, p, training, inplace)
    batch = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    found = feature_dropout(batch, p, training, inplace)
    return found.squeeze_(0) if inplace else found.squeeze(0)


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """``dropout`` of whole channels of (N, C, H, W), or (C, H, W) as if it were a batch."""
    _check(p)
    dims = input._data.ndim
    if dims not in (3, 4):
        warn(
            f"dropout2d: Received a {dims}-D input to dropout2d, which is deprecated and will "
            "result in an error in a future release. To retain the behavior and silence this "
            "warning, please use dropout instead. Note that dropout2d exists to provide "
            "channel-wise dropout on inputs with 2 spatial dimensions, a channel dimension, and an "
            "optional batch dimension (i.e. 3D or 4D inputs).",
        )
    if dims == 3:
        warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout "
            "behavior is desired - input is interpreted as shape (N, C, L), where C is the channel "
            "dim. This behavior will change in a future release to interpret the input as one "
            "without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise "
            "dropout behavior, please switch to using dropout1d instead.",
        )
    return feature_dropout(input, p, training, inplace)


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
        weight.size(0)  # PyTorch's node first learns how many rows there are
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
            scaled.index_put_((index,), Tensor._wrap(weight._data[used] * factor[:, None]))


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
