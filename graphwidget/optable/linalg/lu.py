"""``lu``, ``lu_factor``, ``lu_solve`` and ``triangular_solve``.

The derivatives of LU are read off dA = P (dL U + L dU), where L⁻¹ dL is strictly lower and dU U⁻¹
upper triangular.
"""

from __future__ import annotations

from typing import Any

from ..declare import Namespace, composite, op
from . import lu_kernels as kernels

F = Namespace()


# LU ----------------------------------------------------------------------------------------------
@composite
def lu_backward(grad_L: Any, grad_U: Any, P: Any, L: Any, U: Any) -> Any:
    """The gradient of P L U by its factors, of which one may have none. The half that needs no
    division by the other factor is not divided by it, which may be singular."""
    row, column = len(L.shape) - 2, len(L.shape) - 1
    rows, columns, steps = L.shape[-2], U.shape[-1], L.shape[-1]
    if grad_L is None:
        grad_U, grad_L = F.triu(grad_U, 0), F.zeros_like(L)
        across = -F.matmul(grad_U, F.mT(U))
    elif grad_U is None:
        grad_L, grad_U = F.tril(grad_L, -1), F.zeros_like(U)
        across = F.matmul(F.mT(L), grad_L)
    else:
        grad_L, grad_U = F.tril(grad_L, -1), F.triu(grad_U, 0)
        across = F.matmul(F.mT(L), grad_L) - F.matmul(grad_U, F.mT(U))
    if rows > steps:  # L = [L1; L2], and L2 = A2 U⁻¹
        first, rest = F.slice(L, row, 0, steps, 1), F.slice(grad_L, row, steps, rows, 1)
        inside = F.linalg_solve_triangular(F.mT(first), F.triu(-across, 0), True, True, True)
        inside = inside + F.slice(grad_L, row, 0, steps, 1)
        found = F.linalg_solve_triangular(F.mT(U), F.cat([inside, rest], row), False, False, False)
        return F.matmul(P, found)
    first = U if columns == steps else F.slice(U, column, 0, steps, 1)
    inside = F.linalg_solve_triangular(F.mT(first), F.tril(across, -1), False, False, False)
    if columns > steps:  # U = [U1 U2], and U2 = L⁻¹ A2
        inside = inside + F.slice(grad_U, column, 0, steps, 1)
        inside = F.cat([inside, F.slice(grad_U, column, steps, columns, 1)], column)
    else:
        inside = inside + grad_U
    return F.matmul(P, F.linalg_solve_triangular(F.mT(L), inside, True, True, True))


op("lu_pivoting(A, /)", kernels.lu_pivoting, nograd=True,
   public=False, sign="P", text="P of {A}", tex=r"P({A})", onnx=None)

op("linalg_lu(A, P, /, pivot=True) -> L, U", kernels.lu_parts,
   d_A=lambda some_grads, P, L, U, pivot: F.lu_backward(some_grads[0], some_grads[1], P, L, U),
   public=False, sign="LU", text="LU({A})", tex=r"\operatorname{{LU}} {A}", onnx=None)


@composite
def lower_of(LU: Any) -> Any:
    """L out of LU factors in one matrix: ones on its diagonal."""
    column, steps = len(LU.shape) - 1, min(LU.shape[-2:])
    half = F.slice(LU, column, 0, steps, 1)
    return F.tril(half, -1) + F.eye_like(half)


@composite
def upper_of(LU: Any) -> Any:
    """U out of LU factors in one matrix."""
    return F.triu(F.slice(LU, len(LU.shape) - 2, 0, min(LU.shape[-2:]), 1), 0)


op("lu_permutation(LU, pivots, /)", kernels.permutation_matrix, nograd=True,
   public=False, sign="P", text="P of {pivots}", tex=r"P({pivots})", onnx=None)

op("linalg_lu_factor_ex(A, /, pivot=True) -> LU, pivots, info",
   lambda a, pivot: kernels.lu_factor(a),
   d_A=lambda grads, LU, pivots, pivot: F.lu_backward(
       F.lower_of(grads[0]) - F.eye_like(F.lower_of(grads[0])), F.upper_of(grads[0]),
       F.lu_permutation(LU, pivots), F.lower_of(LU), F.upper_of(LU)),
   public=False, sign="LU", text="LU({A})", tex=r"\operatorname{{LU}} {A}", onnx=None)


@composite
def pad_with_zeros(part: Any, shape: Any, dim: int) -> Any:
    """The first items of a dim of zeros; the part itself if it is all of them."""
    if part.shape[dim] == shape[dim]:
        return part
    return F.slice_backward(part, (*part.shape[:dim], shape[dim], *part.shape[dim + 1 :]), dim,
                            0, part.shape[dim], 1)


op("lu_unpack(LU_data, /) -> L, U", kernels.lower_upper, saved_sizes={"LU_data": (-1, -2)},
   d_LU_data=lambda grads, LU_data_shape:
       F.pad_with_zeros(F.tril(grads[0], -1), LU_data_shape, len(LU_data_shape) - 1)
       + F.pad_with_zeros(F.triu(grads[1], 0), LU_data_shape, len(LU_data_shape) - 2),
   public=False, sign="L, U", text="L, U of {LU_data}", tex="{LU_data}", onnx=None)


@composite
def lu_solve_gradient(
    grad: Any, LU: Any, pivots: Any, result: Any, left: Any, adjoint: Any
) -> Any:
    """The gradient of a solution by the LU factors of its matrix."""
    L, U = F.lu_unpack(LU)
    if left != adjoint:
        first, second = (grad, F.mT(result)) if left else (F.mT(grad), result)
        by_U = F.linalg_solve_triangular(
            F.mT(U), -F.matmul(first, second), False, True, False)  # fmt: skip
        by_L = F.linalg_solve_triangular(F.mT(L), F.matmul(by_U, F.mT(U)), True, True, True)
        return F.tril(by_L, -1) + F.triu(by_U, 0)
    P = F.lu_permutation(LU, pivots)
    first, second = (result, F.mT(grad)) if left else (F.mT(result), grad)
    flow = -F.matmul(F.matmul_three(F.mT(P), first, second), P)
    by_L = F.linalg_solve_triangular(F.mT(L), flow, True, False, True)
    by_U = F.linalg_solve_triangular(F.mT(U), F.matmul(F.mT(L), by_L), False, False, False)
    return F.tril(by_L, -1) + F.triu(by_U, 0)


op("linalg_lu_solve(LU, pivots, B, /, left=True, adjoint=False)", kernels.lu_solve,
   refuses="linalg.lu_solve_cpu: half",
   d_LU=lambda grad, LU, pivots, result, left, adjoint, _LU_shape: F.sum_to_size(
       F.lu_solve_gradient(grad, LU, pivots, result, left, adjoint), _LU_shape),
   d_B=lambda grad, LU, pivots, left, adjoint, _B_shape: F.sum_to_size(
       F.linalg_lu_solve(LU, pivots, grad, left, not adjoint), _B_shape),
   public=False, sign="solve", text="({LU})⁻¹ {B}", tex=r"({LU})^{{-1}} {B}", onnx=None)


# Triangular systems ------------------------------------------------------------------------------
@composite
def triangular_solve_backward(
    some_grads: Any, A: Any, solution: Any, upper: Any, transpose: Any, unit: Any, by_A: Any
) -> Any:  # fmt: skip
    """The gradients of a triangular system's solution and of the matrix's copy, by the right side
    and the matrix."""
    by_self, found = None, some_grads[1]
    if some_grads[0] is not None:
        by_self = F.triangular_solve(some_grads[0], A, upper, not transpose, unit)[0]
        if by_A:
            pair = (solution, by_self) if transpose else (by_self, solution)
            found = F.triangle_of(-F.matmul(pair[0], F.mT(pair[1])), upper, unit)
            found = found if some_grads[1] is None else found + some_grads[1]
    return by_self, found


op("triangular_solve(self, A, /, upper=True, transpose=False, unitriangular=False) "
   "-> solution, cloned_coefficient", kernels.triangular_solve,
   refuses="triangular_solve_cpu: bool half integer",
   d_self__A=lambda some_grads, self, A, solution, upper, transpose, unitriangular, _self_shape,
       _A_shape, targets: F.sums_to_sizes(F.triangular_solve_backward(
           some_grads, A, solution, upper, transpose, unitriangular, "A" in targets),
           _self_shape, _A_shape),
   public=False, sign="solve", text="{A}⁻¹ {self}", tex=r"{A}^{{-1}} {self}", onnx=None)
