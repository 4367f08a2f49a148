"""``norm``, ``dist``, ``cdist``, ``renorm``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import TABLE, Namespace, composite, op
from ..pointwise.common_kernels import Array
from . import reductions

F = Namespace()

INF = float("inf")


@composite
def zero_where(condition: Any, value: Any) -> Any:
    """A value, 0 where a condition holds."""
    return F.masked_fill(value, condition, 0)


@composite
def norm_backward(grad: Any, self: Any, ord: Any, norm: Any, dim: Any, keepdim: Any) -> Any:
    """The gradient of the vector norm; 0 (PyTorch's choice) where the norm is 0."""
    if ord == 0:
        return None
    grad = F.restore_reduced_dims(grad, self.shape, dim, keepdim)
    norm = F.restore_reduced_dims(norm, self.shape, dim, keepdim)
    if ord == 1:
        return F.sgn(self) * grad
    if ord == 2:
        return grad * F.zero_where(F.eq(norm, F.zeros_like(norm)), self / norm)
    if ord in (INF, -INF):
        return F.infinity_norm_backward(grad, self, norm, dim)
    size = F.abs(self)
    if ord < 1:
        slope = F.sgn(self) * F.zero_where(F.eq(self, F.zeros_like(self)), F.pow(size, ord - 1))
        return slope * grad * F.pow(norm, 1 - ord)
    slope = F.sgn(self) * F.pow(size, ord - 1) if ord < 2 else self * F.pow(size, ord - 2)
    scale = grad / F.pow(norm, ord - 1)
    return slope * F.zero_where(F.eq(norm, F.zeros_like(norm)), scale)


@composite
def infinity_norm_backward(grad: Any, self: Any, norm: Any, dim: Any) -> Any:
    """The gradient of the norm that is the largest (or smallest) size, shared equally."""
    size = F.abs(self)
    mask = F.zeros_like(self) + F.logical_or(F.eq(size, norm), F.isnan(size))
    count = F.sum_dim(mask, dim, True) if dim else F.sum(mask)
    return F.sgn(self) * (grad / count * mask)


op("linalg_vector_norm(self, /, ord=2, dim=None, keepdim=False, dtype=None)",
   reductions.vector_norm,
   d_self=lambda grad, self, result, ord, dim, keepdim:
       F.norm_backward(grad, self, ord, result, dim, keepdim),
   public=False, sign="‖·‖", text="‖{self}‖ of order {ord}",
   onnx=None)

op("dist(self, other, /, p=2)", reductions.dist,
   d_self=lambda grad, self, other, result, p:
       F.sum_to_size(F.norm_backward(grad, self - other, p, result, None, False), self.shape),
   d_other=lambda grad, self, other, result, p:
       F.sum_to_size(-F.norm_backward(grad, self - other, p, result, None, False), other.shape),
   text="‖{self} − {other}‖", onnx=None)


def cdist(a: Array, b: Array, p: float) -> Array:
    """Distances between the rows of two batches of matrices."""
    off = np.subtract(a[..., :, None, :], b[..., None, :, :])
    return reductions.vector_norm(off, p, (off.ndim - 1,), False, None)


@composite
def cdist_backward(grad: Any, x1: Any, x2: Any, p: Any, result: Any) -> Any:
    """The gradient of each difference of two rows, by which the sums go back to either side."""
    off = F.unsqueeze(x1, len(x1.shape) - 1) - F.unsqueeze(x2, len(x2.shape) - 2)
    flow = F.norm_backward(grad, off, p, result, (len(off.shape) - 1,), False)
    return off * 0 if flow is None else flow


op("cdist(x1, x2, /, p=2.0)", cdist, refuses="cdist: half",
   d_x1=lambda grad, x1, x2, p, result: F.sum_to_size(
       F.sum_dim(F.cdist_backward(grad, x1, x2, p, result), (len(result.shape) - 1,)), x1.shape),
   d_x2=lambda grad, x1, x2, p, result: -F.sum_to_size(
       F.sum_dim(F.cdist_backward(grad, x1, x2, p, result), (len(result.shape) - 2,)), x2.shape),
   text="distances of {x1} and {x2}", onnx=None)


def euclidean(a: Array, b: Array) -> Array:
    """The same for p = 2 by one product of matrices, ‖a‖² - 2 a b + ‖b‖², as PyTorch does it."""
    squares = [np.add.reduce(each * each, -1, keepdims=True) for each in (a, b)]
    first = np.concatenate((a * -2, squares[0], np.ones_like(squares[0])), -1)
    second = np.concatenate((b, np.ones_like(squares[1]), squares[1]), -1)
    found = np.matmul(first, second.swapaxes(-1, -2))
    np.maximum(found, 0, out=found)
    return np.sqrt(found, found)


@composite
def divide_by_distance(grad: Any, result: Any) -> Any:
    """Return the factor of a difference of rows: 0 for equal rows."""
    return F.masked_fill(grad / result, F.eq(result, F.zeros_like(result)), 0)


@composite
def euclidean_gradient(slope: Any, x1: Any, x2: Any, total: Any) -> Any:
    """The gradient of ``euclidean`` by x1, given the sums of its slope over x2's rows."""
    return F.sum_to_size(x1 * total - F.matmul(slope, x2), x1.shape)


@composite
def euclidean_by_first(grad: Any, x1: Any, x2: Any, result: Any) -> Any:
    """The gradient of ``euclidean`` by its first operand."""
    slope = F.divide_by_distance(grad, result)
    return F.euclidean_gradient(slope, x1, x2, F.sum_dim(slope, (-1,), True))


@composite
def euclidean_by_second(grad: Any, x1: Any, x2: Any, result: Any) -> Any:
    """The gradient of ``euclidean`` by its second operand."""
    slope, last = F.divide_by_distance(grad, result), len(result.shape) - 1
    total = F.unsqueeze(F.sum_dim(slope, (-2,)), last)
    return F.euclidean_gradient(F.transpose(slope, last - 1, last), x2, x1, total)


op("_euclidean_dist(x1, x2, /)", euclidean, node="EuclideanDistBackward0", public=False,
   d_x1=lambda grad, x1, x2, result: F.euclidean_by_first(grad, x1, x2, result),
   d_x2=lambda grad, x1, x2, result: F.euclidean_by_second(grad, x1, x2, result),
   text="distances of {x1} and {x2}", onnx=None)


# The older norm, which PyTorch's own code still computes.
op("norm.dim(self, /, p, dim, keepdim=False)", TABLE["linalg_vector_norm"].kernel,
   node="NormBackward1",
   d_self=lambda grad, self, result, p, dim, keepdim:
       F.norm_backward(grad, self, p, result, dim, keepdim),
   public=False, sign="norm", text="‖{self}‖", onnx=None)
