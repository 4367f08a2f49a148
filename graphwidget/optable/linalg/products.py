"""``mm``, ``bmm``, ``addmm``, ``dot``, ``cross``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.memory_order import as_array
from ...arrays.scalars import scalar_array
from ..declare import ARRAYS, Namespace, composite, op
from ..pointwise.common_kernels import Array

F = Namespace()


def multiply_add(a: Array, b: Array, c: Array) -> Array:
    """a + b c."""
    product = np.matmul(b, c)
    return np.add(product, a, product)


def dot(a: Array, b: Array) -> Array:
    """The inner product of two vectors, 0-d."""
    return as_array(np.dot(a, b))


@composite
def is_column_major(shape: Any, strides: Any, dtype: Any) -> bool:
    """Return whether a matrix lies in memory column by column, as a transposed one does."""
    return bool(strides[0] == dtype.itemsize and strides[1] == strides[0] * shape[0])


@composite
def mm_left(grad: Any, right: Any, shape: Any, strides: Any, dtype: Any) -> Any:
    """The gradient of a product's left factor, laid out in memory as that is."""
    if F.is_column_major(shape, strides, dtype) is True:  # never in words
        return F.t(F.mm(right, F.t(grad)))
    return F.mm(grad, F.t(right))


@composite
def mm_right(grad: Any, left: Any, shape: Any, strides: Any, dtype: Any) -> Any:
    """The gradient of a product's right factor, laid out in memory as that is."""
    if F.is_column_major(shape, strides, dtype) is True:  # never in words
        return F.t(F.mm(F.t(grad), left))
    return F.mm(F.t(left), grad)


MANY = 1 << 14
"""Items from which on it pays to look whether rows or columns are all the same."""


def product_of_repeated(a: Array, b: Array) -> Array:
    """a b. All rows of a, or all columns of b, may be one and the same, as in the gradient of a
    sum; then so are the product's, and one is computed."""
    rows = a.size > MANY and a.strides[0] == 0
    if not rows and not (b.size > MANY and b.strides[1] == 0):
        return np.matmul(a, b)
    found = np.empty((len(a), b.shape[1]), a.dtype)
    found[...] = np.matmul(a[:1].copy(), b) if rows else np.matmul(a, b[:, :1].copy())
    return found


op("mm(self, mat2, /)", np.matmul,
   d_self=lambda grad, mat2, self_shape, self_strides, self_dtype:
       F.mm_left(grad, mat2, self_shape, self_strides, self_dtype),
   d_mat2=lambda grad, self, mat2_shape, mat2_strides, mat2_dtype:
       F.mm_right(grad, self, mat2_shape, mat2_strides, mat2_dtype),
   sign="@", text="{self} @ {mat2}", onnx="MatMul")

ARRAYS.__dict__.update(matmul=np.matmul, mm=product_of_repeated)

op("mv(self, vec, /)", np.matmul,
   d_self=lambda grad, vec: F.ger(F.reshape(grad, (-1, 1)), vec),
   d_vec=lambda grad, self: F.mv(F.t(self), grad),
   sign="@", text="{self} @ {vec}", onnx="MatMul")

# A column times a row.
op("ger(self, other, /)", np.multiply, node="MulBackward0",
   d_self=lambda grad, other, _self_shape: F.sum_to_size(grad * other, _self_shape),
   d_other=lambda grad, self, _other_shape: F.sum_to_size(grad * self, _other_shape),
   public=False, sign="⊗", text="{self} ⊗ {other}", onnx=None)

op("dot(self, tensor, /)", dot,
   d_self=lambda grad, tensor: grad * tensor,
   d_tensor=lambda grad, self: grad * self,
   sign="·", text="Σ {self} · {tensor}", onnx="MatMul")

op("bmm(self, mat2, /)", np.matmul,
   d_self=lambda grad, mat2: F.bmm(grad, F.transpose(mat2, 1, 2)),
   d_mat2=lambda grad, self: F.bmm(F.transpose(self, 1, 2), grad),
   sign="@", text="{self} @ {mat2}", onnx="MatMul")

op("addmm(self, mat1, mat2, /)", multiply_add, overlap="operands",
   saved_constants={"alpha": 1, "beta": 1},
   d_self=lambda grad, _self_shape: F.sum_to_size(grad, _self_shape),
   d_mat1=lambda grad, mat2, mat1_shape, mat1_strides, mat1_dtype:
       F.mm_left(grad, mat2, mat1_shape, mat1_strides, mat1_dtype),
   d_mat2=lambda grad, mat1, mat2_shape, mat2_strides, mat2_dtype:
       F.mm_right(grad, mat1, mat2_shape, mat2_strides, mat2_dtype),
   sign="@ +", text="{mat1} @ {mat2} + {self}", onnx="Gemm")


# Products added to something ---------------------------------------------------------------------
@composite
def times(value: Any, factor: Any) -> Any:
    """A value times a number that mostly is 1."""
    return value if factor == 1 else value * factor


def add_product(product: Any) -> Any:
    """The kernel of beta a + alpha product(b, c); with beta 0 not even nan of a counts."""

    def kernel(a: Array, b: Array, c: Array, beta: float, alpha: float) -> Array:
        found = product(b, c)
        if alpha != 1:
            found = np.multiply(found, scalar_array(alpha, found.dtype), out=...)
        if beta == 0:
            return np.array(np.broadcast_to(found, np.broadcast_shapes(found.shape, a.shape)))
        return np.add(found, a if beta == 1 else a * scalar_array(beta, a.dtype), out=...)

    return kernel


op("addmm.scaled(self, mat1, mat2, /, beta, alpha)", add_product(np.matmul), node="AddmmBackward0",
   overlap="operands",
   d_self=lambda grad, beta, _self_shape: F.sum_to_size(F.times(grad, beta), _self_shape),
   d_mat1=lambda grad, mat2, alpha, mat1_shape, mat1_strides, mat1_dtype:
       F.times(F.mm_left(grad, mat2, mat1_shape, mat1_strides, mat1_dtype), alpha),
   d_mat2=lambda grad, mat1, alpha, mat2_shape, mat2_strides, mat2_dtype:
       F.times(F.mm_right(grad, mat1, mat2_shape, mat2_strides, mat2_dtype), alpha),
   public=False, sign="@ +", text="{alpha} · {mat1} @ {mat2} + {beta} · {self}", onnx="Gemm")

op("baddbmm(self, batch1, batch2, /, beta=1, alpha=1)", add_product(np.matmul), overlap="operands",
   d_self=lambda grad, beta, _self_shape: F.sum_to_size(F.times(grad, beta), _self_shape),
   d_batch1=lambda grad, batch2, alpha: F.times(F.bmm(grad, F.transpose(batch2, 1, 2)), alpha),
   d_batch2=lambda grad, batch1, alpha: F.times(F.bmm(F.transpose(batch1, 1, 2), grad), alpha),
   sign="@ +", text="{alpha} · {batch1} @ {batch2} + {beta} · {self}", onnx=None)


def cross(a: Array, b: Array, dim: int) -> Array:
    """The cross product along a dim of size 3."""
    a, b = np.broadcast_arrays(a, b)
    x, y, z = (np.take(a, i, dim) for i in range(3))
    u, v, w = (np.take(b, i, dim) for i in range(3))
    return np.ascontiguousarray(np.stack([y * w - z * v, z * u - x * w, x * v - y * u], dim))


op("linalg_cross(self, other, /, dim=-1)", cross, refuses="cross: bool",
   d_self=lambda grad, other, dim, _self_shape:
       F.sum_to_size(F.linalg_cross(other, grad, dim), _self_shape),
   d_other=lambda grad, self, dim, _other_shape:
       F.sum_to_size(F.linalg_cross(grad, self, dim), _other_shape),
   public=False, sign="×", text="{self} cross {other}", onnx=None)
