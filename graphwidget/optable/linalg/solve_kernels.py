"""Kernels of inverses, determinants, solutions and Cholesky factors of batches of matrices.

The last two dims are the matrix. numpy's LAPACK does the work; what it does not hand out (which
minor is not positive) is computed here, one column at a time for the whole batch.
"""

from __future__ import annotations

import math

import numpy as np

from ...arrays.memory_order import as_array
from ..pointwise.common_kernels import Array
from .matrix_helpers import dense_columns, is_vector, mT


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


def det(a: Array) -> tuple[Array, Array, Array]:
    """Determinants, and the LU factors they are read off."""
    factors, pivots, _ = lu(a)
    found = np.multiply.reduce(np.diagonal(factors, axis1=-2, axis2=-1), -1)
    return as_array((found * pivot_sign(pivots)).astype(a.dtype)), factors, pivots


def slogdet(a: Array) -> tuple[Array, Array, Array, Array]:
    """Signs and logarithms of sizes of determinants, and the LU factors."""
    factors, pivots, _ = lu(a)
    diagonal = np.diagonal(factors, axis1=-2, axis2=-1)
    sign = np.multiply.reduce(np.sign(diagonal), -1) * pivot_sign(pivots)
    size = np.add.reduce(np.log(np.absolute(diagonal)), -1)
    sign = np.nan_to_num(sign, nan=0.0)
    return as_array(sign.astype(a.dtype)), as_array(size.astype(a.dtype)), factors, pivots


def inv(a: Array) -> tuple[Array, Array]:
    """Inverses, and where an elimination failed (0: it did not)."""
    info = np.zeros(a.shape[:-2], np.int32)
    try:
        return dense_columns(np.linalg.inv(a)), info
    except np.linalg.LinAlgError:
        info, found = np.array(lu(a)[2]), np.full_like(a, np.inf)
        for place in np.argwhere(info == 0):
            at = tuple(place)
            try:
                found[at] = np.linalg.inv(a[at])
            except np.linalg.LinAlgError:  # rounding decides where an elimination fails
                info[at] = a.shape[-1]
        return dense_columns(found), info


def solve(a: Array, b: Array, left: bool) -> tuple[Array, Array, Array, Array]:
    """The solutions of A X = B (X A = B), where an elimination failed, and the LU factors of A."""
    factors, pivots, info = lu(a if left else mT(a))
    vector = is_vector(a.shape, b.shape)
    right = b[..., None] if vector else b if left else mT(b)
    matrix = a if left else mT(a)
    if info.any():
        matrix = np.where(info[..., None, None] != 0, np.eye(a.shape[-1], dtype=a.dtype), matrix)
    found = np.linalg.solve(matrix, right)
    result = dense_columns(found[..., 0] if vector else found)
    return (result if left else mT(result)), info, factors, pivots


def cholesky(a: Array, upper: bool) -> tuple[Array, Array]:
    """Cholesky factors, and the order of the first minor that is not positive (0: all are)."""
    lower = mT(a) if upper else a
    info = np.zeros(a.shape[:-2], np.int32)
    try:
        found = np.linalg.cholesky(lower)
        failed = np.isnan(np.einsum("...ii->...i", found)).any()
    except np.linalg.LinAlgError:
        failed = True
    if failed:
        found, info = cholesky_by_columns(lower)
    return dense_columns(mT(found) if upper else found), info


def cholesky_by_columns(a: Array) -> tuple[Array, Array]:
    """The same for matrices of which some are not positive-definite: of those, what was reached
    before it showed."""
    found = np.tril(a)
    info = np.zeros(a.shape[:-2], np.int32)
    for j in range(a.shape[-1]):
        row = found[..., j, :j]
        rest = found[..., j, j] - np.add.reduce(row * row, -1)
        bad = ~(rest > 0)
        root = np.sqrt(np.where(bad, rest.dtype.type(1), rest))
        found[..., j, j] = np.where(info == 0, np.where(bad, rest, root), found[..., j, j])
        info[...] = np.where(bad & (info == 0), j + 1, info)
        below = found[..., j + 1 :, j]
        left = below - np.matmul(found[..., j + 1 :, :j], row[..., None])[..., 0]
        np.copyto(below, left / root[..., None], where=(info == 0)[..., None])
    return found, info


def cholesky_solve(b: Array, factor: Array, upper: bool) -> Array:
    """The solutions of A X = B for the Cholesky factor of A."""
    lower = mT(factor) if upper else factor
    first = solve_triangular(lower, b, False, True, False)
    return solve_triangular(mT(lower), first, True, True, False)
