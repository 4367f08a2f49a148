"""Kernels of ``grid_sample`` and ``affine_grid``.

A new point is a sum over old points near it, one factor for each dim; a `Tap` is what one old place
contributes along one dim: its index and its factor with two derivatives by the point.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...arrays.linspace import fused_dtype, linspace_array
from ...arrays.memory_order import as_array
from ..pointwise.common_kernels import Array, Shape

BILINEAR, NEAREST, BICUBIC = 0, 1, 2
ZEROS, BORDER, REFLECTION = 0, 1, 2
CUBIC = -0.75
"""The bend of the cubic kernel, PyTorch's choice."""


class Tap(NamedTuple):
    """An old place along one dim, for all new points."""

    index: Array
    inside: Array
    factors: tuple[Array, Array, Array]


def _reflect_coordinates(x: Array, low: float, high: float) -> tuple[Array, Array]:
    """Places mirrored at both ends until they lie between, and by which sign they then move."""
    span = high - low
    if span == 0:
        return np.zeros_like(x), np.zeros_like(x)
    sign = np.where(x < low, -1, 1).astype(x.dtype)
    away = np.abs(x - low)
    flips = np.floor(away / span)
    rest = away - flips * span
    even = flips % 2 == 0
    return np.where(even, rest + low, span - rest + low), np.where(even, sign, -sign)


def _apply_padding_mode(x: Array, size: int, padding: int, aligned: bool) -> tuple[Array, Array]:
    """Where places outside lie instead, and by how much they then move."""
    if padding == ZEROS:
        return x, np.ones_like(x)
    move = np.ones_like(x)
    if padding == REFLECTION:
        ends = (0.0, size - 1.0) if aligned else (-0.5, size - 0.5)
        x, move = _reflect_coordinates(x, *ends)
    outside = (x <= 0) | (x >= size - 1)
    return np.clip(x, 0, size - 1), np.where(outside, 0, move).astype(x.dtype)


def _cubic_weights(t: Array) -> Iterator[tuple[int, tuple[Array, Array, Array]]]:
    """The factors of the four places around t, by how far they lie from the one before it."""
    a = CUBIC
    for step, distance, way in ((-1, t + 1, 1), (0, t, 1), (1, 1 - t, -1), (2, 2 - t, -1)):
        x = distance
        if step in (0, 1):
            value = ((a + 2) * x - (a + 3)) * x * x + 1
            slope, bend = (3 * (a + 2) * x - 2 * (a + 3)) * x, 6 * (a + 2) * x - 2 * (a + 3)
        else:
            value = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
            slope, bend = (3 * a * x - 10 * a) * x + 8 * a, 6 * a * x - 10 * a
        yield step, (value, way * slope, bend)


def _unnormalize(grid: Array, size: int, aligned: bool, image: bool) -> Array:
    """Where the points of a grid lie along a dim of some size. Points that do not move lie on old
    places, where slopes jump; so it is rounded as PyTorch rounds: of images, once."""
    near: Array = grid + 1
    if aligned:
        return near * np.asarray((size - 1) / 2, grid.dtype)
    if image:
        return near.astype(fused_dtype(grid.dtype)) * (size / 2) - 0.5
    return (near * size - 1) / 2


def _interpolation_taps(
    grid: Array, size: int, mode: int, padding: int, aligned: bool, image: bool
) -> list[Tap]:
    """What the old places along a dim of some size contribute to the points of a grid."""
    scale = (size - 1) / 2 if aligned else size / 2
    x = _unnormalize(grid, size, aligned, image).astype(grid.dtype, copy=False)
    none = np.zeros_like(x)
    found: list[tuple[Array, tuple[Array, ...]]] = []
    if mode == BICUBIC:
        start = np.floor(x)
        for step, factors in _cubic_weights(x - start):
            place = _apply_padding_mode(start + step, size, padding, aligned)[0]
            found.append((np.rint(place), factors))
        move: Any = scale
    else:
        x, moved = _apply_padding_mode(x, size, padding, aligned)
        move = moved * np.asarray(scale, x.dtype)
        if mode == NEAREST:
            found = [(np.rint(x), (np.ones_like(x), none, none))]
        else:
            start = np.floor(x)
            t, one = x - start, np.ones_like(x)
            found = [(start, (1 - t, -one, none)), (start + 1, (t, one, none))]
    taps = []
    for index, factors in found:
        first, slope, bend = factors
        inside = (index >= 0) & (index <= size - 1)
        place = np.clip(np.nan_to_num(index), 0, size - 1).astype(np.int64)
        taps.append(Tap(place, inside, (first, slope * move, bend * move * move)))
    return taps


class Sampling:
    """All sums over old points for one grid: (N, *out, D) points, x first, of (N, C, *in)."""

    def __init__(self, input: Array, grid: Array, mode: int, padding: int, aligned: bool) -> None:
        self.sizes = input.shape[2:]
        self.dims = len(self.sizes)
        self.lead = input.shape[:2]
        grid = as_array(grid)
        self.points = grid.shape[1:-1]
        count = math.prod(self.points)
        flat = grid.reshape(len(grid), count, self.dims)
        taps = [
            _interpolation_taps(
                flat[..., self.dims - 1 - dim], size, mode, padding, aligned, self.dims == 2
            )
            for dim, size in enumerate(self.sizes)
        ]
        self.terms = list(itertools.product(*taps))

    def index(self, term: Sequence[Tap]) -> Array:
        """The flat index (N, points) of a term's old points."""
        found: Any = 0
        for tap, size in zip(term, self.sizes, strict=True):
            found = found * size + tap.index
        return found

    @staticmethod
    def weight(term: Sequence[Tap], *derived: int) -> Array:
        """A term's factor (N, points), derived once by each of the dims named."""
        parts = [tap.factors[derived.count(dim)] for dim, tap in enumerate(term)]
        return math.prod(parts[1:], start=parts[0])

    @staticmethod
    def within(term: Sequence[Tap], values: Array) -> Array:
        """Values (N, points) or (N, C, points), 0 where a term's old point is outside."""
        inside = np.logical_and.reduce([tap.inside for tap in term])
        return np.where(inside if values.ndim == 2 else inside[:, None], values, 0)

    def counted(self, term: Sequence[Tap], values: Array) -> Array:
        """What a term adds. PyTorch leaves out what is outside of volumes; of images it reads 0
        there, and 0 times what is not finite counts."""
        return self.within(term, values) if self.dims == 3 else values

    def take(self, a: Array, term: Sequence[Tap]) -> Array:
        """The values (N, C, points) of an array at a term's old points, 0 outside."""
        flat = as_array(a).reshape(*self.lead, -1)
        return self.within(term, np.take_along_axis(flat, self.index(term)[:, None], 2))

    def put(self, out: Array, term: Sequence[Tap], values: Array) -> None:
        """Add values (N, C, points) to an array (N C items) at a term's old points."""
        (n, c), size = self.lead, math.prod(self.sizes)
        values = self.within(term, values)
        rows = np.arange(n * c).reshape(n, c, 1) * size
        np.add.at(out, (rows + self.index(term)[:, None]).reshape(-1), values.reshape(-1))

    def shaped(self, values: Array) -> Array:
        """Values (N, C, points) with the dims of the points."""
        return values.reshape(*self.lead, *self.points)

    def flat(self, values: Array) -> Array:
        """Values with the dims of the points in one."""
        return as_array(values).reshape(*self.lead, -1)


def grid_sampler(
    input: Array, grid: Array, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Array:
    """The image at the points of the grid."""
    s = Sampling(input, grid, interpolation_mode, padding_mode, align_corners)
    out: Any = np.zeros((*s.lead, math.prod(s.points)), input.dtype)
    for term in s.terms:
        out += s.counted(term, s.take(input, term) * s.weight(term)[:, None])
    return s.shaped(out)


def grid_sampler_backward(
    grad: Array, input: Array, grid: Array, interpolation_mode: int, padding_mode: int,
    align_corners: bool,
) -> tuple[Array, Array]:  # fmt: skip
    """The gradients of the image and of the grid."""
    s = Sampling(input, grid, interpolation_mode, padding_mode, align_corners)
    grad = s.flat(grad)
    image = np.zeros(input.size, input.dtype)
    slopes = np.zeros((s.dims, len(grid), grad.shape[2]), grid.dtype)
    for term in s.terms:
        s.put(image, term, grad * s.weight(term)[:, None])
        if interpolation_mode == NEAREST:
            continue  # small moves of the points change nothing, whatever is there
        total = (grad * s.take(input, term)).sum(1)
        for dim in range(s.dims):
            slopes[dim] += s.counted(term, total * s.weight(term, dim))
    return image.reshape(input.shape), _stack_coordinates(slopes, grid.shape)


def _stack_coordinates(slopes: Array, shape: Shape) -> Array:
    """Slopes by dim as a grid, whose last dim begins with the last one."""
    return np.ascontiguousarray(np.moveaxis(slopes[::-1], 0, -1)).reshape(shape)


def grid_sampler_double_backward(
    of_image: Array, of_grid: Array, grad: Array, input: Array, grid: Array,
    interpolation_mode: int, padding_mode: int, align_corners: bool,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """The gradients of what `grid_sampler_backward` was given, from those of its two results."""
    s = Sampling(input, grid, interpolation_mode, padding_mode, align_corners)
    grad, count = s.flat(grad), math.prod(s.points)
    along = as_array(of_grid).reshape(len(grid), count, s.dims)[..., ::-1]
    out = np.zeros(grad.shape, grad.dtype)
    image = np.zeros(input.size, input.dtype)
    slopes = np.zeros((s.dims, len(grid), count), grid.dtype)
    for term in s.terms:
        values, others = s.take(input, term), s.take(of_image, term)
        moved: Any = sum(along[..., dim] * s.weight(term, dim) for dim in range(s.dims))
        out += s.counted(term, others * s.weight(term)[:, None] + values * moved[:, None])
        s.put(image, term, grad * moved[:, None])
        total, other = (grad * values).sum(1), (grad * others).sum(1)
        for e in range(s.dims):
            bent: Any = sum(along[..., d] * s.weight(term, d, e) for d in range(s.dims))
            slopes[e] += s.counted(term, other * s.weight(term, e) + total * bent)
    return s.shaped(out), image.reshape(input.shape), _stack_coordinates(slopes, grid.shape)


# Points -------------------------------------------------------------------------------------------
def _base_grid(size: Shape, aligned: bool, dtype: Any) -> Array:
    """The points of an image (*out, D + 1), x first, between -1 and 1; the last item is 1."""
    spatial = size[2:]
    axes = []
    for count in spatial:
        axis = linspace_array(-1, 1, count, dtype) if count > 1 else np.zeros(1, dtype)
        axes.append(axis if aligned else axis * dtype.type(count - 1) / dtype.type(count))
    meshed = np.meshgrid(*axes, indexing="ij")[::-1]
    whole = np.stack([*meshed, np.ones(spatial, dtype)], -1)
    return whole.reshape(-1, len(spatial) + 1)


def affine_grid(theta: Array, size: Shape, align_corners: bool) -> Array:
    """The points of an image of (N, C, *size), moved by matrices (N, D, D + 1)."""
    base = _base_grid(size, align_corners, theta.dtype)
    return np.matmul(base, theta.swapaxes(1, 2)).reshape(size[0], *size[2:], len(size) - 2)


def affine_base(like: Array, size: Shape, align_corners: bool) -> Array:
    """The points of each image as they are before they move, with a 1 after their places."""
    base = _base_grid(size, align_corners, like.dtype)
    return np.broadcast_to(base, (size[0], *base.shape))
