"""The largest or smallest eigenvalues of symmetric matrices, and their vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import hot, random
from .function import Function
from .lowrank import floating_type
from .matmul import matmul
from .public import offer
from .spectra import eigh
from .tensor import Tensor

TOO_SMALL = (
    "LOBPCG algorithm is not applicable when the number of A rows (={}) is smaller than 3 x the "
    "number of requested eigenpairs (={})"
)


@offer(method=False)
def lobpcg(
    A: Tensor,
    k: int | None = None,
    B: Tensor | None = None,
    X: Tensor | None = None,
    n: int | None = None,
    iK: Tensor | None = None,
    niter: int | None = None,
    tol: float | None = None,
    largest: bool | None = None,
    method: str | None = None,
    tracker: Any = None,
    ortho_iparams: dict[str, int] | None = None,
    ortho_fparams: dict[str, float] | None = None,
    ortho_bparams: dict[str, bool] | None = None,
) -> tuple[Tensor, Tensor]:
    """The ``k`` largest or smallest eigenvalues of A x = λ B x, and their vectors.

    What PyTorch's iterations approach is computed outright, so that the arguments which steer them
    (``X`` but for its shape, ``iK``, ``niter``, ``tol``, ``method``, ``ortho_...``) change nothing;
    the vectors may have other signs.

    Shapes: A and B (..., m, m), symmetric, B positive definite; values (..., k) and vectors
    (..., m, k).

    Raises:
        AssertionError: shapes that do not go together.
        ValueError: matrices with less than three rows for each of the ``n`` vectors.
        NotImplementedError: a tracker of the iterations.
    """
    if tracker is not None:
        raise NotImplementedError("lobpcg makes no steps here that a tracker could be told of")
    args = (k, X, n, True if largest is None else largest)
    if A.requires_grad or (B is not None and B.requires_grad):
        whole = None if B is None else (B + B.mT) / 2
        found: tuple[Tensor, Tensor]
        found = LOBPCGAutogradFunction.apply((A + A.mT) / 2, whole, *args)
        return found
    return eigenpairs(A, B, *args)


def eigenpairs(
    A: Tensor, B: Tensor | None, k: int | None, X: Tensor | None, n: int | None, largest: bool
) -> tuple[Tensor, Tensor]:
    """What ``lobpcg`` finds, without history."""
    shape = A.shape
    assert shape[-2] == shape[-1], f"A must be square, got shape {shape}"
    if B is not None:
        assert shape == B.shape, f"A and B must have same shape, got {shape} vs {B.shape}"
    k = (1 if X is None else X.shape[-1]) if k is None else k
    n = (k if n is None else n) if X is None else X.shape[-1]
    m, dtype = shape[-1], floating_type(A).numpy
    if m < 3 * n:
        raise ValueError(TOO_SMALL.format(m, n))
    if X is None:  # PyTorch begins with random vectors
        random.randn((*shape[:-2], m, n), dtype)
    elif X.shape[-2:] != (m, n):
        raise AssertionError(f"X shape mismatch: got {X.shape}, expected {(m, n)}")
    matrix = A._data.astype(dtype)
    if B is None:
        values, vectors = np.linalg.eigh(matrix)
    else:
        inverse = np.linalg.inv(np.linalg.cholesky(B._data.astype(dtype)))
        values, vectors = np.linalg.eigh(inverse @ matrix @ inverse.swapaxes(-1, -2))
        vectors = inverse.swapaxes(-1, -2) @ vectors
    if largest:
        values, vectors = values[..., ::-1], vectors[..., ::-1]
    return Tensor._wrap(values[..., :k].copy()), Tensor._wrap(vectors[..., :k].copy())


class LOBPCGAutogradFunction(Function):
    """``lobpcg`` with a history."""

    @staticmethod
    def forward(ctx: Any, A: Tensor, B: Tensor | None, *args: Any) -> Any:
        """The eigenvalues and their vectors."""
        values, vectors = eigenpairs(A, B, *args)
        ctx.save_for_backward(A, B, values, vectors)
        ctx.largest = args[-1]
        return values, vectors

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """The gradient by A: what changes within the span of the vectors, and what leads out of it.

        Raises:
            ValueError: another B than none.
        """
        A, B, D, U = ctx.saved_tensors
        if B is not None:
            raise ValueError("lobpcg.backward does not support backward with B != I yet.")
        by_values, by_vectors = grads
        F, count = hot.tensors, D.shape[-1]
        values, vectors = eigh(A)
        out = slice(0, values.shape[-1] - count) if ctx.largest else slice(count, None)
        rest, others = values[..., out], vectors[..., out]
        gaps = D.unsqueeze(-2) - D.unsqueeze(-1)
        same = Tensor._wrap(np.eye(count, dtype=np.bool_))
        within = matmul(U.mT, by_vectors) / F.masked_fill(gaps, same, np.inf)
        beyond = matmul(others.mT, by_vectors) / (D.unsqueeze(-2) - rest.unsqueeze(-1))
        within = matmul(U, F.diag_embed(by_values) + within)
        return matmul(within + matmul(others, beyond), U.mT), None, None, None, None, None


LOBPCGAutogradFunction.__module__ = "torch._lobpcg"
