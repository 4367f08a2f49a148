"""Checks whether advanced indices fit a tensor, with PyTorch's errors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...arrays.warnings import warn
from ...optable.shape.index_kernels import indexed_shape
from .parse_index import MASKS, Indices

BYTES = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
TYPES = (np.dtype(np.int64), np.dtype(np.int32), *MASKS)


def check_masks(indices: Indices, shape: tuple[int, ...]) -> None:
    """Indices must have types that indices have, masks the indexed dims' sizes.

    Raises:
        IndexError: PyTorch's texts.
    """
    dim = 0
    for tensor in indices.tensors:
        if tensor is None:
            dim += 1
            continue
        array = tensor._data
        if array.dtype not in TYPES:
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        if array.dtype not in MASKS:
            dim += 1
            continue
        for offset, size in enumerate(array.shape[: max(len(shape) - dim, 0)]):
            if size != shape[dim + offset]:
                raise IndexError(
                    f"The shape of the mask {list(array.shape)} at index {offset} does not match "
                    f"the shape of the indexed tensor {list(shape)} at index {dim + offset}"
                )
        dim += array.ndim


def warn_of_byte_masks(indices: Indices) -> None:
    """Masks should be bools.

    Warns:
        UserWarning: one is not.
    """
    for tensor in indices.tensors:
        if tensor is not None and tensor._data.dtype == np.uint8:
            warn(BYTES)


def checked_index_shape(indices: Indices, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of what the indices read.

    Raises:
        IndexError: they are no indices of such a tensor (PyTorch's texts).
    """
    check_masks(indices, shape)
    try:
        result = indexed_shape(shape, indices)
    except ValueError:
        parts: list[list[int]] = []
        for each in indices:
            if each is not None and each.dtype == bool:  # one vector of places for each dim
                parts += [[int(np.count_nonzero(each))]] * each.ndim
            elif each is not None:
                parts.append(list(each.shape))
        shapes = ", ".join(map(str, parts))
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        ) from None
    return result


def integer_dims(indices: Indices, shape: tuple[int, ...]) -> Iterator[tuple[np.ndarray, int, int]]:
    """Each index of integers, with the size of its dim, and its number among the indices, by
    which PyTorch calls the dim (a mask counts for each of its own)."""
    dim = number = 0
    for array in indices:
        taken = array.ndim if array is not None and array.dtype == bool else 1
        if array is not None:
            if array.dtype != bool:
                yield array, shape[dim], number
            number += taken
        dim += taken


def check_items(indices: Indices, shape: tuple[int, ...]) -> None:
    """Check that dims indexed by integers are not empty.

    Raises:
        IndexError: PyTorch's text.
    """
    for array, size, _ in integer_dims(indices, shape):
        if array.size and not size:
            raise IndexError("index is out of bounds for dimension with size 0")


def check_bounds(indices: Indices, shape: tuple[int, ...], found: tuple[int, ...]) -> None:
    """Integers must be in bounds, where any item is read at all.

    Raises:
        IndexError: PyTorch's text.
    """
    check_items(indices, shape)
    if 0 in found:
        return
    for array, size, dim in integer_dims(indices, shape):
        if array.size and (array.min() < -size or array.max() >= size):
            outside = array[(array < -size) | (array >= size)]
            raise IndexError(
                f"index {outside[0]} is out of bounds for dimension {dim} with size {size}"
            )
