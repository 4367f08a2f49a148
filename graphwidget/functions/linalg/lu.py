"""``lu``, ``lu_factor``, ``lu_solve`` and ``triangular_solve``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.kernel_errors import broadcast_shape
from ...arrays.warnings import warn_once
from ...dispatch.offer import METHODS, offer
from ...dispatch.return_types import make_result_type
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ..reduction.reductions import returns_tuple
from .matrix_checks import check_floating, check_info, check_matrix, check_square, check_system

ZERO_PIVOT = (
    "U[{0},{0}] is zero and using it on lu_solve would result in a division by zero. If you still "
    "want to perform the factorization, consider calling linalg.lu(A, pivot) or "
    "linalg.lu_factor_ex(A, pivot)"
)
LU, LU_FACTOR = (
    make_result_type("linalg_lu", "P", "L", "U"),
    make_result_type("linalg_lu_factor", "LU", "pivots"),
)
LU_FACTOR_EX = make_result_type("linalg_lu_factor_ex", "LU", "pivots", "info")
LU_UNPACK = make_result_type("lu_unpack", "P", "L", "U")


def check_lu(name: str, A: Tensor, pivot: bool) -> None:
    """What LU factors exist of.

    Raises:
        RuntimeError: PyTorch's texts.
    """
    if A.ndim < 2:
        raise RuntimeError(
            f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(A._data.shape)} "
            "instead"
        )
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


@offer(space="linalg", out=True)
def lu(A: Tensor, *, pivot: bool = True) -> Any:
    """P, L and U with P L U = A: a permutation, a lower and an upper triangle.

    Shapes: A (..., m, n), k = min(m, n); P (..., m, m), L (..., m, k), U (..., k, n).
    """
    check_lu("linalg.lu", A, pivot)
    P = F.lu_pivoting(A)
    return LU((P, *returns_tuple(F.linalg_lu)(A, P, pivot=pivot)))


@offer(space="linalg", out=True)
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """L and U in one matrix, the exchanges of rows, and the first pivot that is 0 (0: none)."""
    check_lu("torch.lu_factor", A, pivot)
    result = LU_FACTOR_EX(returns_tuple(F.linalg_lu_factor_ex)(A, pivot=pivot))
    if check_errors:
        check_info("torch.linalg.lu_factor_ex", result[2], ZERO_PIVOT, RuntimeError)
    return result


@offer(space="linalg", out=True)
def lu_factor(A: Tensor, *, pivot: bool = True) -> Any:
    """L and U in one matrix, and the exchanges of rows, counted from 1.

    Raises:
        RuntimeError: a pivot is 0.
    """
    found = lu_factor_ex(A, pivot=pivot)
    check_info("torch.linalg.lu_factor", found[2], ZERO_PIVOT, RuntimeError)
    return LU_FACTOR(found[:2])


def check_pivots(LU: Tensor, pivots: Tensor) -> None:
    """Exchanges of rows that fit a matrix.

    Raises:
        RuntimeError: PyTorch's texts.
    """
    if pivots._data.dtype != np.int32:
        raise RuntimeError("linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32")
    if LU._data.shape[-1] != pivots._data.shape[-1]:
        raise RuntimeError(
            "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the "
            "matrix"
        )
    if LU._data.shape[:-1] != pivots._data.shape:
        raise RuntimeError(
            "linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but got "
            f"pivots with shape {list(pivots._data.shape)} instead"
        )


def lu_solve(
    LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False
) -> Tensor:
    """The solutions of A X = B (X A = B; of Aᵀ, adjoint) from what ``lu_factor`` gives."""
    name = "linalg.lu_solve"
    check_floating(f"torch.{name}", LU, half=True)
    if LU._data.dtype != B._data.dtype:
        one, two = dtypes.scalar_type(LU._data.dtype), dtypes.scalar_type(B._data.dtype)
        raise RuntimeError(
            f"{name}: Expected LU and B to have the same dtype, but found LU of type {one} and B "
            f"of type {two} instead"
        )
    check_square(f"torch.{name}", LU)
    check_matrix(name, B, "B")
    check_pivots(LU, pivots)
    size, b = LU._data.shape[-1], B._data.shape
    if size != (b[-2] if left else b[-1]):
        side = "AX = B" if left else "XA = B"
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {side} ({size}x{size} and "
            f"{b[-2]}x{b[-1]})"
        )
    return F.linalg_lu_solve(LU, pivots, B, left, adjoint)


offer(space="linalg", out=True)(lu_solve)
OLD_SOLVE = (
    "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future "
    "PyTorch release.\nNote that torch.linalg.lu_solve has its arguments reversed.\n"
    "X = torch.lu_solve(B, LU, pivots)\nshould be replaced with\n"
    "X = torch.linalg.lu_solve(LU, pivots, B)"
)


def torch_lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """The solutions of A X = input from what ``lu_factor`` gives."""
    warn_once(OLD_SOLVE)
    return lu_solve(LU_data, LU_pivots, input)


torch_lu_solve.__name__ = torch_lu_solve.__qualname__ = "lu_solve"
offer(out=True)(torch_lu_solve)
OLD_LU = (
    "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and "
    "will be removed in a future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\n"
    "should be replaced with\nLU, pivots = torch.linalg.lu_factor(A, compute_pivots)\nand\n"
    "LU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\nshould be replaced with\n"
    "LU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)"
)
WITH_INFO = make_result_type("_lu_with_info", "LU", "pivots", "info")


def torch_lu(A: Tensor, pivot: bool = True, get_infos: bool = False, out: Any = None) -> Any:
    """``linalg.lu_factor`` or, with ``get_infos``, ``linalg.lu_factor_ex``."""
    warn_once(OLD_LU)
    found = lu_factor_ex(A, pivot=pivot)
    result = WITH_INFO(found) if get_infos else tuple(found[:2])
    if out is None:
        return result
    if len(out) != len(result):
        raise TypeError(f"expected tuple of {len(result)} elements but got {len(out)}")
    for each, value in zip(out, result, strict=True):
        each.resize_as_(value).copy_(value)
    return out


torch_lu.__name__ = torch_lu.__qualname__ = "lu"
offer(method=False)(torch_lu)


def lu_method(self: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """``torch.lu`` of this tensor."""
    return torch_lu(self, pivot, get_infos)


lu_method.__name__ = lu_method.__qualname__ = "lu"
METHODS["lu"] = lu_method


@offer(method=False, out=True)
def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
) -> Any:
    """P, L and U out of what ``lu_factor`` gives; empty what is not wanted.

    Shapes: LU_data (..., m, n), LU_pivots (..., k), k = min(m, n); P (..., m, m), L (..., m, k), U
    (..., k, n).

    Raises:
        RuntimeError: other pivots.
    """
    if unpack_pivots and LU_pivots._data.dtype != np.int32:
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 "
            "dtype.\nNote: this function is intended to be used with the output produced by "
            "torch.linalg.lu_factor"
        )
    none = Tensor._wrap(np.empty(0, LU_data._data.dtype))
    P = F.lu_permutation(LU_data, LU_pivots) if unpack_pivots else none
    return LU_UNPACK((P, *(returns_tuple(F.lu_unpack)(LU_data) if unpack_data else (none, none))))


# Triangular systems ------------------------------------------------------------------------------
TRIANGULAR = make_result_type("triangular_solve", "solution", "cloned_coefficient")
OLD_TRIANGULAR = (
    "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be "
    "removed in a future PyTorch release.\ntorch.linalg.solve_triangular has its arguments "
    "reversed and does not return a copy of one of the inputs.\nX = torch.triangular_solve(B, A)"
    ".solution\nshould be replaced with\nX = torch.linalg.solve_triangular(A, B)."
)


@offer(out=True)
def triangular_solve(
    input: Tensor, A: Tensor, upper: bool = True, transpose: bool = False,
    unitriangular: bool = False,
) -> Any:  # fmt: skip
    """The solutions of A X = input (Aᵀ X, ``transpose``) for triangular A, and a copy of A.

    Raises:
        RuntimeError: sizes that do not fit (PyTorch's texts).
    """
    warn_once(OLD_TRIANGULAR)
    for name, each in (("b", input), ("A", A)):
        if each.ndim < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it "
                f"has {each.ndim} dimensions instead"
            )
    b = input._data.shape
    check_system("triangular_solve", A._data.shape, b)
    kinds = [dtypes.scalar_type(each._data.dtype) for each in (input, A)]
    if kinds[0] != kinds[1]:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {kinds[0]} and A of "
            f"type {kinds[1]} instead."
        )
    broadcast_shape([b[:-2], A._data.shape[:-2]])
    return TRIANGULAR(returns_tuple(F.triangular_solve)(
        input, A, upper=upper, transpose=transpose, unitriangular=unitriangular))  # fmt: skip
