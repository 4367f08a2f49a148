"""Kernels of QR, SVD and eigenvalues of batches of matrices."""

from __future__ import annotations

import numpy as np

from ...arrays.kernel_errors import LinAlgError
from ..pointwise.common_kernels import Array
from .matrix_helpers import dense_columns


def qr(a: Array, mode: str) -> tuple[Array, Array]:
    """Orthogonal and triangular factors; with mode "r" the first is empty."""
    if mode == "r":
        return np.empty(0, a.dtype), dense_columns(np.linalg.qr(a, "r"))
    q, r = np.linalg.qr(a, mode)  # type: ignore[call-overload]
    return dense_columns(q), dense_columns(r)


def zero_nonfinite(a: Array) -> tuple[Array, Array]:
    """Matrices with zeros for those that hold inf, and which these are: LAPACK may look for their
    singular values without an end, and PyTorch's are nan.

    Raises:
        LinAlgError: nan among the items.
    """
    if np.isnan(a).any():
        raise LinAlgError(
            "linalg.svd: The algorithm failed to converge because the input matrix contained "
            "non-finite values."
        )
    endless = np.isinf(a).any((-2, -1))
    if endless.any():
        a = np.where(endless[..., None, None], a.dtype.type(0), a)
    return a, endless


def singular_values(a: Array) -> Array:
    """Singular values alone, falling."""
    a, endless = zero_nonfinite(a)
    s = np.linalg.svd(a, compute_uv=False)
    s[endless] = np.nan
    return s


def svd(a: Array, full_matrices: bool) -> tuple[Array, Array, Array]:
    """Singular vectors and values."""
    a, endless = zero_nonfinite(a)
    u, s, vh = np.linalg.svd(a, full_matrices)
    for found in (u, s, vh):
        found[endless] = np.nan
    return dense_columns(u), np.ascontiguousarray(s), dense_columns(vh)


def eigh(a: Array, UPLO: str) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors of symmetric matrices, of which one half is read."""
    values, vectors = np.linalg.eigh(a, UPLO)  # type: ignore[call-overload]
    return np.ascontiguousarray(values), dense_columns(vectors)


