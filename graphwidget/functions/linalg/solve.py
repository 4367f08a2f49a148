"""``inv``, ``det``, ``solve``, ``cholesky``, ``matrix_power`` and their variants."""

from __future__ import annotations

from typing import Any

from ...arrays import dtypes
from ...arrays.kernel_errors import broadcast_shape
from ...arrays.warnings import warn_once
from ...dispatch.offer import FUNCTIONS, METHODS, SPACES, offer
from ...dispatch.out import make_result_type
from ...eager.op_functions import TENSORS as F
from ...eager.promote import scalar_tensor
from ...graph.tensor import Tensor
from ...optable.out import Out
from ..reduction.reductions import returns_tuple
from .products import (
    check_floating,
    check_info,
    check_matrix,
    check_same_types,
    check_square,
    check_system,
    matmul,
)

# Inverses ----------------------------------------------------------------------------------------
SINGULAR = (
    "The diagonal element {} is zero, the inversion could not be completed because the input "
    "matrix is singular."
)


INV_EX = make_result_type("linalg_inv_ex", "inverse", "info")


@offer(space="linalg", out=True)
def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    """The inverses of square matrices, and where (from 1) an elimination failed."""
    check_square("linalg.inv", A)
    check_floating("linalg.inv", A)
    result = INV_EX(returns_tuple(F.linalg_inv_ex)(A))
    if check_errors:
        check_info("linalg.inv_ex", result[1], SINGULAR)
    return result


@offer(space="linalg", out=True)
def inv(A: Tensor) -> Tensor:
    """The inverses of square matrices.

    Raises:
        LinAlgError: singular.
    """
    found: tuple[Tensor, Tensor] = inv_ex(A)
    check_info("linalg.inv", found[1], SINGULAR)
    return found[0]


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
SOLVE_EX = make_result_type("linalg_solve_ex", "result", "info")


@offer(space="linalg", out=True)
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    """The solutions of A X = B (X A = B), and where (from 1) an elimination failed.

    Shapes: A (..., n, n), B (..., n, k) or (..., n); the solutions are like B, the info (...).
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
    if check_errors:
        check_info("linalg.solve_ex", info, NO_SOLUTION)
    return SOLVE_EX((result, info))


NO_SOLUTION = "The solver failed because the input matrix is singular."


@offer(space="linalg", out=True)
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """The solutions of A X = B (X A = B) for square A.

    Raises:
        LinAlgError: singular.
    """
    found: tuple[Tensor, Tensor] = solve_ex(A, B, left=left)
    check_info("torch.linalg.solve", found[1], NO_SOLUTION)
    return found[0]


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
CHOLESKY_EX = make_result_type("linalg_cholesky_ex", "L", "info")


@offer(space="linalg", out=True)
def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """Cholesky factors, and the order of the first minor that is not positive (0: all are).

    Shapes: (..., n, n); the factors have the same, the orders are (...).
    """
    check_square("linalg.cholesky", A)
    check_floating("linalg.cholesky", A, half=True)
    result = CHOLESKY_EX(returns_tuple(F.linalg_cholesky_ex)(A, upper=upper))
    if check_errors:
        check_info("linalg.cholesky_ex", result[1], NOT_POSITIVE)
    return result


@offer(space="linalg", out=True)
def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """The triangular L with L Lᵀ = A (U with Uᵀ U = A).

    Shapes: (..., n, n); the result has the same.

    Raises:
        LinAlgError: not positive-definite.
    """
    found: tuple[Tensor, Tensor] = cholesky_ex(A, upper=upper)
    check_info("linalg.cholesky", found[1], NOT_POSITIVE)
    return found[0]


OLD_CHOLESKY = (
    "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a "
    "future PyTorch release.\nL = torch.cholesky(A)\nshould be replaced with\n"
    "L = torch.linalg.cholesky(A)\nand\nU = torch.cholesky(A, upper=True)\nshould be "
    "replaced with\nU = torch.linalg.cholesky(A).mH\nThis transform will produce "
    "equivalent results for all valid (symmetric positive definite) inputs."
)


def torch_cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """The triangular L with L Lᵀ = input (U with Uᵀ U = input).

    Raises:
        LinAlgError: not positive-definite.
    """
    warn_once(OLD_CHOLESKY)
    check_square("cholesky", input)
    info = returns_tuple(F.linalg_cholesky_ex)(input.detach(), upper=upper)[1]
    check_info("cholesky", info, NOT_POSITIVE)
    return F.cholesky(input, upper)


torch_cholesky.__name__ = torch_cholesky.__qualname__ = "cholesky"
offer(out=Out("cast"))(torch_cholesky)


@offer(out=True)
def cholesky_solve(input: Tensor, input2: Tensor, upper: bool = False) -> Tensor:
    """The X with A X = input, where input2 is the Cholesky factor of A.

    Raises:
        RuntimeError: no matrices, or sizes or types that do not fit (PyTorch's texts).
        NotImplementedError: integers.
    """
    b, factor = input._data, input2._data
    for name, each in (("b", b), ("u", factor)):
        if each.ndim < 2:
            raise RuntimeError(
                f"{name} should have at least 2 dimensions, but has {each.ndim} dimensions instead"
            )
    if b.dtype != factor.dtype:
        raise RuntimeError(
            "Expected b and A to have the same dtype, but found b of type "
            f"{dtypes.scalar_type(b.dtype)} "
            f"and A of type {dtypes.scalar_type(factor.dtype)} instead."
        )
    check_system("cholesky_solve", factor.shape, b.shape)
    broadcast_shape([b.shape[:-2], factor.shape[:-2]])
    return F.cholesky_solve(input, input2, upper)


@offer(space="linalg", out=True)
def matrix_power(input: Tensor, n: int) -> Tensor:
    """Square matrices multiplied n times with themselves; their inverses for negative n.

    Raises:
        RuntimeError: not square (PyTorch's text).
    """
    shape = input._data.shape
    if len(shape) < 2:
        raise RuntimeError(
            "linalg.matrix_power: The input tensor A must have at least 2 dimensions."
        )
    if shape[-1] != shape[-2]:
        raise RuntimeError(
            "linalg.matrix_power: A must be batches of square matrices, but they are "
            f"{shape[-2]} by {shape[-1]} matrices"
        )
    if n == 0:
        return identity_like(input)
    if n < 0:
        input, n = SPACES["linalg"]["inv"](input), -n
        if n == 1:
            return input
    if n == 1:
        return F.clone(input)
    if n == 3:
        return matmul(matmul(input, input), input)
    result, square = None, input
    while True:  # binary: squares of squares
        n, odd = divmod(n, 2)
        if odd:
            result = square if result is None else matmul(result, square)
        if not n:
            assert result is not None
            return result
        square = matmul(square, square)


def identity_like(A: Tensor) -> Tensor:
    """Identity matrices written over a copy, so that the history (of zeros) is kept."""
    unit = F.diag_embed(F.ones_like(A[..., 0].detach()))
    return F.clone(A).copy_(unit)


offer(function=True)(matrix_power)
