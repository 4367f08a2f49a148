"""``embedding``, ``embedding_bag`` and ``one_hot``: numbers of rows or classes as vectors."""

from __future__ import annotations

import numpy as np

from ...arrays import dtypes
from ...arrays.warnings import warn
from ...autograd.grad_mode import no_grad
from ...eager.op_functions import TENSORS as F
from ...functions.tensor.global_settings import promote_types
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


# Bags of rows -------------------------------------------------------------------------------------
MODES = {"sum": 0, "mean": 1, "max": 2}


def embedding_bag(
    input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: float | None = None,
    norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = "mean",
    sparse: bool = False, per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False, padding_idx: int | None = None,
) -> Tensor:  # fmt: skip
    """Rows of ``weight`` (V, D), added up, averaged or the largest of each bag: (bags, D).

    Args:
        input: (bags, n) row numbers, or all of them in one dim with
        offsets: where in it each bag begins; ``include_last_offset``: and the last one ends.
        max_norm: rows whose ``norm_type``-norm is larger are scaled to it first, in place.
        mode: "sum", "mean" or "max".
        per_sample_weights: what each row counts, as many as ``input`` (of sums only).
        padding_idx: a row that counts nowhere.

    Raises:
        ValueError: numbers of dims that do not fit, or an unknown mode.
        RuntimeError: there is no such row, or offsets that do not fit.
    """
    if sparse:
        raise NotImplementedError("embedding_bag: sparse gradients are not offered")
    if weight.dtype is dtypes.int64 and input._meta.floating:
        warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag("
            "weight, input, ...)` is deprecated, and should now be `embedding_bag(input, weight, "
            "...)`.",
        )
        weight, input = input, weight
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then "
            f"it must have the same shape as the input ({input.shape})"
        )
    if weight._data.ndim != 2:
        raise ValueError(
            f"weight has to be a 2D Tensor, but got Tensor of dimension {weight._data.ndim}"
        )
    input, offsets, per_sample_weights = _as_bags(input, offsets, per_sample_weights)
    if input.dtype is not offsets.dtype:
        common = promote_types(input.dtype, offsets.dtype)
        input, offsets = input.to(common), offsets.to(common)
    number = _mode_number(mode, scale_grad_by_freq, per_sample_weights)
    if max_norm is not None:
        _renorm_rows(weight, input, max_norm, norm_type)
    rows = weight._data.shape[0]
    if padding_idx is not None:
        if not -rows <= padding_idx < rows:
            raise RuntimeError(
                f"padding_idx must be within the number of embeddings, -{rows} through {rows - 1}, "
                f"but got {padding_idx}"
            )
        padding_idx %= rows
    _check_bags(input, weight, offsets, per_sample_weights, include_last_offset, mode == "max")
    return F.embedding_bag(
        weight, input, offsets, per_sample_weights, scale_grad_by_freq, number, sparse,
        include_last_offset, -1 if padding_idx is None else padding_idx,
    )  # fmt: skip


def _as_bags(
    input: Tensor, offsets: Tensor | None, per_sample_weights: Tensor | None
) -> tuple[Tensor, Tensor, Tensor | None]:
    """The row numbers in one dim, where the bags begin, and the weights."""
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch "
                f"of fixed length sequences. However, found offsets of type {_tensor_type(offsets)}"
            )
        count, size = input.shape
        begin = Tensor._wrap(np.arange(count, dtype=input._data.dtype) * size)
        flat = None if per_sample_weights is None else per_sample_weights.reshape(-1)
        return input.reshape(-1), begin, flat
    if input.dim() != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension "
                         f"{input.dim()}")  # fmt: skip
    if not isinstance(offsets, Tensor):
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets.dim() != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    return input, offsets, per_sample_weights


def _tensor_type(value: object) -> str:
    return "<class 'torch.Tensor'>" if isinstance(value, Tensor) else str(type(value))


def _mode_number(mode: str, scale_grad_by_freq: bool, per_sample_weights: Tensor | None) -> int:
    """The number of a mode."""
    if mode not in MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported "
            f"for mode='sum' (got mode='{mode}'). Please open a feature request on GitHub."
        )
    return MODES[mode]


def _check_bags(
    input: Tensor, weight: Tensor, offsets: Tensor, per_sample_weights: Tensor | None,
    include_last_offset: bool, largest: bool,
) -> None:  # fmt: skip
    _check_kind("indices", input, ("int64", "int32"), "Long, Int")
    _check_kind(
        "weight", weight, ("float16", "float32", "float64"), "Half, BFloat16, Float, Double"
    )
    if per_sample_weights is not None and per_sample_weights.dtype != weight.dtype:
        kinds = [dtypes.legacy_type(each._data.dtype) for each in (weight, per_sample_weights)]
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument "
            f"#1 'per_sample_weights'; but type {kinds[0]} does not equal {kinds[1]} (while "
            "checking arguments for embedding_bag)"
        )
    begin, count = offsets._data, input._data.size
    if include_last_offset and not begin.size:
        raise RuntimeError("include_last_offset: number of offset should be at least 1")
    if begin.size and begin[0] != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
            f"position 0. However, got {begin[0]}\n[ {dtypes.legacy_type(begin.dtype)}{{}} ]"
        )
    if begin.size and begin[-1] > count:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {count} but got offsets[-1] of "
            f"{begin[-1]}"
        )
    outside = np.flatnonzero((input._data < 0) | (input._data >= len(weight._data)))
    if outside.size and largest:
        raise RuntimeError(
            "embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be "
            f"{input._data[outside[0]]}"
        )
    if outside.size:
        raise RuntimeError(
            f"Index {outside[0]} of input takes value {input._data[outside[0]]} which is not in "
            f"the valid range [0, {len(weight._data)})"
        )


def _check_kind(name: str, given: Tensor, kinds: tuple[str, ...], told: str) -> None:
    if given._data.dtype.name not in kinds:
        raise RuntimeError(
            f"Expected tensor for argument #1 '{name}' to have one of the following scalar types: "
            f"{told}; but got {dtypes.printed_type(given._data.dtype)} instead (while checking "
            "arguments for embedding_bag)"
        )


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
