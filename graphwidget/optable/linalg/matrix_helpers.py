"""Helpers of kernels of matrices: transposes, unit matrices, and columns as LAPACK has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..pointwise.common_kernels import Array


def mT(a: Array) -> Array:
    """The matrices transposed."""
    return a.swapaxes(-1, -2)


def dense_columns(a: Array) -> Array:
    """A copy with each matrix column by column in memory, as LAPACK leaves its results."""
    return mT(np.ascontiguousarray(mT(a))) if a.ndim > 1 else np.ascontiguousarray(a)


def is_vector(a: Any, b: Any) -> bool:
    """Return whether ``solve`` takes the right side (by its shape) for vectors."""
    return len(b) == 1 or (len(a) - 1 == len(b) and b == a[:-1])
