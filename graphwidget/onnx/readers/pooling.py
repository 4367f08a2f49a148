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
            x, kernel, tuple(stride), padding, tuple(dilation), ceil
        )
        found = found[0] if isinstance(found, (tuple, list)) else found
    else:
        with_pads = bool(node.get("count_include_pad", 0))
        found = getattr(F, f"avg_pool{dims}d")(
            x, kernel, tuple(stride), padding, False, with_pads, None
        )
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
    return axes, wanted, factors


def usual(
    node: Node, x: Any, mode: str, how: str, rounding: str, axes: Sequence[int], wanted: Any,
    factors: Sequence[float],
) -> Any:  # fmt: skip
    """The table's own op, where the form has one."""
    n, shape = x.ndim - 2, known(x)
    whole = list(axes) == list(range(x.ndim)) and tuple(wanted[:2]) == tuple(shape[:2])
    plain = not (node.get("antialias", 0) or node.get("exclude_outside", 0))
    exact = all(size * f == new for size, f, new in zip(shape, factors, wanted, strict=False))
    if not (whole and plain and exact):
        return None
    name = NEAREST.get((how, rounding)) if mode == "nearest" else None
    if name and 1 <= n <= 2:
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
