"""Writes products of vectors and matrices as ONNX."""

from __future__ import annotations

from typing import Any

from .register import writes


@writes("mm", "bmm", "mv", "dot", "vdot")
def _matmul(w: Any, self: Any, other: Any) -> Any:
    return self @ other


@writes("ger")
def _ger(w: Any, self: Any, other: Any) -> Any:
    return w("Unsqueeze", self, w.ints(1)) * w("Unsqueeze", other, w.ints(0))


@writes("addmm", "addmm.scaled")
def _addmm(w: Any, self: Any, mat1: Any, mat2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    if self.floating and beta:
        return w("Gemm", mat1, mat2, self, alpha=float(alpha), beta=float(beta))
    return scaled_sum(w, self, mat1 @ mat2, beta, alpha)


def scaled_sum(w: Any, self: Any, product: Any, beta: Any, alpha: Any) -> Any:
    """beta self + alpha product; nothing of ``self`` where beta is 0."""
    product = product if alpha == 1 else product * alpha
    if not beta:
        return product
    return (self if beta == 1 else self * beta) + product


@writes("addmv", "baddbmm")
def _addmv(w: Any, self: Any, mat: Any, vec: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    return scaled_sum(w, self, mat @ vec, beta, alpha)


def scaled(product: Any) -> Any:
    """beta self + alpha times a product of the other two."""
    return lambda w, self, a, b, beta=1, alpha=1: scaled_sum(w, self, product(w, a, b), beta, alpha)


writes("addr")(scaled(_ger))


@writes("addbmm")
def _addbmm(w: Any, self: Any, a: Any, b: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    total = w("ReduceSum", a @ b, w.ints(0), keepdims=0)
    return scaled_sum(w, self, total, beta, alpha)


@writes("linalg_cross")
def _cross(w: Any, self: Any, other: Any, dim: int = -1) -> Any:
    rank = max(self.rank, other.rank)
    at = dim % rank - rank  # from the end, for both

    def turned(x: Any, order: tuple[int, ...]) -> Any:
        return w("Gather", x, w.ints(*order), axis=at)

    a, b, c, d = (turned(x, order) for x, order in (
        (self, (1, 2, 0)), (other, (2, 0, 1)), (self, (2, 0, 1)), (other, (1, 2, 0)),
    ))  # fmt: skip
    return a * b - c * d


@writes("linalg_det")
def _det(w: Any, A: Any) -> Any:
    return w("Det", A)
