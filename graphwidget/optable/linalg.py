"""Products of matrices and vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from .declare import Namespace, composite, op
from .kernels import Array, as_array

F = Namespace()


def added_product(a: Array, b: Array, c: Array) -> Array:
    """a + b c."""
    product = np.matmul(b, c)
    return np.add(product, a, product)


def dot(a: Array, b: Array) -> Array:
    """The inner product of two vectors, 0-d."""
    return as_array(np.dot(a, b))



@composite
def by_columns(shape: Any, strides: Any, dtype: Any) -> bool:
    """Whether a matrix lies in memory column by column, as a transposed one does."""
    return strides[0] == dtype.itemsize and strides[1] == strides[0] * shape[0]


@composite
def mm_left(grad: Any, right: Any, shape: Any, strides: Any, dtype: Any) -> Any:
    """The gradient of a product's left factor, laid out in memory as that is."""
    if F.by_columns(shape, strides, dtype):
        return F.t(F.mm(right, F.t(grad)))
    return F.mm(grad, F.t(right))


@composite
def mm_right(grad: Any, left: Any, shape: Any, strides: Any, dtype: Any) -> Any:
    """The gradient of a product's right factor, laid out in memory as that is."""
    if F.by_columns(shape, strides, dtype):
        return F.t(F.mm(F.t(grad), left))
    return F.mm(F.t(left), grad)


op("mm(self, mat2, /)", np.matmul,
   d_self=lambda grad, mat2, self_shape, self_strides, self_dtype:
       F.mm_left(grad, mat2, self_shape, self_strides, self_dtype),
   d_mat2=lambda grad, self, mat2_shape, mat2_strides, mat2_dtype:
       F.mm_right(grad, self, mat2_shape, mat2_strides, mat2_dtype),
   sign="@", text="{self} @ {mat2}", tex=r"{self} {mat2}", onnx="MatMul")

op("mv(self, vec, /)", np.matmul,
   d_self=lambda grad, vec: F.ger(grad, vec),
   d_vec=lambda grad, self: F.mv(F.t(self), grad),
   sign="@", text="{self} @ {vec}", tex=r"{self} {vec}", onnx="MatMul")

op("ger(self, vec2, /)", np.multiply.outer,
   d_self=lambda grad, vec2: F.mv(grad, vec2),
   d_vec2=lambda grad, self: F.mv(F.t(grad), self),
   node="MulBackward0",
   public=False, sign="⊗", text="{self} ⊗ {vec2}", tex=r"{self} \otimes {vec2}", onnx=None)

op("dot(self, tensor, /)", dot,
   d_self=lambda grad, tensor: grad * tensor,
   d_tensor=lambda grad, self: grad * self,
   sign="·", text="{self} · {tensor}", tex=r"{self} \cdot {tensor}", onnx="MatMul")

op("bmm(self, mat2, /)", np.matmul,
   d_self=lambda grad, mat2: F.bmm(grad, F.transpose(mat2, 1, 2)),
   d_mat2=lambda grad, self: F.bmm(F.transpose(self, 1, 2), grad),
   sign="@", text="{self} @ {mat2}", tex=r"{self} {mat2}", onnx="MatMul")

op("addmm(self, mat1, mat2, /)", added_product,
   d_self=lambda grad, self_shape: F.sum_to_size(grad, self_shape),
   d_mat1=lambda grad, mat2, mat1_shape, mat1_strides, mat1_dtype:
       F.mm_left(grad, mat2, mat1_shape, mat1_strides, mat1_dtype),
   d_mat2=lambda grad, mat1, mat2_shape, mat2_strides, mat2_dtype:
       F.mm_right(grad, mat1, mat2_shape, mat2_strides, mat2_dtype),
   sign="@ +", text="{mat1} @ {mat2} + {self}", tex=r"{mat1} {mat2} + {self}", onnx="Gemm")
