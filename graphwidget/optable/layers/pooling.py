"""Pooling over windows of the last dims: kernels and ops. A stride of ``()`` is the kernel's size.

A window is gone through place by place: for each place one strided view of the input holds the
items of all windows that lie there, so there are a few numpy calls for each place and none for
each window.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from ...arrays.memory_order import as_array, keep_channels_last, keep_images_channels_last
from ..declare import Namespace, op
from ..pointwise.common_kernels import Array, Shape
from ..pointwise.where_clamp_kernels import zero_where
from .convolution import inner_slices, pad, window_indices
from .interpolation import multiply_last_dims

Places = list[tuple[Shape, tuple[Any, ...]]]


def pooled_sizes(
    sizes: Shape, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape, ceil_mode: bool
) -> Shape:
    """Return how many windows lie along each dim. With ``ceil_mode`` the last may reach beyond the
    end, but must begin inside of the input or its left border."""
    found = []
    for n, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True):
        room = n + 2 * p - d * (k - 1) - 1
        count = (room + (s - 1 if ceil_mode else 0)) // s + 1
        if ceil_mode and (count - 1) * s >= n + p:
            count -= 1
        found.append(count)
    return tuple(found)


def overhang(
    sizes: Shape, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape, count: Shape
) -> Shape:
    """Return how far the last windows reach beyond the padded ends."""
    each = zip(sizes, kernel, stride, padding, dilation, count, strict=True)
    return tuple(
        max(0, (c - 1) * s + d * (k - 1) + 1 - n - 2 * p) for n, k, s, p, d, c in each
    )


@cache
def _window_layout(
    sizes: Shape, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape, ceil_mode: bool
) -> tuple[Shape, Shape, Places]:
    """The number of windows, how far they reach beyond, and the index of each place."""
    stride = stride or kernel
    count = pooled_sizes(sizes, kernel, stride, padding, dilation, ceil_mode)
    extra = overhang(sizes, kernel, stride, padding, dilation, count)
    return count, extra, list(window_indices(kernel, stride, dilation, count))


def lowest_value(dtype: Any) -> Any:
    """Less than all numbers of the type."""
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


@keep_channels_last
def max_pool(
    a: Array, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape, ceil_mode: bool
) -> tuple[Array, Array]:
    """The largest item of each window, and which place of the window it was first found in; nan
    is larger than all."""
    sizes = a.shape[a.ndim - len(kernel) :]
    _count, extra, indices = _window_layout(sizes, kernel, stride, padding, dilation, ceil_mode)
    least = lowest_value(a.dtype)
    padded = any(padding) or any(extra)
    a = pad(a, padding, least, extra) if padded else a
    parts = [np.ascontiguousarray(a[index]) for _place, index in indices]
    best = parts[0].copy()
    for items in parts[1:]:
        np.maximum(best, items, out=best)
    bordered = padded and bool((best == least).any())  # no part of the border may be chosen
    if not bordered and (best.dtype.kind != "f" or not np.isnan(best).any()):
        return best, first_extreme(best, parts)
    best = parts[0].copy()
    choice = np.zeros(best.shape, np.uint8 if len(indices) < 256 else np.int32)
    if bordered:
        border = pad(np.zeros(sizes, np.int8), padding, 1, extra)
        choice[...] = np.argmin([border[index] for _place, index in indices], 0)
    for number, items in enumerate(parts[1:], 1):
        # not (items <= best): an item that is nan is taken, and kept against all but nan
        better = np.less_equal(items, best)
        np.logical_not(better, better)
        np.logical_and(better, np.logical_or(best == best, items != items), better)
        np.copyto(best, items, where=better)
        np.copyto(choice, number, where=better)
    return best, choice


def first_extreme(best: Array, parts: list[Array]) -> Array:
    """The number of the first part that has the best item, place by place: how many parts in a row,
    from the first, have another one. No branch for each item, which would be guessed wrong."""
    choice = np.zeros(best.shape, np.uint8 if len(parts) < 256 else np.int32)
    missing = np.ones(best.shape, bool)
    for items in parts[:-1]:
        np.logical_and(missing, items != best, missing)
        np.add(choice, missing, choice)
    return choice


def max_pool_backward(
    grad: Array, a: Array, choice: Array, kernel: Shape, stride: Shape, padding: Shape,
    dilation: Shape, ceil_mode: bool,
) -> Array:  # fmt: skip
    """Each window's gradient at the item that was chosen in it."""
    return max_pool_scatter(grad, choice, a.shape, kernel, stride, padding, dilation, ceil_mode)


def max_pool_scatter(
    grad: Array, choice: Array, shape: Shape, kernel: Shape, stride: Shape, padding: Shape,
    dilation: Shape, ceil_mode: bool,
) -> Array:  # fmt: skip
    """Items at the places of an array of zeros that were chosen in each window."""
    grad, stride = as_array(grad), stride or kernel
    first = len(shape) - len(kernel)
    sizes = shape[first:]
    _count, extra, indices = _window_layout(sizes, kernel, stride, padding, dilation, ceil_mode)
    padded = tuple(n + 2 * p + e for n, p, e in zip(sizes, padding, extra, strict=True))
    apart = all(s >= d * (k - 1) + 1 for k, s, d in zip(kernel, stride, dilation, strict=True))
    filled = apart and len(indices) * grad.size == math.prod(shape[:first]) * math.prod(padded)
    out = (np.empty if filled else np.zeros)((*shape[:first], *padded), grad.dtype)
    for number, (_place, index) in enumerate(indices):
        part = out[index]
        if apart:
            zero_where(choice != number, grad, part)
        else:
            np.add(part, zero_where(choice != number, grad), part)
    return out if padded == sizes else np.ascontiguousarray(out[inner_slices(shape, padding)])


def max_pool_gather(
    a: Array, choice: Array, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape,
    ceil_mode: bool,
) -> Array:  # fmt: skip
    """The items that were chosen in each window of another array."""
    sizes = a.shape[a.ndim - len(kernel) :]
    _count, extra, indices = _window_layout(sizes, kernel, stride, padding, dilation, ceil_mode)
    a = pad(a, padding, 0.0, extra)
    out = np.zeros(choice.shape, a.dtype)
    for number, (_place, index) in enumerate(indices):
        np.copyto(out, a[index], where=choice == number)
    return out


@keep_channels_last
def max_pool_indices(
    a: Array, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape, ceil_mode: bool
) -> Array:
    """Return where the largest items lie, as flat indices into the pooled dims of the input."""
    choice = max_pool(a, kernel, stride, padding, dilation, ceil_mode)[1]
    return flat_indices(choice, a.shape, kernel, stride, padding, dilation)


def flat_indices(
    choice: Array, shape: Shape, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape
) -> Array:
    """Like ``max_pool_indices``, of windows' places that were chosen in an array of this shape."""
    sizes, stride = shape[len(shape) - len(kernel) :], stride or kernel
    flat = np.zeros(choice.shape, np.int64)
    for dim, size in enumerate(sizes):
        after = math.prod(kernel[dim + 1 :])
        place = choice.astype(np.int64) // after % kernel[dim]
        starts = np.arange(flat.shape[flat.ndim - len(sizes) + dim]) * stride[dim] - padding[dim]
        starts = starts.reshape(-1, *(1,) * (len(sizes) - 1 - dim))
        flat = flat * size + starts + place * dilation[dim]
    return flat


# Averages ----------------------------------------------------------------------------------------
@cache
def _window_sizes(
    sizes: Shape, kernel: Shape, stride: Shape, padding: Shape, count: Shape, with_pad: bool
) -> tuple[Any, ...]:
    """Return how many items each window averages over, as a number or one factor for each dim."""
    factors = []
    for n, k, s, p, c in zip(sizes, kernel, stride, padding, count, strict=True):
        start = np.arange(c) * s - p
        end = np.minimum(start + k, n + p)
        if not with_pad:
            start, end = np.maximum(start, 0), np.minimum(end, n)
        factors.append(end - start)
    whole = factors[0]
    for factor in factors[1:]:
        whole = np.multiply.outer(whole, factor)
    return (int(whole.flat[0]),) if whole.size and (whole == whole.flat[0]).all() else (whole,)


def _divide_sums(
    total: Array, sizes: Shape, kernel: Shape, stride: Shape, padding: Shape, count: Shape,
    with_pad: bool, divisor: int | None,
) -> Array:  # fmt: skip
    """Sums of windows divided by how many items there are in each."""
    stride = stride or kernel
    (by,) = (
        (divisor,)
        if divisor
        else _window_sizes(sizes, kernel, stride, padding, count, with_pad)
    )
    if total.dtype.kind != "f":  # towards zero, as in C
        return np.trunc(np.true_divide(total, by)).astype(total.dtype)
    return np.true_divide(total, np.asarray(by, total.dtype))


@keep_images_channels_last
def avg_pool(
    a: Array, kernel: Shape, stride: Shape, padding: Shape, ceil_mode: bool,
    count_include_pad: bool, divisor_override: int | None,
) -> Array:  # fmt: skip
    """The average of each window; the border of zeros counts with ``count_include_pad``."""
    sizes, ones = a.shape[a.ndim - len(kernel) :], (1,) * len(kernel)
    count, extra, indices = _window_layout(sizes, kernel, stride, padding, ones, ceil_mode)
    a = pad(a, padding, 0.0, extra) if any(padding) or any(extra) else a
    total = np.array(a[indices[0][1]], order="C")
    for _place, index in indices[1:]:
        np.add(total, a[index], total)
    return _divide_sums(
        total, sizes, kernel, stride, padding, count, count_include_pad, divisor_override
    )


def avg_pool_backward(
    grad: Array, a: Array, kernel: Shape, stride: Shape, padding: Shape, ceil_mode: bool,
    count_include_pad: bool, divisor_override: int | None,
) -> Array:  # fmt: skip
    """Each window's gradient shared among its items."""
    shape = a.shape
    first = len(shape) - len(kernel)
    sizes, ones = shape[first:], (1,) * len(kernel)
    count, extra, indices = _window_layout(sizes, kernel, stride, padding, ones, ceil_mode)
    share = _divide_sums(
        as_array(grad), sizes, kernel, stride, padding, count, count_include_pad, divisor_override
    )
    padded = tuple(n + 2 * p + e for n, p, e in zip(sizes, padding, extra, strict=True))
    out = np.zeros((*shape[:first], *padded), share.dtype)
    for _place, index in indices:
        part = out[index]
        np.add(part, share, part)
    return out if padded == sizes else np.ascontiguousarray(out[inner_slices(shape, padding)])


# Pools undone -------------------------------------------------------------------------------------


F = Namespace()


# The node of max_pool2d keeps which place of its window was chosen rather than PyTorch's flat
# indices: one byte instead of eight, and the gradient needs no scattering.
op("max_pool2d_with_indices(self, /, kernel_size, stride, padding, dilation, ceil_mode) -> result;"
   " choice",
   max_pool, refuses="max_pool2d: bool", node="MaxPool2DWithIndicesBackward0",
   saved_choice="result1",
   d_self=lambda grad, self, choice, kernel_size, stride, padding, dilation, ceil_mode:
       F.max_pool2d_with_indices_backward(
           grad, self, choice, kernel_size, stride, padding, dilation, ceil_mode
       ),
   public=False, sign="max pool", text="max of each {kernel_size} window of {self}",
   onnx="MaxPool")

op("max_pool2d_with_indices_backward(grad_output, self, choice, /, _kernel, _stride, _padding, "
   "_dilation, _ceil)", max_pool_backward, node="MaxPool2DWithIndicesBackwardBackward0",
   saved_choice="indices",
   d_grad_output=lambda grad, choice, _self_shape, _kernel, _stride, _padding, _dilation, _ceil:
       F.max_pool_gather(grad, choice, _kernel, _stride, _padding, _dilation, _ceil),
   d_self=lambda grad: F.zeros_like(grad),
   public=False, sign="max pool′", text="{grad_output} at the largest items, 0 elsewhere",
   onnx=None)

op("avg_pool2d(self, /, kernel_size, stride, padding, ceil_mode, count_include_pad, "
   "divisor_override)",
   avg_pool, refuses="avg_pool2d: bool short", node="AvgPool2DBackward0",
   d_self=lambda grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad,
                 divisor_override:
       F.avg_pool2d_backward(
           grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad,
           divisor_override,
       ),
   public=False, sign="avg pool", text="mean of each {kernel_size} window of {self}",
   onnx="AveragePool")

op("avg_pool2d_backward(grad_output, self, /, kernel_size, stride, padding, ceil_mode, "
   "count_include_pad, divisor_override)",
   avg_pool_backward, node="AvgPool2DBackwardBackward0",
   d_grad_output=lambda grad, kernel_size, stride, padding, ceil_mode, count_include_pad,
                        divisor_override:
       F.avg_pool2d(
           grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
       ),
   d_self=lambda grad: F.zeros_like(grad),
   public=False, sign="avg pool′", text="{grad_output} shared by its window", onnx=None)

op("max_pool_gather(self, choice, /, kernel_size, stride, padding, dilation, ceil_mode)",
   max_pool_gather, node="GatherBackward0",
   d_self=lambda grad, choice, self_shape, kernel_size, stride, padding, dilation, ceil_mode:
       F.max_pool_scatter(
           grad, choice, self_shape, kernel_size, stride, padding, dilation, ceil_mode
       ),
   public=False, text="the chosen items of {self}", onnx=None)

op("max_pool_scatter(self, choice, /, shape, kernel_size, stride, padding, dilation, ceil_mode)",
   max_pool_scatter, node="ScatterAddBackward0",
   d_self=lambda grad, choice, kernel_size, stride, padding, dilation, ceil_mode:
       F.max_pool_gather(grad, choice, kernel_size, stride, padding, dilation, ceil_mode),
   public=False, text="{self} at the chosen items, 0 elsewhere", onnx=None)

op("max_pool_indices(self, /, kernel_size, stride, padding, dilation, ceil_mode)",
   max_pool_indices, nograd=True,
   public=False, text="where the largest items of {self} lie", onnx=None)


@cache
def averaging_matrix(size: int, count: int) -> Array:
    """The averages of ``count`` parts of ``size`` points, as even as can be; they may overlap."""
    rows = np.zeros((count, size))
    for i in range(count):
        start, end = i * size // count, -((-(i + 1) * size) // count)
        rows[i, start:end] = 1 / (end - start)
    return rows


@keep_images_channels_last
def adaptive_avg_pool(a: Array, output_size: Shape) -> Array:
    """The average of each of ``output_size`` parts."""
    sizes = a.shape[a.ndim - len(output_size) :]
    matrices = [averaging_matrix(*each) for each in zip(sizes, output_size, strict=True)]
    return multiply_last_dims(a, matrices)


def adaptive_avg_pool_backward(grad: Array, a: Array) -> Array:
    """Each part's gradient shared among its points."""
    grad = as_array(grad)
    pairs = zip(a.shape[-2:], grad.shape[-2:], strict=True)
    return multiply_last_dims(grad, [averaging_matrix(*each).T for each in pairs])


op("adaptive_avg_pool2d(self, /, output_size)", adaptive_avg_pool,
   node="AdaptiveAvgPool2DBackward0", refuses="adaptive_avg_pool2d: bool integer",
   d_self=lambda grad, self: F.adaptive_avg_pool2d_backward(grad, self),
   public=False, sign="avg pool", text="means of {output_size} parts of {self}", onnx=None)

op("adaptive_avg_pool2d_backward(grad_output, self, /)", adaptive_avg_pool_backward,
   node="AdaptiveAvgPool2DBackwardBackward0", saved_sizes={"grad_output": (-1, -2)},
   d_grad_output=lambda grad, _grad_output_shape:
       F.adaptive_avg_pool2d(grad, _grad_output_shape[-2:]),
   d_self=lambda grad: F.zeros_like(grad),
   public=False, sign="avg pool′", text="{grad_output} shared by its part", onnx=None)
