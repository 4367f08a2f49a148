"""Kernels of inverses, determinants, solutions and Cholesky factors of batches of matrices.

The last two dims are the matrix. numpy's LAPACK does the work; what it does not hand out (which
minor is not positive) is computed here, one column at a time for the whole batch.
"""

from __future__ import annotations

import numpy as np

from ...arrays.memory_order import as_array
from ..pointwise.common_kernels import Array
from .lu_kernels import lu, pivot_sign, solve_triangular
from .matrix_helpers import dense_columns, is_vector, mT


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


def cholesky_inverse(factor: Array, upper: bool) -> Array:
    """The inverses of matrices given by their Cholesky factors."""
    return cholesky_solve(np.eye(factor.shape[-1], dtype=factor.dtype), factor, upper)
