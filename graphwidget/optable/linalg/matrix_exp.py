"""``matrix_exp``: exp of matrices, which is not that of their items."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import Namespace, composite, op
from ..pointwise.common_kernels import Array

F = Namespace()


def matrix_exp(a: Array) -> Array:
    """exp of matrices: a Taylor series of a part small enough, squared as often as it was
    halved."""
    size = np.max(np.add.reduce(np.absolute(a), -1), initial=0.0)
    halvings = max(0, int(np.ceil(np.log2(size))) + 1) if np.isfinite(size) and size > 0 else 0
    wide = a.astype(np.float64) / 2.0**halvings
    result = term = np.broadcast_to(np.eye(a.shape[-1]), a.shape)
    for order in range(1, 19):
        term = np.matmul(term, wide) / order
        result = result + term
    for _ in range(halvings):
        result = np.matmul(result, result)
    return result.astype(a.dtype)


@composite
def matrix_exp_backward(grad: Any, self: Any) -> Any:
    """The gradient of exp of matrices: the upper right of exp of a block matrix (Higham, Functions
    of Matrices, 2008, theorem 3.6)."""
    size, row = self.shape[-1], len(self.shape) - 2

    def block(whole: Any, i: int, j: int) -> Any:
        rows = F.slice(whole, row, i * size, (i + 1) * size, 1)
        return F.slice(rows, row + 1, j * size, (j + 1) * size, 1)

    turned = F.mT(self)
    whole = F.zeros_of(grad, (*self.shape[:row], 2 * size, 2 * size))
    for i, j, part in ((0, 0, turned), (1, 1, turned), (0, 1, grad)):
        F.write("copy", block(whole, i, j), part)
    return block(F.linalg_matrix_exp(whole), 0, 1)


op("linalg_matrix_exp(self, /)", matrix_exp,
   d_self=lambda grad, self: F.matrix_exp_backward(grad, self),
   public=False, sign="exp", text="exp({self})", tex=r"e^{{{self}}}", onnx=None)
