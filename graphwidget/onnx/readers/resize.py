"""Reads ONNX's Resize and Upsample: along each axis, an output is a weighted sum of inputs.

Which inputs and with which weights is a matter of sizes alone, so each axis becomes one product
with a matrix, or a choice of indices where the nearest input is taken. The usual forms are the
table's own ops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..nodes import F, Node, constant, known, limited, reads

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
