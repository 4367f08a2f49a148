"""Kernels of layer, group and batch norm: items brought to mean 0 and variance 1 over some dims."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from .kernels import Array, Shape, count_along
from .layout import as_array


def moments(a: Array, dims: Shape) -> tuple[Array, Array, Array]:
    """``a`` less its mean over dims, the mean, and the variance; the last two with dims of size
    1."""
    count = np.asarray(count_along(a.shape, dims), a.dtype)
    mean = np.divide(np.add.reduce(a, dims, keepdims=True), count)
    centred = np.subtract(a, mean, order="C")
    return centred, mean, np.divide(_sum_of_products(centred, centred, dims), count)


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
    rows = a.reshape(a.size // count if count else 0, count)
    even = _even(count, a.dtype.char)
    mean = np.matmul(rows, even)[:, None]
    out = np.subtract(rows, mean, order="C")
    var = np.vecdot(out, out)[:, None]
    np.multiply(var, even[:1], var)
    rstd = inverse_deviation(var, eps)
    np.multiply(out, rstd, out)
    if weight is not None:
        np.multiply(out, weight.reshape(count), out)
    if bias is not None:
        np.add(out, bias.reshape(count), out)
    lead = (*a.shape[: a.ndim - len(shape)], *(1,) * len(shape))
    return out.reshape(a.shape), mean.reshape(lead), rstd.reshape(lead)


@cache
def _even(count: int, kind: str) -> Array:
    """A vector whose product with a row is the row's mean: quicker than a reduction."""
    return np.full(max(count, 1), 1 / max(count, 1), kind)[:count] if count else np.ones(0, kind)


def layer_norm_backward(
    grad: Array, a: Array, weight: Array | None, bias: Array | None, mean: Array, rstd: Array,
    shape: Shape,
) -> tuple[Array, Array | None, Array | None]:  # fmt: skip
    """The derivatives of ``layer_norm`` by input, weight and bias (see ``normalize_backward``)."""
    count = math.prod(shape)
    lines = a.size // count if count else 0
    grad = as_array(grad).reshape(lines, count)
    mean, rstd = mean.reshape(lines, 1), rstd.reshape(lines, 1)
    z = np.subtract(a.reshape(lines, count), mean)
    np.multiply(z, rstd, z)
    even, total = _even(count, a.dtype.char), _ones(lines, a.dtype.char)
    by_weight = by_bias = None
    if weight is not None:
        by_weight = np.matmul(total, grad * z).reshape(shape)
    if bias is not None:
        by_bias = np.matmul(total, grad).reshape(shape)
    if weight is not None:
        grad = grad * weight.reshape(count)
    along = np.vecdot(grad, z)[:, None]
    np.multiply(along, even[:1], along)
    np.multiply(z, along, z)
    np.add(z, np.matmul(grad, even)[:, None], z)
    np.subtract(grad, z, z)
    np.multiply(z, rstd, z)
    return z.reshape(a.shape), by_weight, by_bias


@cache
def _ones(count: int, kind: str) -> Array:
    """A vector whose product with a matrix is the sum of its rows."""
    return np.ones(count, kind)


def group_norm(
    a: Array, weight: Array | None, bias: Array | None, groups: int, eps: float
) -> tuple[Array, Array, Array]:
    """Normalised over each group of channels of each sample, times weight and plus bias by
    channel."""
    n = len(a)
    out, mean, var = moments(a.reshape(n, groups, a[:1].size // groups if n else 0), (2,))
    rstd = inverse_deviation(var, eps)
    out = np.multiply(out, rstd, out).reshape(a.shape)
    return _by_channel(out, weight, bias), mean, rstd


def _by_channel(out: Array, weight: Array | None, bias: Array | None) -> Array:
    """``out`` times weight and plus bias, one of each for each channel (dim 1), written into it."""
    shape = (-1, *(1,) * (out.ndim - 2))
    if weight is not None:
        np.multiply(out, weight.reshape(shape), out)
    if bias is not None:
        np.add(out, bias.reshape(shape), out)
    return out


def channel_dims(ndim: int) -> Shape:
    """All dims but the channels."""
    return (0, *range(2, ndim))


def batch_norm(
    a: Array, weight: Array | None, bias: Array | None, running_mean: Array | None,
    running_var: Array | None, training: bool, momentum: float, eps: float,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Normalised over all but the channels by the batch's own mean and variance, which also move
    the running ones by ``momentum``; or, when not training, by the running ones."""
    dims = channel_dims(a.ndim)
    shape = (1, -1, *(1,) * (a.ndim - 2))
    if not training:
        assert running_mean is not None
        assert running_var is not None
        mean = running_mean.reshape(shape).astype(a.dtype, copy=False)
        rstd = inverse_deviation(running_var.reshape(shape), eps).astype(a.dtype, copy=False)
        return _by_channel(normalized(a, mean, rstd, dims), weight, bias), mean, rstd
    out, mean, var = moments(a, dims)
    rstd = inverse_deviation(var, eps)
    np.multiply(out, rstd, out)
    if running_mean is not None:
        _move(running_mean, mean, momentum)
    if running_var is not None:
        count = count_along(a.shape, dims)
        _move(running_var, var * (count / max(count - 1, 1)), momentum)
    return _by_channel(out, weight, bias), mean, rstd


def _move(running: Array, now: Array, momentum: float) -> None:
    """Write into ``running`` what lies between it and ``now``. As in PyTorch it is no change that
    its version counts."""
    running[...] = momentum * now.reshape(-1) + (1 - momentum) * running
