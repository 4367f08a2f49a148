"""QR, with its Householder reflections, SVD, and eigenvalues of symmetric and other matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.kernel_errors import LinAlgError
from ...dispatch.offer import offer
from ...dispatch.out import make_result_type
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ..reduction.reductions import returns_tuple
from .products import check_floating, check_matrix, check_square

LINALG_QR = make_result_type("linalg_qr", "Q", "R")


@offer(space="linalg", out=True)
def qr(A: Tensor, mode: str = "reduced") -> Any:
    """Orthogonal Q and triangular R with Q R = A; ``mode`` is reduced, complete or r.

    Shapes: A (..., m, n), k = min(m, n); Q (..., m, k), R (..., k, n), and complete Q (..., m, m),
    R (..., m, n).
    """
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), "
            "'r', or 'complete'"
        )
    check_matrix("linalg.qr", A)
    check_floating("linalg.qr", A, half=True)
    return LINALG_QR(returns_tuple(F.linalg_qr)(A, mode=mode))


LINALG_SVD, SVD = (
    make_result_type("linalg_svd", "U", "S", "Vh"),
    make_result_type("svd", "U", "S", "V"),
)


def svd_all(A: Tensor, full_matrices: bool) -> tuple[Tensor, ...]:
    """U, S and Vh."""
    check_matrix("linalg.svd", A)
    check_floating("linalg.svd", A, half=True)
    return returns_tuple(F.linalg_svd)(A, full_matrices=full_matrices)


@offer(space="linalg", out=True)
def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """U, S and Vh with U diag(S) Vh = A, U and Vh orthogonal, S falling.

    Shapes: A (..., m, n), k = min(m, n); U (..., m, k), S (..., k), Vh (..., k, n), and full U
    (..., m, m), Vh (..., n, n).
    """
    return LINALG_SVD(svd_all(A, full_matrices))


def torch_svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """U, S and V with U diag(S) Vᵀ = input."""
    U, S, Vh = svd_all(input, not some)
    if not compute_uv:
        rows, columns = input._data.shape[-2:]
        batch = input._data.shape[:-2]
        U, V = (
            Tensor._wrap(np.zeros((*batch, size, size), input._data.dtype))
            for size in (rows, columns)
        )
        return SVD((U, S, V))
    return SVD((U, S, F.transpose(Vh, Vh.ndim - 2, Vh.ndim - 1)))


torch_svd.__name__ = torch_svd.__qualname__ = "svd"
offer(out=True)(torch_svd)


@offer(space="linalg", out=True)
def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """The singular values of matrices, falling."""
    return svd_all(A, False)[1]


EIGH = make_result_type("linalg_eigh", "eigenvalues", "eigenvectors")


def eigh_both(A: Tensor, UPLO: str) -> tuple[Tensor, ...]:
    """Eigenvalues and eigenvectors.

    Raises:
        RuntimeError: not square.
        LinAlgError: nan among the items.
    """
    check_square("linalg.eigh", A)
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    half = np.tril(A._data) if UPLO.upper() == "L" else np.triu(A._data)
    if not np.isfinite(half).all():
        raise LinAlgError(
            "linalg.eigh: The algorithm failed to converge because the input matrix is "
            "ill-conditioned or has too many repeated eigenvalues (error code: "
            f"{A._data.shape[-1] - 1})."
        )
    return returns_tuple(F.linalg_eigh)(A, UPLO=UPLO.upper())


@offer(space="linalg", out=True)
def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """Eigenvalues, rising, and eigenvectors of symmetric matrices, of which one half is read."""
    return EIGH(eigh_both(A, UPLO))


@offer(space="linalg", out=True)
def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """The eigenvalues, rising, of symmetric matrices, of which one half is read."""
    return eigh_both(A, UPLO)[0]
