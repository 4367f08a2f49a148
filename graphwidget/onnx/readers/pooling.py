"""Reads pooling, ConvTranspose, Resize and Upsample; pads given or automatic.

Resizing is linear: which inputs an output has, and with which weights, depends on sizes alone. So
each axis becomes one product with a matrix, or a choice of indices where the nearest is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..nodes import F, Node, constant, known, limited, reads
from .layers import padded, pads_of


class Windows:
    """The windows of a pooling node on an input."""

    def __init__(self, node: Node, x: Any) -> None:
        self.kernel = tuple(node.get("kernel_shape"))
        n = self.n = len(self.kernel)
        self.stride, self.dilation = node.get("strides", [1] * n), node.get("dilations", [1] * n)
        self.sizes = known(x)[2:]
        self.pads = pads_of(node, self.sizes, self.kernel, self.stride, self.dilation)
        limited(*(size + 2 * max(map(abs, self.pads), default=0) for size in self.sizes))
        self.ceil = bool(node.get("ceil_mode", 0))

    @property
    def extra(self) -> list[int]:
        """Return the padding that the last windows need beyond the pads, when sizes are rounded
        up."""
        found = []
        for i, size in enumerate(self.sizes):
            reach = self.dilation[i] * (self.kernel[i] - 1) + 1
            whole = size + self.pads[i] + self.pads[i + self.n]
            count = -(-(whole - reach) // self.stride[i]) + 1 if self.ceil else 0
            if count and (count - 1) * self.stride[i] >= size + self.pads[i]:
                count -= 1  # it would begin in the pads
            found.append(max((count - 1) * self.stride[i] + reach - whole, 0))
        return found

    def sums(self, x: Any) -> Any:
        """The sum of each window, pads and all that lies behind them being 0."""
        sizes = known(x)
        ends = [self.pads[i + self.n] + each for i, each in enumerate(self.extra)]
        wide = padded(F.reshape(x, (-1, 1, *sizes[2:])), [*self.pads[: self.n], *ends], 0.0)
        ones = constant(np.ones((1, 1, *self.kernel), x.dtype))
        none = (0,) * self.n
        found = F.convolution(wide, ones, None, tuple(self.stride), none, tuple(self.dilation),
                              False, none, 1)  # fmt: skip
        return F.reshape(found, (*sizes[:2], *known(found)[2:]))

    def counts(self, dtype: Any, with_pads: bool) -> Any:
        """Return how many items each window holds: of the input, or of the pads too."""
        pairs = list(zip(self.pads[: self.n], self.pads[self.n :], strict=True))
        inner = np.pad(np.ones(self.sizes), pairs, constant_values=float(with_pads))
        shown = np.pad(inner, [(0, each) for each in self.extra])
        reach = [d * (k - 1) + 1 for d, k in zip(self.dilation, self.kernel, strict=True)]
        every = np.lib.stride_tricks.sliding_window_view(shown, reach)
        steps = tuple(slice(None, None, each) for each in self.stride)
        taps = tuple(slice(None, None, each) for each in self.dilation)
        found = every[steps + taps].sum(tuple(range(-self.n, 0)))
        return constant(np.maximum(found, 1).astype(dtype))


@reads("MaxPool", "AveragePool")
def _pool(node: Node, x: Any) -> Any:
    windows = Windows(node, x)
    kernel, n, stride, dilation = windows.kernel, windows.n, windows.stride, windows.dilation
    pads, largest = windows.pads, node.type == "MaxPool"
    with_pads = bool(node.get("count_include_pad", 0))
    even = pads[:n] == pads[n:]
    if len(node.outputs) > 1:
        raise ValueError("the places of the largest are not known here")
    if not largest and (windows.ceil or any(d != 1 for d in dilation) or not even):
        return F.div(windows.sums(x), windows.counts(x.dtype, with_pads))
    if not even:
        x, pads = padded(x, pads, float("-inf")), [0] * 2 * n
    if n == 1:  # the table's pools have two dims or three
        x = F.unsqueeze(x, 2)
        kernel, stride, dilation = (1, *kernel), [1, *stride], [1, *dilation]
        pads = [0, pads[0]]
    dims = max(n, 2)
    padding = tuple(pads[:dims])
    if largest:
        found = getattr(F, f"max_pool{dims}d_with_indices")(
            x, kernel, tuple(stride), padding, tuple(dilation), windows.ceil
        )
        found = found[0] if isinstance(found, (tuple, list)) else found
    else:
        found = getattr(F, f"avg_pool{dims}d")(
            x, kernel, tuple(stride), padding, False, with_pads, None
        )
    return F.squeeze_dims(found, (2,)) if n == 1 else found


@reads("ConvTranspose")
def _conv_transpose(node: Node, x: Any, weight: Any, bias: Any = None) -> Any:
    kernel, sizes = known(weight)[2:], known(x)[2:]
    n = len(kernel)
    stride, dilation = node.get("strides", [1] * n), node.get("dilations", [1] * n)
    extra, pads = node.get("output_padding", [0] * n), node.get("pads", [0] * 2 * n)
    auto, wanted = node.get("auto_pad", "NOTSET"), node.get("output_shape")
    if auto.startswith("SAME") and wanted is None:
        wanted = [size * step for size, step in zip(sizes, stride, strict=True)]
    if wanted is not None:
        wanted = wanted[-n:]
        total = [
            stride[i] * (sizes[i] - 1) + extra[i] + (kernel[i] - 1) * dilation[i] + 1 - wanted[i]
            for i in range(n)
        ]
        less, more = [each // 2 for each in total], [each - each // 2 for each in total]
        pads = [*less, *more] if auto == "SAME_UPPER" else [*more, *less]
    even = pads[:n] == pads[n:] and min(pads, default=0) >= 0
    found = F.convolution(x, weight, bias if even else None, tuple(stride),
                          tuple(pads[:n]) if even else (0,) * n, tuple(dilation), True,
                          tuple(extra), node.get("group", 1))  # fmt: skip
    if even:
        return found
    found = padded(found, [-each for each in pads], 0.0)  # pads below 0 cut off
    return found if bias is None else F.add(found, F.reshape(bias, (-1, *(1,) * n)))


# Reads ONNX's Resize and Upsample ----------------------------------------------------------------

NEAREST = {("asymmetric", "floor"): "nearest", ("half_pixel", "round_prefer_ceil"): "nearest_exact"}
SMOOTH = {("linear", 1): "linear1d", ("linear", 2): "bilinear2d", ("linear", 3): "trilinear3d",
          ("cubic", 2): "bicubic2d"}  # fmt: skip


@reads("Resize", "Upsample")
def _resize(node: Node, x: Any, roi: Any = None, scales: Any = None, sizes: Any = None) -> Any:
    old = node.opset < 11 or node.type == "Upsample"
    if old:
        scales, roi = roi, None
    mode = node.get("mode", "nearest").replace("bilinear", "linear")
    how = "asymmetric" if old else node.get("coordinate_transformation_mode", "half_pixel")
    rounding = "floor" if old else node.get("nearest_mode", "round_prefer_floor")
    axes, wanted, factors = targets(node, x, scales, sizes)
    found = usual(node, x, mode, how, rounding, axes, wanted, factors)
    if found is not None:
        return found
    given = None if roi is None or how != "tf_crop_and_resize" else np.asarray(node.numbers(roi))
    shape, outside = known(x), []
    for i, axis in enumerate(axes):
        length, count, scale = shape[axis], wanted[i], factors[i]
        ends = None if given is None else (float(given[i]), float(given[i + len(axes)]))
        at = coordinates(how, length, count, scale, ends)
        if given is not None:
            line = (at < 0) | (at > length - 1)
            outside.append(line.reshape([-1 if d == axis else 1 for d in range(x.ndim)]))
        if mode == "nearest":
            x = F.index_select(x, constant(nearest(at, rounding, length)), axis)
        elif (length, scale) != (count, 1.0):
            x = along(x, axis, weights(node, mode, at, scale, length).astype(x.dtype))
    if outside and any(each.any() for each in outside):
        mask = np.broadcast_to(np.logical_or.reduce(np.broadcast_arrays(*outside)), known(x))
        value = np.asarray(node.get("extrapolation_value", 0.0), x.dtype)
        x = F.where(constant(mask.copy()), constant(value), x)
    return x


def targets(node: Node, x: Any, scales: Any, sizes: Any) -> tuple[list[int], Any, list[float]]:
    """The axes that are resized, their new sizes, and by which factors."""
    shape = known(x)
    axes = [each % x.ndim for each in node.get("axes", range(x.ndim))]
    if sizes is None:
        numbers = node.get("scales") if scales is None else node.numbers(scales)
        factors = [float(each) for each in numbers]
        wanted = tuple(int(np.floor(shape[a] * f)) for a, f in zip(axes, factors, strict=True))
    else:
        wanted = tuple(node.ints(sizes))
        factors = [new / shape[a] for a, new in zip(axes, wanted, strict=True)]
        policy = node.get("keep_aspect_ratio_policy", "stretch")
        if policy != "stretch":
            factor = min(factors) if policy == "not_larger" else max(factors)
            wanted = tuple(int(shape[a] * factor + 0.5) for a in axes)
            factors = [factor] * len(axes)
    limited(*wanted)
    return axes, wanted, factors


def usual(
    node: Node, x: Any, mode: str, how: str, rounding: str, axes: Sequence[int], wanted: Any,
    factors: Sequence[float],
) -> Any:  # fmt: skip
    """The table's own op, where the form has one."""
    n, shape = x.ndim - 2, known(x)
    whole = list(axes) == list(range(x.ndim)) and tuple(wanted[:2]) == tuple(shape[:2])
    plain = node.get("cubic_coeff_a", -0.75) == -0.75 and not (
        node.get("antialias", 0) or node.get("exclude_outside", 0)
    )
    exact = all(size * f == new for size, f, new in zip(shape, factors, wanted, strict=False))
    if not (whole and plain and exact):
        return None
    name = NEAREST.get((how, rounding)) if mode == "nearest" else None
    if name and 1 <= n <= 3:
        return getattr(F, f"upsample_{name}{n}d")(x, wanted[2:], *factors[2:])
    smooth = SMOOTH.get((mode, n))
    if smooth is None or how not in ("half_pixel", "align_corners"):
        return None
    return getattr(F, f"upsample_{smooth}")(x, wanted[2:], how == "align_corners", *factors[2:])


def coordinates(
    how: str, length: int, count: int, scale: float, ends: tuple[float, float] | None
) -> np.ndarray:
    """Return where in the input each output lies, in float32 as everywhere: it decides about
    ties."""
    at: np.ndarray = np.arange(count, dtype=np.float32)
    scale = float(np.float32(scale))  # a Python number leaves at's type alone
    whole = float(np.float32(scale * length))
    if how == "align_corners":
        return at * (length - 1) / (whole - 1) if whole != 1 else at * 0
    if how == "asymmetric":
        return at / scale
    if ends is not None:
        start, end = ends
        if whole == 1:
            return np.full(count, (start + end) * (length - 1) / 2)
        return start * (length - 1) + at * (end - start) * (length - 1) / (whole - 1)
    half = (at + 0.5) / scale - 0.5
    if how == "half_pixel_symmetric":
        return length / 2 * (1 - count / whole) + half
    if how == "pytorch_half_pixel" and count == 1:
        return at * 0
    if how not in ("half_pixel", "pytorch_half_pixel"):
        raise ValueError(f"coordinates by {how} are not known here")
    return half


def nearest(at: np.ndarray, rounding: str, length: int) -> np.ndarray:
    """The indices of the nearest inputs."""
    ways: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "round_prefer_floor": lambda a: np.ceil(a - 0.5), "ceil": np.ceil, "floor": np.floor,
        "round_prefer_ceil": lambda a: np.floor(a + 0.5),
    }  # fmt: skip
    found: np.ndarray = np.clip(ways[rounding](at), 0, length - 1).astype(np.int64)
    return found


def weights(node: Node, mode: str, at: np.ndarray, scale: float, length: int) -> np.ndarray:
    """The matrix of weights, (outputs, inputs)."""
    limited(len(at), length)
    by = min(scale, 1.0) if node.get("antialias", 0) else 1.0
    reach = (1 if mode == "linear" else 2) / by
    first = np.floor(at)
    start = np.floor(-reach) + 1
    taps = np.arange(start, 2 - start)
    away = np.abs(taps[None, :] - (at - first)[:, None]) * by
    if mode == "linear":
        parts = np.clip(1 - away, 0, 1)
    else:
        a = node.get("cubic_coeff_a", -0.75)
        near = (a + 2) * away**3 - (a + 3) * away**2 + 1
        far = a * away**3 - 5 * a * away**2 + 8 * a * away - 4 * a
        parts = np.where(away <= 1, near, np.where(away < 2, far, 0.0))
    places = (first[:, None] + taps[None, :]).astype(np.int64)
    if node.get("exclude_outside", 0):
        parts = np.where((places < 0) | (places >= length), 0.0, parts)
    parts = parts / parts.sum(1, keepdims=True)
    matrix = np.zeros((len(at), length))
    rows = np.broadcast_to(np.arange(len(at))[:, None], places.shape)
    np.add.at(matrix, (rows, np.clip(places, 0, length - 1)), parts)
    return matrix


def along(x: Any, axis: int, matrix: np.ndarray) -> Any:
    """A product with a matrix along one axis."""
    order = [d for d in range(x.ndim) if d != axis] + [axis]
    turned = F.permute(x, tuple(order))
    shape = known(turned)
    flat = F.mm(F.reshape(turned, (-1, shape[-1])), constant(np.ascontiguousarray(matrix.T)))
    back = tuple(int(each) for each in np.argsort(order))
    return F.permute(F.reshape(flat, (*shape[:-1], matrix.shape[0])), back)
