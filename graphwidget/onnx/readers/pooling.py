"""Reads pooling, ConvTranspose and Resize, in the forms that the table's ops have."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..nodes import F, Node, known, limited, reads
from .layers import padded


@reads("MaxPool", "AveragePool", auto_pad="NOTSET", storage_order=0)
def _pool(node: Node, x: Any) -> Any:
    kernel = tuple(node.get("kernel_shape"))
    n, largest = len(kernel), node.type == "MaxPool"
    stride, dilation = node.get("strides", [1] * n), node.get("dilations", [1] * n)
    pads, ceil = node.get("pads", [0] * 2 * n), bool(node.get("ceil_mode", 0))
    limited(*(size + 2 * max(pads) for size in known(x)[2:]))
    if len(node.outputs) > 1:
        raise ValueError("the places of the largest are not known here")
    even = pads[:n] == pads[n:]
    if not largest and (ceil or max(dilation) > 1 or not even):
        raise ValueError("averages of windows that are dilated or cut off are not known here")
    if n > 2:
        raise ValueError("windows over three dims are not known here")
    if not even:
        x, pads = padded(x, pads, float("-inf")), [0] * 2 * n
    if n == 1:  # the table's pools have two dims
        x = F.unsqueeze(x, 2)
        kernel, stride, dilation = (1, *kernel), [1, *stride], [1, *dilation]
        pads = [0, pads[0]]
    padding = tuple(pads[:2])
    if largest:
        found = F.max_pool2d_with_indices(x, kernel, tuple(stride), padding, tuple(dilation), ceil)
        found = found[0] if isinstance(found, (tuple, list)) else found
    else:
        with_pads = bool(node.get("count_include_pad", 0))
        found = F.avg_pool2d(x, kernel, tuple(stride), padding, False, with_pads, None)
    return F.squeeze_dims(found, (2,)) if n == 1 else found


@reads("ConvTranspose", auto_pad="NOTSET", output_shape=None)
def _conv_transpose(node: Node, x: Any, weight: Any, bias: Any = None) -> Any:
    n = len(known(weight)) - 2
    pads = node.get("pads", [0] * 2 * n)
    if pads[:n] != pads[n:]:
        raise ValueError("a transposed convolution with uneven pads is not known here")
    return F.convolution(
        x, weight, bias, tuple(node.get("strides", [1] * n)), tuple(pads[:n]),
        tuple(node.get("dilations", [1] * n)), True, tuple(node.get("output_padding", [0] * n)),
        node.get("group", 1),
    )  # fmt: skip


# Resizing ----------------------------------------------------------------------------------------

NEAREST = {("asymmetric", "floor"): "nearest", ("half_pixel", "round_prefer_ceil"): "nearest_exact"}
SMOOTH = {("linear", 1): "linear1d", ("linear", 2): "bilinear2d"}


@reads("Resize", antialias=0, axes=None, cubic_coeff_a=-0.75, exclude_outside=0,
       keep_aspect_ratio_policy="stretch")  # fmt: skip
def _resize(node: Node, x: Any, roi: Any = None, scales: Any = None, sizes: Any = None) -> Any:
    mode = node.get("mode", "nearest")
    how = node.get("coordinate_transformation_mode", "half_pixel")
    shape, n = known(x), x.ndim - 2
    if sizes is None:
        factors = [float(each) for each in node.numbers(scales)]
        wanted = tuple(int(np.floor(size * f)) for size, f in zip(shape, factors, strict=True))
    else:
        wanted = tuple(node.ints(sizes))
        factors = [new / size for new, size in zip(wanted, shape, strict=True)]
    limited(*wanted)
    if how == "pytorch_half_pixel" and min(wanted[2:]) > 1:
        how = "half_pixel"
    name = corners = None
    if mode == "nearest" and 1 <= n <= 2:
        rounding = node.get("nearest_mode", "round_prefer_floor")
        name = f"{NEAREST[how, rounding]}{n}d" if (how, rounding) in NEAREST else None
    elif how in ("half_pixel", "align_corners"):
        name, corners = SMOOTH.get((mode, n)), how == "align_corners"
    if name is None or wanted[:2] != shape[:2]:
        raise ValueError(f"resizing by {mode} and {how} is not known here in this form")
    settings = () if corners is None else (corners,)
    return getattr(F, f"upsample_{name}")(x, wanted[2:], *settings, *factors[2:])
