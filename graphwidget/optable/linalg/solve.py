"""``inv``, ``det``, ``solve``, ``cholesky``: kernels and ops.

The last two dims are the matrix. numpy's LAPACK does the work; what it does not hand out (which
minor is not positive) is computed here, one column at a time for the whole batch. The derivatives
are those of M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
differentiation" (2008).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...arrays.memory_order import as_array
from ..declare import ARRAYS, Namespace, composite, op
from ..pointwise.common_kernels import Array


def swapped(a: Array) -> Array:
    """The matrices transposed."""
    return a.swapaxes(-1, -2)


def dense_columns(a: Array) -> Array:
    """A copy with each matrix column by column in memory, as LAPACK leaves its results."""
    return swapped(np.ascontiguousarray(swapped(a))) if a.ndim > 1 else np.ascontiguousarray(a)


def is_vector(a: Any, b: Any) -> bool:
    """Return whether ``solve`` takes the right side (by its shape) for vectors."""
    return len(b) == 1 or (len(a) - 1 == len(b) and b == a[:-1])


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
        found = solve_triangular(swapped(a), swapped(b), not upper, True, unitriangular)
        return dense_columns(swapped(found))
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
    factors, pivots, info = lu(a if left else swapped(a))
    vector = is_vector(a.shape, b.shape)
    right = b[..., None] if vector else b if left else swapped(b)
    matrix = a if left else swapped(a)
    if info.any():
        matrix = np.where(info[..., None, None] != 0, np.eye(a.shape[-1], dtype=a.dtype), matrix)
    found = np.linalg.solve(matrix, right)
    result = dense_columns(found[..., 0] if vector else found)
    return (result if left else swapped(result)), info, factors, pivots


def cholesky(a: Array, upper: bool) -> tuple[Array, Array]:
    """Cholesky factors, and the order of the first minor that is not positive (0: all are)."""
    lower = swapped(a) if upper else a
    info = np.zeros(a.shape[:-2], np.int32)
    try:
        found = np.linalg.cholesky(lower)
        failed = np.isnan(np.einsum("...ii->...i", found)).any()
    except np.linalg.LinAlgError:
        failed = True
    if failed:
        found, info = cholesky_by_columns(lower)
    return dense_columns(swapped(found) if upper else found), info


def cholesky_by_columns(a: Array) -> tuple[Array, Array]:
    """Like ``cholesky``, for matrices of which some are not positive-definite: of those, what was
    reached before it showed."""
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


F = Namespace()


@composite
def mT(a: Any) -> Any:
    """The matrices transposed."""
    return F.transpose(a, -2, -1)


@composite
def to_diagonal(a: Any) -> Any:
    """The last dim on the diagonal of matrices."""
    return F.diag_embed(a, 0, -2, -1)


@composite
def matmul_three(a: Any, b: Any, c: Any) -> Any:
    """Three matrices multiplied."""
    return F.matmul(F.matmul(a, b), c)


@composite
def as_matrix(grad: Any) -> Any:
    """Numbers as matrices of size 1, to scale matrices with."""
    return F.unsqueeze(F.unsqueeze(grad, len(grad.shape)), len(grad.shape) + 1)


# Inverses and determinants -----------------------------------------------------------------------
op("linalg_inv_ex(self, /) -> inverse, info", inv,
   d_self=lambda grad, inverse: -F.matmul(F.mT(inverse), F.matmul(grad, F.mT(inverse))),
   public=False, sign="⁻¹", text="{self}⁻¹", onnx="Inverse")


@composite
def solved_for_numbers(numbers: Any, A: Any) -> Any:
    """The transposed inverses of matrices times a number each."""
    wide = F.expand(F.unsqueeze(numbers, len(numbers.shape)), A.shape[:-1])
    return F.linalg_solve_ex(F.mT(A), F.mT(F.to_diagonal(wide)), True)[0]


@composite
def det_backward(grad: Any, A: Any, result: Any) -> Any:
    """The gradient of a determinant: its cofactors. Of a singular matrix they are read off its
    singular values and vectors."""
    if not bool((result == 0).any()):
        return F.solved_for_numbers(grad * result, A)
    U, S, Vh = F.linalg_svd(A, False)
    sign = F.linalg_det(U) * F.linalg_det(Vh)
    others = F.products_of_others(S, len(S.shape) - 1)
    scaled = U * F.unsqueeze(others, len(others.shape) - 1)
    return F.as_matrix(grad * sign) * F.matmul(scaled, Vh)


op("linalg_det(A, /) -> result; LU, pivots", det, refuses="lu_cpu: half",
   d_A=lambda grad, A, LU, pivots, result: F.det_backward(grad, A, result),
   public=False, sign="det", text="det({A})", onnx="Det")

ARRAYS.__dict__["linalg_det"] = lambda a: det(a)[0]

op("linalg_slogdet(A, /) -> sign, logabsdet; LU, pivots", slogdet,
   d_A=lambda some_grads, A, sign, LU, pivots:
       None if some_grads[1] is None
       else F.solved_for_numbers(some_grads[1], A),
   public=False, sign="log|det|", text="log|det({A})|", onnx=None)


# Equations ---------------------------------------------------------------------------------------
@composite
def sums_to_sizes(grads: Any, one: Any, other: Any) -> Any:
    """Gradients of two operands that may have been broadcast; either may be missing."""
    return (None if grads[0] is None else F.sum_to_size(grads[0], one),
            None if grads[1] is None else F.sum_to_size(grads[1], other))  # fmt: skip


@composite
def solve_backward(grad: Any, A: Any, result: Any, left: Any, vector: Any, by_A: Any) -> Any:
    """The gradients of a solution by the matrix and the right side, which is the solution of the
    transposed equation."""
    last = len(grad.shape)
    if vector:
        grad, result = F.unsqueeze(grad, last), F.unsqueeze(result, last)
    flow, found = F.linalg_solve_ex(F.mT(A), grad, left)[0], None
    if by_A:
        found = -F.matmul(flow, F.mT(result)) if left else -F.matmul(F.mT(result), flow)
    return found, F.squeeze_dim(flow, last) if vector else flow


op("linalg_solve_ex(A, B, /, left=True) -> result, info; LU, pivots", solve,
   refuses="lu_cpu: half",
   d_A__B=lambda grad, A, LU, pivots, result, left, _A_shape, _B_shape, targets: F.sums_to_sizes(
       F.solve_backward(grad, A, result, left, is_vector(_A_shape, _B_shape), "A" in targets),
       _A_shape, _B_shape),
   public=False, sign="solve", text="{A}⁻¹ {B}", onnx=None)


@composite
def triangle_of(a: Any, upper: Any, unitriangular: Any) -> Any:
    """The half of matrices that a triangular op reads."""
    edge = 1 if unitriangular else 0
    return F.triu(a, edge) if upper else F.tril(a, -edge)


@composite
def solve_triangular_backward(
    grad: Any, self: Any, result: Any, upper: Any, left: Any, unit: Any, by_self: Any
) -> Any:  # fmt: skip
    """The same for a triangular matrix."""
    flow, found = F.linalg_solve_triangular(F.mT(self), grad, not upper, left, unit), None
    if by_self:
        found = F.matmul(flow, F.mT(result)) if left else F.matmul(F.mT(result), flow)
        found = F.triangle_of(-found, upper, unit)
    return found, flow


op("linalg_solve_triangular(self, B, /, upper, left=True, unitriangular=False)",
   solve_triangular, refuses="triangular_solve_cpu: bool half integer",
   d_self__B=lambda grad, self, result, upper, left, unitriangular, _self_shape, _B_shape, targets:
       F.sums_to_sizes(F.solve_triangular_backward(
           grad, self, result, upper, left, unitriangular, "self" in targets),
           _self_shape, _B_shape),
   public=False, sign="solve", text="{self}⁻¹ {B}", onnx=None)


# Cholesky ----------------------------------------------------------------------------------------
@composite
def cholesky_backward(grad: Any, L: Any, upper: Any) -> Any:
    """The gradient of a Cholesky factor; symmetric."""
    lower, flow = (F.mT(L), F.mT(grad)) if upper else (L, grad)
    inside = F.tril(F.matmul(F.mT(lower), flow), 0)
    inside = (inside + F.mT(F.tril(inside, -1))) * 0.5
    found = F.linalg_solve_triangular(F.mT(lower), inside, True, True, False)
    return F.linalg_solve_triangular(lower, found, False, False, False)


op("linalg_cholesky_ex(self, /, upper=False) -> L, info", cholesky,
   refuses="cholesky_cpu: bool half integer",
   d_self=lambda grad, L, upper: F.cholesky_backward(grad, L, upper),
   public=False, sign="chol", text="chol({self})", onnx=None)
