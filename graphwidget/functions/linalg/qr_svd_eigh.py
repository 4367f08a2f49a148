"""QR, SVD and symmetric eigenvalues, and ``pinv``, ``lstsq``, ``matrix_rank``, ``matrix_exp``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.type_errors import LinAlgError, broadcast_shape
from ...arrays.warnings import warn_once
from ...dispatch.offer import offer
from ...dispatch.return_types import make_result_type
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ...graph.version import bump
from ...optable.linalg.solve_kernels import singular_values
from ...optable.out import Out
from ..reduction.reductions import returns_tuple
from ..shape.reshape_expand import flatten, reshape
from .solve import check_floating, check_matrix, check_square, inv, solve

LINALG_QR, QR = make_result_type("linalg_qr", "Q", "R"), make_result_type("qr", "Q", "R")


@offer(space="linalg", out=True)
def qr(A: Tensor, mode: str = "reduced") -> Any:
    """Orthogonal Q and triangular R with Q R = A; ``mode`` is reduced, complete or r.

    Shapes: A (..., m, n), k = min(m, n); Q (..., m, k), R (..., k, n), and complete Q (..., m, m),
    R (..., m, n).
    """
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), "
            "'r', or 'complete'"
        )
    check_matrix("linalg.qr", A)
    check_floating("linalg.qr", A, half=True)
    return LINALG_QR(returns_tuple(F.linalg_qr)(A, mode=mode))


OLD_QR = (
    "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch "
    "release.\nThe boolean parameter 'some' has been replaced with a string parameter 'mode'.\n"
    "Q, R = torch.qr(A, some)\nshould be replaced with\n"
    "Q, R = torch.linalg.qr(A, 'reduced' if some else 'complete')"
)


def torch_qr(input: Tensor, some: bool = True) -> Any:
    """Orthogonal Q and triangular R with Q R = input."""
    warn_once(OLD_QR)
    return QR(qr(input, "reduced" if some else "complete"))


torch_qr.__name__ = torch_qr.__qualname__ = "qr"
offer(out=True)(torch_qr)

LINALG_SVD, SVD = (
    make_result_type("linalg_svd", "U", "S", "Vh"),
    make_result_type("svd", "U", "S", "V"),
)


def svd_all(A: Tensor, full_matrices: bool) -> tuple[Tensor, ...]:
    """U, S and Vh."""
    check_matrix("linalg.svd", A)
    check_floating("linalg.svd", A, half=True)
    return returns_tuple(F.linalg_svd)(A, full_matrices=full_matrices)


@offer(space="linalg", out=True)
def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """U, S and Vh with U diag(S) Vh = A, U and Vh orthogonal, S falling.

    Shapes: A (..., m, n), k = min(m, n); U (..., m, k), S (..., k), Vh (..., k, n), and full U
    (..., m, m), Vh (..., n, n).
    """
    return LINALG_SVD(svd_all(A, full_matrices))


def torch_svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """U, S and V with U diag(S) Vᵀ = input."""
    U, S, Vh = svd_all(input, not some)
    if not compute_uv:
        rows, columns = input._data.shape[-2:]
        batch = input._data.shape[:-2]
        U, V = (
            Tensor._wrap(np.zeros((*batch, size, size), input._data.dtype))
            for size in (rows, columns)
        )
        return SVD((U, S, V))
    return SVD((U, S, F.transpose(Vh, Vh.ndim - 2, Vh.ndim - 1)))


torch_svd.__name__ = torch_svd.__qualname__ = "svd"
offer(out=True)(torch_svd)


@offer(space="linalg", out=True)
def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """The singular values of matrices, falling."""
    return svd_all(A, False)[1]


EIGH = make_result_type("linalg_eigh", "eigenvalues", "eigenvectors")


def eigh_both(A: Tensor, UPLO: str) -> tuple[Tensor, ...]:
    """Eigenvalues and eigenvectors.

    Raises:
        RuntimeError: not square.
        LinAlgError: nan among the items.
    """
    check_square("linalg.eigh", A)
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    half = np.tril(A._data) if UPLO.upper() == "L" else np.triu(A._data)
    if not np.isfinite(half).all():
        raise LinAlgError(
            "linalg.eigh: The algorithm failed to converge because the input matrix is "
            "ill-conditioned or has too many repeated eigenvalues (error code: "
            f"{A._data.shape[-1] - 1})."
        )
    return returns_tuple(F.linalg_eigh)(A, UPLO=UPLO.upper())


@offer(space="linalg", out=True)
def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """Eigenvalues, rising, and eigenvectors of symmetric matrices, of which one half is read."""
    return EIGH(eigh_both(A, UPLO))


@offer(space="linalg", out=True)
def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """The eigenvalues, rising, of symmetric matrices, of which one half is read."""
    return eigh_both(A, UPLO)[0]


# Pseudo-inverses ---------------------------------------------------------------------------------
def tolerance(A: Tensor, rtol: Any) -> float:
    """Below which part of the largest a singular value counts as zero."""
    if rtol is not None:
        return float(rtol)
    return float(float(np.finfo(A._data.dtype).eps) * max(A._data.shape[-2:]))


@offer(space="linalg", out=Out("cast"))
def pinv(
    input: Tensor,
    rcond: float | None = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
) -> Tensor:
    """The pseudo-inverses of matrices."""
    shape, kind = list(input._data.shape), dtypes.scalar_type(input._data.dtype)
    if input.ndim < 2 or input._data.dtype.char not in "fd":
        raise RuntimeError(
            f"linalg.pinv({kind}{{{shape}}}): expected a tensor with 2 or more dimensions of "
            "float, double, cfloat or cdouble types"
        )
    limit = tolerance(input, rcond if rtol is None else rtol)
    if atol is not None:
        top = float(np.linalg.norm(input._data, 2, (-2, -1)).max(initial=0.0))
        limit = max(limit if rtol is not None else 0.0, float(atol) / top if top else 0.0)
    return F.linalg_pinv(input, limit, hermitian)


@offer()
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The pseudo-inverses of matrices (``linalg.pinv``)."""
    return pinv(input, rcond)


NEITHER = "This function doesn't handle types other than float and double"
DRIVERS = (None, "gels", "gelsy", "gelsd", "gelss")
LSTSQ = make_result_type("linalg_lstsq", "solution", "residuals", "rank", "singular_values")


def check_lstsq(input: Tensor, b: Tensor) -> None:
    """Equations and right hand sides that fit each other.

    Raises:
        RuntimeError: PyTorch's texts.
    """
    name, shape, other = "torch.linalg.lstsq", input._data.shape, b._data.shape
    if len(shape) < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if not other:
        raise RuntimeError(f"{name}: other must have at least 1 dimension.")
    if len(shape) - len(other) not in (0, 1):
        raise RuntimeError(
            f"{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - "
            "other.dim()) <= 1"
        )
    place = -1 if len(other) == 1 or other == shape[:-1] else -2
    if shape[-2] != other[place]:
        raise RuntimeError(f"{name}: input.size(-2) should match other.size({place})")


@offer(space="linalg", out=True)
def lstsq(
    input: Tensor, b: Tensor, rcond: float | None = None, *, driver: str | None = None
) -> Any:
    """The solutions of least ‖input X − b‖, the residuals (more rows than columns), and the ranks
    (of drivers other than the default gelsy: and the singular values).

    Shapes: input (..., m, n), b (..., m, k) or (..., m); the solutions are (..., n, k) or (...,
    n).
    """
    check_lstsq(input, b)
    if input._data.dtype != b._data.dtype:
        one, two = dtypes.scalar_type(input._data.dtype), dtypes.scalar_type(b._data.dtype)
        raise RuntimeError(
            "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's "
            f"dtype {one} and other's dtype {two}"
        )
    if input._data.dtype.char not in "fd":
        raise RuntimeError(NEITHER)
    driver = None if driver is None else driver.lower()
    if driver not in DRIVERS:
        raise RuntimeError(
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)"
        )
    batch = input._data.shape[:-2]
    broadcast_shape([batch, b._data.shape[: len(batch)]])
    told = driver not in (None, "gelsy")
    solution, residuals = returns_tuple(F.linalg_lstsq)(
        input, b, tolerance(input, None if driver == "gels" else rcond), told
    )
    empty = Tensor._wrap(np.empty(0, input._data.dtype))
    ranks = empty.long() if driver == "gels" else Tensor._wrap(matrix_ranks(input, None, rcond))
    values = empty
    if driver in ("gelsd", "gelss") and input._data.size:
        values = Tensor._wrap(singular_values(input._data))
    return LSTSQ((solution, residuals, ranks, values))


@offer(space="linalg", out=Out("cast"))
def matrix_rank(
    A: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None
) -> Tensor:
    """How many singular values of matrices are not (nearly) zero."""
    check_matrix("torch.linalg.matrix_rank", A, "input")
    data = A._data
    if data.dtype.char not in "fd":
        raise RuntimeError(NEITHER)
    if hermitian:
        check_square("linalg.eigh", A)
    atol, rtol = (atol, rtol) if tol is None else (tol, 0.0)
    out = Tensor._wrap(matrix_ranks(A, atol, rtol, hermitian))
    bump(out, "sum_out")  # PyTorch sums into it
    return out


def matrix_ranks(A: Tensor, atol: Any, rtol: Any, hermitian: bool = False) -> np.ndarray:
    """How many singular values of each matrix are above its tolerances."""
    data = A._data
    values = np.absolute(np.linalg.eigvalsh(data)) if hermitian else singular_values(data)
    top = values.max(-1, initial=0.0)
    absolute = tolerances(0.0 if atol is None else atol)
    relative = tolerances(tolerance(A, None) if rtol is None else rtol)
    if rtol is None:
        relative = np.where(absolute > 0, 0.0, relative)
    broadcast_shape([absolute.shape, relative.shape])
    limit = np.maximum(absolute, relative * top)
    broadcast_shape([limit.shape, top.shape])
    above = values > limit[..., None].astype(values.dtype)
    return np.asarray(np.add.reduce(above, -1, np.int64))


def tolerances(value: Any) -> np.ndarray:
    """A number, or one for each matrix, as an array."""
    result: np.ndarray = value._data if isinstance(value, Tensor) else np.asarray(float(value))
    return result


@offer(space="linalg", out=True)
def matrix_exp(input: Tensor) -> Tensor:
    """exp of square matrices."""
    check_square("linalg.matrix_exp", input)
    check_floating("linalg.matrix_exp", input, half=True)
    return F.linalg_matrix_exp(input)


offer(function=True)(matrix_exp)


@offer(space="linalg", out=False)
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonals of matrices, as a view."""
    return A.diagonal(offset, dim1, dim2)


# Tensors as matrices -----------------------------------------------------------------------------
@offer(space="linalg", out=Out("cast"))
def tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    """The inverse of a tensor as a map from its last dims to its first ``ind``.

    Shapes: the first ``ind`` sizes multiply to what the others do; the result has the others
    first.
    """
    if ind <= 0:
        raise RuntimeError("Expected a strictly positive integer for 'ind'")
    first, last = A._data.shape[:ind], A._data.shape[ind:]
    rows, columns = int(np.prod(first)), int(np.prod(last))
    if rows != columns:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
            f"prod(self.shape[:ind]), but got {columns} != {rows}"
        )
    return reshape(inv(reshape(A, columns, rows)), *last, *first)


@offer(space="linalg", out=Out("cast"))
def tensorsolve(input: Tensor, other: Tensor, dims: Any = None) -> Tensor:
    """The solution X of ``tensordot(A, X, X.ndim) = B``.

    Shapes: A's first sizes are B's, and multiply to what the others do; X has the others.
    """
    if dims is not None:
        moved = [d % input.ndim for d in dims]
        input = F.permute(input, (*(d for d in range(input.ndim) if d not in moved), *moved))
    shape = input._data.shape[other.ndim :]
    size = int(np.prod(shape))
    if size != other._data.size:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {size} != {other._data.size}"
        )
    return reshape(solve(reshape(input, size, size), flatten(other)), *shape)


@offer(space="linalg")
def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """The powers 0 to N - 1 (the length, without it) of each item, in a row each.

    Shapes: (..., n); the result is (..., n, N).
    """
    if x._data.dtype == bool or x._data.dtype.char == "e":
        raise RuntimeError(
            "linalg.vander supports floating point, complex, and integer tensors, but got "
            f"{dtypes.scalar_type(x._data.dtype)}"
        )
    shape = x._data.shape or (1,)
    count = shape[-1] if N is None else N
    if count <= 1:
        raise RuntimeError("N must be greater than 1.")
    powers = F.cumprod(F.expand(F.unsqueeze(x, -1), (*shape, count - 1)), -1)
    ones = Tensor._wrap(np.ones((*shape, 1), powers._data.dtype))
    return F.cat([ones, powers], -1)
