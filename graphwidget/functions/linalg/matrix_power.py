"""``matrix_power`` and ``matrix_exp`` of square matrices."""

from __future__ import annotations

from ...dispatch.offer import SPACES, offer
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from .matmul import matmul


@offer(space="linalg", out=True)
def matrix_power(input: Tensor, n: int) -> Tensor:
    """Square matrices multiplied n times with themselves; their inverses for negative n.

    Raises:
        RuntimeError: not square (PyTorch's text).
    """
    shape = input._data.shape
    if len(shape) < 2:
        raise RuntimeError(
            "linalg.matrix_power: The input tensor A must have at least 2 dimensions."
        )
    if shape[-1] != shape[-2]:
        raise RuntimeError(
            "linalg.matrix_power: A must be batches of square matrices, but they are "
            f"{shape[-2]} by {shape[-1]} matrices"
        )
    if n == 0:
        return identity_like(input)
    if n < 0:
        input, n = SPACES["linalg"]["inv"](input), -n
        if n == 1:
            return input
    if n == 1:
        return F.clone(input)
    if n == 3:
        return matmul(matmul(input, input), input)
    result, square = None, input
    while True:  # binary: squares of squares
        n, odd = divmod(n, 2)
        if odd:
            result = square if result is None else matmul(result, square)
        if not n:
            assert result is not None
            return result
        square = matmul(square, square)


def identity_like(A: Tensor) -> Tensor:
    """Identity matrices written over a copy, so that the history (of zeros) is kept."""
    unit = F.diag_embed(F.ones_like(A[..., 0].detach()))
    return F.clone(A).copy_(unit)


offer(function=True)(matrix_power)
