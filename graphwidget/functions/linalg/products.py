"""``mm``, ``mv``, ``dot``, ``bmm``, ``outer``, ``cross`` and ``vecdot``."""

from __future__ import annotations

from ...arrays import dtypes
from ...arrays.kernel_errors import broadcast_shape, not_implemented
from ...arrays.warnings import warn_once
from ...dispatch.offer import offer
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ...optable.out import POINTWISE, Out
from ..dims import checked_dim, wrap_dim_nonempty
from ..shape.reshape_expand import reshape
from .matrix_checks import check_floating, check_same_types


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


def no_bools(kernel: str, tensor: Tensor) -> None:
    """Refuse products of bools.

    Raises:
        NotImplementedError: PyTorch's text.
    """
    if tensor._data.dtype == bool and (tensor._data.size or kernel == "dot"):
        raise not_implemented(kernel, tensor._data.dtype)


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


def check_vectors(name: str, input: Tensor, tensor: Tensor) -> None:
    """PyTorch's checks of ``dot`` and ``vdot``."""
    a, b = input._data, tensor._data
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"{name} : expected both vectors to have same dtype, but found "
            f"{dtypes.scalar_type(a.dtype)} and {dtypes.scalar_type(b.dtype)}"
        )
    if a.shape != b.shape:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a.size}] and src [{b.size}] to have the "
            f"same number of elements, but got {a.size} and {b.size} elements respectively"
        )


@offer(out=True)
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The inner product of two vectors."""
    check_vectors("dot", input, tensor)
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
        input = F.to_copy(input, y)  # nothing is multiplied, so nobody asks
    return F.bmm(input, mat2)


@offer(out=True)
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """The inner product of two vectors."""
    check_vectors("dot", input, other)
    no_bools("dot", input)
    return F.vdot(input, other)


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


@offer(space="linalg", out=True)
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """The inner products of vectors along a dim.

    Raises:
        RuntimeError: no floats, or two types.
    """
    if not (isinstance(x, Tensor) and isinstance(y, Tensor)):
        raise TypeError("linalg_vecdot() takes two tensors")  # the parser's words come first
    check_floating("linalg.vecdot", x, half=True)
    check_same_types("linalg.vecdot", "x", x, "y", y)
    if x._data.ndim == 1 == y._data.ndim:
        return vdot(x, y)
    found = F.mul(x, y)
    return F.sum_dim(found, (checked_dim(dim, found._data.ndim),), False)
