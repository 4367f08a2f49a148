"""Norms and distances: ``norm``, ``vector_norm``, ``cdist``, ``renorm``."""

from __future__ import annotations

import math
from typing import Any

from ...arrays import dtypes
from ...arrays.kernel_errors import broadcast_shape
from ...dispatch.offer import offer
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ..dims import wrap_dim
from ..memory.strides import contiguous
from ..shape.reshape_expand import expand, view
from .reductions import checked_reduction_dims, numpy_type

INF = float("inf")


def check_type(name: str, tensor: Tensor) -> None:
    """Norms are of floating point tensors.

    Raises:
        RuntimeError: PyTorch's text.
    """
    if not tensor._meta.floating:
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got "
            f"{dtypes.scalar_type(tensor._data.dtype)}"
        )


def check_dtype(name: str, tensor: Tensor, dtype: Any) -> None:
    """The type to compute in must be floating and no narrower.

    Raises:
        RuntimeError: PyTorch's texts.
    """
    if dtype is None:
        return
    have, wanted = tensor._data.dtype, dtype.numpy
    if wanted.kind != "f":
        raise RuntimeError(
            f"{name}: dtype should be floating point or complex, "
            f"but got {dtypes.scalar_type(wanted)}"
        )
    if wanted.itemsize < have.itemsize:
        raise RuntimeError(
            f"{name}: the dtype of the input ({dtypes.scalar_type(have)}) should be convertible "
            f"without narrowing to the specified dtype ({dtypes.scalar_type(wanted)})"
        )


@offer(space="linalg", out=True)
def vector_norm(
    x: Tensor, ord: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """(sum |x| ** ord) ** (1 / ord) of all items or along dims; for 0 the count of items that are
    not 0, for inf and -inf the largest and the smallest size.

    Raises:
        RuntimeError: integers, or no items where the order needs some (PyTorch's texts).
    """
    check_type("linalg.vector_norm", x)
    check_dtype("linalg.vector_norm", x, dtype)
    dims = None if dim is None else checked_reduction_dims(dim, x.ndim)
    if x._data.size == 0 and (ord < 0 or ord == INF):
        shown = "inf" if ord == INF else "-inf" if ord == -INF else f"{ord:g}"
        if not dims:
            raise RuntimeError(
                f"linalg.vector_norm cannot compute the {shown} norm on an empty tensor because "
                "the operation does not have an identity"
            )
        for d in dims:
            if not x._data.shape[d]:
                raise RuntimeError(
                    f"linalg.vector_norm cannot compute the {shown} norm on the dimension {d}"
                    "because this dimension is empty and the operation does not have an identity"
                )
    target = numpy_type(dtype)
    if target == x._data.dtype:
        target = None
    return F.linalg_vector_norm(x, ord, dims, keepdim, target)


@offer(space="linalg", out=True)
def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """The norm of matrices: "fro", "nuc", 2, -2 (of singular values), 1, -1, inf or -inf.

    Raises:
        RuntimeError: another order, or no matrix (PyTorch's texts).
    """
    name = "linalg.matrix_norm"
    check_type(name, A)
    if A.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    if len(dims) != 2:
        raise RuntimeError(f"{name}: dim must be a 2-tuple. Got {' '.join(map(str, dims))}")
    rows, columns = (wrap_dim(d, A.ndim) for d in dims)
    if rows == columns:
        raise RuntimeError(f"{name}: dims must be different. Got ({dims[0]}, {dims[1]})")
    if isinstance(ord, str):
        if ord not in ("fro", "nuc"):
            raise RuntimeError(f"{name}: Order {ord} not supported.")
    elif abs(ord) not in (1, 2, INF):
        raise RuntimeError(f"{name}: Order {ord:g} not supported.")
    check_dtype(name, A, dtype)
    if ord == "nuc" and A._data.dtype.char == "e":
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got Half")
    if ord == "fro":
        return vector_norm(A, 2, (rows, columns), keepdim, dtype=dtype)
    if dtype is not None:
        A = A.to(dtype)
    if ord == "nuc" or abs(ord) == 2:
        return singular_value_norm(A, ord, (rows, columns), keepdim)
    if abs(ord) == INF:
        rows, columns = columns, rows
    sums = vector_norm(A, 1, rows, keepdim)
    if not keepdim and rows < columns:
        columns -= 1
    choose = F.amax if ord > 0 else F.amin
    return choose(sums, (columns,), keepdim)


def singular_value_norm(A: Tensor, ord: Any, dims: tuple[int, int], keepdim: bool) -> Tensor:
    """The sum, the largest or the smallest of the singular values."""
    others = tuple(d for d in range(A.ndim) if d not in dims)
    to_back = (*others, *dims)
    values = F.linalg_svd(F.permute(A, to_back), full_matrices=False)[1]
    last = (-1,)
    if ord == "nuc":
        result = F.sum_dim(values, last, keepdim)
    else:
        result = (F.amax if ord > 0 else F.amin)(values, last, keepdim)
    if keepdim:
        result = F.unsqueeze(result, result.ndim)
        result = F.permute(result, tuple(to_back.index(d) for d in range(A.ndim)))
    return result


@offer(space="linalg", out=True)
def norm(
    A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """A vector norm (one dim, or no order), or a matrix norm (two dims).

    Raises:
        RuntimeError: neither can be meant (PyTorch's texts).
    """
    dims = None if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    if dims is not None and len(dims) not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}"
        )
    if dims is None and ord is not None and A.ndim not in (1, 2):
        raise RuntimeError(
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
            f"{A.ndim}D."
        )
    if isinstance(ord, str):
        return matrix_norm(A, ord, dims if dims is not None else (-2, -1), keepdim, dtype=dtype)
    if ord is not None and (len(dims) == 2 if dims is not None else A.ndim == 2):
        return matrix_norm(A, ord, dims or (0, 1), keepdim, dtype=dtype)
    return vector_norm(A, 2.0 if ord is None else ord, dims, keepdim, dtype=dtype)


def tensor_norm(
    input: Tensor,
    p: Any = "fro",
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Tensor:
    """The norm of all items or along dims: of order ``p``, "fro" (2) or "nuc" (of matrices)."""
    dtype = dtypes.python_type(dtype) if isinstance(dtype, type) else dtype
    if isinstance(p, str) and p != "fro":
        dims = (dim,) if isinstance(dim, int) else dim
        if dims is None:
            dims = tuple(range(input.ndim)) if input.ndim > 1 else (-2, -1)
        return matrix_norm(input, p, dims, keepdim, dtype=dtype)
    if p == "fro" and not (dim is None or isinstance(dim, int) or len(dim) < 3):
        return matrix_norm(input, p, dim, keepdim, dtype=dtype)
    order = 2 if p == "fro" else 2.0 if p is None else p
    return vector_norm(input, order, dim, keepdim, dtype=dtype)


tensor_norm.__name__ = tensor_norm.__qualname__ = "norm"
offer(out=True)(tensor_norm)


# Distances ---------------------------------------------------------------------------------------
def check_floating(tensor: Tensor) -> None:
    """Norms are of floating types.

    Raises:
        RuntimeError: integers or bools (PyTorch's text).
    """
    if not tensor._meta.floating:
        kind = dtypes.scalar_type(tensor._data.dtype)
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {kind} instead."
        )


@offer()
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The norm of order ``p`` of the difference."""
    away = F.sub(input.detach(), other.detach())  # refuses what a subtraction refuses
    check_floating(away)
    one, two = (each if each._meta.floating else each.to(away.dtype) for each in (input, other))
    return F.dist(one, two, p)


COMPUTE_MODES = (
    "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist",
    "donot_use_mm_for_euclid_dist",
)  # fmt: skip


@offer(method=False)
def cdist(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor:
    """Distances of order ``p`` between each row of one and each row of another, batched.

    Raises:
        RuntimeError: no rows, or of different lengths (PyTorch's texts).
        ValueError: another mode.
    """
    if compute_mode not in COMPUTE_MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    for name, each in (("X1", x1), ("X2", x2)):
        if each.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {each.ndim}D")
    if x1._data.shape[-1] != x2._data.shape[-1]:
        raise RuntimeError(
            "X1 and X2 must have the same number of columns. X1: "
            f"{x1._data.shape[-1]} X2: {x2._data.shape[-1]}"
        )
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    for name, each in (("X1", x1), ("X2", x2)):
        if not each._meta.floating:
            kind = dtypes.scalar_type(each._data.dtype)
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {kind}")
    broadcast_shape([x1._data.shape[:-2], x2._data.shape[:-2]])
    kinds = [dtypes.scalar_type(each._data.dtype) for each in (x1, x2)]
    if kinds[0] != kinds[1] and kinds[0] != "Half":
        if x1._data.size and x2._data.size:
            raise RuntimeError(f"expected scalar type {kinds[0]} but found {kinds[1]}")
        x2 = F.to_copy(x2, x1._data.dtype)
    many = max(x1._data.shape[-2], x2._data.shape[-2]) > FEW_ROWS
    by_product = many if compute_mode == COMPUTE_MODES[0] else compute_mode == COMPUTE_MODES[1]
    if p == 2 and by_product and x1._data.size and x2._data.size:
        return euclidean(x1, x2)
    return F.cdist(x1, x2, float(p))


FEW_ROWS = 25
"""Above this many, distances are computed one by one."""


def euclidean(x1: Tensor, x2: Tensor) -> Tensor:
    """``cdist`` by a product of matrices, the batches spread and seen as one dim."""
    batch = broadcast_shape([x1._data.shape[:-2], x2._data.shape[:-2]])
    first, second = (flatten_batch(each, batch) for each in (x1, x2))
    return view(F._euclidean_dist(first, second), *batch, x1.shape[-2], x2.shape[-2])


def flatten_batch(x: Tensor, batch: tuple[int, ...]) -> Tensor:
    """Matrices spread over a batch, which is one dim; a single matrix as it is."""
    if math.prod(batch) == 1:
        return x
    spread = contiguous(expand(x, *batch, *x.shape[-2:]))
    return view(spread, math.prod(batch), *x.shape[-2:])
