"""Kernels of matrix factors: LU in its forms, Householder's reflections, general eigenvalues."""

from __future__ import annotations

import numpy as np

from ...arrays.memory_order import as_array
from ...arrays.type_errors import not_implemented
from ..pointwise.common_kernels import Array
from .solve_kernels import dense_columns, lu, mT, solve_triangular


def require_lapack(a: Array) -> None:
    """Refuse types that LAPACK does not compute in.

    Raises:
        NotImplementedError: PyTorch's text.
    """
    if a.dtype.kind != "f" or a.dtype.itemsize < 4:
        raise not_implemented("lu_cpu", a.dtype)


def eye_like(a: Array) -> Array:
    """1 on the diagonals of matrices of this shape, 0 elsewhere."""
    return np.array(np.broadcast_to(np.eye(*a.shape[-2:], dtype=a.dtype), a.shape))


# LU ----------------------------------------------------------------------------------------------
def lu_factor(a: Array) -> tuple[Array, Array, Array]:
    """LU factors in one matrix, pivots (from 1), and the first pivot that is zero (0 for none)."""
    require_lapack(a)
    factors, pivots, info = lu(a)
    return dense_columns(factors), pivots, as_array(info)


def permutation(pivots: Array, rows: int) -> Array:
    """The order of rows that a list of exchanges leads to."""
    order = np.array(np.broadcast_to(np.arange(rows), (*pivots.shape[:-1], rows)))
    for step in range(pivots.shape[-1]):
        other = pivots[..., step, None].astype(np.int64) - 1
        taken = np.take_along_axis(order, other, -1)
        np.put_along_axis(order, other, order[..., step, None].copy(), -1)
        order[..., step, None] = taken
    return order


def permutation_matrix(factors: Array, pivots: Array) -> Array:
    """P of P L U from the pivots, in the type of the factors."""
    rows = factors.shape[-2]
    order = permutation(pivots, rows)
    found = np.arange(rows)[:, None] == order[..., None, :]
    return found.astype(factors.dtype, order="C")


def lower_upper(factors: Array) -> tuple[Array, Array]:
    """L, with ones on its diagonal, and U out of one matrix."""
    rows, columns = factors.shape[-2:]
    steps = min(rows, columns)
    lower = np.tril(factors[..., :steps], -1)
    lower += np.eye(rows, steps, dtype=factors.dtype)
    return np.ascontiguousarray(lower), np.ascontiguousarray(np.triu(factors[..., :steps, :]))


def lu_pivoting(a: Array) -> Array:
    """P of P L U = a."""
    require_lapack(a)
    factors, pivots, _ = lu(a)
    return permutation_matrix(factors, pivots)


def lu_parts(a: Array, P: Array, pivot: bool) -> tuple[Array, Array]:
    """L and U of P L U = a."""
    return lower_upper(lu(a)[0])


def lu_solve(factors: Array, pivots: Array, b: Array, left: bool, adjoint: bool) -> Array:
    """The solutions of A X = B (X A = B; of Aᵀ, adjoint) from the LU factors of A."""
    if not left:
        return mT(lu_solve(factors, pivots, mT(b), True, not adjoint))
    order = permutation(pivots, factors.shape[-2])
    shape = np.broadcast_shapes(order.shape[:-1], b.shape[:-2])
    order = np.broadcast_to(order, (*shape, order.shape[-1]))
    b = np.broadcast_to(b, (*shape, *b.shape[-2:]))
    if adjoint:
        found = solve_triangular(mT(factors), b, False, True, False)
        found = solve_triangular(mT(factors), found, True, True, True)
        return dense_columns(np.take_along_axis(found, np.argsort(order, -1)[..., None], -2))
    found = np.take_along_axis(b, order[..., None], -2)
    found = solve_triangular(factors, found, False, True, True)
    return dense_columns(solve_triangular(factors, found, True, True, False))


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


# Systems, eigenvalues ----------------------------------------------------------------------------
def triangular_solve(
    b: Array, a: Array, upper: bool, transpose: bool, unitriangular: bool
) -> tuple[Array, Array]:
    """The solutions of A X = b (Aᵀ X = b) for triangular A, and a copy of A."""
    shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    matrix, half = (mT(a), not upper) if transpose else (a, upper)
    found = solve_triangular(matrix, b, half, True, unitriangular)
    return found, dense_columns(np.array(np.broadcast_to(a, (*shape, *a.shape[-2:]))))


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
