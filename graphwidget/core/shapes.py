"""Functions that rearrange tensors: views, joins, parts."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import dtypes
from .compile import TENSORS as F
from .dims import infer_shape, shape_args, wrap_dim, wrap_dims
from .inplace import reshape_in_place
from .public import offer
from .tensor import Tensor


@offer(function=False)
def view(self: Tensor, *shape: Any) -> Tensor:
    """The same items in another shape, sharing memory; with a dtype, converted bit by bit.

    Raises:
        RuntimeError: the size or the strides do not allow it.
    """
    return F.view(self, infer_shape(shape_args(shape), self._data.size))


@offer()
def reshape(input: Tensor, *shape: Any) -> Tensor:
    """The same items in another shape; a view where possible, else a copy."""
    wanted = infer_shape(shape_args(shape), input._data.size)
    try:
        np.reshape(input._data, wanted, copy=False)
    except ValueError:
        return F.unsafe_view(F.clone(input), wanted)
    if not input._data.flags.c_contiguous:
        return F.reshape_alias(input, wanted)
    return F.view(input, wanted)


@offer()
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


@offer()
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; vectors and 0-d tensors as they are."""
    if input._data.ndim > 2:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {input._data.ndim}D"
        )
    return F.t(input)


@offer("swapaxes")
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dims exchanged."""
    ndim = input._data.ndim
    return F.transpose(input, wrap_dim(dim0, ndim), wrap_dim(dim1, ndim))


@offer()
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
    return F.permute(input, wrapped)


@offer()
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A new dim of size 1."""
    return F.unsqueeze(input, wrap_dim(dim, input._data.ndim + 1))


@offer()
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Without all dims of size 1, or without the given ones that have it."""
    if dim is None:
        return F.squeeze(input)
    if isinstance(dim, int):
        if input._data.ndim == 0:
            wrap_dim(dim, 0)
            return F.squeeze(input)
        return F.squeeze_dim(input, wrap_dim(dim, input._data.ndim))
    return F.squeeze_dims(input, wrap_dims(dim, input._data.ndim))


@offer(function=False)
def expand(self: Tensor, *size: Any) -> Tensor:
    """A view spread to a larger size; -1 keeps a dim.

    Raises:
        RuntimeError: the sizes do not allow it (PyTorch's texts).
    """
    target, shape = list(shape_args(size)), self._data.shape
    offset = len(target) - len(shape)
    if offset < 0:
        raise RuntimeError(
            f"expand({dtypes.printed_type(self._data.dtype)}{{{list(shape)}}}, size={target}): the "
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
    return F.expand(self, tuple(target))


@offer()
def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """``expand``, as a function."""
    return expand(input, *size)


def _several(record: Any) -> Callable[..., tuple[Tensor, ...]]:
    """A record function that returns several tensors, typed so."""
    return record  # type: ignore[no-any-return]


@offer()
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """One view for each index of a dim."""
    if input._data.ndim == 0:
        wrap_dim(dim, 0)
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return _several(F.unbind)(input, dim=wrap_dim(dim, input._data.ndim))


@offer()
def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Consecutive views along a dim, of one size (the last may be smaller) or given sizes."""
    if tensor._data.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    dim = wrap_dim(dim, tensor._data.ndim)
    total = tensor._data.shape[dim]
    if isinstance(split_size_or_sections, int):
        step = split_size_or_sections
        if step < 0:
            raise RuntimeError(
                f"split expects split_size be non-negative, but got split_size={step}"
            )
        if step == 0 and total:
            raise RuntimeError(
                "split_size can only be 0 if dimension size is 0, but got dimension size of "
                f"{total}"
            )
        sizes = tuple(
            builtins.min(step, total - start) for start in range(0, total, step or 1)
        ) or (0,)
        return _several(F.split)(tensor, sizes=sizes, dim=dim)
    sizes = tuple(split_size_or_sections)
    if builtins.sum(sizes) != total:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {total} (input tensor's size "
            f"at dimension {dim}), but got split_sizes={list(sizes)}"
        )
    return _several(F.split_sizes)(tensor, sizes=sizes, dim=dim)


@offer()
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """About ``chunks`` consecutive views along a dim."""
    if input._data.ndim == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    total = input._data.shape[wrap_dim(dim, input._data.ndim)]
    if not total:
        return split(input, [0] * chunks, dim)
    return split(input, builtins.max(1, -(-total // chunks)), dim)


@offer(function=False)
def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Slices along a dim: so many, as equal as can be, or cut at the given indices."""
    if input._data.ndim == 0:
        raise RuntimeError(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
        )
    dim = wrap_dim(dim, input._data.ndim)
    total = input._data.shape[dim]
    if isinstance(indices_or_sections, int):
        size, larger = divmod(total, indices_or_sections)
        cuts = [i * size + builtins.min(i, larger) for i in range(1, indices_or_sections)]
    else:
        cuts = list(indices_or_sections)
    bounds = zip([0, *cuts], [*cuts, total], strict=True)
    return tuple(F.slice(input, dim, start, end, 1) for start, end in bounds)


@offer()
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """``length`` indices of a dim from ``start``."""
    if input._data.ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, input._data.ndim)
    total = input._data.shape[dim]
    if not -total <= start <= total:
        raise IndexError(
            f"start out of range (expected to be in range of [-{total}, {total}], but got {start})"
        )
    start = start + total if start < 0 else start
    if start + length > total:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({total}).")
    return F.slice(input, dim, start, start + length, 1)


@offer()
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The items at one index of a dim, which goes."""
    if input._data.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, input._data.ndim)
    size = input._data.shape[dim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input._data.shape)} "
            f"at dimension {dim}"
        )
    return F.select(input, dim, index % size)


@offer()
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A view of a diagonal."""
    ndim = input._data.ndim
    return F.diagonal(input, offset, wrap_dim(dim1, ndim), wrap_dim(dim2, ndim))


@offer("concat", "concatenate", method=False, out=True)
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
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
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
    return F.cat(tensors, dim=dim)


@offer(method=False, out=True)
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
    return F.stack(tensors, dim=wrap_dim(dim, len(first) + 1))


@offer(function=False)
def t_(self: Tensor) -> Tensor:
    """``t``, of this tensor itself."""
    if self._data.ndim > 2:
        raise RuntimeError(
            f"t_() expects a tensor with <= 2 dimensions, but self is {self._data.ndim}D"
        )
    return reshape_in_place("t_inplace", self)


@offer(function=False)
def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """``transpose``, of this tensor itself."""
    ndim = self._data.ndim
    return reshape_in_place(
        "transpose_inplace", self, dim0=wrap_dim(dim0, ndim), dim1=wrap_dim(dim1, ndim)
    )


@offer(function=False)
def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    """``unsqueeze``, of this tensor itself."""
    return reshape_in_place("unsqueeze_inplace", self, dim=wrap_dim(dim, self._data.ndim + 1))


@offer(function=False)
def squeeze_(self: Tensor, dim: Any = None) -> Tensor:
    """``squeeze``, of this tensor itself."""
    ndim = self._data.ndim
    if dim is None:
        return reshape_in_place("squeeze_inplace", self)
    if isinstance(dim, int):
        return reshape_in_place("squeeze_inplace.dim", self, dim=wrap_dim(dim, ndim))
    return reshape_in_place("squeeze_inplace.dims", self, dim=wrap_dims(dim, ndim))


@offer(function=False)
def contiguous(self: Tensor) -> Tensor:
    """The tensor itself when its items lie in C order, else a copy."""
    if self._data.flags.c_contiguous:
        return self
    out = F.clone(self)
    out._data = np.ascontiguousarray(out._data)
    return out
