"""Checks whether arrays share memory, and errors for writes where they do."""

from __future__ import annotations

import numpy as np

from .memory_order import torch_strides

OVERLAP = (
    "unsupported operation: more than one element of the written-to tensor refers to a single "
    "memory location. Please clone() the tensor before performing the operation."
)
PARTIAL_OVERLAP = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to "
    "a single memory location. Please clone() the tensor before performing the operation."
)

MOST_WORK = 10_000
"""Steps that may be spent on whether items overlap; if they do not suffice, they might."""


def is_dense(data: np.ndarray) -> bool:
    """Return whether the items fill their memory without gaps, in some order of the dims."""
    if not data.size:
        return True
    expected = data.itemsize
    sizes = sorted(zip(data.strides, data.shape, strict=True))
    for stride, size in sizes:
        if size != 1:
            if stride != expected:
                return False
            expected *= size
    return True


def is_same_memory(data: np.ndarray, other: np.ndarray) -> bool:
    """Return whether two arrays are the same items of the same memory."""
    if other is data:
        return True
    return (
        np.may_share_memory(data, other)
        and other.ctypes.data == data.ctypes.data
        and other.size == data.size
        and other.dtype == data.dtype
        and real_strides(other) == real_strides(data)
    )


def real_strides(data: np.ndarray) -> list[int]:
    """Strides in bytes as PyTorch has them."""
    return torch_strides(data.shape, data.strides, data.itemsize)


def has_internal_overlap(data: np.ndarray) -> bool:
    """Return whether several items share one memory location, as in an expanded tensor."""
    return (
        0 in data.strides
        and data.size > 0
        and any(
            stride == 0 and size > 1 for stride, size in zip(data.strides, data.shape, strict=True)
        )
    )


def check_overlap(data: np.ndarray, others: list[np.ndarray], whole: bool = False) -> bool:
    """Refuse a write whose items or operands overlap in part (with ``whole``, at all).

    PyTorch answers only for tensors without gaps; the others it lets pass. Returns whether there
    are such that overlap in part.

    Raises:
        RuntimeError: PyTorch's texts.
    """
    if not whole and has_internal_overlap(data):
        raise RuntimeError(OVERLAP)
    tangled = False
    for other in others:
        if whole and other is data:  # even where there is no item
            raise RuntimeError(PARTIAL_OVERLAP)
        if np.may_share_memory(data, other) and (whole or not is_same_memory(data, other)):
            if is_dense(data) and is_dense(other):
                raise RuntimeError(PARTIAL_OVERLAP)
            # So far only the ends were compared, between which the items may alternate (chunks).
            # numpy's stubs know two values of the last argument only.
            tangled |= np.may_share_memory(data, other, MOST_WORK)  # type: ignore[arg-type]
    return tangled


def may_interleave(data: np.ndarray) -> bool:
    """Return whether items may share memory although no stride is 0: windows that overlap, which
    PyTorch does not notice."""
    flags = data.flags
    if flags.c_contiguous or flags.f_contiguous or not data.size:
        return False
    extent = 0
    for stride, size in sorted(zip(data.strides, data.shape, strict=True)):
        if size > 1:
            if 0 < stride <= extent:
                return True
            extent += stride * (size - 1)
    return False
