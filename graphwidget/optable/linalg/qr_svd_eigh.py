"""``qr``, ``svd``, ``eigh``, ``pinv``, ``lstsq``, ``matrix_exp``."""

from __future__ import annotations

from typing import Any

from ...arrays.memory_order import ordered
from ..declare import ARRAYS, Namespace, composite, op
from . import solve_kernels as kernels
from .solve_kernels import is_vector

F = Namespace()


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


op("linalg_qr(A, /, mode='reduced') -> Q, R", kernels.qr, refuses="geqrf_cpu: half",
   d_A=lambda grads, Q, R, mode: F.qr_backward(grads, Q, R, mode),
   public=False, sign="QR", text="QR({A})", tex=r"\operatorname{{QR}} {A}", onnx=None)


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
        turn = F.matmul(F.mT(U), gU)
        inner = (turn - F.mT(turn)) / apart * right
    if gVh is not None:
        turn = F.matmul(Vh, F.mT(gVh))
        inner = F.add_gradients(inner, below * ((turn - F.mT(turn)) / apart))
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


op("linalg_svd(A, /, full_matrices=True) -> U, S, Vh", kernels.svd, refuses="linalg_svd_cpu: half",
   saved_sizes={"S": (-1,)},
   d_A=lambda some_grads, U, S, Vh, full_matrices:
       F.svd_backward(some_grads, U, S, Vh, full_matrices),
   public=False, sign="svd", text="svd({A})", tex=r"\operatorname{{svd}} {A}", onnx=None)


# Eigenvalues -------------------------------------------------------------------------------------
@composite
def eigh_backward(grads: Any, values: Any, vectors: Any) -> Any:
    """The gradient of eigenvalues and eigenvectors of symmetric matrices."""
    flow, gV = grads
    if gV is None:
        if flow is None:
            return None
        return F.matmul(vectors * F.unsqueeze(flow, len(values.shape) - 1), F.mT(vectors))
    turn = F.matmul(F.mT(vectors), gV) / F.pairwise_differences(values, False)
    inner = turn - F.to_diagonal(F.diagonal(turn, 0, len(values.shape) - 1, len(values.shape)))
    inner = inner if flow is None else inner + F.to_diagonal(flow)
    return F.matmul_three(vectors, inner, F.mT(vectors))


op("linalg_eigh(A, /, UPLO='L') -> eigenvalues, eigenvectors", kernels.eigh,
   refuses="linalg_eigh_cpu: bool half integer",
   d_A=lambda some_grads, eigenvalues, eigenvectors:
       F.eigh_backward(some_grads, eigenvalues, eigenvectors),
   public=False, sign="eigh", text="eigh({A})", tex=r"\operatorname{{eigh}} {A}", onnx=None)


# Pseudo-inverses ---------------------------------------------------------------------------------
@composite
def in_memory_order_of(first: Any, found: Any) -> Any:
    """A sum in the order in memory of the first of its terms: numpy's may have another."""
    return found


ARRAYS.__dict__["in_memory_order_of"] = lambda first, found: ordered(found, (first,))


@composite
def pinv_backward(grad: Any, self: Any, result: Any) -> Any:
    """The gradient of a pseudo-inverse (Golub and Pereyra 1973). Its terms are computed from the
    last to the first, which decides how further gradients add up."""
    turned, back = F.mT(result), F.mT(grad)
    if self.shape[-2] <= self.shape[-1]:
        inside = F.matmul(back, result)
        outside = F.matmul(inside, turned)
        rest = F.matmul_three(turned, result, back - F.matmul(inside, self))
        less = F.matmul_three(self, result, outside)
        first = -F.mT(F.matmul(result, inside))
        return F.in_memory_order_of(first, first + outside - less + rest)
    inside = F.matmul(result, back)
    outside = F.matmul(turned, inside)
    less = F.matmul_three(outside, result, self)
    rest = F.matmul_three(back - F.matmul(self, inside), result, turned)
    first = -F.mT(F.matmul(inside, result))
    return F.in_memory_order_of(first, first + rest + outside - less)


op("linalg_pinv(self, /, rcond, hermitian=False)", kernels.pinv,
   d_self=lambda grad, self, result: F.pinv_backward(grad, self, result),
   public=False, sign="⁺", text="{self}⁺", tex=r"{self}^+", onnx=None)


@composite
def lstsq_backward(
    grads: Any, self: Any, b: Any, solution: Any, rcond: Any, vector: Any, targets: Any
) -> Any:
    """The gradients of least squares by the matrix and the right side: of the solution through the
    pseudo-inverse, and of the squared distances that are left."""
    flow, by_rest = grads
    last = len(self.shape) - 1
    if vector:
        flow = None if flow is None else F.unsqueeze(flow, last)
        b, solution = F.unsqueeze(b, last), F.unsqueeze(solution, last)
    by_self = by_b = None
    if flow is not None:
        inverse = F.linalg_pinv(self, rcond, False)
        if "self" in targets:
            by_self = F.pinv_backward(F.matmul(flow, F.mT(b)), self, inverse)
        if "b" in targets:
            by_b = F.matmul(F.mT(inverse), flow)
    if by_rest is not None and 0 not in by_rest.shape:
        away = (F.matmul(self, solution) - b) * F.unsqueeze(by_rest * 2, last - 1)
        by_self = F.add_gradients(by_self, F.matmul(away, F.mT(solution)))
        by_b = F.add_gradients(by_b, -away)
    return by_self, F.squeeze_dim(by_b, last) if vector and by_b is not None else by_b


op("linalg_lstsq(self, b, /, _rcond, _told=False) -> solution, residuals", kernels.lstsq,
   d_self__b=lambda some_grads, self, b, solution, _rcond, targets:
       F.lstsq_backward(some_grads, self, b, solution, _rcond, is_vector(self.shape, b.shape),
                        targets),
   public=False, sign="lstsq", text="{self}⁺ {b}", tex=r"{self}^+ {b}", onnx=None)


@composite
def matrix_exp_backward(grad: Any, self: Any) -> Any:
    """The gradient of exp of matrices: the upper right of exp of a block matrix (Higham, Functions
    of Matrices, 2008, theorem 3.6)."""
    size, row = self.shape[-1], len(self.shape) - 2

    def block(whole: Any, i: int, j: int) -> Any:
        rows = F.slice(whole, row, i * size, (i + 1) * size, 1)
        return F.slice(rows, row + 1, j * size, (j + 1) * size, 1)

    turned = F.mT(self)
    whole = F.zeros_of(grad, (*self.shape[:row], 2 * size, 2 * size))
    for i, j, part in ((0, 0, turned), (1, 1, turned), (0, 1, grad)):
        F.write("copy", block(whole, i, j), part)
    return block(F.linalg_matrix_exp(whole), 0, 1)


op("linalg_matrix_exp(self, /)", kernels.matrix_exp,
   d_self=lambda grad, self: F.matrix_exp_backward(grad, self),
   public=False, sign="exp", text="exp({self})", tex=r"e^{{{self}}}", onnx=None)
