"""``quantile``, ``cov``, ``corrcoef``, ``diff`` and ``trapezoid``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.dtypes import scalar_type
from ...arrays.warnings import warn
from ...dispatch.offer import offer
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ...optable.out import POINTWISE
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


# Differences and integrals -----------------------------------------------------------------------
def slice_dim(input: Tensor, dim: int, start: int, end: int) -> Tensor:
    """The items from start to end along a dim."""
    return F.slice(input, dim, start, end, 1)


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
        before, after = slice_dim(result, dim, 0, size - 1), slice_dim(result, dim, 1, size)
        kind = F.logical_xor if result._data.dtype == bool else F.sub
        result = kind(after, before)
    return result


def sample_spacing(y: Tensor, x: Tensor, dim: int, name: str) -> Tensor:
    """The distances of sample points, fit to be multiplied with the samples."""
    size = y._data.shape[dim]
    if x._data.ndim == 1:
        if x._data.size != size:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        shape = [1] * y._data.ndim
        shape[dim] = size
        x = view(x, *shape)
    elif x._data.ndim < y._data.ndim:
        x = view(x, *(1,) * (y._data.ndim - x._data.ndim), *x._data.shape)
    count = x._data.shape[dim]
    return F.sub(slice_dim(x, dim, 1, count), slice_dim(x, dim, 0, count - 1))


def neighbour_sums(y: Tensor, dim: int) -> Tensor:
    """The sums of neighbours."""
    size = y._data.shape[dim]
    return F.add(slice_dim(y, dim, 0, size - 1), slice_dim(y, dim, 1, size))


def no_bool_samples(name: str, y: Tensor, x: Tensor | None) -> None:
    """Refuse bools (PyTorch's texts)."""
    if y._data.dtype == bool or (x is not None and x._data.dtype == bool):
        told = "`y`" if x is None else "`x` or `y`"
        raise RuntimeError(f"{name}: received a bool input for {told}, but bool is not supported")


def sample_dim(y: Tensor, dim: int) -> int:
    """The dim counted from the start.

    Raises:
        IndexError: there is none.
    """
    if not y._data.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap_dim(dim, y._data.ndim)


@offer("trapz", method=False)
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1, dim: int = -1) -> Tensor:
    """The integral along a dim by the trapezoidal rule, at points ``x`` or ``dx`` apart.

    Shapes: any; ``dim`` goes.
    """
    no_bool_samples("trapezoid", y, x)
    dim = sample_dim(y, dim)
    size = y._data.shape[dim]
    if not size:
        shape = tuple(n for d, n in enumerate(y._data.shape) if d != dim)
        return Tensor._wrap(np.zeros(shape, y._data.dtype))
    if x is not None:
        distances = sample_spacing(y, x, dim, "trapezoid")
        return F.div_number(F.sum_dim(F.mul(neighbour_sums(y, dim), distances), (dim,)), 2.0)
    ends = F.add(F.select(y, dim, 0), F.select(y, dim, size - 1))
    half = F.mul_number(ends, 0.5)
    inner = F.sub(F.sum_dim(y, (dim,)), half)
    return F.mul_number(inner, float(dx))


@offer(method=False)
def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: float = 1, dim: int = -1
) -> Tensor:
    """The running integral along a dim by the trapezoidal rule.

    Shapes: any; one fewer along ``dim``.
    """
    no_bool_samples("cumulative_trapezoid", y, x)
    place = sample_dim(y, dim)
    if x is not None:
        distances = sample_spacing(y, x, place, "cumulative_trapezoid")
        return F.div_number(F.cumsum(F.mul(neighbour_sums(y, place), distances), dim), 2.0)
    return F.cumsum(F.mul_number(neighbour_sums(y, place), dx / 2.0), dim)


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
