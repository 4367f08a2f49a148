"""Products of matrices and vectors."""

from __future__ import annotations

from typing import Any

from . import dtypes, hot
from .axes import squeeze_, t, transpose
from .compile import TENSORS as F
from .public import offer
from .shapes import expand, reshape, unsqueeze, view
from .storage import contiguous
from .tensor import Tensor


def _same_type(a: Tensor, b: Tensor) -> None:
    if a._data.dtype != b._data.dtype:
        raise RuntimeError(
            "expected m1 and m2 to have the same dtype, but got: "
            f"{dtypes.c_word(a._data.dtype)} != {dtypes.c_word(b._data.dtype)}"
        )


@offer(out=True)
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices.

    Raises:
        TypeError: no tensors.
        RuntimeError: no matrices, or sizes or types that do not match.
    """
    for place, each in ((1, input), (2, mat2)):
        if not isinstance(each, Tensor):
            name = "input" if place == 1 else "mat2"
            raise TypeError(
                f"mm(): argument '{name}' (position {place}) must be Tensor, "
                f"not {type(each).__name__}"
            )
    a, b = input._data, mat2._data
    if a.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if b.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and "
            f"{b.shape[0]}x{b.shape[1]})"
        )
    _same_type(input, mat2)
    return F.mm(input, mat2)


@offer(out=True)
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """A matrix times a vector."""
    a, b = input._data, vec._data
    if a.ndim != 2 or b.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {b.ndim}, {a.ndim}, {b.ndim}")
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            f"size mismatch, got input ({a.shape[0]}), mat ({a.shape[0]}x{a.shape[1]}), "
            f"vec ({b.shape[0]})"
        )
    if a.dtype != b.dtype:
        x, y = dtypes.type_word(a.dtype), dtypes.type_word(b.dtype)
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {y}, {x}, and {y}"
        )
    return F.mv(input, vec)


@offer(out=True)
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The inner product of two vectors."""
    a, b = input._data, tensor._data
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        raise RuntimeError(
            "dot : expected both vectors to have same dtype, but found "
            f"{dtypes.type_word(a.dtype)} and {dtypes.type_word(b.dtype)}"
        )
    if a.shape != b.shape:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a.size}] and src [{b.size}] to have the "
            f"same number of elements, but got {a.size} and {b.size} elements respectively"
        )
    return F.dot(input, tensor)


@offer(out=True)
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Products of two batches of matrices."""
    a, b = input._data.shape, mat2._data.shape
    if len(a) != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if len(b) != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    if a[0] != b[0] or a[2] != b[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a[0]}, {a[2]}] but "
            f"got: [{b[0]}, {b[1]}]."
        )
    x, y = input._data.dtype, mat2._data.dtype
    if x != y:
        raise RuntimeError(
            f"expected scalar type {dtypes.type_word(x)} but found {dtypes.type_word(y)}"
        )
    return F.bmm(input, mat2)


@offer(out=True)
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor) -> Tensor:
    """input + mat1 @ mat2."""
    a, b = mat1._data.shape, mat2._data.shape
    if a[1] != b[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({a[0]}x{a[1]} and {b[0]}x{b[1]})"
        )
    _same_type(mat1, mat2)
    return F.addmm(input, mat1, mat2)


@offer(out=True)
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Every item of one vector times every item of another."""
    return F.mul(reshape(input, -1, 1), vec2)


@offer(out=True)
def matmul(input: Tensor, other: Any) -> Tensor:
    """The matrix product, with PyTorch's rules for vectors and batches.

    Raises:
        RuntimeError: sizes that do not match, or a 0-d tensor.
    """
    if not isinstance(other, Tensor):
        return NotImplemented  # type: ignore[no-any-return]
    for operand in (input, other):
        if operand._view is not None:
            hot.refresh(operand)
    n, m = input._data.ndim, other._data.ndim
    if n == 0 or m == 0:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {n}D and {m}D"
        )
    if n == 1 and m == 1:
        return dot(input, other)
    if n == 2 and m == 1:
        return mv(input, other)
    if n == 1 and m == 2:
        return squeeze_(mm(unsqueeze(input, 0), other), 0)
    if n == 2 and m == 2:
        return mm(input, other)
    return _batched(input, other)


def _batched(a: Tensor, b: Tensor) -> Tensor:
    """Matrix products over broadcast leading dims."""
    n, m = a._data.ndim, b._data.ndim
    if m <= 2 and folds(a, b, False):
        return _folded(a, b)
    if n <= 2:
        # b.T a.T, transposed back, is the same with the batch on the left.
        turned = transpose(b, -2, -1)
        if folds(turned, a, True):
            out = _folded(turned, a if n == 1 else t(a))
            return out if n == 1 else contiguous(transpose(out, -2, -1))
    left = unsqueeze(a, 0) if n == 1 else a
    right = unsqueeze(b, -1) if m == 1 else b
    batch = hot.broadcast([left._data.shape[:-2], right._data.shape[:-2]])
    rows, inner, columns = left._data.shape[-2], left._data.shape[-1], right._data.shape[-1]
    x = reshape(expand(left, *batch, rows, inner), -1, rows, inner)
    y = reshape(expand(right, *batch, *right._data.shape[-2:]), -1, *right._data.shape[-2:])
    out = F.unsafe_view(bmm(x, y), (*batch, rows, columns))
    if n == 1:
        return F.unsafe_view(out, (*batch, columns))
    return F.unsafe_view(out, (*batch, rows)) if m == 1 else out


def folds(large: Tensor, small: Tensor, small_first: bool) -> bool:
    """Whether PyTorch folds the batch of ``large`` into its rows instead of repeating ``small``:
    when that saves a copy in backward, or needs none."""
    if large._data.ndim < 3:
        return False
    if small.requires_grad:
        return True
    if small_first and small._data.ndim == 2:
        return False
    shape, strides = large._data.shape, large._data.strides
    return large._data.size == 0 or all(
        strides[i] == strides[i + 1] * shape[i + 1] for i in range(len(shape) - 2)
    )


def _folded(large: Tensor, small: Tensor) -> Tensor:
    lead = large._data.shape[:-1]
    flat = reshape(large, -1, large._data.shape[-1])
    if small._data.ndim == 1:
        return F.unsafe_view(mv(flat, small), lead)
    return F.unsafe_view(mm(flat, small), (*lead, small._data.shape[-1]))


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias."""
    if bias is None:
        return matmul(input, t(weight))
    if input._data.ndim == 2:
        return addmm(bias, input, t(weight))
    lead = input._data.shape[:-1]
    flat = addmm(bias, reshape(input, -1, input._data.shape[-1]), t(weight))
    return view(flat, *lead, weight._data.shape[0])
