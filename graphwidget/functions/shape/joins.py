"""``cat``, ``stack``, ``hstack``, ``block_diag`` and their kin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...arrays import dtypes
from ...dispatch.offer import offer
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ...optable.out import JOINED
from ..dims import checked_dim, wrap_dim
from .reshape_expand import atleast_1d, atleast_2d, atleast_3d, check_tensors, reshape


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
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors joined along dim 2.

    Shapes: all alike, but along dim 2; fewer than three dims are filled up.
    """
    return cat(atleast_3d(check_nonempty_list(tensors, "dstack")), 2)


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
