"""``pinv``, ``lstsq``, ``matrix_rank`` and ``cond``: what small singular values decide."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.kernel_errors import broadcast_shape
from ...dispatch.offer import offer
from ...graph.tensor import Tensor
from ...graph.version import bump
from ...optable.linalg.qr_svd_eig import singular_values
from ...optable.out import Out
from .products import check_matrix, check_square

NEITHER = "This function doesn't handle types other than float and double"


# Pseudo-inverses ---------------------------------------------------------------------------------
def tolerance(A: Tensor, rtol: Any) -> float:
    """Below which part of the largest a singular value counts as zero."""
    if rtol is not None:
        return float(rtol)
    return float(float(np.finfo(A._data.dtype).eps) * max(A._data.shape[-2:]))


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
