"""The functions users call, and the same as methods of Tensor.

Most are the record functions of the op table as they are. Those with PyTorch's richer signatures
(``dim`` or none, numbers or tensors, functions made of several ops) are written here, in terms of
``F``, the record functions.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import dtypes, hot, inplace
from .compile import LINKS, TENSORS, specialise
from .promote import constant, is_number
from .tensor import Tensor

specialise()
F = TENSORS
hot.DETACH = __import__("graphwidget.optable", fromlist=["TABLE"]).TABLE["detach"]


# Dimensions ----------------------------------------------------------------------------------
def wrap_dim(dim: int, ndim: int) -> int:
    """A dim counted from the start.

    Raises:
        IndexError: out of range (PyTorch's text).
        TypeError: not an integer.
    """
    size = builtins.max(ndim, 1)
    if not -size <= dim < size:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-size}, {size - 1}], "
            f"but got {dim})"
        )
    return dim % size


def wrap_dims(dim: Any, ndim: int) -> tuple[int, ...]:
    """One or several dims counted from the start; an empty choice means all."""
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    found = tuple(wrap_dim(d, ndim) for d in dims) or tuple(range(ndim))
    if len(set(found)) != len(found):
        twice = next(d for d in found if found.count(d) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return found if ndim else ()


def shape_args(args: tuple[Any, ...]) -> tuple[int, ...]:
    """``(2, 3)`` or ``((2, 3),)`` as a shape."""
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = tuple(args[0])
    return tuple(int(size) for size in args)


def infer_shape(shape: tuple[int, ...], numel: int) -> tuple[int, ...]:
    """A shape with its -1 filled in.

    Raises:
        RuntimeError: it does not have ``numel`` items (PyTorch's texts).
    """
    known, missing = 1, None
    for i, size in enumerate(shape):
        if size == -1:
            if missing is not None:
                raise RuntimeError("only one dimension can be inferred")
            missing = i
        elif size < 0:
            raise RuntimeError(f"invalid shape dimension {size}")
        else:
            known *= size
    fits = known == numel if missing is None else (known > 0 and numel % known == 0)
    if not fits:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    if missing is None:
        return shape
    return (*shape[:missing], numel // known, *shape[missing + 1 :])


# Arithmetic --------------------------------------------------------------------------------------
def add(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    """input + alpha other."""
    if alpha == 1:
        return F.add(input, other)  # type: ignore[no-any-return]
    return F.add_alpha(input, other, alpha)  # type: ignore[no-any-return]


def sub(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    """input - alpha other."""
    if alpha == 1:
        return F.sub(input, other)  # type: ignore[no-any-return]
    return F.sub_alpha(input, other, alpha)  # type: ignore[no-any-return]


def rsub(input: Any, other: Any) -> Tensor:
    """other - input."""
    if isinstance(other, Tensor):
        return sub(other, input)
    if not is_number(other):
        return NotImplemented
    dtype = dtypes.result_type(input._data, other)
    source = input if input._data.dtype == dtype else F.to_copy(input, dtype)
    return F.rsub(source, other)  # type: ignore[no-any-return]


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """input / other; ``rounding_mode`` may be ``"floor"`` or ``"trunc"``."""
    if rounding_mode is None:
        return F.div(input, other)  # type: ignore[no-any-return]
    if rounding_mode == "floor":
        return F.floor_divide(input, other)  # type: ignore[no-any-return]
    raise NotImplementedError(f"div: rounding_mode={rounding_mode!r} is not offered yet")


def rdiv(self: Tensor, other: Any) -> Tensor:
    """other / self, which PyTorch computes as ``self.reciprocal() * other``."""
    return F.mul(F.reciprocal(self), other)  # type: ignore[no-any-return]


neg = F.neg


def pow(input: Any, exponent: Any) -> Tensor:
    """input ** exponent; either may be a number."""
    if isinstance(exponent, Tensor):
        if isinstance(input, Tensor):
            return F.pow_tensor(input, exponent)  # type: ignore[no-any-return]
        dtype = dtypes.result_type(exponent._data, input)
        power = exponent if exponent._data.dtype == dtype else F.to_copy(exponent, dtype)
        return F.pow_base(power, input)  # type: ignore[no-any-return]
    if not is_number(exponent):
        return NotImplemented
    dtype = dtypes.result_type(input._data, exponent)
    if input._data.dtype != dtype:
        input = F.to_copy(input, dtype)
    return F.pow(input, exponent)  # type: ignore[no-any-return]


def rpow(self: Tensor, base: Any) -> Tensor:
    """base ** self."""
    return pow(base, self)


def square(input: Tensor) -> Tensor:
    """input ** 2."""
    return F.pow(input, 2)  # type: ignore[no-any-return]


def remainder(input: Any, other: Any) -> Tensor:
    """input modulo other, with the sign of other."""
    if isinstance(input, Tensor) and is_number(other):
        dtype = dtypes.result_type(input._data, other)
        source = input if input._data.dtype == dtype else F.to_copy(input, dtype)
        return F.remainder_number(source, other)  # type: ignore[no-any-return]
    return F.remainder(input, other)  # type: ignore[no-any-return]


def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """input where condition, else other; with the condition alone, the indices where it holds."""
    if input is None:
        return tuple(Tensor._wrap(each) for each in np.nonzero(condition._data))
    tensors = [x for x in (input, other) if isinstance(x, Tensor)]
    operands = []
    for operand in (input, other):
        if is_number(operand):
            like = tensors[0]._data if tensors else operand
            operand = constant(operand, dtypes.result_type(like, operand))
        operands.append(operand)
    return F.where(condition, *operands)


def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """input, at least min and at most max (numbers)."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    return F.clamp(input, min, max)  # type: ignore[no-any-return]


def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """input with a number where the mask holds."""
    number = value.item() if isinstance(value, Tensor) else value
    return F.masked_fill(input, mask, number)  # type: ignore[no-any-return]


def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy that gradients flow through."""
    return F.clone(input)  # type: ignore[no-any-return]


# Reductions -------------------------------------------------------------------------------------------
class Pair(tuple[Tensor, Tensor]):
    """Values and indices, by name too, as PyTorch's ``return_types``."""

    op = "max"

    @property
    def values(self) -> Tensor:
        """The chosen items."""
        return self[0]

    @property
    def indices(self) -> Tensor:
        """Where they stood."""
        return self[1]

    def __repr__(self) -> str:
        return (
            f"torch.return_types.{self.op}(\nvalues={self.values!r},\nindices={self.indices!r})"
        )


class MinPair(Pair):
    """The same for ``min``."""

    op = "min"


def sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of all items, or along dims."""
    if dtype is not None:
        input = to(input, dtype)
    if dim is None or (input._data.ndim == 0 and dim in (0, -1, ())):
        return F.sum(input) if not keepdim else F.sum_dim(  # type: ignore[no-any-return]
            input, tuple(range(input._data.ndim)), True
        )
    return F.sum_dim(input, wrap_dims(dim, input._data.ndim), keepdim)  # type: ignore[no-any-return]


def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of all items, or along dims.

    Raises:
        RuntimeError: integers.
    """
    if dtype is not None:
        input = to(input, dtype)
    if not input._meta.floating:
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or "
            f"complex dtype. Got: {dtypes.type_word(input._data.dtype)}"
        )
    if dim is None or (input._data.ndim == 0 and dim in (0, -1, ())):
        return F.mean(input)  # type: ignore[no-any-return]
    return F.mean_dim(input, wrap_dims(dim, input._data.ndim), keepdim)  # type: ignore[no-any-return]


def _extreme(name: str, pair: type[Pair], pairwise: str) -> Callable[..., Any]:
    def function(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
        if isinstance(dim, Tensor):
            return getattr(F, pairwise)(input, dim)
        if dim is None:
            if input._data.size == 0:
                raise RuntimeError(
                    f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
                    "Specify the reduction dim with the 'dim' argument."
                )
            return getattr(F, name)(input)
        wrapped = wrap_dim(dim, input._data.ndim)
        return pair(getattr(F, name + "_dim")(input, dim=wrapped, keepdim=keepdim))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"The {name}imum of all items; along a dim, a pair of values and indices; of two tensors, "
        f"``{pairwise}``."
    )
    return function


max, min = _extreme("max", Pair, "maximum"), _extreme("min", MinPair, "minimum")


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the first largest item (flat, or along a dim)."""
    wrapped = None if dim is None else wrap_dim(dim, input._data.ndim)
    return F.argmax(input, wrapped, keepdim)  # type: ignore[no-any-return]


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the first smallest item (flat, or along a dim)."""
    wrapped = None if dim is None else wrap_dim(dim, input._data.ndim)
    return F.argmin(input, wrapped, keepdim)  # type: ignore[no-any-return]


def all(input: Tensor, dim: int | None = None) -> Tensor:
    """Whether all items are true."""
    return Tensor._wrap(np.all(input._data, dim))


def any(input: Tensor, dim: int | None = None) -> Tensor:
    """Whether any item is true."""
    return Tensor._wrap(np.any(input._data, dim))


def sum_to_size(input: Tensor, *size: Any) -> Tensor:
    """The sum over the dims that a broadcast from ``size`` stretched."""
    shape = shape_args(size)
    return input if input._data.shape == shape else hot.fit_to(  # type: ignore[no-any-return]
        input, hot.meta(shape, input._data.dtype)
    )


# Shapes ------------------------------------------------------------------------------------------------
def view(self: Tensor, *shape: Any) -> Tensor:
    """The same items in another shape, sharing memory; with a dtype, converted bit by bit.

    Raises:
        RuntimeError: the size or the strides do not allow it.
    """
    return F.view(self, infer_shape(shape_args(shape), self._data.size))  # type: ignore[no-any-return]


def reshape(input: Tensor, *shape: Any) -> Tensor:
    """The same items in another shape; a view where possible, else a copy."""
    wanted = infer_shape(shape_args(shape), input._data.size)
    try:
        np.reshape(input._data, wanted, copy=False)
    except ValueError:
        return F.unsafe_view(F.clone(input), wanted)  # type: ignore[no-any-return]
    return F.view(input, wanted)  # type: ignore[no-any-return]


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Dims ``start_dim`` to ``end_dim`` as one."""
    ndim = input._data.ndim
    if ndim == 0:
        return reshape(input, 1)
    start, end = wrap_dim(start_dim, ndim), wrap_dim(end_dim, ndim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end:
        return input
    shape = input._data.shape
    return reshape(input, *shape[:start], int(np.prod(shape[start : end + 1])), *shape[end + 1 :])


def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; vectors and 0-d tensors as they are."""
    if input._data.ndim > 2:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {input._data.ndim}D"
        )
    return F.t(input)  # type: ignore[no-any-return]


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dims exchanged."""
    ndim = input._data.ndim
    if ndim == 0:
        wrap_dim(dim0, 0)
        return F.alias(input)  # type: ignore[no-any-return]
    return F.transpose(input, wrap_dim(dim0, ndim), wrap_dim(dim1, ndim))  # type: ignore[no-any-return]


def permute(input: Tensor, *dims: Any) -> Tensor:
    """The dims in another order."""
    order = shape_args(dims)
    if len(order) != input._data.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            "length of the desired ordering of dimensions i.e. input.dim() = "
            f"{input._data.ndim} is not equal to len(dims) = {len(order)}"
        )
    wrapped = tuple(wrap_dim(d, input._data.ndim) for d in order)
    if len(set(wrapped)) != len(wrapped):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return F.permute(input, wrapped)  # type: ignore[no-any-return]


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A new dim of size 1."""
    return F.unsqueeze(input, wrap_dim(dim, input._data.ndim + 1))  # type: ignore[no-any-return]


def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Without all dims of size 1, or without the given ones that have it."""
    if dim is None:
        return F.squeeze(input)  # type: ignore[no-any-return]
    if isinstance(dim, int):
        if input._data.ndim == 0:
            wrap_dim(dim, 0)
            return F.squeeze(input)  # type: ignore[no-any-return]
        return F.squeeze_dim(input, wrap_dim(dim, input._data.ndim))  # type: ignore[no-any-return]
    return F.squeeze_dims(input, wrap_dims(dim, input._data.ndim))  # type: ignore[no-any-return]


def expand(self: Tensor, *size: Any) -> Tensor:
    """A view spread to a larger size; -1 keeps a dim.

    Raises:
        RuntimeError: the sizes do not allow it (PyTorch's texts).
    """
    target, shape = list(shape_args(size)), self._data.shape
    offset = len(target) - len(shape)
    if offset < 0:
        raise RuntimeError(
            f"expand({dtypes.tensor_type(self._data.dtype)}{{{list(shape)}}}, size={target}): the "
            f"number of sizes provided ({len(target)}) must be greater or equal to the number of "
            f"dimensions in the tensor ({len(shape)})"
        )
    asked = list(target)
    for i, have in enumerate(shape):
        if target[offset + i] == -1:
            target[offset + i] = have
        elif have not in (1, target[offset + i]):
            raise RuntimeError(
                f"The expanded size of the tensor ({target[offset + i]}) must match the existing "
                f"size ({have}) at non-singleton dimension {offset + i}.  Target sizes: {asked}.  "
                f"Tensor sizes: {list(shape)}"
            )
    return F.expand(self, tuple(target))  # type: ignore[no-any-return]


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """One view for each index of a dim."""
    if input._data.ndim == 0:
        raise RuntimeError("Dimension specified as 0 but tensor has no dimensions")
    return F.unbind(input, dim=wrap_dim(dim, input._data.ndim))  # type: ignore[no-any-return]


def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Consecutive views along a dim, of one size (the last may be smaller) or given sizes."""
    dim = wrap_dim(dim, tensor._data.ndim)
    total = tensor._data.shape[dim]
    if isinstance(split_size_or_sections, int):
        step = split_size_or_sections
        if step < 0 or (step == 0 and total):
            raise RuntimeError(
                f"split expects split_size be non-negative, but got split_size={step}"
            )
        sizes = tuple(
            builtins.min(step, total - start) for start in range(0, total, step or 1)
        ) or (0,)
        return F.split(tensor, sizes=sizes, dim=dim)  # type: ignore[no-any-return]
    sizes = tuple(split_size_or_sections)
    if builtins.sum(sizes) != total:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {total} (input tensor's size "
            f"at dimension {dim}), but got split_sizes={list(sizes)}"
        )
    return F.split_sizes(tensor, sizes=sizes, dim=dim)  # type: ignore[no-any-return]


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """About ``chunks`` consecutive views along a dim."""
    total = input._data.shape[wrap_dim(dim, input._data.ndim)]
    return split(input, builtins.max(1, -(-total // chunks)), dim)


def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """``length`` indices of a dim from ``start``."""
    dim = wrap_dim(dim, input._data.ndim)
    total = input._data.shape[dim]
    if not 0 <= start <= total or start + length > total:
        raise RuntimeError(
            f"start ({start}) + length ({length}) exceeds dimension size ({total})."
        )
    return F.slice(input, dim, start, start + length, 1)  # type: ignore[no-any-return]


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The items at one index of a dim, which goes."""
    dim = wrap_dim(dim, input._data.ndim)
    size = input._data.shape[dim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input._data.shape)} "
            f"at dimension {dim}"
        )
    return F.select(input, dim, index % size)  # type: ignore[no-any-return]


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A view of a diagonal."""
    ndim = input._data.ndim
    return F.diagonal(input, offset, wrap_dim(dim1, ndim), wrap_dim(dim2, ndim))  # type: ignore[no-any-return]


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors joined along a dim.

    Raises:
        ValueError, RuntimeError: none, or sizes that do not match (PyTorch's texts).
    """
    tensors = tuple(tensors)
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    for i, each in enumerate(tensors):
        if each._data.ndim == 0:
            raise RuntimeError(
                f"zero-dimensional tensor (at position {i}) cannot be concatenated"
            )
    full = [x for x in tensors if x._data.shape != (0,)] or list(tensors)
    dim = wrap_dim(dim, full[0]._data.ndim)
    first = full[0]._data.shape
    for i, each in enumerate(tensors):
        shape = each._data.shape
        if shape == (0,):
            continue
        if len(shape) != len(first):
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}"
            )
        for d, (want, got) in enumerate(zip(first, shape, strict=True)):
            if d != dim and want != got:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {want} "
                    f"but got size {got} for tensor number {i} in the list."
                )
    return F.cat(tensors, dim=dim)  # type: ignore[no-any-return]


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors of one size joined along a new dim.

    Raises:
        RuntimeError: none, or different sizes (PyTorch's texts).
    """
    tensors = tuple(tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = list(tensors[0]._data.shape)
    for i, each in enumerate(tensors):
        if list(each._data.shape) != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {first} at entry 0 and "
                f"{list(each._data.shape)} at entry {i}"
            )
    return F.stack(tensors, dim=wrap_dim(dim, len(first) + 1))  # type: ignore[no-any-return]


def contiguous(self: Tensor) -> Tensor:
    """The tensor itself when its items lie in C order, else a copy."""
    if self._data.flags.c_contiguous:
        return self
    out = F.clone(self)
    out._data = np.ascontiguousarray(out._data)
    return out  # type: ignore[no-any-return]


# Products -------------------------------------------------------------------------------------------
def _same_type(a: Tensor, b: Tensor) -> None:
    if a._data.dtype != b._data.dtype:
        raise RuntimeError(
            "expected m1 and m2 to have the same dtype, but got: "
            f"{dtypes.c_word(a._data.dtype)} != {dtypes.c_word(b._data.dtype)}"
        )


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices.

    Raises:
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
    return F.mm(input, mat2)  # type: ignore[no-any-return]


def mv(input: Tensor, vec: Tensor) -> Tensor:
    """A matrix times a vector."""
    a, b = input._data, vec._data
    if a.ndim != 2 or b.ndim != 1:
        raise RuntimeError(
            f"vector + matrix @ vector expected, got {b.ndim}, {a.ndim}, {b.ndim}"
        )
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            f"size mismatch, got input ({a.shape[0]}), mat ({a.shape[0]}x{a.shape[1]}), "
            f"vec ({b.shape[0]})"
        )
    _same_type(input, vec)
    return F.mv(input, vec)  # type: ignore[no-any-return]


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
    return F.dot(input, tensor)  # type: ignore[no-any-return]


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
    _same_type(input, mat2)
    return F.bmm(input, mat2)  # type: ignore[no-any-return]


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor) -> Tensor:
    """input + mat1 @ mat2."""
    a, b = mat1._data.shape, mat2._data.shape
    if a[1] != b[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({a[0]}x{a[1]} and {b[0]}x{b[1]})"
        )
    _same_type(mat1, mat2)
    return F.addmm(input, mat1, mat2)  # type: ignore[no-any-return]


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Every item of one vector times every item of another."""
    return F.mul(reshape(input, -1, 1), vec2)  # type: ignore[no-any-return]


def matmul(input: Tensor, other: Any) -> Tensor:
    """The matrix product, with PyTorch's rules for vectors and batches.

    Raises:
        RuntimeError: sizes that do not match, or a 0-d tensor.
    """
    if not isinstance(other, Tensor):
        return NotImplemented
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
        return F.squeeze_dim(mm(unsqueeze(input, 0), other), 0)  # type: ignore[no-any-return]
    if n == 2 and m == 2:
        return mm(input, other)
    return _batched(input, other)


def _batched(a: Tensor, b: Tensor) -> Tensor:
    """Matrix products over broadcast leading dims."""
    n, m = a._data.ndim, b._data.ndim
    if m <= 2 and n >= 3:  # fold the batch into the rows
        lead = a._data.shape[:-1]
        flat = reshape(a, -1, a._data.shape[-1])
        if m == 1:
            return F.unsafe_view(mv(flat, b), lead)  # type: ignore[no-any-return]
        return F.unsafe_view(mm(flat, b), (*lead, b._data.shape[-1]))  # type: ignore[no-any-return]
    left = unsqueeze(a, 0) if n == 1 else a
    right = unsqueeze(b, -1) if m == 1 else b
    batch = hot.broadcast([left._data.shape[:-2], right._data.shape[:-2]])
    rows, inner, columns = left._data.shape[-2], left._data.shape[-1], right._data.shape[-1]
    x = reshape(expand(left, *batch, rows, inner), -1, rows, inner)
    y = reshape(expand(right, *batch, *right._data.shape[-2:]), -1, *right._data.shape[-2:])
    out = F.unsafe_view(bmm(x, y), (*batch, rows, columns))
    if n == 1:
        out = squeeze(out, -2)
    return squeeze(out, -1) if m == 1 else out  # type: ignore[no-any-return]


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias."""
    if bias is None:
        return matmul(input, t(weight))
    if input._data.ndim == 2:
        return addmm(bias, input, t(weight))
    lead = input._data.shape[:-1]
    flat = addmm(bias, reshape(input, -1, input._data.shape[-1]), t(weight))
    return view(flat, *lead, weight._data.shape[0])


# Types and numbers -----------------------------------------------------------------------------------
def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The tensor in another dtype (itself when it has it already); the device must be the CPU."""
    target = kwargs.get("dtype")
    copy = kwargs.get("copy", False)
    for arg in (*args, kwargs.get("device")):
        if isinstance(arg, dtypes.dtype):
            target = arg
        elif isinstance(arg, Tensor):
            target = arg.dtype
        elif isinstance(arg, (str, dtypes.device)):
            dtypes.require_cpu(arg)
    if target is None or target.numpy == self._data.dtype:
        return clone(self) if copy else self
    return F.to_copy(self, target.numpy)  # type: ignore[no-any-return]


def item(self: Tensor) -> Any:
    """The only item as a Python number.

    Raises:
        RuntimeError: there are more, or none.
    """
    if self._data.size != 1:
        raise RuntimeError(
            f"a Tensor with {self._data.size} elements cannot be converted to Scalar"
        )
    return self._data.item()


def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """The tensor's memory as an array.

    Raises:
        RuntimeError: it requires grad.
    """
    if self.requires_grad and hot.grad_enabled() and not force:
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    return self._data


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same size and items."""
    return bool(np.array_equal(input._data, other._data))


def allclose(
    input: Tensor,
    other: Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> bool:
    """Whether all items differ by at most ``atol + rtol |other|``."""
    return bool(np.allclose(input._data, other._data, rtol, atol, equal_nan))


assert LINKS and inplace
