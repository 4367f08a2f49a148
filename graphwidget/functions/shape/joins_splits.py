"""``cat``, ``stack``, ``split``, ``chunk`` and the like."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.dtypes import scalar_type
from ...dispatch.offer import METHODS, offer
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ...optable.out import JOINED
from ..dims import checked_dim, wrap_dim
from .reshape_expand import atleast_1d, atleast_2d, check_tensors, reshape


def check_tensor_list(given: Any, name: str) -> tuple[Tensor, ...]:
    """A list of tensors.

    Raises:
        TypeError: something else (PyTorch's texts).
    """
    if isinstance(given, Tensor) or not isinstance(given, (tuple, list)):
        raise TypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
            f"{type(given).__name__}"
        )
    check_tensors(given)
    return tuple(given)


@offer("concat", "concatenate", method=False, out=True)
def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors joined along a dim.

    Raises:
        ValueError, RuntimeError: none, or sizes that do not match (PyTorch's texts).
    """
    given = check_tensor_list(tensors, "cat")
    if not given:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    first = given[0]._data.shape
    if first and all(each._data.shape == first for each in given):
        if first != (0,):
            wrap_dim(dim, len(first))
    else:
        check_cat_sizes(given, dim)
    return F.cat(given, dim=dim)


def check_cat_sizes(given: tuple[Tensor, ...], dim: int) -> None:
    """Check that tensors of different sizes can be joined along a dim.

    Raises:
        RuntimeError: PyTorch's texts.
    """
    for i, each in enumerate(given):
        if each._data.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    full = [x._data.shape for x in given if x._data.shape != (0,)]
    if not full:  # whatever the dim
        return
    first = full[0]
    place = wrap_dim(dim, len(first))
    for i, each in enumerate(given):
        shape = each._data.shape
        if shape == (0,):
            continue
        if len(shape) != len(first):
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}"
            )
        for d, (want, got) in enumerate(zip(first, shape, strict=True)):
            if d != place and want != got:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {place}. Expected size "
                    f"{want} but got size {got} for tensor number {i} in the list."
                )


@offer(method=False, out=True)
def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors of one size joined along a new dim.

    Raises:
        RuntimeError: none, or different sizes (PyTorch's texts).
    """
    given = check_tensor_list(tensors, "stack")
    if not given:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = given[0]._data.shape
    checked_dim(dim, len(first) + 1)
    for i, each in enumerate(given):
        if each._data.shape != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(each._data.shape)} at entry {i}"
            )
    return F.stack(given, dim=dim)


def check_nonempty_list(tensors: Any, name: str) -> tuple[Tensor, ...]:
    """A list of tensors that is not empty."""
    given = check_tensor_list(tensors, name)
    if not given:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return given


@offer(method=False, out=JOINED)
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors joined along dim 1 (vectors along dim 0)."""
    given = atleast_1d(check_nonempty_list(tensors, "hstack"))
    return cat(given, 0 if given[0]._data.ndim == 1 else 1)


@offer("row_stack", method=False, out=JOINED)
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors joined along dim 0, vectors as rows."""
    return cat(atleast_2d(check_nonempty_list(tensors, "vstack")), 0)


@offer(method=False, out=JOINED)
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors joined along dim 1, vectors as columns."""
    given = check_nonempty_list(tensors, "column_stack")
    return cat([reshape(x, (x._data.size, 1)) if x._data.ndim < 2 else x for x in given], 1)


@offer(method=False)
def block_diag(*tensors: Tensor) -> Tensor:
    """Matrices (vectors as rows) on the diagonal of a matrix, 0 elsewhere."""
    check_tensors(tensors)
    for i, each in enumerate(tensors):
        if each._data.ndim > 2:
            raise RuntimeError(
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input "
                f"{i} has {each._data.ndim} dimensions"
            )
    if not tensors:
        return Tensor._wrap(np.zeros((1, 0), dtypes.default_numpy()))
    return F.block_diag(tensors, _dtype=dtypes.result_type(*(each._data for each in tensors)))


def _several(record: Any) -> Callable[..., tuple[Tensor, ...]]:
    """A record function that returns several tensors, typed so."""
    return record  # type: ignore[no-any-return]


@offer()
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """One view for each index of a dim.

    Shapes: any; ``dim`` goes.
    """
    if input._data.ndim == 0:
        wrap_dim(dim, 0)
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return _several(F.unbind)(input, dim=checked_dim(dim, input._data.ndim))


@offer()
def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Consecutive views along a dim, of one size (the last may be smaller) or given sizes."""
    number = split_size_or_sections
    if isinstance(number, Tensor) and not number._data.ndim:
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int):
        return split_with_sizes(tensor, number, dim)
    if tensor._data.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    total = tensor._data.shape[wrap_dim(dim, tensor._data.ndim)]
    size = number
    if size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    if size == 0 and total:
        raise RuntimeError(
            f"split_size can only be 0 if dimension size is 0, but got dimension size of {total}"
        )
    return _several(F.split)(tensor, split_size=size, dim=dim)


@offer()
def unsafe_split(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """``split``, as tensors that are no views of it."""
    return _several(F.unsafe_split)(input, split_size=split_size, dim=dim)


def split_method(self: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Consecutive views along a dim, of one size (the last may be smaller) or given sizes."""
    return split(self, split_size, dim)


split_method.__name__ = split_method.__qualname__ = "split"
METHODS["split"] = split_method


@offer()
def split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Consecutive views of given sizes along a dim."""
    if not isinstance(split_sizes, (tuple, list)):
        raise TypeError(f"no sizes: {split_sizes!r}")  # the parser finds the words
    if input._data.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    sizes = tuple(map(operator.index, split_sizes))
    place = wrap_dim(dim, input._data.ndim)
    total = input._data.shape[place]
    if any(size < 0 for size in sizes):
        raise RuntimeError(
            "split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"split_sizes={list(sizes)}"
        )
    if sum(sizes) != total:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {total} (input tensor's size "
            f"at dimension {dim}), but got split_sizes={list(sizes)}"
        )
    return _several(F.split_sizes)(input, split_sizes=sizes, dim=dim)


@offer()
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """About ``chunks`` consecutive views along a dim.

    Shapes: any; the pieces differ along ``dim`` only.
    """
    if input._data.ndim == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    total = input._data.shape[wrap_dim(dim, input._data.ndim)]
    if not total:
        return split_with_sizes(input, [0] * chunks, dim)
    return split(input, -(-total // chunks), dim)


def not_none(*given: Any) -> Any:
    """The one that is not None: the argument of a split has several names."""
    return next((each for each in given if each is not None), None)


@offer()
def tensor_split(
    input: Tensor, indices_or_sections: Any = None, dim: int = 0, *, sections: int | None = None,
    indices: Any = None, tensor_indices_or_sections: Any = None,
) -> tuple[Tensor, ...]:  # fmt: skip
    """Slices along a dim: a number of equal ones, or cut at the given indices.

    Shapes: any; the pieces differ along ``dim`` only.
    """
    indices_or_sections = not_none(
        indices_or_sections, sections, indices, tensor_indices_or_sections
    )
    if input._data.ndim == 0:
        raise RuntimeError(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
        )
    dim = wrap_dim(dim, input._data.ndim)
    total = input._data.shape[dim]
    given = indices_or_sections
    if isinstance(given, Tensor):
        text = "tensor_split expected tensor_indices_or_sections to"
        if given._data.dtype != np.int64:
            raise RuntimeError(
                f"{text} have dtype of long, but got {scalar_type(given._data.dtype)}"
            )
        if given._data.ndim > 1:
            raise RuntimeError(
                f"{text} be a zero-dimensional or one-dimensional tensor, but got a tensor with "
                f"{given._data.ndim} dims"
            )
        given = given._data.tolist()
    if isinstance(given, int):
        if given <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {given}")
        size, larger = divmod(total, given)
        cuts = [i * size + min(i, larger) for i in range(1, given)]
    else:
        cuts = list(given)
    bounds = zip([0, *cuts], [*cuts, total], strict=True)
    return tuple(F.slice(input, dim, start, end, 1) for start, end in bounds)
