"""Writes pooling and interpolation as ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import OnnxExporterError
from .reductions import reduce
from .values import writes


def batched(w: Any, self: Any, dims: int, function: Any) -> Any:
    """A function of batches, on what may be a single item."""
    if self.rank == dims + 2:
        return function(self)
    return w("Squeeze", function(w("Unsqueeze", self, w.ints(0))), w.ints(0))


@writes("max_pool2d_with_indices")
def _max_pool(w: Any, self: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
             ceil_mode: Any) -> Any:  # fmt: skip
    found = batched(w, self, len(kernel_size), lambda x: w(
        "MaxPool", x, kernel_shape=list(kernel_size), strides=list(stride or kernel_size),
        pads=list(padding) * 2, dilations=list(dilation), ceil_mode=int(bool(ceil_mode)),
    ))  # fmt: skip
    return [found, None]


@writes("avg_pool2d")
def _avg_pool(w: Any, self: Any, kernel_size: Any, stride: Any, padding: Any, ceil_mode: Any,
             count_include_pad: Any, divisor_override: Any) -> Any:  # fmt: skip
    if ceil_mode:  # ONNX counts otherwise what reaches beyond the end
        raise OnnxExporterError("avg_pool with ceil_mode has no equivalent")
    count_all = count_include_pad or divisor_override
    found = batched(w, self, len(kernel_size), lambda x: w(
        "AveragePool", x, kernel_shape=list(kernel_size), strides=list(stride or kernel_size),
        pads=list(padding) * 2, count_include_pad=int(bool(count_all)),
    ))  # fmt: skip
    if divisor_override:
        found = found * (float(np.prod(kernel_size)) / divisor_override)
    return found


@writes("adaptive_avg_pool2d")
def _adaptive_avg_pool(w: Any, self: Any, output_size: Any) -> Any:
    n = len(output_size)
    if set(output_size) == {1}:
        return reduce(w, "ReduceMean", self, tuple(range(-n, 0)), True)
    sizes = self.shape[-n:]
    if any(not size or size % count for size, count in zip(sizes, output_size, strict=True)):
        raise OnnxExporterError(f"adaptive pooling of {sizes} to {tuple(output_size)} is uneven")
    window = [size // count for size, count in zip(sizes, output_size, strict=True)]
    return batched(w, self, n, lambda x: w("AveragePool", x, kernel_shape=window, strides=window))


def resize(w: Any, self: Any, output_size: Any, scales: Any, **how: Any) -> Any:
    """An image in another size: by the scales that the user gave, else by the sizes."""
    if all(scales):
        factors = w.constant(np.array([1.0, 1.0, *scales], np.float32))
        return w("Resize", self, None, factors, **how)
    lead = w("Slice", w("Shape", self, dtype=np.int64), w.ints(0), w.ints(2))
    sizes = w("Concat", lead, w.sizes(list(output_size)), axis=0)
    return w("Resize", self, None, None, sizes, **how)


def _nearest(exact: bool) -> Any:
    how = {"mode": "nearest"}
    if exact:
        how |= {"coordinate_transformation_mode": "half_pixel", "nearest_mode": "round_prefer_ceil"}
    else:
        how |= {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    return lambda w, self, output_size, **scales: resize(
        w, self, output_size, list(scales.values()), **how
    )


@writes("upsample_linear1d", "upsample_bilinear2d")
def _smooth(w: Any, self: Any, output_size: Any, align_corners: Any, **scales: Any) -> Any:
    how = "align_corners" if align_corners else "half_pixel"
    return resize(w, self, output_size, list(scales.values()), mode="linear",
                  coordinate_transformation_mode=how)  # fmt: skip


for _dims in (1, 2):
    writes(f"upsample_nearest{_dims}d")(_nearest(False))
    writes(f"upsample_nearest_exact{_dims}d")(_nearest(True))
