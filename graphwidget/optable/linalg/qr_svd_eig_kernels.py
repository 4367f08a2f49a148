"""Kernels of QR, SVD and eigenvalues of batches of matrices."""

from __future__ import annotations

import numpy as np

from ...arrays.kernel_errors import LinAlgError
from ..pointwise.common_kernels import Array
from .matrix_helpers import dense_columns, eye_like, mT


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


# Householder's reflections -----------------------------------------------------------------------
def geqrf(a: Array) -> tuple[Array, Array]:
    """R with the reflections' vectors below it, and the reflections' factors, as LAPACK's."""
    if 0 in a.shape[-2:]:
        return dense_columns(a.copy()), np.zeros((*a.shape[:-2], min(a.shape[-2:])), a.dtype)
    turned, tau = np.linalg.qr(a, "raw")
    return dense_columns(mT(turned)), np.ascontiguousarray(tau)


def apply_reflection(K: Array, v: Array, factor: Array, place: int, left: bool) -> Array:
    """K, into which (I - factor v vᵀ) K is written, or K (I - factor v vᵀ). The first ``place``
    items of v are zeros, so that as many rows or columns stay as they are, even where v or its
    factor is no number."""
    v = v[..., place:, :]
    scaled = factor[..., None] * v
    if left:
        rows = K[..., place:, :]
        rows -= scaled * (mT(v) @ rows)
    else:
        columns = K[..., place:]
        columns -= (columns @ scaled) * mT(v)
    return K


def householder_product(a: Array, tau: Array) -> Array:
    """The first columns of the product of reflections."""
    found, units = eye_like(a), np.tril(a, -1) + eye_like(a)
    for step in reversed(range(tau.shape[-1])):  # what is left of the step is that of 1
        apply_reflection(
            found[..., step:], units[..., step, None], tau[..., step, None], step, True
        )
    return dense_columns(found)


COMPLEX = (
    "linalg.eig: this matrix has complex eigenvalues, and graphwidget computes with real numbers "
    "only. It gives eigenvalues that are all real; of symmetric matrices linalg.eigh gives them."
)


def eig(a: Array) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors, where all are real.

    Raises:
        NotImplementedError: some are not.
    """
    values, vectors = np.linalg.eig(a)
    if np.iscomplexobj(values):
        if np.any(values.imag):
            raise NotImplementedError(COMPLEX)
        values, vectors = values.real, vectors.real
    return np.ascontiguousarray(values), dense_columns(vectors)
