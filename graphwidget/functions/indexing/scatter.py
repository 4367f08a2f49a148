"""``gather``, ``scatter``, ``scatter_add``, ``scatter_reduce``, also in place.

They read and write at indices along a dim, one for each item.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.kernel_errors import broadcast_shape
from ...arrays.memory_order import has_internal_overlap
from ...arrays.warnings import warn
from ...dispatch.offer import offer
from ...eager.inplace import needs_node, write
from ...eager.op_functions import TENSORS as F
from ...graph import runtime
from ...graph.node import Checked, target_of
from ...graph.tensor import Tensor
from ...optable import TABLE
from ...optable.out import Out
from ..dims import wrap_dim, wrap_dim_nonempty
from ..shape.reshape_expand import view
from .getitem import (
    EXPANDED,
)

INTEGERS = (np.int32, np.int64)


def run_op(
    key: str, self: Tensor, rest: tuple[Any, ...], params: dict[str, Any], here: bool
) -> Tensor:
    """An op of the table, out of place or in place."""
    if here:
        return write(TABLE[key], self, rest, params)
    out: Tensor = getattr(F, key.replace(".", "_"))(self, *rest, **params)
    return out


def scalar_type_of(tensor: Tensor) -> str:
    """PyTorch's word for the type."""
    return dtypes.scalar_type(tensor._data.dtype)


# One index for each item --------------------------------------------------------------------------
def check_index(name: str, self: Tensor, dim: int, index: Tensor) -> None:
    """An index of ``gather`` or ``scatter``.

    Raises:
        RuntimeError, IndexError: PyTorch's texts.
    """
    wrap_dim(dim, self._data.ndim)
    if index._data.size and index._data.dtype not in INTEGERS:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")


def rank(tensor: Tensor) -> int:
    """The number of dims, where a number counts as a vector."""
    return tensor._data.ndim or 1


def run_scatter(
    key: str, self: Tensor, index: Tensor, src: Tensor, params: dict[str, Any], here: bool
) -> Tensor:
    """``do`` for a scatter from ``src``. Its derivative is read at the index: of a smaller one it
    does not fit, which backward says, as PyTorch's does, where that gradient is wanted."""
    out = run_op(key, self, (index, src), params, here)
    if index._data.shape != src._data.shape and runtime.grad_enabled() and src.requires_grad:
        place = target_of(src)
        if place is not None:
            node = (out if out._view is None else out._view.base)._node
            node.next = (*node.next[:-1], Checked(place, src._meta, node))
    return out


@offer(out=True)
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """The items that ``index`` names along a dim: ``out[i][j] = input[index[i][j]][j]``.

    Shapes: ``index`` has input's number of dims and is nowhere larger, but along ``dim``.
    """
    check_index("gather", input, dim, index)
    shape, wanted = input._data.shape, index._data.shape
    if index._data.size:
        if rank(index) != rank(input):
            raise RuntimeError(
                "Index tensor must have the same number of dimensions as input tensor"
            )
        place = wrap_dim(dim, len(shape))
        for d in range(len(shape) and len(wanted)):
            if d != place and wanted[d] > shape[d]:
                raise RuntimeError(
                    f"Size does not match at dimension {d} expected index {list(wanted)} to be no "
                    f"larger than self {list(shape)} apart from dimension {place}"
                )
    return F.gather(input, index, dim, sparse_grad)


def check_scatter(self: Tensor, dim: int, index: Tensor, src: Tensor | None) -> None:
    """The operands of a scatter.

    Raises:
        RuntimeError, IndexError: PyTorch's texts.
    """
    check_index("scatter", self, dim, index)
    if src is not None and src._data.dtype != self._data.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not index._data.size:
        return
    for other, name in ((self, "self"), (src, "src")):
        if other is not None and rank(other) != rank(index):
            if other is src and src._data.ndim:  # sizes are compared first, up to a larger one
                sizes = zip(src._data.shape, index._data.shape, strict=False)
                if src._data.ndim < rank(index) and all(n >= m for n, m in sizes):
                    wrap_dim(src._data.ndim, src._data.ndim)
            raise RuntimeError(
                f"Index tensor must have the same number of dimensions as {name} tensor"
            )
    shape, wanted = self._data.shape or (1,), index._data.shape or (1,)
    place = wrap_dim(dim, len(shape))
    larger = any(n > shape[d] for d, n in enumerate(wanted) if d != place)
    if src is None and larger:
        raise RuntimeError(
            f"Expected index {list(wanted)} to be no larger than self {list(shape)} apart from "
            f"dimension {place}"
        )
    if src is not None and (
        larger or any(n > size for n, size in zip(wanted, src._data.shape or (1,), strict=True))
    ):
        raise RuntimeError(
            f"Expected index {list(wanted)} to be no larger than self {list(shape)} apart from "
            f"dimension {place} and to be no larger size than src {list(src._data.shape)}"
        )


def _scatter(
    here: bool, self: Tensor, dim: int, index: Tensor, src: Any, value: Any, reduce: str | None
) -> Tensor:
    if src is None:
        src = value
    tensor = src if isinstance(src, Tensor) else None
    if reduce not in (None, "add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    check_scatter(self, dim, index, tensor)
    if reduce is not None:
        if tensor is None:
            return run_op("scatter.value_joined", self, (index,),
                      {"dim": dim, "value": src, "reduce": reduce}, here)  # fmt: skip
        return run_op("scatter.joined", self, (index, tensor), {"dim": dim, "reduce": reduce}, here)
    if tensor is None:
        return run_op("scatter.value", self, (index,), {"dim": dim, "value": src}, here)
    return run_scatter("scatter", self, index, tensor, {"dim": dim}, here)


@offer(out=True)
def scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None,
    reduce: str | None = None,
) -> Tensor:  # fmt: skip
    """A copy with ``src`` (a tensor or number) where ``index`` says:
    ``out[index[i][j]][j] = src[i][j]``. With ``reduce`` ("add", "multiply") not differentiable.
    """
    return _scatter(False, input, dim, index, src, value, reduce)


@offer(function=False)
def scatter_(
    self: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None,
    reduce: str | None = None,
) -> Tensor:  # fmt: skip
    """``scatter``, written into this tensor."""
    return _scatter(True, self, dim, index, src, value, reduce)


@offer(out=True)
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """A copy with ``src`` added where ``index`` says.

    Shapes: ``index`` is nowhere larger than ``src``, nor than input but along ``dim``; the result
    is like input.
    """
    check_scatter(input, dim, index, src)
    return run_scatter("scatter_add", input, index, src, {"dim": dim}, False)


@offer(function=False)
def scatter_add_(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """``scatter_add``, written into this tensor."""
    check_scatter(self, dim, index, src)
    return run_scatter("scatter_add", self, index, src, {"dim": dim}, True)


def _scatter_reduce(
    here: bool, self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool
) -> Tensor:
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"
        )
    check_scatter(self, dim, index, src)
    params = {"dim": dim, "reduce": reduce, "include_self": include_self}
    return run_scatter("scatter_reduce", self, index, src, params, here)


@offer(out=True)
def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """A copy with ``src`` combined into it where ``index`` says: ``sum``, ``prod``, ``mean``,
    ``amax`` or ``amin``, with or without what stood there.

    Shapes: ``index`` is nowhere larger than ``src``, nor than input but along ``dim``; the result
    is like input.
    """
    return _scatter_reduce(False, input, dim, index, src, reduce, include_self)


@offer(function=False)
def scatter_reduce_(
    self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """``scatter_reduce``, written into this tensor."""
    return _scatter_reduce(True, self, dim, index, src, reduce, include_self)


def check_long(indices: Tensor) -> None:
    """Indices must be integers.

    Raises:
        RuntimeError: PyTorch's text.
    """
    if indices._data.dtype != np.int64:
        raise RuntimeError(
            "torch.take_along_dim(): dtype of indices should be Long "
            f"but got {scalar_type_of(indices)}"
        )


@offer(out=Out(memory="none"))
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """The items that ``indices`` (as ``argsort`` gives them) names along a dim, or of all.

    Shapes: ``indices`` and input broadcast together but along ``dim``; the result is like that,
    and 1-d without ``dim``.
    """
    if dim is None:
        return gather(view(input, -1), 0, view(indices, -1))
    mine, theirs = input._data.shape, indices._data.shape
    if len(mine) != len(theirs):
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, "
            f"but got {len(mine)} dimensions for input, and {len(theirs)} dimensions for indices"
        )
    dim = wrap_dim(dim, len(mine))
    check_long(indices)
    wrap_dim_nonempty(dim, len(mine))

    def common(own: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
        return broadcast_shape([own, (*other[:dim], own[dim], *other[dim + 1 :])])

    source = F.expand(input, common(mine, theirs))
    indices = F.expand(indices, common(theirs, mine))
    return F.gather(source, F.remainder_number(indices, mine[dim]), dim)


def _masked_fill(here: bool, self: Tensor, mask: Tensor, value: Any) -> Tensor:
    if here:
        needs_node(TABLE["masked_fill"], (self, mask))
    shapes = [mask._data.shape, self._data.shape]
    if not here:
        broadcast_shape(shapes)
    if isinstance(value, Tensor) and value._data.ndim:
        raise RuntimeError(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value._data.ndim} dimension(s)."
        )
    if mask._data.dtype != bool:
        raise RuntimeError(
            "masked_fill_ only supports boolean masks, but got mask with dtype "
            f"{dtypes.c_type(mask._data.dtype)}"
        )
    if here and has_internal_overlap(self._data):
        warn(EXPANDED.format("masked_fill_", "mask", "scalar"))
    if here:
        broadcast_shape(shapes[::-1])
    if isinstance(value, Tensor):
        return run_op("masked_fill.tensor", self, (mask, value), {}, here)
    return run_op("masked_fill", self, (mask,), {"value": value}, here)


@offer()
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """input with a number (or 0-d tensor) where the mask holds."""
    return _masked_fill(False, input, mask, value)


@offer(function=False)
def masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    """``masked_fill``, written into this tensor."""
    return _masked_fill(True, self, mask, value)


@offer(out=True)
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The items where the mask holds, 1-d."""
    if mask._data.dtype != bool:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    broadcast_shape([mask._data.shape, input._data.shape])
    return F.masked_select(input, mask)
