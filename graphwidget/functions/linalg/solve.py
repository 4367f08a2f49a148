"""``inv``, ``det``, ``solve`` and ``cholesky``, with their variants."""

from __future__ import annotations

from typing import Any

from ...dispatch.offer import FUNCTIONS, METHODS, offer
from ...dispatch.out import make_result_type
from ...eager.op_functions import TENSORS as F
from ...eager.promote import scalar_tensor
from ...graph.tensor import Tensor
from ..reduction.reductions import returns_tuple
from .products import (
    check_floating,
    check_info,
    check_matrix,
    check_same_types,
    check_square,
)

# Inverses ----------------------------------------------------------------------------------------
SINGULAR = (
    "The diagonal element {} is zero, the inversion could not be completed because the input "
    "matrix is singular."
)


@offer(space="linalg", out=True)
def inv(A: Tensor) -> Tensor:
    """The inverses of square matrices.

    Raises:
        LinAlgError: singular.
    """
    check_square("linalg.inv", A)
    check_floating("linalg.inv", A)
    inverse, info = returns_tuple(F.linalg_inv_ex)(A)
    check_info("linalg.inv", info, SINGULAR)
    return inverse


@offer(out=True)
def inverse(input: Tensor) -> Tensor:
    """The inverses of square matrices (``linalg.inv``)."""
    return inv(input)


# Determinants ------------------------------------------------------------------------------------
@offer(space="linalg", out=True)
def det(A: Tensor) -> Tensor:
    """The determinants of square matrices; the gradient is right for singular ones too."""
    check_square("linalg.det", A)
    check_floating("linalg.det", A, half=True)
    return F.linalg_det(A)


LINALG_SLOGDET = make_result_type("linalg_slogdet", "sign", "logabsdet")
SLOGDET = make_result_type("slogdet", "sign", "logabsdet")


@offer(space="linalg", out=True)
def slogdet(A: Tensor) -> Any:
    """The signs of determinants and the logarithms of their sizes."""
    check_square("linalg.slogdet", A)
    check_floating("linalg.slogdet", A)
    return LINALG_SLOGDET(returns_tuple(F.linalg_slogdet)(A))


def torch_slogdet(input: Tensor) -> Any:
    """The signs of determinants and the logarithms of their sizes."""
    return SLOGDET(slogdet(input))


torch_slogdet.__name__ = torch_slogdet.__qualname__ = "slogdet"
offer(out=True)(torch_slogdet)
FUNCTIONS["det"] = METHODS["det"] = det


@offer()
def logdet(input: Tensor) -> Tensor:
    """The logarithms of determinants; nan of negative ones.

    Shapes: (..., n, n); the result is (...).
    """
    check_square("logdet", input)
    check_floating("logdet", input)
    sign, size = returns_tuple(F.linalg_slogdet)(input)
    return F.where(F.eq(sign, -1.0), scalar_tensor(float("nan"), size._data.dtype), size)


# Equations ---------------------------------------------------------------------------------------


@offer(space="linalg", out=True)
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """The solutions of A X = B (X A = B) for square A.

    Shapes: A (..., n, n), B (..., n, k) or (..., n); the solutions are like B.

    Raises:
        LinAlgError: singular.
    """
    name = "linalg.solve"
    check_floating(name, A, half=True)
    check_same_types(name, "A", A, "B", B)
    check_square(name, A)
    a, b = A._data.shape, B._data.shape
    if not b:
        check_matrix(name, B, "B")
    vector = len(b) == 1 or (len(a) - 1 == len(b) and b == a[:-1])
    right = (*b, 1) if vector else b
    if vector and not left:
        raise RuntimeError(
            f"{name}: Vector broadcasting of the left hand side is not supported for left=False. "
            f"In this case linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    if a[-1] != (right[-2] if left else right[-1]):
        side = "AX = B" if left else "XA = B"
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {side} ({a[-2]}x{a[-1]} and "
            f"{right[-2]}x{right[-1]})"
        )
    result, info = returns_tuple(F.linalg_solve_ex)(A, B, left=left)
    check_info("torch.linalg.solve", info, NO_SOLUTION)
    return result


NO_SOLUTION = "The solver failed because the input matrix is singular."


@offer(space="linalg", out=True)
def solve_triangular(
    self: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """The solutions of A X = B (X A = B) for triangular A; the other half of A is not read.

    Shapes: A (..., n, n), B (..., n, k) (without ``left`` (..., k, n)); the result is like B.
    """
    name = "linalg.solve_triangular"
    check_square(name, self)
    check_matrix(name, B, "B")
    a, b = self._data.shape, B._data.shape
    if a[-1] != (b[-2] if left else b[-1]):
        side = "AX = B" if left else "XA = B"
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {side} ({a[-2]}x{a[-1]} and "
            f"{b[-2]}x{b[-1]})"
        )
    return F.linalg_solve_triangular(self, B, upper, left, unitriangular)


# Cholesky ----------------------------------------------------------------------------------------
NOT_POSITIVE = (
    "The factorization could not be completed because the input is not positive-definite (the "
    "leading minor of order {} is not positive-definite)."
)


@offer(space="linalg", out=True)
def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """The triangular L with L Lᵀ = A (U with Uᵀ U = A).

    Shapes: (..., n, n); the result has the same.

    Raises:
        LinAlgError: not positive-definite.
    """
    check_square("linalg.cholesky", A)
    check_floating("linalg.cholesky", A, half=True)
    factor, info = returns_tuple(F.linalg_cholesky_ex)(A, upper=upper)
    check_info("linalg.cholesky", info, NOT_POSITIVE)
    return factor
