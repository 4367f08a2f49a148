"""Products of matrices and vectors."""

from __future__ import annotations

import numpy as np

from .declare import Namespace, op
from .kernels import Array, as_array

F = Namespace()


def dot(a: Array, b: Array) -> Array:
    """The inner product of two vectors, 0-d."""
    return as_array(np.dot(a, b))


op("mm(self, mat2, /)", np.matmul,
   d_self=lambda grad, mat2: F.mm(grad, F.t(mat2)),
   d_mat2=lambda grad, self: F.mm(F.t(self), grad),
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

op("addmm(self, mat1, mat2, /)", lambda a, b, c: np.add(np.matmul(b, c), a),
   d_self=lambda grad, self_shape: F.sum_to_size(grad, self_shape),
   d_mat1=lambda grad, mat2: F.mm(grad, F.t(mat2)),
   d_mat2=lambda grad, mat1: F.mm(F.t(mat1), grad),
   sign="@ +", text="{mat1} @ {mat2} + {self}", tex=r"{mat1} {mat2} + {self}", onnx="Gemm")
