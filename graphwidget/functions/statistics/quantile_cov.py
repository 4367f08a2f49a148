"""``quantile``, ``nanquantile``, ``cov`` and ``corrcoef``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.dtypes import scalar_type
from ...arrays.warnings import warn
from ...dispatch.offer import offer
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ..dims import wrap_dim
from ..linalg.products import mm
from ..reduction.reductions import returns_tuple
from ..shape.permute import squeeze_, t, transpose_, unsqueeze_
from ..shape.reshape_expand import flatten, view


# Quantiles ---------------------------------------------------------------------------------------
def check_quantile(input: Tensor, q: Tensor) -> None:
    """PyTorch's checks of ``quantile``, by whose name it calls ``nanquantile``, too."""
    if not input._data.size:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if q._data.ndim > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    if input._data.dtype not in (np.float32, np.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if input._data.dtype != q._data.dtype:
        raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")


def _quantile(
    name: str, input: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str
) -> Tensor:
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
    ranks = ranks_of(rows._data, q, name == "nanquantile", interpolation)
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


def ranks_of(rows: np.ndarray, q: Tensor, pass_nan: bool, interpolation: str) -> Tensor:
    """The (broken) ranks of quantiles among sorted rows: nan counts not, or is the quantile."""
    nans = np.isnan(rows)
    if pass_nan:
        count = np.add.reduce(~nans, -1, keepdims=True) - 1
        ranks = q * Tensor._wrap(count)
        ranks = ranks.masked_fill_(ranks < 0, 0)
    else:
        last, any_nan = rows.shape[-1] - 1, nans.any(-1, keepdims=True)
        ranks = F.expand(F.mul_number(q, last), np.broadcast_shapes(q._data.shape, any_nan.shape))
        ranks = ranks.masked_fill(Tensor._wrap(any_nan), last)
    rounded = {"lower": F.floor, "higher": F.ceil, "nearest": F.round}.get(interpolation)
    return ranks if rounded is None else rounded(ranks)


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
    return _quantile("quantile", input, q, dim, keepdim, interpolation)


@offer(out=True)
def nanquantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """The q-th quantiles of all items that are not nan, or along a dim; of several q, one after
    another first."""
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation)


# Covariance --------------------------------------------------------------------------------------
def check_weights(count: int, name: str, given: Tensor | None, kinds: str, kind: str) -> None:
    """PyTorch's checks of the weights of so many observations."""
    if given is None:
        return
    data = given._data
    if data.ndim > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with "
            f"{data.ndim} dimensions"
        )
    if data.dtype.kind not in kinds:
        raise RuntimeError(
            f"cov(): expected {name} to have {kind} dtype but got {name} with "
            f"{scalar_type(data.dtype)} dtype"
        )
    if data.size != count:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the "
            f"input but got {data.size} != {count}"
        )
    if count and not data.min() >= 0:
        raise RuntimeError(f"cov(): {name} cannot be negative")


@offer()
def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """The covariances of variables (rows) over observations (columns), which may have weights.

    Shapes: (n,) or (variables, n); 0-d or (variables, variables).
    """
    if input._data.ndim > 2:
        raise RuntimeError(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input._data.ndim} dimensions"
        )
    if input._data.dtype == bool:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows = input if input._data.ndim == 2 else view(input, 1, -1)
    check_weights(rows._data.shape[1], "fweights", fweights, "iu", "integral")
    check_weights(rows._data.shape[1], "aweights", aweights, "f", "floating point")
    weights = fweights
    if aweights is not None:
        weights = aweights if weights is None else F.mul(weights, aweights)
    if weights is None:
        total = Tensor._wrap(np.asarray(rows._data.shape[1]))
        mean = F.div(F.sum_dim(rows, (1,)), total)
    else:
        total = F.sum(weights)
        if not total._data.any():
            raise RuntimeError("cov(): weights sum to zero, can't be normalized")
        mean = F.div(F.sum_dim(F.mul(rows, weights), (1,)), total)
    if weights is not None and aweights is not None and correction:
        spent = F.div(F.mul_number(F.sum(F.mul(weights, aweights)), correction), total)
        factor = F.sub(total, spent)
    else:
        factor = F.sub(total, correction)
    if factor._data <= 0:
        warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number "
            "of observations.",
        )
        factor = F.zeros_like(factor)
    off = F.sub(rows, F.unsqueeze(mean, 1))
    return F.squeeze(F.div(mm(off, t(off if weights is None else F.mul(off, weights))), factor))


@offer()
def corrcoef(input: Tensor) -> Tensor:
    """The correlation coefficients of variables (rows) over observations (columns).

    Shapes: (n,) or (variables, n); 0-d or (variables, variables).
    """
    if input._data.ndim > 2:
        raise RuntimeError(
            "corrcoef(): expected input to have two or fewer dimensions but got an input with "
            f"{input._data.ndim} dimensions"
        )
    found = cov(input)
    if not found._data.ndim:
        return F.div(found, found)
    spread = F.sqrt(F.diagonal(found, 0, 0, 1))
    found = F.div(found, view(spread, -1, 1))
    found = F.div(found, view(spread, 1, -1))
    return F.clamp(found, -1, 1)
