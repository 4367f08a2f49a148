"""``lu_factor``, ``householder_product``, ``triangular_solve``, ``eig``.

The derivatives of LU are read off dA = P (dL U + L dU), where L⁻¹ dL is strictly lower and dU U⁻¹
upper triangular; those of reflections undo one after the other; that of eigenvectors is M. Giles'
(2008).
"""

from __future__ import annotations

from typing import Any

from ..declare import ARRAYS, Namespace, composite, op
from . import lu_eig_kernels as kernels

F = Namespace()

op("eye_like(self, /)", kernels.eye_like, nograd=True,
   public=False, sign="1", text="1", tex="I", onnx=None)


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


# Householder's reflections -----------------------------------------------------------------------
@composite
def reflect(K: Any, v: Any, factor: Any, place: Any, left: Any) -> Any:
    """K, multiplied by the reflection I - factor v vᵀ from the left or right; v begins with
    ``place`` zeros."""
    scaled = F.unsqueeze(factor, len(K.shape) - 1) * v
    if left:
        return K - scaled * F.matmul(F.mT(v), K)
    return K - F.matmul(K, scaled) * F.mT(v)


ARRAYS.__dict__.update(reflect=kernels.apply_reflection)


@composite
def reflection_backward(K: Any, v: Any, factor: Any, place: Any) -> Any:
    """The gradients by the vector and factor of a reflection, of which K is all around it."""
    last = len(K.shape) - 1
    v = F.slice(v, last - 1, place, None, 1)
    forth = F.matmul(F.mT(v), F.slice(K, last - 1, place, None, 1))
    back = F.matmul(F.slice(K, last, place, None, 1), v)
    factor = F.unsqueeze(factor, last)
    slope = F.squeeze_dim(-factor * forth, last - 1) - F.squeeze_dim(factor * back, last)
    along = -F.matmul(F.slice(forth, last, place, None, 1), v)
    return F.unsqueeze(slope, last), F.squeeze_dim(along, last)


@composite
def reflections_backward(grad: Any, result: Any, vectors: Any, tau: Any) -> Any:
    """The gradients of a product of reflections by their vectors and factors: of K = result gradᵀ
    one reflection after the other is undone on the left, and then done on the right. As in PyTorch
    reflections are inverted, though some have no inverse."""
    if 0 in vectors.shape or 0 in tau.shape:
        return None, None
    last, count = len(vectors.shape) - 1, tau.shape[-1]
    units = F.tril(vectors, -1)
    F.write("fill", F.diagonal(units, 0, last - 1, last), value=1.0)
    active = F.slice(units, last, 0, count, 1)
    undo = tau / (tau * F.sum_dim(active * active, (last - 1,), False) - 1.0)

    def parts(factors: Any, place: int) -> tuple[Any, Any]:
        column = F.slice(units, last, place, place + 1, 1)
        return column, F.slice(factors, last - 1, place, place + 1, 1)

    K = F.matmul(result, F.mT(grad))
    K = F.reflect(K, *parts(undo, 0), 0, True)
    by_vectors, by_factors = F.zeros_like(vectors), F.zeros_like(tau)
    for place in range(count):
        own = parts(tau, place)
        slope, along = F.reflection_backward(K, *own, place)
        F.write("copy", F.select(by_vectors, last, place), F.squeeze_dim(slope, last))
        F.write("copy", F.select(by_factors, last - 1, place), F.squeeze_dim(along, last - 1))
        if place + 1 < count:
            K = F.reflect(K, *parts(undo, place + 1), place + 1, True)
            K = F.reflect(K, *own, place, False)
    return F.write("tril", by_vectors, diagonal=-1), by_factors


op("linalg_householder_product(input, tau, /)", kernels.householder_product,
   refuses="orgqr_cpu: bool half integer",
   d_input__tau=lambda grad, input, tau, result:
       F.reflections_backward(grad, result, input, tau),
   public=False, sign="Q", text="Q of {input}", tex=r"Q({input})", onnx=None)


op("geqrf(self, /) -> a, tau", kernels.geqrf, refuses="geqrf_cpu: bool half integer",
   d_self=lambda grads: F.no_derivative("geqrf"),
   public=False, sign="QR", text="QR({self})", tex=r"\operatorname{{QR}} {self}", onnx=None)


# Systems, eigenvalues ----------------------------------------------------------------------------
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


@composite
def eig_backward(some_grads: Any, values: Any, vectors: Any) -> Any:
    """The gradient of eigenvalues and eigenvectors of length 1."""
    last = len(vectors.shape) - 1
    found = None
    if some_grads[1] is not None:
        flow = F.matmul(F.mT(vectors), some_grads[1])
        along = F.unsqueeze(F.diagonal(flow, 0, last - 1, last), last - 1)
        flow = flow - F.matmul(F.mT(vectors), vectors) * along
        gaps = F.unsqueeze(values, last - 1) - F.unsqueeze(values, last)
        found = flow / (gaps + F.eye_like(vectors))
        found = found - F.to_diagonal(F.diagonal(found, 0, last - 1, last))
    if some_grads[0] is not None:
        diagonal = F.to_diagonal(some_grads[0])
        found = diagonal if found is None else found + diagonal
    turned = F.matmul(found, F.mT(vectors))
    return F.linalg_solve_ex(F.mT(vectors), turned, True)[0]


op("linalg_eig(self, /) -> eigenvalues, eigenvectors", kernels.eig,
   refuses="linalg_eig_out_cpu: half",
   d_self=lambda some_grads, eigenvalues, eigenvectors:
       F.eig_backward(some_grads, eigenvalues, eigenvectors),
   public=False, sign="eig", text="eig({self})", tex=r"\operatorname{{eig}} {self}", onnx=None)
