"""``unfold`` and ``fold`` as ``im2col`` and ``col2im``: sliding windows as columns, and back."""

from __future__ import annotations

import math

import numpy as np

from ...arrays.memory_order import as_array
from ..declare import Namespace, op
from ..pointwise.common_kernels import Array, Shape
from .window_kernels import add_windows, pad, window_count, windows

F = Namespace()


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
   public=False, sign="unfold", text="windows of {self}", tex=r"{self}", onnx=None)

op("col2im(self, /, output_size, kernel_size, dilation, padding, stride)", col2im,
   refuses="col2im_out_cpu: integer",
   node="Col2ImBackward0",
   d_self=lambda grad, kernel_size, dilation, padding, stride:
       F.im2col(grad, kernel_size, dilation, padding, stride),
   public=False, sign="fold", text="windows {self} added up", tex=r"{self}", onnx="Col2Im")
