"""Kernels of layer, group and batch norm: items scaled to mean 0 and variance 1 over some dims."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

import numpy as np

from ...arrays.memory_order import as_array, keep_channels_last
from ..pointwise.common_kernels import Array, Shape, count_along, ones


def inverse_deviation(var: Array, eps: float) -> Array:
    """One over the standard deviation."""
    found = np.add(var, np.asarray(eps, var.dtype), out=...)
    np.sqrt(found, found)
    return np.reciprocal(found, found)


def _sum_of_products(a: Array, b: Array, dims: Shape) -> Array:
    """Sums of a b over dims, kept with size 1."""
    first = a.ndim - len(dims)
    if dims == tuple(range(first, a.ndim)) and a.size:  # rows of memory: no product is stored
        lead = a.shape[:first]
        count = count_along(a.shape, dims)
        rows = np.vecdot(a.reshape(-1, count), b.reshape(-1, count))
        return rows.reshape(*lead, *(1,) * len(dims))
    return np.add.reduce(a * b, dims, keepdims=True)


def normalized(a: Array, mean: Array, rstd: Array, dims: Shape) -> Array:
    """(a - mean) rstd."""
    out = np.subtract(a, mean, order="C")
    return np.multiply(out, rstd, out)


def normalize_backward(grad: Array, a: Array, mean: Array, rstd: Array, dims: Shape) -> Array:
    """The derivative of normalising ``a`` over dims: of ``grad``, what is orthogonal to constants
    and to the normalised items themselves, times ``rstd``."""
    grad = as_array(grad)
    count = np.asarray(count_along(a.shape, dims), a.dtype)
    x = normalized(a, mean, rstd, dims)
    along = _sum_of_products(np.ascontiguousarray(grad), x, dims)
    np.multiply(x, np.divide(along, count, along), x)
    np.add(x, np.divide(np.add.reduce(grad, dims, keepdims=True), count), x)
    np.subtract(grad, x, x)
    return np.multiply(x, rstd, x)


def layer_norm(
    a: Array, weight: Array | None, bias: Array | None, shape: Shape, eps: float
) -> tuple[Array, Array, Array]:
    """Normalised over the last dims, of ``shape``, times weight, plus bias; the means and their
    like."""
    count = math.prod(shape)
    rows = a.reshape(math.prod(a.shape[: a.ndim - len(shape)]), count)
    out, mean, rstd = _normalize_rows(rows, eps)
    np.multiply(out, rstd, out)
    if weight is not None:
        np.multiply(out, weight.reshape(count), out)
    if bias is not None:
        np.add(out, bias.reshape(count), out)
    lead = (*a.shape[: a.ndim - len(shape)], *(1,) * len(shape))
    return _cast_back(a.dtype, out.reshape(a.shape), mean.reshape(lead), rstd.reshape(lead))


def _normalize_rows(rows: Array, eps: float) -> tuple[Array, Array, Array]:
    """Rows (..., n) less their means; the means and 1 / deviations (..., 1). Halves become floats.

    Where a mean is that large beside the deviation, its rounding would show. Such rows are centred
    twice, so that equal items become 0, as in PyTorch.
    """
    if rows.dtype.char == "e":
        rows = rows.astype(np.float32)
    even = _averaging_vector(rows.shape[-1], rows.dtype.char)
    mean = np.matmul(rows, even)[..., None]
    out = np.subtract(rows, mean, order="C")
    rstd = _inverse_deviation_of(out, eps)
    ratio = mean * rstd
    if np.vdot(ratio, ratio) > STEEP:
        rest = np.matmul(out, even)[..., None]
        np.subtract(out, rest, out)
        np.add(mean, rest, mean)
        rstd = _inverse_deviation_of(out, eps)
    return out, mean, rstd


def _inverse_deviation_of(centred: Array, eps: float) -> Array:
    """One over the standard deviation of rows whose mean is 0."""
    var = np.vecdot(centred, centred)[..., None]
    return inverse_deviation(np.divide(var, centred.shape[-1], var), eps)


STEEP = 1e5
"""The square of a ratio of mean and deviation."""


def _cast_back(dtype: np.dtype, *arrays: Array) -> tuple[Array, ...]:
    """Results that were computed in floats for halves, in their type."""
    return tuple(array.astype(dtype) for array in arrays) if dtype.char == "e" else arrays


@cache
def _averaging_vector(count: int, kind: str) -> Array:
    """A vector whose product with a row is the row's mean: quicker than a reduction."""
    return np.full(max(count, 1), 1 / max(count, 1), kind)[:count] if count else np.ones(0, kind)


def halves_as_floats(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of a derivative, which computes halves in floats: what is taken off a gradient is
    nearly all of it, and squares of ``rstd`` are too large for halves."""

    @wraps(kernel)
    def wide(grad: Array, a: Array, *args: Any, **params: Any) -> Any:
        if a.dtype.char != "e":
            return kernel(grad, a, *args, **params)
        floats = [
            np.asarray(each, np.float32) if isinstance(each, np.ndarray) else each for each in args
        ]
        found = kernel(np.asarray(grad, np.float32), a.astype(np.float32), *floats, **params)
        return tuple(None if each is None else each.astype(a.dtype) for each in found)

    return wide


@halves_as_floats
def layer_norm_backward(
    grad: Array, a: Array, mean: Array, rstd: Array, weight: Array | None, bias: Array | None,
    normalized_shape: Shape,
) -> tuple[Array, Array | None, Array | None]:  # fmt: skip
    """The derivatives of ``layer_norm`` by input, weight and bias (see ``normalize_backward``):
    of large arrays some rows at a time, so that what is in between stays in the cache."""
    count, lines = math.prod(normalized_shape), mean.size
    rows, every = a.reshape(lines, count), as_array(grad).reshape(lines, count)
    means, rstds = mean.reshape(lines, 1), rstd.reshape(lines, 1)
    flat = None if weight is None else weight.reshape(count)
    even, out = _averaging_vector(count, a.dtype.char), np.empty((lines, count), a.dtype)
    share = even if flat is None else flat * even  # a product with it is a mean of grad * weight
    by_weight = None if weight is None else np.zeros(normalized_shape, a.dtype)
    by_bias = None if bias is None else np.zeros(normalized_shape, a.dtype)
    most = max(1, SPAN // max(count * a.itemsize, 1))
    for start in range(0, lines, most):
        part = slice(start, start + most)
        grad, rstd, found = every[part], rstds[part], out[part]
        centred = np.subtract(rows[part], means[part])
        product = np.multiply(grad, centred)
        if by_bias is not None:
            by_bias += np.matmul(ones(len(grad), a.dtype.char), grad).reshape(normalized_shape)
        if by_weight is not None:
            by_weight += np.matmul(rstd[:, 0], product).reshape(normalized_shape)
        along = np.matmul(product, share)[:, None] * rstd
        np.multiply(centred, along * (rstd * rstd), centred)
        np.add(centred, np.matmul(grad, share)[:, None] * rstd, centred)
        np.multiply(grad, rstd if flat is None else np.multiply(rstd, flat, found), found)
        np.subtract(found, centred, found)
    return out.reshape(a.shape), by_weight, by_bias


SPAN = 1 << 19
"""Bytes of rows to work on at a time."""


# By channel ---------------------------------------------------------------------------------------
# Arrays (N, C, *) are seen as (N, C, P), or (N, C) where there is nothing behind the channels. Sums
# along rows of memory are products with ones, and all that depends on the channel alone is gathered
# into one factor and one summand, as PyTorch does it: each pass over the items counts.
def channel_dims(ndim: int) -> Shape:
    """All dims but the channels."""
    return (0, *range(2, ndim))


def _flatten_points(a: Array) -> Array:
    """All dims behind the channels as one, in C order."""
    a = np.ascontiguousarray(a)
    return a if a.ndim == 2 else a.reshape(*a.shape[:2], math.prod(a.shape[2:]))


def _by_channel(a: Array, flat: Array) -> Array:
    """Numbers (..., C) by channel, to be broadcast with (N, C, P) or (N, C)."""
    return a[..., None] if flat.ndim == 3 else a


def _row_sums(a: Array) -> Array:
    """Sums of (N, C, P) over P."""
    return np.matmul(a, ones(a.shape[2], a.dtype.char))


def _channel_sums(a: Array) -> Array:
    """Sums of (N, C, P) or (N, C) by channel."""
    if a.ndim == 2:
        return np.matmul(ones(len(a), a.dtype.char), a)
    return np.add.reduce(_row_sums(a), 0)


def _channel_dots(a: Array, b: Array) -> Array:
    """Sums of a b by channel."""
    return _channel_sums(a * b) if a.ndim == 2 else np.add.reduce(np.vecdot(a, b), 0)


@keep_channels_last
def batch_norm(
    a: Array, weight: Array | None, bias: Array | None, running_mean: Array | None,
    running_var: Array | None, training: bool, momentum: float, eps: float,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Normalised over all but the channels by the batch's own mean and variance, which also move
    the running ones by ``momentum``; or, when not training, by the running ones."""
    flat, shape = _flatten_points(a), (1, -1, *(1,) * (a.ndim - 2))
    if a.dtype.char == "e":
        flat = flat.astype(np.float32)
    if training:
        count = np.asarray(count_along(a.shape, channel_dims(a.ndim)), flat.dtype)
        mean = np.divide(_channel_sums(flat), count)
        out = np.subtract(flat, _by_channel(mean, flat))
        var = np.divide(_channel_dots(out, out), count)
        rstd = inverse_deviation(var, eps)
        if running_mean is not None:
            _update_running(running_mean, mean, momentum)
        if running_var is not None:
            _update_running(running_var, var * (count / max(count - 1, 1)), momentum)
        scale = rstd if weight is None else rstd * weight
        np.multiply(out, _by_channel(scale, flat), out=out)
        shift = bias
    else:
        assert running_mean is not None
        assert running_var is not None
        mean = running_mean.astype(a.dtype, copy=False)
        rstd = inverse_deviation(running_var, eps).astype(a.dtype, copy=False)
        scale = rstd if weight is None else rstd * weight
        out = np.multiply(flat, _by_channel(scale, flat))
        shift = np.negative(mean * scale) if bias is None else bias - mean * scale
    if shift is not None:
        np.add(out, _by_channel(shift, flat), out=out)
    return _cast_back(a.dtype, out.reshape(a.shape), mean.reshape(shape), rstd.reshape(shape))


def _update_running(running: Array, now: Array, momentum: float) -> None:
    """Write into ``running`` what lies between it and ``now``. As in PyTorch it is no change that
    its version counts."""
    running[...] = momentum * now + (1 - momentum) * running


@halves_as_floats
def batch_norm_backward(
    grad: Array, a: Array, weight: Array | None, mean: Array, rstd: Array, training: bool,
    targets: tuple[str, ...],
) -> tuple[Array | None, Array | None, Array]:  # fmt: skip
    """The derivatives of ``batch_norm`` by input, weight and bias."""
    flat, grad = _flatten_points(a), _flatten_points(as_array(grad))
    mean, rstd = mean.reshape(-1), rstd.reshape(-1)
    total = _channel_sums(grad)
    scale = rstd if weight is None else rstd * weight
    by_input = by_weight = None
    if "input" in targets:
        by_input = np.multiply(grad, _by_channel(scale, flat))
    if "weight" in targets or (training and by_input is not None):
        centred = np.subtract(flat, _by_channel(mean, flat))
        along = _channel_dots(grad, centred)
        by_weight = along * rstd
        if training and by_input is not None:
            share = scale / count_along(a.shape, channel_dims(a.ndim))
            _subtract_by_channel(by_input, centred, along * rstd * rstd * share, total * share)
    return None if by_input is None else by_input.reshape(a.shape), by_weight, total


def _subtract_by_channel(out: Array, centred: Array, slope: Array, level: Array) -> None:
    """Take slope centred + level, both by channel, off ``out``; ``centred`` is spent."""
    np.multiply(centred, _by_channel(slope, out), out=centred)
    np.add(centred, _by_channel(level, out), out=centred)
    np.subtract(out, centred, out=out)


@keep_channels_last
def group_norm(
    a: Array, weight: Array | None, bias: Array | None, groups: int, eps: float
) -> tuple[Array, Array, Array]:
    """Normalised over each group of channels of each sample, times weight and plus bias by
    channel."""
    n = len(a)
    whole = a.reshape(n, groups, a[:1].size // groups if n else 0)
    out, mean, rstd = _normalize_rows(whole, eps)
    if weight is None:
        np.multiply(out, rstd, out=out)
    else:
        scale = (rstd * weight.reshape(groups, -1)).reshape(n, a.shape[1])
        out = out.reshape(n, a.shape[1], math.prod(a.shape[2:]))
        np.multiply(out, scale[..., None], out=out)
    if bias is not None:
        out = out.reshape(n, a.shape[1], math.prod(a.shape[2:]))
        np.add(out, bias[:, None], out=out)
    return _cast_back(a.dtype, out.reshape(a.shape), mean[..., 0], rstd[..., 0])


@halves_as_floats
def group_norm_backward(
    grad: Array, a: Array, weight: Array | None, mean: Array, rstd: Array,
    sizes: tuple[int, int, int, int],
) -> tuple[Array, Array, Array]:  # fmt: skip
    """The derivatives of ``group_norm`` by input, weight and bias."""
    n, groups, inner, _ = sizes
    c, points = groups * inner, math.prod(a.shape[2:])
    mean, rstd = mean[..., None], rstd[..., None]
    grad = np.ascontiguousarray(grad).reshape(n, c, points)
    centred = np.subtract(a.reshape(n, groups, inner * points), mean).reshape(n, c, points)
    total, along = _row_sums(grad), np.vecdot(grad, centred)
    by_bias = np.add.reduce(total, 0)
    by_weight = np.add.reduce((along.reshape(n, groups, inner) * rstd).reshape(n, c), 0)
    scale = np.repeat(rstd.reshape(n, groups), inner, 1)
    if weight is not None:
        total, along, scale = total * weight, along * weight, scale * weight
    share = rstd / max(inner * points, 1)
    level = np.add.reduce(total.reshape(n, groups, inner), 2, keepdims=True) * share
    slope = np.add.reduce(along.reshape(n, groups, inner), 2, keepdims=True) * rstd * rstd * share
    by_input = np.multiply(grad, scale[..., None])
    whole = by_input.reshape(n, groups, inner * points)
    _subtract_by_channel(whole, centred.reshape(whole.shape), slope[..., 0], level[..., 0])
    return by_input.reshape(a.shape), by_weight, by_bias
