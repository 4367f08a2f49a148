"""``pinv``, ``lstsq``, ``matrix_rank`` and ``cond``: what small singular values decide."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.kernel_errors import broadcast_shape
from ...dispatch.offer import SPACES, offer
from ...dispatch.return_types import make_result_type
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ...graph.version import bump
from ...optable.linalg.qr_svd_eig_kernels import singular_values
from ...optable.out import Out
from ..pointwise.where import where
from ..reduction.norms import matrix_norm
from ..reduction.reductions import returns_tuple
from .matrix_checks import check_matrix, check_square
from .solve import inv_ex

LSTSQ = make_result_type("linalg_lstsq", "solution", "residuals", "rank", "singular_values")
NEITHER = "This function doesn't handle types other than float and double"
DRIVERS = (None, "gels", "gelsy", "gelsd", "gelss")


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


# Conditions --------------------------------------------------------------------------------------
@offer(space="linalg", out=Out("cast"))
def cond(A: Tensor, p: Any = None) -> Tensor:
    """The condition numbers of matrices in a norm (by singular values, without one)."""
    if p is None or isinstance(p, (int, float)):
        check_matrix("linalg.cond", A, "")
    if p is None or p in (2, -2):
        values = SPACES["linalg"]["svdvals"](A)
        last = values.ndim - 1
        count = values._data.shape[-1]
        high, low = F.slice(values, last, 0, 1, 1), F.slice(values, last, count - 1, count, 1)
        result = F.div(low, high) if p == -2 else F.div(high, low)
        return F.squeeze_dim(result, -1)
    shown = p if isinstance(p, str) else f"{p:g}"
    check_square(f"linalg.cond(ord={shown})", A)
    if p == "nuc":
        values = SPACES["linalg"]["svdvals"](A)
        last = (values._data.ndim - 1,)
        inverse = F.sum_dim(F.reciprocal(values), last, False)
        return F.mul(F.sum_dim(values, last, False), inverse)
    inverse, info = inv_ex(A)
    if info._data.any():
        inverse = where(F.as_matrix(info != 0), float("inf"), inverse)
    result = F.nan_to_num(
        F.mul(matrix_norm(A, p), matrix_norm(inverse, p)), float("inf"), float("inf"), -float("inf")
    )
    bump(result, "linalg_cond")  # PyTorch's is written in place
    return result
