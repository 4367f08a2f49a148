"""Kernels of LU factors in their forms, and of triangular systems.

numpy hands out no LU factors: they are computed here, one column at a time for the whole batch.
"""

from __future__ import annotations

import math

import numpy as np

from ...arrays.kernel_errors import not_implemented
from ...arrays.memory_order import as_array
from ..pointwise.common_kernels import Array
from .matrix_helpers import dense_columns, mT


# LU ----------------------------------------------------------------------------------------------
def lu(a: Array) -> tuple[Array, Array, Array]:
    """LU factors with partial pivoting in one matrix, pivots as LAPACK counts them (from 1), and
    the number of the first pivot that is zero (0 for none)."""
    factors = np.array(a, order="C")
    rows, columns = a.shape[-2:]
    steps = min(rows, columns)
    batch = factors.reshape(math.prod(a.shape[:-2]), rows, columns)
    pivots = np.zeros((len(batch), steps), np.int32)
    info = np.zeros(len(batch), np.int32)
    every = np.arange(len(batch))
    for j in range(steps):
        chosen = np.absolute(batch[:, j:, j]).argmax(-1) + j
        pivots[:, j] = chosen + 1
        taken = batch[every, chosen]
        batch[every, chosen] = batch[:, j]
        batch[:, j] = taken
        pivot = taken[:, j, None]
        if not pivot.all():
            info[(pivot[:, 0] == 0) & (info == 0)] = j + 1
            pivot = np.where(pivot == 0, pivot.dtype.type(1), pivot)
        below = batch[:, j + 1 :, j]
        below /= pivot
        batch[:, j + 1 :, j + 1 :] -= below[..., None] * taken[:, None, j + 1 :]
    pivots, info = pivots.reshape(*a.shape[:-2], steps), info.reshape(a.shape[:-2])
    return dense_columns(factors), pivots, info


def pivot_sign(pivots: Array) -> Array:
    """1 or -1: whether the exchanges of rows are even."""
    moved = pivots != np.arange(1, pivots.shape[-1] + 1)
    return 1 - 2 * (np.add.reduce(moved, -1) % 2)


def require_lapack(a: Array) -> None:
    """Refuse types that LAPACK does not compute in.

    Raises:
        NotImplementedError: PyTorch's text.
    """
    if a.dtype.kind != "f" or a.dtype.itemsize < 4:
        raise not_implemented("lu_cpu", a.dtype)


def lu_factor(a: Array) -> tuple[Array, Array, Array]:
    """LU factors in one matrix, pivots (from 1), and the first pivot that is zero (0 for none)."""
    require_lapack(a)
    factors, pivots, info = lu(a)
    return factors, pivots, as_array(info)


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


# Triangular systems ------------------------------------------------------------------------------
def solve_triangular(a: Array, b: Array, upper: bool, left: bool, unitriangular: bool) -> Array:
    """The solutions of A X = B (X A = B) for triangular A; the other half of A is not read."""
    if not left:
        found = solve_triangular(mT(a), mT(b), not upper, True, unitriangular)
        return dense_columns(mT(found))
    half = np.triu(a) if upper else np.tril(a)
    if unitriangular:
        np.einsum("...ii->...i", half)[...] = 1
    try:
        return dense_columns(np.linalg.solve(half, b))
    except np.linalg.LinAlgError:  # with inf where a diagonal item is 0, by substitution
        shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        found = np.array(np.broadcast_to(b, (*shape, *b.shape[-2:])))
        size = a.shape[-1]
        for i in range(size - 1, -1, -1) if upper else range(size):
            known = slice(i + 1, None) if upper else slice(0, i)
            row = half[..., i, None, known]
            found[..., i, :] -= np.matmul(row, found[..., known, :])[..., 0, :]
            found[..., i, :] /= half[..., i, i, None]
        return dense_columns(found)


def triangular_solve(
    b: Array, a: Array, upper: bool, transpose: bool, unitriangular: bool
) -> tuple[Array, Array]:
    """The solutions of A X = b (Aᵀ X = b) for triangular A, and a copy of A."""
    shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    matrix, half = (mT(a), not upper) if transpose else (a, upper)
    found = solve_triangular(matrix, b, half, True, unitriangular)
    return found, dense_columns(np.array(np.broadcast_to(a, (*shape, *a.shape[-2:]))))
