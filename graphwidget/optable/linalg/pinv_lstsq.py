"""``pinv`` and ``lstsq``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.memory_order import ordered
from ..declare import ARRAYS, Namespace, composite, op
from ..pointwise.common_kernels import Array
from .matrix_helpers import is_vector, mT
from .qr_svd_eig_kernels import zero_nonfinite

F = Namespace()


def pinv(a: Array, rcond: float, hermitian: bool) -> Array:
    """Pseudo-inverses: singular values below ``rcond`` times the largest count as zero."""
    a, endless = zero_nonfinite(a)
    found = np.ascontiguousarray(np.linalg.pinv(a, rcond, hermitian))
    found[endless] = np.nan
    return found


@composite
def in_memory_order_of(first: Any, found: Any) -> Any:
    """A sum in the order in memory of the first of its terms: numpy's may have another."""
    return found


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


op("linalg_pinv(self, /, rcond, hermitian=False)", pinv,
   d_self=lambda grad, self, result: F.pinv_backward(grad, self, result),
   public=False, sign="⁺", text="{self}⁺", tex=r"{self}^+", onnx=None)


def lstsq(a: Array, b: Array, _rcond: float, _told: bool) -> tuple[Array, Array]:
    """Least squares solutions, and (if they are to be told and there are more rows than
    columns, none of which depends on others) the squared distances that are left."""
    vector = is_vector(a.shape, b.shape)
    rows, columns = a.shape[-2:]
    left = np.empty(0, a.dtype)
    result = lstsq_solution(a, b, _rcond, vector)
    if _told and rows > columns and bool((np.linalg.matrix_rank(a, _rcond) == columns).all()):
        off = np.matmul(a, result[..., None] if vector else result)
        off = off - (b[..., None] if vector else b)
        left = np.add.reduce(off * off, -2)
    return result, left


def lstsq_solution(a: Array, b: Array, rcond: float, vector: bool) -> Array:
    """Least squares solutions alone, as LAPACK lays them out."""
    found = np.matmul(pinv(a, rcond, False), b[..., None] if vector else b)
    # LAPACK writes the solution over the right side, which has as many rows as A.
    shape = (*found.shape[:-2], found.shape[-1], max(a.shape[-2:]))
    result = mT(np.empty(shape, found.dtype))[..., : found.shape[-2], :]
    result[...] = found
    return result[..., 0] if vector else result


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


op("linalg_lstsq(self, b, /, _rcond, _told=False) -> solution, residuals", lstsq,
   d_self__b=lambda some_grads, self, b, solution, _rcond, targets:
       F.lstsq_backward(some_grads, self, b, solution, _rcond, is_vector(self.shape, b.shape),
                        targets),
   public=False, sign="lstsq", text="{self}⁺ {b}", tex=r"{self}^+ {b}", onnx=None)

ARRAYS.__dict__["in_memory_order_of"] = lambda first, found: ordered(found, (first,))
