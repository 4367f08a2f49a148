"""Products of matrices and vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..optable import TABLE
from ..optable.refusals import not_implemented
from . import dtypes
from .compile import TENSORS as F
from .dims import wrap_dim
from .indexing import check_expand
from .inplace import write
from .public import FUNCTIONS, METHODS, offer
from .shapes import reshape
from .tensor import Tensor
from .warning import warn_once


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
        x, y = dtypes.type_word(a.dtype), dtypes.type_word(b.dtype)
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
            f"{dtypes.type_word(a.dtype)} and {dtypes.type_word(b.dtype)}"
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
                f"expected scalar type {dtypes.type_word(x)} but found {dtypes.type_word(y)}"
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


@offer("ger", out=True)
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Every item of one vector times every item of another."""
    for name, each in (("self", input), ("vec2", vec2)):
        if each._data.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {each._data.ndim}-D")
    return F.mul(reshape(input, input._data.size, 1), vec2)


# Products added to something ---------------------------------------------------------------------
def spread(input: Tensor, shape: tuple[int, ...]) -> None:
    """Check that what is added broadcasts to the product's shape.

    Raises:
        RuntimeError: it does not (PyTorch's text).
    """
    if input._data.shape not in (shape, shape[1:]):
        check_expand(input._data, shape)


def same_types(input: Tensor, one: Tensor, two: Tensor) -> None:
    """Check that three matrices have one type.

    Raises:
        RuntimeError: they do not (PyTorch's text).
    """
    if input._meta.dtype is one._meta.dtype is two._meta.dtype:
        return
    for name, each in (("self", input), ("mat1", one)):
        if each._data.dtype != two._data.dtype:
            raise RuntimeError(
                f"{name} and mat2 must have the same dtype, but got "
                f"{dtypes.type_word(each._data.dtype)} and {dtypes.type_word(two._data.dtype)}"
            )


def check_addmm(input: Tensor, mat1: Tensor, mat2: Tensor) -> None:
    """PyTorch's checks of ``addmm``: first the types, then the sizes."""
    same_types(input, mat1, mat2)
    a, b = mat1._data.shape, mat2._data.shape
    for name, shape in (("mat1", a), ("mat2", b)):
        if len(shape) != 2:
            raise RuntimeError(f"{name} must be a matrix, got {len(shape)}-D tensor")
    if a[1] != b[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({a[0]}x{a[1]} and {b[0]}x{b[1]})"
        )
    spread(input, (a[0], b[1]))
    no_bools("addmm_impl_cpu_", input)


@offer(out=True)
def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    """beta input + alpha mat1 @ mat2."""
    check_addmm(input, mat1, mat2)
    if beta == 1 and alpha == 1:
        return F.addmm(input, mat1, mat2)
    return F.addmm_scaled(input, mat1, mat2, beta, alpha)


def check_addmv(input: Tensor, mat: Tensor, vec: Tensor) -> None:
    """PyTorch's checks of ``addmv``."""
    a, b, c = mat._data.shape, vec._data.shape, input._data.shape
    if len(a) != 2 or len(b) != 1 or len(c) > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {len(c)}, {len(a)}, {len(b)}")
    if a[1] != b[0] or (c and c[0] not in (1, a[0])):
        raise RuntimeError(
            f"size mismatch, got input ({c[0] if c else a[0]}), mat ({a[0]}x{a[1]}), vec ({b[0]})"
        )
    words = [dtypes.type_word(each._data.dtype) for each in (input, mat, vec)]
    if len(set(words)) > 1:
        raise RuntimeError(
            "addmv input tensors must have the same dtype, but got {}, {}, and {}".format(*words)
        )
    no_bools("addmv_impl_cpu", input)


@offer(out=True)
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta input + alpha mat @ vec."""
    check_addmv(input, mat, vec)
    return F.addmv(input, mat, vec, beta, alpha)


def check_addbmm(input: Tensor, batch1: Tensor, batch2: Tensor) -> None:
    """PyTorch's checks of ``addbmm``."""
    a, b = batch1._data.shape, batch2._data.shape
    spread(input, (a[wrap_dim(1, len(a))], b[wrap_dim(2, len(b))]))
    check_batches(batch1, batch2)
    if a[0] != b[0]:
        raise RuntimeError(
            f"batch1 and batch2 must have same number of batches, got {a[0]} and {b[0]}"
        )
    if a[2] != b[1]:
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({a[1]}x{a[2]} and {b[1]}x{b[2]})")
    same_types(input, batch1, batch2)
    no_bools("addmm_impl_cpu_", input)


def check_baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor) -> None:
    """PyTorch's checks of ``baddbmm``."""
    a, b = batch1._data.shape, batch2._data.shape
    rows, columns = a[wrap_dim(1, len(a))], b[wrap_dim(2, len(b))]
    spread(input, (a[0], rows, columns))
    check_batches(batch1, batch2)
    if a[0] != b[0] or a[2] != b[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a[0]}, {a[2]}] but "
            f"got: [{b[0]}, {b[1]}]."
        )
    given = [each._data.dtype for each in (input, batch1, batch2)]
    if given[0] != given[1]:
        raise RuntimeError(
            "Input dtypes must be the same, got: input {}, batch1: {}, batch2: {}".format(
                *map(dtypes.c_word, given)
            )
        )
    no_bools("baddbmm", input)
    if given[1] != given[2]:
        raise RuntimeError(
            f"expected scalar type {dtypes.type_word(given[1])} but found "
            f"{dtypes.type_word(given[2])}"
        )


def check_batches(*batches: Tensor) -> None:
    """Check that both operands are batches of matrices."""
    for number, each in enumerate(batches, 1):
        if each._data.ndim != 3:
            raise RuntimeError(f"batch{number} must be a 3D tensor")


@offer(out=True)
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    """beta input + alpha times the sum of the products of two batches of matrices."""
    check_addbmm(input, batch1, batch2)
    return F.addbmm(input, batch1, batch2, beta, alpha)


@offer(out=True)
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    """beta input + alpha times the products of two batches of matrices."""
    check_baddbmm(input, batch1, batch2)
    return F.baddbmm(input, batch1, batch2, beta, alpha)


def check_addr(input: Tensor, vec1: Tensor, vec2: Tensor) -> None:
    """PyTorch's checks of ``addr``."""
    for name, each in (("vec1", vec1), ("vec2", vec2)):
        if each._data.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {each._data.ndim}-D")
    spread(input, (vec1._data.size, vec2._data.size))


@offer(out=True)
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta input + alpha times the outer product of two vectors."""
    check_addr(input, vec1, vec2)
    return F.addr(input, vec1, vec2, beta, alpha)


def _added_in_place(key: str, check: Callable[..., None], shape_of: Any) -> Callable[..., Tensor]:
    def method(
        self: Tensor, one: Tensor, two: Tensor, *, beta: float = 1, alpha: float = 1
    ) -> Tensor:
        check(self, one, two)
        result = shape_of(one._data.shape, two._data.shape)
        if self._data.shape != result:
            raise RuntimeError(
                f"Bad in-place call: input tensor size {list(self._data.shape)} and output tensor "
                f"size {list(result)} should match"
            )
        return write(TABLE[key], self, (one, two), {"beta": beta, "alpha": alpha})

    code = method.__code__  # the operands' names are the op's
    method.__code__ = code.replace(
        co_varnames=("self", *TABLE[key].inputs[1:], *code.co_varnames[3:])
    )
    method.__name__ = method.__qualname__ = key.partition(".")[0] + "_"
    method.__doc__ = f"``{key.partition('.')[0]}``, written into this tensor."
    return method


METHODS.update(
    addmm_=_added_in_place("addmm.scaled", check_addmm, lambda a, b: (a[0], b[-1])),
    addmv_=_added_in_place("addmv", check_addmv, lambda a, b: (a[0],)),
    addbmm_=_added_in_place("addbmm", check_addbmm, lambda a, b: (a[1], b[2])),
    baddbmm_=_added_in_place("baddbmm", check_baddbmm, lambda a, b: (a[0], a[1], b[2])),
    addr_=_added_in_place("addr", check_addr, lambda a, b: (a[0], b[0])),
)


FUNCTIONS["addmv_"] = METHODS["addmv_"]


# Vectors -----------------------------------------------------------------------------------------
def _cross(input: Tensor, other: Tensor, dim: int | None) -> Tensor:
    a, b = input._data.shape, other._data.shape
    if len(a) != len(b):
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    if dim is None:  # the old function looks for a dim of size 3
        dim = next((i for i, size in enumerate(a) if size == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    place = wrap_dim(dim, len(a))
    if a[place] != 3 or b[place] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {a[place]} and "
            f"{b[place]}"
        )
    kinds = [dtypes.type_word(each._data.dtype) for each in (input, other)]
    if kinds[0] != kinds[1]:
        if kinds[0] == "Bool":
            raise not_implemented("cross", input._data.dtype)
        raise RuntimeError(f"expected scalar type {kinds[0]} but found {kinds[1]}")
    return F.linalg_cross(input, other, dim)


@offer(space="linalg", out=True)
def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """The cross product of vectors of three items along a dim."""
    return _cross(input, other, dim)


NO_DIM = (
    "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim "
    "explicitly or simply use torch.linalg.cross.\nThe default value of dim will change to agree "
    "with that of linalg.cross in a future release."
)


def old_cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The cross product along a dim of size 3 (the first such, without ``dim``)."""
    if dim is None:
        warn_once(NO_DIM)
    return _cross(input, other, dim)


old_cross.__name__ = old_cross.__qualname__ = "cross"
offer(out=True)(old_cross)
