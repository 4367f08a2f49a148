"""``inv``, ``det``, ``solve``, ``cholesky`` and their kin.

The derivatives are those of M. Giles, "Collected matrix derivative results for forward and reverse
mode algorithmic differentiation" (2008), and, for factors that are not square, of PyTorch's
documentation. ``F.matmul`` multiplies batches.
"""

from __future__ import annotations

from typing import Any

from ..declare import ARRAYS, Namespace, composite, op
from ..out import Out
from . import solve_kernels as kernels
from .matrix_helpers import is_vector

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
op("linalg_inv_ex(self, /) -> inverse, info", kernels.inv,
   d_self=lambda grad, inverse: -F.matmul(F.mT(inverse), F.matmul(grad, F.mT(inverse))),
   public=False, sign="⁻¹", text="{self}⁻¹", tex=r"{self}^{{-1}}", onnx="Inverse")


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


op("linalg_det(A, /) -> result; LU, pivots", kernels.det, refuses="lu_cpu: half",
   d_A=lambda grad, A, LU, pivots, result: F.det_backward(grad, A, result),
   public=False, sign="det", text="det({A})", tex=r"\det {A}", onnx="Det")

ARRAYS.__dict__["linalg_det"] = lambda a: kernels.det(a)[0]

op("linalg_slogdet(A, /) -> sign, logabsdet; LU, pivots", kernels.slogdet,
   d_A=lambda some_grads, A, sign, LU, pivots:
       None if some_grads[1] is None
       else F.solved_for_numbers(some_grads[1], A),
   public=False, sign="log|det|", text="log|det({A})|", tex=r"\log |\det {A}|", onnx=None)


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


op("linalg_solve_ex(A, B, /, left=True) -> result, info; LU, pivots", kernels.solve,
   refuses="lu_cpu: half",
   d_A__B=lambda grad, A, LU, pivots, result, left, _A_shape, _B_shape, targets: F.sums_to_sizes(
       F.solve_backward(grad, A, result, left, is_vector(_A_shape, _B_shape), "A" in targets),
       _A_shape, _B_shape),
   public=False, sign="solve", text="{A}⁻¹ {B}", tex=r"{A}^{{-1}} {B}", onnx=None)


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
   kernels.solve_triangular, refuses="triangular_solve_cpu: bool half integer",
   d_self__B=lambda grad, self, result, upper, left, unitriangular, _self_shape, _B_shape, targets:
       F.sums_to_sizes(F.solve_triangular_backward(
           grad, self, result, upper, left, unitriangular, "self" in targets),
           _self_shape, _B_shape),
   public=False, sign="solve", text="{self}⁻¹ {B}", tex=r"{self}^{{-1}} {B}", onnx=None)


# Cholesky ----------------------------------------------------------------------------------------
@composite
def cholesky_backward(grad: Any, L: Any, upper: Any) -> Any:
    """The gradient of a Cholesky factor; symmetric."""
    lower, flow = (F.mT(L), F.mT(grad)) if upper else (L, grad)
    inside = F.tril(F.matmul(F.mT(lower), flow), 0)
    inside = (inside + F.mT(F.tril(inside, -1))) * 0.5
    found = F.linalg_solve_triangular(F.mT(lower), inside, True, True, False)
    return F.linalg_solve_triangular(lower, found, False, False, False)


op("linalg_cholesky_ex(self, /, upper=False) -> L, info", kernels.cholesky,
   refuses="cholesky_cpu: bool half integer",
   d_self=lambda grad, L, upper: F.cholesky_backward(grad, L, upper),
   public=False, sign="chol", text="chol({self})", tex=r"\operatorname{{chol}} {self}", onnx=None)

op("cholesky(self, /, upper=False)", lambda a, upper: kernels.cholesky(a, upper)[0],
   d_self=lambda grad, result, upper: F.cholesky_backward(grad, result, upper),
   public=False, sign="chol", text="chol({self})", tex=r"\operatorname{{chol}} {self}", onnx=None)


@composite
def factor_gradient(common: Any, factor: Any, upper: Any) -> Any:
    """The gradient by a Cholesky factor, from that by the matrix, symmetric."""
    return -F.matmul(factor, common) if upper else -F.matmul(common, factor)


@composite
def cholesky_solve_backward(
    grad: Any, right: Any, factor: Any, result: Any, upper: Any, targets: Any
) -> Any:
    """The gradients of a solution by the right-hand side and by the Cholesky factor."""
    first = F.cholesky_solve(grad, factor, upper)
    second = None
    if "input2" in targets:
        flow = F.matmul(first, F.mT(result))
        second = F.factor_gradient(flow + F.mT(flow), factor, upper)
        second = F.sum_to_size(second, factor.shape)
    return F.sum_to_size(first, right.shape), second


op("cholesky_solve(self, input2, /, upper=False)", kernels.cholesky_solve, out=Out("cast"),
   refuses="cholesky_solve_cpu: bool half integer",
   d_self__input2=lambda grad, self, input2, result, upper, targets:
       F.cholesky_solve_backward(grad, self, input2, result, upper, targets),
   sign="solve", text="({input2} {input2}ᵀ)⁻¹ {self}",
   tex=r"({input2} {input2}^T)^{{-1}} {self}", onnx=None)
