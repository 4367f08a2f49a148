"""Convolution in any number of spatial dims, ``unfold`` and ``fold``: kernels and ops."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from ...arrays.memory_order import as_array, is_channels_last, to_channels_last
from ..declare import Namespace, composite, op
from ..pointwise.common_kernels import Array, Shape


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
    out[inner_slices(a.shape, padding)] = a
    return out


def inner_slices(shape: Shape, padding: Shape) -> tuple[Any, ...]:
    """The index of what a border surrounds, for an array of ``shape`` within it."""
    sizes = zip(shape[len(shape) - len(padding) :], padding, strict=True)
    return (..., *(slice(p, p + size) for size, p in sizes))


def window_count(sizes: Shape, kernel: Shape, stride: Shape, dilation: Shape) -> Shape:
    """Return how many windows fit along each (padded) dim."""
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


def window_indices(
    kernel: Shape, stride: Shape, dilation: Shape, count: Shape
) -> Iterator[tuple[Shape, tuple[Any, ...]]]:
    """For each place in a window, the index of the items that lie there, window by window."""
    for place in itertools.product(*map(range, kernel)):
        each = zip(place, stride, dilation, count, strict=True)
        yield place, (..., *(slice(p * d, p * d + s * (n - 1) + 1, s) for p, s, d, n in each))


def add_windows(
    parts: Array, sizes: Shape, kernel: Shape, stride: Shape, dilation: Shape, count: Shape
) -> Array:
    """The reverse of ``windows``: ``(*lead, *kernel, *count)`` added into ``(*lead, *sizes)``."""
    lead = parts.shape[: parts.ndim - 2 * len(kernel)]
    out = np.zeros((*lead, *sizes), parts.dtype)
    after = (slice(None),) * len(count)
    for place, index in window_indices(kernel, stride, dilation, count):
        part = out[index]
        np.add(part, parts[(..., *place, *after)], part)
    return out


SPAN = 1 << 21
"""Bytes of columns to lay out at a time."""


def sample_batches(n: int, per_sample: int) -> Iterator[slice]:
    """Yield slices of samples to work on at a time, given the bytes of columns of one."""
    most = max(1, SPAN // max(per_sample, 1))
    return (slice(start, min(start + most, n)) for start in range(0, n, most))


@cache
def _dim_orders(dims: int) -> tuple[Shape, Shape, Shape]:
    """Orders of dims: the first stage's ``(N, C, *S, K, O)`` to ``(N, C, K, *S, O)``, the second's
    ``(N, C, K, *kernel, 1, *count)`` to ``(N, C, *kernel, K, *count, 1)``, and columns' ``(N, C,
    *kernel, *count)`` to ``(C, *kernel, N, *count)``. ``S`` and ``kernel`` are those of all dims
    but the last."""
    some = range(3, 2 + dims)
    slabs = (0, 1, 1 + dims, *(dim - 1 for dim in some), 2 + dims)
    whole = (0, 1, *some, 2, *range(3 + dims, 3 + 2 * dims), 2 + dims)
    across = (1, *range(2, 2 + dims), 0, *range(2 + dims, 2 + 2 * dims))
    return slabs, whole, across


def columns(a: Array, kernel: Shape, stride: Shape, dilation: Shape, count: Shape) -> Array:
    """The windows of padded samples ``(N, C, *S)``, as a view ``(N, C, *kernel, *count)`` of what
    the first stage made."""
    first, second, _ = _dim_orders(len(kernel))
    slabs = windows(a, kernel[-1:], stride[-1:], dilation[-1:], count[-1:]).transpose(first)
    slabs = np.ascontiguousarray(slabs)
    others = (*kernel[:-1], 1), (*stride[:-1], 1), (*dilation[:-1], 1)
    return windows(slabs, *others, count).transpose(second)[..., 0]


def add_columns(
    parts: Array, sizes: Shape, kernel: Shape, stride: Shape, dilation: Shape, count: Shape
) -> Array:
    """The reverse of ``columns``: ``(N, C, *kernel, *count)`` added into ``(N, C, *sizes)``."""
    first, second, _ = _dim_orders(len(kernel))
    parts = parts[..., None].transpose(np.argsort(second))
    others = (*kernel[:-1], 1), (*stride[:-1], 1), (*dilation[:-1], 1)
    slabs = add_windows(parts, (*sizes[:-1], count[-1]), *others, count)
    slabs = slabs.transpose(np.argsort(first))
    return add_windows(slabs, sizes[-1:], kernel[-1:], stride[-1:], dilation[-1:], count[-1:])


def _is_pointwise(kernel: Shape, stride: Shape) -> bool:
    """Windows of one item, side by side: the input is its own columns."""
    return all(k == 1 for k in kernel) and all(s == 1 for s in stride)


def convolve(
    a: Array, weight: Array, bias: Array | None, stride: Shape, padding: Shape, dilation: Shape,
    groups: int,
) -> Array:  # fmt: skip
    """The convolution of ``a`` with ``weight``, plus the bias of each output channel."""
    n, c = a.shape[:2]
    d, kernel = weight.shape[0], weight.shape[2:]
    each = math.prod(weight.shape[1:])
    sizes = tuple(size + 2 * p for size, p in zip(a.shape[2:], padding, strict=True))
    count = window_count(sizes, kernel, stride, dilation)
    points = math.prod(count)
    out = np.empty((n, groups, d // groups, points), weight.dtype)
    weight = weight.reshape(groups, d // groups, each)
    bias = None if bias is None else bias.reshape(groups, -1, 1)
    for part in sample_batches(n, c * math.prod(kernel) * points * a.itemsize):
        found = pad(a[part], padding)
        if not _is_pointwise(kernel, stride):
            found = columns(found, kernel, stride, dilation, count)
        target = out[part]
        np.matmul(weight, found.reshape(-1, groups, each, points), out=target)
        if bias is not None:
            np.add(target, bias, out=target)
    return out.reshape(n, d, *count)


def _transposed_padding(
    weight: Array, stride: Shape, padding: Shape, dilation: Shape, groups: int
) -> Shape | None:
    """The border around the gradient with which its convolution with the weight turned round is
    the derivative by the input: measured to be quicker than adding columns up, unless it has many
    more channels to lay out. None where that is so, or where there is no such convolution."""
    kernel, (d, c) = weight.shape[2:], weight.shape[:2]
    reach = tuple(r * (k - 1) for r, k in zip(dilation, kernel, strict=True))
    if any(s != 1 for s in stride) or _is_pointwise(kernel, stride) or d > 2 * c * groups:
        return None
    border = tuple(r - p for r, p in zip(reach, padding, strict=True))
    return border if all(size >= 0 for size in border) else None


def _flip_weight(weight: Array, groups: int) -> Array:
    """The weight of that convolution, ``(C, D / groups, *K)``."""
    (d, c), kernel = weight.shape[:2], weight.shape[2:]
    turned = np.flip(weight, tuple(range(2, weight.ndim)))
    turned = turned.reshape(groups, d // groups, c, *kernel).swapaxes(1, 2)
    return turned.reshape(c * groups, d // groups, *kernel)


def input_gradient(
    grad: Array, weight: Array, sizes: Shape, stride: Shape, padding: Shape, dilation: Shape,
    groups: int,
) -> Array:  # fmt: skip
    """The derivative of ``convolve`` by its input, whose spatial sizes are ``sizes``."""
    n, d = grad.shape[:2]
    kernel, count = weight.shape[2:], grad.shape[2:]
    c, points, each = weight.shape[1] * groups, math.prod(count), math.prod(weight.shape[1:])
    border = _transposed_padding(weight, stride, padding, dilation, groups)
    if border is not None and sizes == transposed_sizes(count, kernel, stride, padding, dilation):
        return convolve(grad, _flip_weight(weight, groups), None, stride, border, dilation, groups)
    padded = tuple(size + 2 * p for size, p in zip(sizes, padding, strict=True))
    turned = weight.reshape(groups, d // groups, each).swapaxes(1, 2)
    out = np.empty((n, c, *sizes), weight.dtype)
    for part in sample_batches(n, c * math.prod(kernel) * points * grad.itemsize):
        parts = np.matmul(turned, grad[part].reshape(-1, groups, d // groups, points))
        if padded == count and _is_pointwise(kernel, stride):
            found = parts.reshape(-1, c, *padded)
        else:
            parts = parts.reshape(-1, c, *kernel, *count)
            found = add_columns(parts, padded, kernel, stride, dilation, count)
        out[part] = found[inner_slices((n, c, *sizes), padding)]
    return out


def input_and_weight_gradient(
    grad: Array, a: Array, weight: Array, stride: Shape, border: Shape, dilation: Shape,
    groups: int,
) -> tuple[Array, Array]:  # fmt: skip
    """The derivatives of ``convolve`` by its input and its weight, from the same columns: those of
    the gradient with its border, as many as the input has points."""
    (n, c), (d, within), kernel = a.shape[:2], weight.shape[:2], weight.shape[2:]
    sizes, points = a.shape[2:], math.prod(a.shape[2:])
    each = d // groups * math.prod(kernel)
    turned = _flip_weight(weight, groups).reshape(groups, within, each)
    whole = np.empty((n, c, *sizes), weight.dtype)
    first = whole.reshape(n, groups, within, points)
    second = np.zeros((groups, within, each), weight.dtype)
    a = a.reshape(first.shape)
    for part in sample_batches(n, d * math.prod(kernel) * points * grad.itemsize):
        found = columns(pad(grad[part], border), kernel, stride, dilation, sizes)
        found = found.reshape(-1, groups, each, points)
        np.matmul(turned, found, out=first[part])
        second += np.add.reduce(np.matmul(a[part], found.swapaxes(-1, -2)), 0)
    second = second.reshape(groups, within, d // groups, *kernel).swapaxes(1, 2)
    second = np.flip(second.reshape(weight.shape), tuple(range(2, weight.ndim)))
    return whole, np.ascontiguousarray(second)


def weight_gradient(
    grad: Array, a: Array, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape,
    groups: int,
) -> Array:  # fmt: skip
    """The derivative of ``convolve`` by its weight, whose window is ``kernel``."""
    (n, d), c, count = grad.shape[:2], a.shape[1], grad.shape[2:]
    points, each = math.prod(count), c // groups * math.prod(kernel)
    across = _dim_orders(len(kernel))[2]
    whole = np.zeros((d, c // groups, *kernel), grad.dtype)
    out = whole.reshape(groups, d // groups, each)
    for part in sample_batches(n, c * math.prod(kernel) * points * a.itemsize):
        # one product over all windows beats one for each sample and a sum
        found = columns(pad(a[part], padding), kernel, stride, dilation, count).transpose(across)
        found = found.reshape(groups, each, -1).swapaxes(1, 2)
        above = grad[part].swapaxes(0, 1).reshape(groups, d // groups, -1)
        out += np.matmul(above, found)
    return whole


# The ops' own ------------------------------------------------------------------------------------
def transposed_sizes(
    sizes: Shape, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape, more: Shape = ()
) -> Shape:
    """The spatial sizes of a transposed convolution's output (``more`` is its output padding)."""
    more = more or (0,) * len(sizes)
    each = zip(sizes, kernel, stride, padding, dilation, more, strict=True)
    return tuple((n - 1) * s - 2 * p + d * (k - 1) + 1 + m for n, k, s, p, d, m in each)


def per_dim(dims: int, *numbers: Shape) -> tuple[Shape, ...]:
    """Numbers for each dim, from one for all or one for each."""
    return tuple(each if len(each) == dims else each * dims for each in numbers)


def convolution(
    a: Array, weight: Array, bias: Array | None, stride: Shape, padding: Shape, dilation: Shape,
    transposed: bool, output_padding: Shape, groups: int,
) -> Array:  # fmt: skip
    """The convolution, or the transposed one, plus the bias of each output channel."""
    stride, padding, dilation, output_padding = per_dim(
        a.ndim - 2, stride, padding, dilation, output_padding
    )
    if transposed:
        sizes = transposed_sizes(
            a.shape[2:], weight.shape[2:], stride, padding, dilation, output_padding
        )
        out = input_gradient(a, weight, sizes, stride, padding, dilation, groups)
        if bias is not None:
            np.add(out, bias.reshape(-1, *(1,) * (a.ndim - 2)), out=out)
    else:
        out = convolve(a, weight, bias, stride, padding, dilation, groups)
    images = weight[:, :, None] if weight.ndim == 3 else weight
    innermost = a.ndim < 5 and (is_channels_last(a) or is_channels_last(images))
    return to_channels_last(out) if innermost else out


def convolution_backward(
    grad: Array, a: Array, weight: Array, stride: Shape, padding: Shape, dilation: Shape,
    transposed: bool, output_padding: Shape, groups: int, wanted: tuple[str, ...],
) -> tuple[Array | None, Array | None, Array | None]:  # fmt: skip
    """The derivatives of ``convolution`` by its input, weight and bias; None for those that are
    not among ``wanted``."""
    grad, first, second = as_array(grad), None, None
    stride, padding, dilation = per_dim(a.ndim - 2, stride, padding, dilation)
    how = stride, padding, dilation, groups
    border = _transposed_padding(weight, *how)
    alike = 5 * math.prod(grad.shape[2:]) >= 4 * math.prod(a.shape[2:])
    if {"input", "weight"} <= set(wanted) and border is not None and alike and not transposed:
        first, second = input_and_weight_gradient(
            grad, as_array(a), weight, stride, border, dilation, groups
        )
    elif "input" in wanted:
        if transposed:  # an output padding of a stride or more makes room for more windows
            first = convolve(grad, weight, None, *how)
            first = np.ascontiguousarray(first[tuple(map(slice, a.shape))])
        else:
            first = input_gradient(grad, weight, a.shape[2:], *how)
    if "weight" in wanted and second is None:
        above, below = (as_array(a), grad) if transposed else (grad, as_array(a))
        second = weight_gradient(above, below, weight.shape[2:], *how)
    return first, second, bias_gradient(grad) if "bias" in wanted else None


def bias_gradient(grad: Array) -> Array:
    """The derivative by the bias: sums over all but the channels."""
    # Two sums along one dim each are quicker.
    if grad.ndim > 2 and grad.size and grad.flags.c_contiguous:
        return np.add.reduce(np.add.reduce(grad.reshape(*grad.shape[:2], -1), 2), 0)
    return np.add.reduce(grad, (0, *range(2, grad.ndim)))


F = Namespace()

# PyTorch computes the three gradients together, so the node saves both input and weight, whichever
# of them needs a gradient.
op("convolution(input, weight, bias=None, /, stride, padding, dilation, transposed, "
   "output_padding, groups)", convolution,
   d_input__weight__bias=lambda grad, input, weight, _bias_shape, stride, padding, dilation,
                                transposed, output_padding, groups, targets:
       F.convolution_backward(
           grad, input, weight, stride, padding, dilation, transposed, output_padding, groups,
           targets,
       ),
   public=False, sign="conv", text="{input} ∗ {weight} + {bias}", onnx="Conv")

op("convolution_backward(grad_output, input, weight, /, stride, padding, dilation, transposed, "
   "output_padding, groups, wanted) -> result0, result1, result2", convolution_backward,
   node="ConvolutionBackwardBackward0",
   d_grad_output__input__weight=lambda some_grads, grad_output, input, weight, stride, padding,
                                       dilation, transposed, output_padding, groups, targets:
       F.convolution_backward_backward(
           some_grads, grad_output, input, weight,
           (stride, padding, dilation, transposed, output_padding, groups), targets,
       ),
   public=False, sign="conv′", text="conv′({grad_output}, {input}, {weight})", onnx=None)


@composite
def convolution_backward_backward(
    grads: Any, grad_output: Any, input: Any, weight: Any, how: Any, targets: Any
) -> Any:
    """The derivatives of ``convolution_backward`` by its operands. It is linear in the gradient
    and, for each result, in one of the others: it is the same with what came in its place, and
    knows no more of the one that is replaced than its shape. No samples have no derivatives."""
    by_input, by_weight, by_bias = grads
    if 0 in input.shape:
        by_input = by_weight = None
    by_grad = None
    if "grad_output" in targets:
        found = [F.convolution(by_input, weight, None, *how)] if by_input is not None else []
        found += [F.convolution(input, by_weight, None, *how)] if by_weight is not None else []
        if by_bias is not None:
            found.append(F.spread_over_channels(by_bias, grad_output.shape))
        by_grad = functools.reduce(operator.add, found) if found else None
    first = second = None
    if by_weight is not None and "input" in targets:
        form = F.detach(input)
        first = F.convolution_backward(grad_output, form, by_weight, *how, ("input",))[0]
    if by_input is not None and "weight" in targets:
        form = F.detach(weight)
        second = F.convolution_backward(grad_output, by_input, form, *how, ("weight",))[1]
    return by_grad, first, second


@composite
def spread_over_channels(grad: Any, shape: Any) -> Any:
    """One number for each channel, spread over samples and points."""
    return F.expand(F.reshape(grad, (-1, *(1,) * (len(shape) - 2))), shape)


def im2col(a: Array, kernel: Shape, dilation: Shape, padding: Shape, stride: Shape) -> Array:
    """The windows of (*, C, H, W) as columns: (*, C prod(kernel), windows)."""
    a = pad(a, padding)
    count = window_count(a.shape[-2:], kernel, stride, dilation)
    lead, channels = a.shape[:-3], a.shape[-3]
    found = np.array(windows(a, kernel, stride, dilation, count), order="C")
    return found.reshape(*lead, channels * math.prod(kernel), math.prod(count))


def col2im(
    a: Array, output_size: Shape, kernel: Shape, dilation: Shape, padding: Shape, stride: Shape
) -> Array:
    """The reverse of ``im2col``: what lies in several windows is added up."""
    a = as_array(a)
    padded = tuple(n + 2 * p for n, p in zip(output_size, padding, strict=True))
    count = window_count(padded, kernel, stride, dilation)
    parts = a.reshape(*a.shape[:-2], a.shape[-2] // math.prod(kernel), *kernel, *count)
    out = add_windows(parts, padded, kernel, stride, dilation, count)
    (top, left), (height, width) = padding, output_size
    return np.ascontiguousarray(out[..., top : top + height, left : left + width])


op("im2col(self, /, kernel_size, dilation, padding, stride)", im2col,
   refuses="im2col_out_cpu: integer",
   node="Im2ColBackward0", saved_sizes={"self": (-1, -2)},
   d_self=lambda grad, self_shape, kernel_size, dilation, padding, stride:
       F.col2im(grad, self_shape[-2:], kernel_size, dilation, padding, stride),
   public=False, sign="unfold", text="windows of {self}", onnx=None)

op("col2im(self, /, output_size, kernel_size, dilation, padding, stride)", col2im,
   refuses="col2im_out_cpu: integer",
   node="Col2ImBackward0",
   d_self=lambda grad, kernel_size, dilation, padding, stride:
       F.im2col(grad, kernel_size, dilation, padding, stride),
   public=False, sign="fold", text="windows {self} added up", onnx="Col2Im")
