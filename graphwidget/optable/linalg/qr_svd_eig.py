"""``qr``, with Householder's reflections, ``svd``, ``eigh`` and ``eig``.

The derivatives of reflections undo one after the other; that of eigenvectors is M. Giles' (2008).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.kernel_errors import LinAlgError
from ..declare import Namespace, composite, op
from ..pointwise.common_kernels import Array
from .solve import dense_columns

F = Namespace()


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


@composite
def add_gradients(one: Any, two: Any) -> Any:
    """The sum of two gradients, either of which may be missing."""
    return two if one is None else one if two is None else one + two


# QR ----------------------------------------------------------------------------------------------
@composite
def qr_backward(grads: Any, Q: Any, R: Any, mode: Any) -> Any:
    """The gradient of orthogonal and triangular factors.

    Raises:
        RuntimeError: the mode gives too little (PyTorch's texts).
    """
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. "
            "Please use linalg.qr(A, mode='reduced') if you are going to differentiate through "
            "linalg.qr."
        )
    gQ, gR = grads
    rows, columns = Q.shape[-2], R.shape[-1]
    if mode == "complete" and rows > columns:
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."
        )
    if rows >= columns:
        return F.qr_tall(gQ, gR, Q, R)
    # The columns beyond the square part are products with Q.
    last = len(R.shape) - 1
    R1, R2 = F.slice(R, last, 0, rows, 1), F.slice(R, last, rows, columns, 1)
    gR1, gR2 = F.slice(gR, last, 0, rows, 1), F.slice(gR, last, rows, columns, 1)
    gQ = gQ + F.matmul_three(Q, R2, F.mT(gR2))
    return F.cat([F.qr_tall(gQ, gR1, Q, R1), F.matmul(Q, gR2)], last)


@composite
def qr_tall(gQ: Any, gR: Any, Q: Any, R: Any) -> Any:
    """The same where there are at least as many rows as columns."""
    inside = F.triu(F.matmul(gR, F.mT(R)) - F.matmul(F.mT(Q), gQ), 0)
    inside = inside + F.mT(F.triu(inside, 1))
    flow = gQ + F.matmul(Q, inside)
    return F.linalg_solve_triangular(F.mT(R), flow, False, False, False)


op("linalg_qr(A, /, mode='reduced') -> Q, R", qr, refuses="geqrf_cpu: half",
   d_A=lambda grads, Q, R, mode: F.qr_backward(grads, Q, R, mode),
   public=False, sign="QR", text="QR({A})", onnx=None)


# Singular values ---------------------------------------------------------------------------------
@composite
def pairwise_differences(values: Any, squares: Any) -> Any:
    """Differences of all pairs of values (times their sums), 1 on the diagonal."""
    last = len(values.shape)
    rows, columns = F.unsqueeze(values, last), F.unsqueeze(values, last - 1)
    apart = columns - rows
    apart = apart * (columns + rows) if squares else apart
    return apart + F.to_diagonal(F.ones_like(values))


@composite
def svd_backward(grads: Any, U: Any, S: Any, Vh: Any, full_matrices: Any) -> Any:
    """The gradient of singular values and vectors. Vectors of equal values have none."""
    gU, gS, gVh = grads
    count, row = S.shape[-1], len(S.shape) - 1
    if full_matrices:
        U, Vh = F.slice(U, row + 1, 0, count, 1), F.slice(Vh, row, 0, count, 1)
        gU = None if gU is None else F.slice(gU, row + 1, 0, count, 1)
        gVh = None if gVh is None else F.slice(gVh, row, 0, count, 1)
    tall = U.shape[-2] >= Vh.shape[-1]
    if gU is None and gVh is None:
        if gS is None:
            return None
        if tall:
            return F.matmul(U, F.unsqueeze(gS, row + 1) * Vh)
        return F.matmul(U * F.unsqueeze(gS, row), Vh)
    apart = F.pairwise_differences(S, True)
    right, below = F.unsqueeze(S, row), F.unsqueeze(S, row + 1)
    inner = None
    if gU is not None:
        skew = F.matmul(F.mT(U), gU)
        inner = (skew - F.mT(skew)) / apart * right
    if gVh is not None:
        skew = F.matmul(Vh, F.mT(gVh))
        inner = F.add_gradients(inner, below * ((skew - F.mT(skew)) / apart))
    inner = inner if gS is None else inner + F.to_diagonal(gS)
    if gU is not None and U.shape[-2] > count:
        side = gU / right
        found = F.matmul(U, inner) + side - F.matmul(U, F.matmul(F.mT(U), side))
        return F.matmul(found, Vh)
    if gVh is not None and Vh.shape[-1] > count:
        side = gVh / below
        found = F.matmul(inner, Vh) + side - F.matmul(F.matmul(side, F.mT(Vh)), Vh)
        return F.matmul(U, found)
    return F.matmul(F.matmul(U, inner), Vh) if tall else F.matmul(U, F.matmul(inner, Vh))


op("linalg_svd(A, /, full_matrices=True) -> U, S, Vh", svd, refuses="linalg_svd_cpu: half",
   saved_sizes={"S": (-1,)},
   d_A=lambda some_grads, U, S, Vh, full_matrices:
       F.svd_backward(some_grads, U, S, Vh, full_matrices),
   public=False, sign="svd", text="svd({A})", onnx=None)


# Eigenvalues -------------------------------------------------------------------------------------
@composite
def eigh_backward(grads: Any, values: Any, vectors: Any) -> Any:
    """The gradient of eigenvalues and eigenvectors of symmetric matrices."""
    flow, gV = grads
    if gV is None:
        if flow is None:
            return None
        return F.matmul(vectors * F.unsqueeze(flow, len(values.shape) - 1), F.mT(vectors))
    skew = F.matmul(F.mT(vectors), gV) / F.pairwise_differences(values, False)
    inner = skew - F.to_diagonal(F.diagonal(skew, 0, len(values.shape) - 1, len(values.shape)))
    inner = inner if flow is None else inner + F.to_diagonal(flow)
    return F.matmul_three(vectors, inner, F.mT(vectors))


op("linalg_eigh(A, /, UPLO='L') -> eigenvalues, eigenvectors", eigh,
   refuses="linalg_eigh_cpu: bool half integer",
   d_A=lambda some_grads, eigenvalues, eigenvectors:
       F.eigh_backward(some_grads, eigenvalues, eigenvectors),
   public=False, sign="eigh", text="eigh({A})", onnx=None)
