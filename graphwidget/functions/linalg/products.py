"""``matmul``, ``mm``, ``dot``, ``linear`` and the checks of matrices that linear algebra shares."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.kernel_errors import LinAlgError, broadcast_shape, not_implemented
from ...arrays.memory_order import real_strides
from ...arrays.warnings import warn_once
from ...dispatch.offer import SPACES, offer
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ...graph.views import refresh_for_op
from ...optable.out import POINTWISE, Out
from ..dims import wrap_dim_nonempty
from ..memory.strides import contiguous
from ..shape.permute import squeeze_, t, transpose
from ..shape.reshape_expand import reshape, reshape_to, unsqueeze
from .addmm import addmm, no_bools


# Checks ------------------------------------------------------------------------------------------
def check_floating(name: str, A: Tensor, half: bool = False) -> None:
    """Linear algebra is of floating point tensors, float32 at least (``half``: the kernel says
    so itself).

    Raises:
        RuntimeError, NotImplementedError: PyTorch's texts.
    """
    kind = dtypes.scalar_type(A._data.dtype)
    if not A._meta.floating:
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got {kind}"
        )
    if A._data.dtype.itemsize < 4 and not half:
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {kind}")


def check_same_types(name: str, one: str, A: Tensor, two: str, B: Tensor) -> None:
    """Two operands, by their names in the error, of one type.

    Raises:
        RuntimeError: PyTorch's text.
    """
    if A._data.dtype != B._data.dtype:
        first, second = dtypes.scalar_type(A._data.dtype), dtypes.scalar_type(B._data.dtype)
        raise RuntimeError(
            f"{name}: Expected {one} and {two} to have the same dtype, but found {one} of type "
            f"{first} and {two} of type {second} instead"
        )


def check_matrix(name: str, A: Tensor, letter: str = "A") -> None:
    """Two dims at least.

    Raises:
        RuntimeError: PyTorch's text.
    """
    if A._data.ndim < 2:
        tensor = f"tensor {letter}".rstrip()
        raise RuntimeError(f"{name}: The input {tensor} must have at least 2 dimensions.")


def check_square(name: str, A: Tensor) -> None:
    """A batch of square matrices.

    Raises:
        RuntimeError: PyTorch's texts.
    """
    check_matrix(name, A)
    rows, columns = A._data.shape[-2:]
    if rows != columns:
        raise RuntimeError(
            f"{name}: A must be batches of square matrices, but they are {rows} by {columns} "
            "matrices"
        )


def check_info(name: str, info: Tensor, text: str, error: type[Exception] = LinAlgError) -> None:
    """Raise for the first matrix of a batch on which LAPACK failed.

    Raises:
        LinAlgError: PyTorch's text.
    """
    found = info._data
    if not found.any():
        return
    if not found.ndim:
        raise error(f"{name}: " + text.format(int(found)))
    first = int(np.flatnonzero(found)[0])
    number = int(found.reshape(-1)[first])
    raise error(f"{name}: (Batch element {first}): " + text.format(number))


def _same_type(a: Tensor, b: Tensor) -> None:
    if a._data.dtype != b._data.dtype:
        raise RuntimeError(
            "expected m1 and m2 to have the same dtype, but got: "
            f"{dtypes.c_type(a._data.dtype)} != {dtypes.c_type(b._data.dtype)}"
        )


@offer(out=True)
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices.

    Raises:
        TypeError: no tensors.
        RuntimeError: no matrices, or sizes or types that do not match.
    """
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
    if b.size:
        no_bools("addmm_impl_cpu_", input)
    return F.mm(input, mat2)


@offer(out=True)
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """A matrix times a vector."""
    a, b = input._data, vec._data
    if not a.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if a.ndim != 2 or b.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {a.ndim}, {b.ndim}")
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            f"size mismatch, got input ({a.shape[0]}), mat ({a.shape[0]}x{a.shape[1]}), "
            f"vec ({b.shape[0]})"
        )
    if a.dtype != b.dtype:
        x, y = dtypes.scalar_type(a.dtype), dtypes.scalar_type(b.dtype)
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {y}, {x}, and {y}"
        )
    no_bools("addmv_impl_cpu", input)
    return F.mv(input, vec)


@offer(out=True)
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The inner product of two vectors."""
    a, b = input._data, tensor._data
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"dot : expected both vectors to have same dtype, but found "
            f"{dtypes.scalar_type(a.dtype)} and {dtypes.scalar_type(b.dtype)}"
        )
    if a.shape != b.shape:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a.size}] and src [{b.size}] to have the "
            f"same number of elements, but got {a.size} and {b.size} elements respectively"
        )
    no_bools("dot", input)
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
    if 0 not in (*a, *b):
        no_bools("bmm", input)
        if x != y:
            raise RuntimeError(
                f"expected scalar type {dtypes.scalar_type(x)} but found {dtypes.scalar_type(y)}"
            )
    elif x != y:
        input = F.to_copy(input, y)  # nothing is multiplied, so types need not agree
    return F.bmm(input, mat2)


@offer("ger", out=POINTWISE)
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Every item of one vector times every item of another."""
    for name, each in (("self", input), ("vec2", vec2)):
        if each._data.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {each._data.ndim}-D")
    return F.mul(reshape(input, input._data.size, 1), vec2)


# Vectors -----------------------------------------------------------------------------------------
def _cross(input: Tensor, other: Tensor, dim: int | None) -> Tensor:
    a, b = input._data.shape, other._data.shape
    if dim is None:  # the old function looks for a dim of size 3
        dim = next((i for i, size in enumerate(a) if size == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    if len(a) != len(b):
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    place = wrap_dim_nonempty(dim, len(a))
    if a[place] != 3 or b[place] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {a[place]} and "
            f"{b[place]}"
        )
    kinds = [dtypes.scalar_type(each._data.dtype) for each in (input, other)]
    if kinds[0] != kinds[1]:
        if kinds[0] == "Bool":
            raise not_implemented("cross", input._data.dtype)
        raise RuntimeError(f"expected scalar type {kinds[0]} but found {kinds[1]}")
    broadcast_shape([a, b])
    return F.linalg_cross(input, other, dim)


@offer(space="linalg", out=Out(memory="none"))
def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """The cross product of vectors of three items along a dim."""
    return _cross(input, other, dim)


NO_DIM = (
    "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim "
    "explicitly or simply use torch.linalg.cross.\nThe default value of dim will change to agree "
    "with that of linalg.cross in a future release."
)


def torch_cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The cross product along a dim of size 3 (the first such, without ``dim``)."""
    if dim is None:
        warn_once(NO_DIM)
    return _cross(input, other, dim)


torch_cross.__name__ = torch_cross.__qualname__ = "cross"
offer(out=Out(memory="none"))(torch_cross)


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
