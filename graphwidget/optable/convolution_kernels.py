"""Kernels of convolution in any number of spatial dims.

Shapes: input ``(N, C, *S)``, weight ``(D, C / groups, *K)``, output ``(N, D, *O)``. A convolution
is one matrix product of the weight with the windows of the padded input, laid out as columns
(``im2col``); its derivative by the input is the transposed product, added back window by window
(``col2im``). A transposed convolution is that derivative.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from .kernels import Array, Shape
from .layout import as_array


def pad(a: Array, padding: Shape, value: float = 0.0, extra: Shape = ()) -> Array:
    """``a`` in C order with a border of ``value`` around its last dims (and ``extra`` more at their
    ends); ``a`` itself when there is nothing to do."""
    if not any(padding) and not any(extra):
        return a if a.flags.c_contiguous else a.copy(order="C")
    first = a.ndim - len(padding)
    more = extra or (0,) * len(padding)
    sizes = zip(a.shape[first:], padding, more, strict=True)
    shape = (*a.shape[:first], *(size + 2 * p + e for size, p, e in sizes))
    out = np.zeros(shape, a.dtype) if value == 0 else np.full(shape, value, a.dtype)
    out[inside(a.shape, padding)] = a
    return out


def inside(shape: Shape, padding: Shape) -> tuple[Any, ...]:
    """The index of what a border surrounds, for an array of ``shape`` within it."""
    sizes = zip(shape[len(shape) - len(padding) :], padding, strict=True)
    return (..., *(slice(p, p + size) for size, p in sizes))


def window_count(sizes: Shape, kernel: Shape, stride: Shape, dilation: Shape) -> Shape:
    """How many windows fit along each (padded) dim."""
    each = zip(sizes, kernel, stride, dilation, strict=True)
    return tuple((size - d * (k - 1) - 1) // s + 1 for size, k, s, d in each)


def windows(a: Array, kernel: Shape, stride: Shape, dilation: Shape, count: Shape) -> Array:
    """A view ``(*lead, *kernel, *count)`` of windows over the last dims of a C-ordered array."""
    first = a.ndim - len(kernel)
    steps = a.strides[first:]
    strides = (
        *a.strides[:first],
        *(step * d for step, d in zip(steps, dilation, strict=True)),
        *(step * s for step, s in zip(steps, stride, strict=True)),
    )
    return np.ndarray((*a.shape[:first], *kernel, *count), a.dtype, a, 0, strides)


def places(
    kernel: Shape, stride: Shape, dilation: Shape, count: Shape
) -> Iterator[tuple[Shape, tuple[Any, ...]]]:
    """For each place in a window, the index of the items that lie there, window by window."""
    for place in itertools.product(*map(range, kernel)):
        each = zip(place, stride, dilation, count, strict=True)
        yield place, (..., *(slice(p * d, p * d + s * (n - 1) + 1, s) for p, s, d, n in each))


def columns(a: Array, kernel: Shape, stride: Shape, dilation: Shape, count: Shape) -> Array:
    """Windows as columns: ``(N, C, *S)`` to ``(N, C prod(kernel), prod(count))``."""
    n, c = a.shape[:2]
    return windows(a, kernel, stride, dilation, count).reshape(
        n, c * math.prod(kernel), math.prod(count)
    )


def add_columns(
    parts: Array, sizes: Shape, kernel: Shape, stride: Shape, dilation: Shape, count: Shape
) -> Array:
    """The reverse of ``windows``: ``(*lead, *kernel, *count)`` added into ``(*lead, *sizes)``."""
    lead = parts.shape[: parts.ndim - 2 * len(kernel)]
    out = np.zeros((*lead, *sizes), parts.dtype)
    after = (slice(None),) * len(count)
    for place, index in places(kernel, stride, dilation, count):
        part = out[index]
        np.add(part, parts[(..., *place, *after)], part)
    return out


def _is_plain(kernel: Shape, stride: Shape) -> bool:
    """Windows of one item, side by side: the input is its own columns."""
    return all(k == 1 for k in kernel) and all(s == 1 for s in stride)


def convolve(
    a: Array, weight: Array, stride: Shape, padding: Shape, dilation: Shape, groups: int
) -> Array:
    """The convolution of ``a`` with ``weight``."""
    n, c = a.shape[:2]
    d, kernel = weight.shape[0], weight.shape[2:]
    each = math.prod(weight.shape[1:])
    a = pad(a, padding)
    count = window_count(a.shape[2:], kernel, stride, dilation)
    if _is_plain(kernel, stride):
        found = a.reshape(n, c, math.prod(count))
    else:
        found = columns(a, kernel, stride, dilation, count)
    if groups == 1:
        out = np.matmul(weight.reshape(d, each), found)
    else:
        found = found.reshape(n, groups, each, found.shape[2])
        out = np.matmul(weight.reshape(groups, d // groups, each), found)
    return out.reshape(n, d, *count)


def by_input(
    grad: Array, weight: Array, sizes: Shape, stride: Shape, padding: Shape, dilation: Shape,
    groups: int,
) -> Array:  # fmt: skip
    """The derivative of ``convolve`` by its input, whose spatial sizes are ``sizes``."""
    n, d = grad.shape[:2]
    kernel, count = weight.shape[2:], grad.shape[2:]
    c = weight.shape[1] * groups
    reach = tuple(r * (k - 1) for r, k in zip(dilation, kernel, strict=True))
    side_by_side = groups == 1 and all(s == 1 for s in stride)
    if side_by_side and d <= 2 * c and all(p <= r for p, r in zip(padding, reach, strict=True)):
        # a convolution with the weight turned round: measured to be quicker than adding columns
        # up, unless it has many more channels to lay out
        turned = weight[(slice(None), slice(None), *(slice(None, None, -1),) * len(kernel))]
        border = tuple(r - p for r, p in zip(reach, padding, strict=True))
        turned = np.ascontiguousarray(turned.swapaxes(0, 1))
        return convolve(grad, turned, stride, border, dilation, 1)
    points, each = math.prod(count), math.prod(weight.shape[1:])
    if groups == 1:
        parts = np.matmul(weight.reshape(d, each).T, grad.reshape(n, d, points))
    else:
        split = weight.reshape(groups, d // groups, each).swapaxes(1, 2)
        parts = np.matmul(split, grad.reshape(n, groups, d // groups, points))
    if _is_plain(kernel, stride) and not any(padding):
        return parts.reshape(n, c, *count)
    padded = tuple(size + 2 * p for size, p in zip(sizes, padding, strict=True))
    parts = parts.reshape(n, c, *kernel, *count)
    out = add_columns(parts, padded, kernel, stride, dilation, count)
    if not any(padding):
        return out
    return np.ascontiguousarray(out[inside((n, c, *sizes), padding)])


def by_weight(
    grad: Array, a: Array, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape,
    groups: int,
) -> Array:  # fmt: skip
    """The derivative of ``convolve`` by its weight, whose window is ``kernel``."""
    n, d = grad.shape[:2]
    c, count = a.shape[1], grad.shape[2:]
    a, points = pad(a, padding), math.prod(count)
    if groups > 1:
        found = columns(a, kernel, stride, dilation, count)
        found = found.reshape(n, groups, c // groups * math.prod(kernel), points)
        each = np.matmul(grad.reshape(n, groups, d // groups, points), found.swapaxes(2, 3))
        return np.add.reduce(each, 0).reshape(d, c // groups, *kernel)
    # One product over all windows of the batch beats one for each sample and a sum.
    order = (1, *range(2, 2 + len(kernel)), 0, *range(2 + len(kernel), 2 + 2 * len(kernel)))
    found = windows(a, kernel, stride, dilation, count).transpose(order)
    across = grad.reshape(n, d, points).swapaxes(0, 1).reshape(d, n * points)
    found = found.reshape(c * math.prod(kernel), n * points)
    return np.matmul(across, found.T).reshape(d, c, *kernel)


# The ops' own ------------------------------------------------------------------------------------
def transposed_sizes(
    sizes: Shape, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape, more: Shape
) -> Shape:
    """The spatial sizes of a transposed convolution's output (``more`` is its output padding)."""
    each = zip(sizes, kernel, stride, padding, dilation, more, strict=True)
    return tuple((n - 1) * s - 2 * p + d * (k - 1) + 1 + m for n, k, s, p, d, m in each)


def convolution(
    a: Array, weight: Array, bias: Array | None, stride: Shape, padding: Shape, dilation: Shape,
    transposed: bool, output_padding: Shape, groups: int,
) -> Array:  # fmt: skip
    """The convolution, or the transposed one, plus the bias of each output channel."""
    if transposed:
        sizes = transposed_sizes(
            a.shape[2:], weight.shape[2:], stride, padding, dilation, output_padding
        )
        out = by_input(a, weight, sizes, stride, padding, dilation, groups)
    else:
        out = convolve(a, weight, stride, padding, dilation, groups)
    if bias is not None:
        np.add(out, bias.reshape(-1, *(1,) * (a.ndim - 2)), out)
    return out


def convolution_backward(
    grad: Array, a: Array, weight: Array, stride: Shape, padding: Shape, dilation: Shape,
    transposed: bool, output_padding: Shape, groups: int, wanted: tuple[str, ...],
) -> tuple[Array | None, Array | None, Array | None]:  # fmt: skip
    """The derivatives of ``convolution`` by its input, weight and bias; None for those that are
    not among ``wanted``."""
    grad, first, second = as_array(grad), None, None
    how = stride, padding, dilation, groups
    if "input" in wanted:
        first = (
            convolve(grad, weight, *how)
            if transposed
            else by_input(grad, weight, a.shape[2:], *how)
        )
    if "weight" in wanted:
        above, below = (as_array(a), grad) if transposed else (grad, as_array(a))
        second = by_weight(above, below, weight.shape[2:], *how)
    return first, second, sum_of_channels(grad) if "bias" in wanted else None


def sum_of_channels(grad: Array) -> Array:
    """The derivative by the bias: sums over all but the channels."""
    if grad.ndim > 2 and grad.flags.c_contiguous:  # two sums along one dim each are quicker
        return np.add.reduce(np.add.reduce(grad.reshape(*grad.shape[:2], -1), 2), 0)
    return np.add.reduce(grad, (0, *range(2, grad.ndim)))
