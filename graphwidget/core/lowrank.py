"""Approximations of low rank: singular values and principal components by random projection
(Halko, Martinsson and Tropp, 2009)."""

from __future__ import annotations

from . import dtypes, random
from .matmul import matmul
from .public import offer
from .spectra import qr, svd
from .tensor import Tensor


def basis(A: Tensor, rank: int, rounds: int, M: Tensor | None) -> Tensor:
    """Orthonormal columns (..., m, rank) whose span nearly holds A - M: algorithm 4.4."""

    def through(left: Tensor, mean: Tensor | None, right: Tensor) -> Tensor:
        found = matmul(left, right)
        return found if mean is None else found - matmul(mean, right)

    start = Tensor._wrap(random.randn((A._data.shape[-1], rank), floating_type(A).numpy))
    Q: Tensor = qr(through(A, M, start))[0]
    for _ in range(rounds):
        Q = qr(through(A.mT, None if M is None else M.mT, Q))[0]
        Q = qr(through(A, M, Q))[0]
    return Q


def floating_type(A: Tensor) -> dtypes.dtype:
    """The type to compute in."""
    return A.dtype if A._meta.floating else dtypes.float32


@offer(method=False)
def svd_lowrank(
    A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """U, S and V of nearly A (A - M), of ``q`` singular values: algorithm 5.1 of Halko et al.

    Shapes: A (..., m, n); U (..., m, q), S (..., q), V (..., n, q).
    """
    rank, rounds = 6 if q is None else q, 2 if niter is None else niter
    mean = None if M is None else M.broadcast_to(A._data.shape)
    flat = A._data.shape[-2] < A._data.shape[-1]
    if flat:
        A, mean = A.mT, None if mean is None else mean.mT
    Q = basis(A, rank, rounds, mean)
    B = matmul(Q.mT, A)
    if mean is not None:
        B = B - matmul(Q.mT, mean)
    U, S, Vh = svd(B, full_matrices=False)
    U, V = matmul(Q, U), Vh.mT
    return (V, S, U) if flat else (U, S, V)


@offer(method=False)
def pca_lowrank(
    A: Tensor, q: int | None = None, center: bool = True, niter: int = 2
) -> tuple[Tensor, Tensor, Tensor]:
    """U, S and V of the first ``q`` principal components of rows, centered unless they are.

    Shapes: A (..., m, n); U (..., m, q), S (..., q), V (..., n, q).

    Raises:
        ValueError: a rank or number of rounds that cannot be.
    """
    most = min(A._data.shape[-2:])
    rank = min(6, most) if q is None else q
    if not 0 <= rank <= most:
        raise ValueError(
            f"q(={rank}) must be non-negative integer and not greater than min(m, n)={most}"
        )
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean((-2,), True) if center else A, rank, niter)
