"""``diff``, ``quantile``, ``unique`` and ``bincount``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.kernel_errors import not_implemented
from ..dispatch.offer import offer
from ..eager.op_functions import TENSORS as F
from ..graph.tensor import Tensor
from ..optable.out import POINTWISE
from .dims import wrap_dim
from .reduction.reductions import returns_tuple
from .shape.permute import squeeze_, transpose_, unsqueeze_
from .shape.reshape_expand import flatten, view


@offer(out=POINTWISE)
def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None
) -> Tensor:
    """The differences of neighbours along a dim, n times.

    Shapes: any; n fewer along ``dim``, after what is put before and behind.
    """
    ndim = input._data.ndim
    if not ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    joined = [each for each in (prepend, input, append) if each is not None]
    if n or len(joined) > 1:
        wrap_dim(dim, ndim)
    if any(each._data.ndim != ndim for each in joined):
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    for each in joined:
        for place, (have, want) in enumerate(zip(each._data.shape, input._data.shape, strict=True)):
            if have != want and place != dim % ndim:
                raise RuntimeError(
                    "diff expects the shape of tensor to prepend or append to match that of input "
                    f"except along the differencing dimension; input.size({place}) = {want}, but "
                    f"got tensor.size({place}) = {have}"
                )
    if n == 0:
        return F.zeros_like(input.detach()).copy_(input)
    result = F.cat(joined, dim) if len(joined) > 1 else input
    for _ in range(min(n, result._data.shape[dim])):
        size = result._data.shape[dim]
        before, after = F.slice(result, dim, 0, size - 1, 1), F.slice(result, dim, 1, size, 1)
        kind = F.logical_xor if result._data.dtype == bool else F.sub
        result = kind(after, before)
    return result


def check_quantile(input: Tensor, q: Tensor) -> None:
    """PyTorch's checks of ``quantile``."""
    if not input._data.size:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if q._data.ndim > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    if input._data.dtype not in (np.float32, np.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if input._data.dtype != q._data.dtype:
        raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")


@offer(out=True)
def quantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """The q-th quantiles of all items or along a dim; of several q, one after another first."""
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
        q = Tensor._wrap(np.asarray(q, input._data.dtype))
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError(
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, "
            f"but got {interpolation}"
        )
    check_quantile(input, q)
    if ((q._data < 0) | (q._data > 1)).any():
        raise RuntimeError("quantile() q values must be in the range [0, 1]")
    shape, ndim = list(input._data.shape), input._data.ndim
    if dim is None:
        rows = sorted_items(flatten(input))
        shape = [1] * ndim if keepdim else []
    else:
        dim = wrap_dim(dim, ndim)
        if dim == ndim - 1:
            rows = sorted_items(input)
        else:
            turned = F.transpose(F.unsqueeze(input, -1), dim, -1)
            rows = sorted_items(turned)
        if ndim:
            shape[dim : dim + 1] = [1] if keepdim else []
    rows = view(rows, *shape, (rows._data.shape or (1,))[-1])
    ranks = ranks_of(rows._data, q, interpolation)
    below = np.floor(ranks._data).astype(np.int64)
    values = F.gather(rows, Tensor._wrap(below), -1)
    if interpolation in ("linear", "midpoint"):
        weights = ranks - Tensor._wrap(below)
        if interpolation == "midpoint":
            weights = Tensor._wrap(np.full_like(ranks._data, 0.5))
        above = F.gather(rows, Tensor._wrap(np.ceil(ranks._data).astype(np.int64)), -1)
        values = values.lerp_(above, weights)
    if not q._data.ndim:
        return squeeze_(values, -1)
    return squeeze_(transpose_(unsqueeze_(values, 0), 0, -1), -1)


def sorted_items(input: Tensor) -> Tensor:
    """The items sorted along the last dim."""
    return returns_tuple(F.sort)(input, dim=-1, descending=False)[0]


def ranks_of(rows: np.ndarray, q: Tensor, interpolation: str) -> Tensor:
    """The (broken) ranks of quantiles among sorted rows; with nan among them the last."""
    last, any_nan = rows.shape[-1] - 1, np.isnan(rows).any(-1, keepdims=True)
    ranks = F.expand(F.mul_number(q, last), np.broadcast_shapes(q._data.shape, any_nan.shape))
    ranks = ranks.masked_fill(Tensor._wrap(any_nan), last)
    rounded = {"lower": F.floor, "higher": F.ceil, "nearest": F.round}.get(interpolation)
    return ranks if rounded is None else rounded(ranks)


def unique_results(found: tuple[Tensor, ...], inverse: bool, counts: bool) -> Any:
    """The items, and what else was asked for."""
    parts = [found[0], *([found[1]] if inverse else []), *([found[2]] if counts else [])]
    return tuple(parts) if len(parts) > 1 else parts[0]


def wrap_slices_dim(input: Tensor, dim: int) -> int:
    """The dim along which slices are compared.

    Raises:
        IndexError, RuntimeError: there is none, or slices have no items (PyTorch's texts).
    """
    if not input._data.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    wrapped = wrap_dim(dim, input._data.ndim)
    if not input._data.size and input._data.shape[wrapped]:
        raise RuntimeError(
            "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied"
        )
    return wrapped


@offer()
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct items (or slices along a dim); where each item's stands among them; counts.

    Shapes: any; (n,) distinct items, and the places like input; with ``dim`` n slices along it.
    """
    if dim is None:
        found = returns_tuple(F.unique2)(input, dim=None)
    else:
        found = returns_tuple(F.unique_dim)(input, dim=wrap_slices_dim(input, dim))
    return unique_results(found, return_inverse, return_counts)


@offer()
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Count how often each number from 0 occurs, or sum its weights.

    Shapes: (n,); (max + 1,), and minlength at least.
    """
    if input._data.dtype.kind not in "iu":
        raise not_implemented("bincount_cpu", input._data.dtype)
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if input._data.ndim != 1 or (input._data < 0).any():
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is None:
        return F.bincount(input, minlength)
    if weights._data.shape != input._data.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    return F.bincount_weights(input, weights, minlength)
