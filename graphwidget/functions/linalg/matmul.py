"""``matmul``, with PyTorch's rules for vectors and batches, ``linear`` and ``multi_dot``."""

from __future__ import annotations

from math import prod
from typing import Any

from ...arrays.kernel_errors import broadcast_shape
from ...arrays.overlap import real_strides
from ...dispatch.offer import SPACES, offer
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ...graph.views import refresh_for_op
from ..memory.strides import contiguous
from ..shape.permute import squeeze_, t, transpose
from ..shape.reshape_expand import reshape_to, unsqueeze
from .addmm import addmm
from .products import bmm, dot, mm, mv


@offer(out=True)
def matmul(input: Tensor, other: Any) -> Tensor:
    """The matrix product, with PyTorch's rules for vectors and batches.

    Raises:
        TypeError: no tensors.
        RuntimeError: sizes that do not match, or a 0-d tensor.
    """
    n, m = input._data.ndim, other._data.ndim
    if n == 0 or m == 0:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {n}D and {m}D"
        )
    for operand in (input, other):
        if operand._view is not None:
            refresh_for_op(operand)
    if n == 2 and m == 2:
        return mm(input, other)
    if n == 1 and m == 1:
        return dot(input, other)
    if n == 2 and m == 1:
        return mv(input, other)
    if n == 1 and m == 2:
        return squeeze_(mm(unsqueeze(input, 0), other), 0)
    if should_fold(input, other):
        return _matmul_folded(input, other)
    return _matmul_batched(input, other)


SPACES["linalg"]["matmul"] = matmul
F.__dict__["matmul"] = matmul  # derivatives multiply batches with it


def should_fold(a: Tensor, b: Tensor) -> bool:
    """Return whether PyTorch folds the batch of the larger operand into its rows instead of
    repeating the other: when that saves a copy in backward, or needs none."""
    n, m = a._data.ndim, b._data.ndim
    if max(n, m) < 3 or min(n, m) > 2:
        return False
    if (b if n >= m else a)._requires_grad:
        return True
    if n == 2:
        return False
    large = a._data if n >= m else b._data
    shape, strides = list(large.shape), real_strides(large)
    if n < m:
        shape[-2:], strides[-2:] = shape[:-3:-1], strides[:-3:-1]
    return large.size == 0 or all(
        strides[i] == strides[i + 1] * shape[i + 1] for i in range(len(shape) - 2)
    )


def _matmul_folded(a: Tensor, b: Tensor) -> Tensor:
    turned = b._data.ndim > a._data.ndim
    # b.T a.T, transposed back, is the same with the batch on the left.
    large = transpose(b, -2, -1) if turned else a
    small = b if not turned else t(a) if a._data.ndim == 2 else a
    lead = large._data.shape[:-1]
    rows = 1
    for size in lead:
        rows *= size
    flat = reshape_to(large, (rows, large._data.shape[-1]))
    if small._data.ndim == 1:
        return F.unsafe_view(mv(flat, small), lead)
    out = F.unsafe_view(mm(flat, small), (*lead, small._data.shape[-1]))
    return contiguous(transpose(out, -2, -1)) if turned else out


def _matmul_batched(a: Tensor, b: Tensor) -> Tensor:
    """Matrix products over broadcast leading dims."""
    n, m = a._data.ndim, b._data.ndim
    left, right = a._data.shape, b._data.shape
    if n == 3 and m == 3 and left[0] != right[0]:  # what is repeated is better folded
        if left[0] == 1 and a._requires_grad:
            return matmul(F.squeeze_dim(a, 0), b)
        if right[0] == 1 and b._requires_grad:
            return matmul(a, F.squeeze_dim(b, 0))
    rows, inner = (left[-2] if n > 1 else 1), left[-1]
    inner2, columns = (right[-2], right[-1]) if m > 1 else (right[0], 1)
    batch = broadcast_shape([left[:-2], right[:-2]])
    count = 1
    for size in batch:
        count *= size
    x = reshape_to(F.expand(a, (*batch, rows, inner)), (count, rows, inner))
    shape = (*batch, *((rows,) if n > 1 else ()), *((columns,) if m > 1 else ()))
    if m == 1:
        y = unsqueeze(reshape_to(F.expand(b, (*batch, inner2)), (count, inner2)), 2)
        return F.unsafe_view(F.squeeze_dim(bmm(x, y), 2), shape)
    y = reshape_to(F.expand(b, (*batch, inner2, columns)), (count, inner2, columns))
    return F.unsafe_view(bmm(x, y), shape)


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias`; weight has shape (out_features, in_features).

    It is one product wherever that needs no copy of the input.

    Raises:
        TypeError: an operand is no tensor.
        RuntimeError: shapes or types that do not match, or a 0-d tensor.
    """
    n, m = input._data.ndim, weight._data.ndim
    if n == 0 or m == 0:
        raise RuntimeError(
            f"both arguments to linear need to be at least 1D, but they are {n}D and {m}D"
        )
    if bias is None:
        return matmul(input, t(weight))
    if n == 2:
        return addmm(bias, input, t(weight))
    if bias._data.ndim and bias._data.flags.c_contiguous and input._data.flags.c_contiguous:
        *lead, features = input._data.shape
        flat = addmm(bias, F.view(input, (prod(lead), features)), t(weight))
        return F.view(flat, (*lead, flat._data.shape[-1]))
    return matmul(input, t(weight)).add_(bias)
