"""``unique``, ``histc``, ``histogram``, ``bincount`` and their kin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...arrays.type_errors import C_WORDS, not_implemented
from ...dispatch.offer import offer
from ...dispatch.return_types import make_result_type
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ..creation.factory_decorator import new_leaf
from ..dims import wrap_dim
from ..reduction.reductions import returns_tuple


def unique_results(found: tuple[Tensor, ...], inverse: bool, counts: bool) -> Any:
    """The items, and what else was asked for."""
    parts = [found[0], *([found[1]] if inverse else []), *([found[2]] if counts else [])]
    return tuple(parts) if len(parts) > 1 else parts[0]


def wrap_slices_dim(input: Tensor, dim: int) -> int:
    """The dim along which slices are told apart.

    Raises:
        IndexError, RuntimeError: there is none, or slices have no items (PyTorch's texts).
    """
    if not input._data.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    wrapped = wrap_dim(dim, input._data.ndim)
    if not input._data.size and input._data.shape[wrapped]:
        raise RuntimeError(
            "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied"
        )
    return wrapped


@offer()
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct items (or slices along a dim); where each item's stands among them; counts.

    Shapes: any; (n,) distinct items, and the places like input; with ``dim`` n slices along it.
    """
    if dim is None:
        found = returns_tuple(F.unique2)(input, dim=None)
    else:
        found = returns_tuple(F.unique_dim)(input, dim=wrap_slices_dim(input, dim))
    return unique_results(found, return_inverse, return_counts)


@offer()
def unique_consecutive(
    input: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The first of each run of equal items (or slices); where each item's stands; lengths.

    Shapes: any; (n,) runs, and the places like input; with ``dim`` n slices along it.
    """
    wrapped = None if dim is None else wrap_slices_dim(input, dim)
    found = returns_tuple(F.unique_consecutive)(input, dim=wrapped)
    return unique_results(found, return_inverse, return_counts)


def histogram_range(input: Tensor, low: float, high: float) -> tuple[float, float]:
    """The range of bins; that of the items when none is given, widened where it is empty."""
    if low == high and input._data.size:
        low, high = float(input._data.min()), float(input._data.max())
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"torch.histc: range of [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError("torch.histc: max must be larger than min")
    return (low - 1, high + 1) if low == high else (low, high)


@offer(out=True)
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many items fall into each of equal bins between min and max.

    Shapes: any; (bins,).
    """
    if input._data.dtype == bool:
        raise not_implemented("linspace_cpu", input._data.dtype)
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    return F.histc(input, bins, *histogram_range(input, float(min), float(max)))


HISTOGRAM = make_result_type("histogram", "hist", "bin_edges")


@offer(out=True)
def histogram(
    input: Tensor, bins: Any = 100, *, range: Any = None, weight: Any = None, density: bool = False
) -> Any:
    """How many items fall into bins (a number of equal ones, or their edges), and the edges.

    Shapes: any; (bins,) counts and (bins + 1,) edges.
    """
    data = input._data
    if data.dtype.kind != "f" or data.dtype.itemsize < 4:
        raise not_implemented("histogramdd", data.dtype)
    bins = [bins]
    check_grid(data.reshape(*data.shape, 1), bins, weight)
    points = data.reshape(-1, 1)
    edges = grid_edges(points, bins, range)
    counts = grid_counts(points, edges, weight, density)
    return HISTOGRAM((new_leaf(counts), new_leaf(edges[0])))


HISTOGRAMDD = make_result_type("histogramdd", "hist", "bin_edges")


@offer(method=False)
def histogramdd(
    input: Tensor, bins: Any, range: Any = None, weight: Any = None, density: bool = False
) -> Any:
    """How many points (*, d) fall into the bins of a grid (numbers of equal ones, or their edges),
    and the edges.

    Shapes: (*, d); d dims of counts, and for each of them its edges.
    """
    data = input._data
    if not data.ndim:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    dims = data.shape[-1]
    if isinstance(bins, int):
        bins = [bins] * dims
    if data.ndim > 1 and len(bins) != dims:
        raise RuntimeError(
            "histogramdd: The size of bins must be equal to the innermost dimension of the input."
        )
    if data.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    if data.dtype.kind != "f" or data.dtype.itemsize < 4:
        raise not_implemented("histogramdd", data.dtype)
    check_grid(data, bins, weight)
    points = data.reshape(-1, dims)
    edges = grid_edges(points, bins, range)
    counts = grid_counts(points, edges, weight, density)
    return HISTOGRAMDD((new_leaf(counts), tuple(new_leaf(each) for each in edges)))


def check_grid(data: np.ndarray, bins: list[Any], weight: Tensor | None) -> None:
    """Refuse edges and weights that do not fit points (*, d) (PyTorch's texts)."""
    for dim, each in enumerate(bins):
        if not isinstance(each, Tensor):
            continue
        if each._data.dtype != data.dtype:
            raise RuntimeError(
                "torch.histogramdd: input tensor and bins tensors should have the same dtype, but "
                f"got input with dtype {C_WORDS[data.dtype.name]} and bins for dimension {dim} "
                f"with dtype {C_WORDS[each._data.dtype.name]}"
            )
        if each._data.ndim != 1:
            raise RuntimeError(
                "torch.histogramdd: bins tensor should have one dimension, but got "
                f"{each._data.ndim} dimensions in the bins tensor for dimension {dim}"
            )
    if weight is not None and weight._data.shape != data.shape[:-1]:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the "
            "input tensor excluding its innermost dimension, but got input with shape "
            f"{list(data.shape)} and weight with shape {list(weight._data.shape)}"
        )


def grid_counts(
    points: np.ndarray, edges: list[np.ndarray], weight: Tensor | None, density: bool
) -> np.ndarray:
    """How many points (n, d), or how much weight, each bin of a grid has; the last one in a dim
    has its upper edge, too. As a density it sums to 1 over the volume of the bins."""
    sizes = tuple(len(each) - 1 for each in edges)
    within, place = np.ones(len(points), bool), np.zeros(len(points), np.int64)
    for column, each, size in zip(points.T, edges, sizes, strict=True):
        within &= (column >= each[0]) & (column <= each[-1])
        place = place * size + np.minimum(np.searchsorted(each, column, "right") - 1, size - 1)
    weights = None if weight is None else weight._data.reshape(-1)[within]
    counts = np.bincount(place[within], weights, math.prod(sizes)).reshape(sizes)
    if density:
        counts = counts / counts.sum()
        for dim, each in enumerate(edges):
            counts = counts / np.diff(each).reshape(-1, *(1,) * (len(sizes) - 1 - dim))
    return counts.astype(points.dtype)


def grid_edges(points: np.ndarray, bins: Any, range: Any) -> list[np.ndarray]:
    """The edges of the bins in each dim.

    Raises:
        RuntimeError: no bins, or ranges that do not fit (PyTorch's texts).
    """
    dims = points.shape[1]
    if isinstance(bins[0], Tensor):
        return [each._data.copy() for each in bins]
    for dim, count in enumerate(bins):
        if count <= 0:
            raise RuntimeError(
                f"torch.histogram(): bins must be > 0, but got {count} for dimension {dim}"
            )
    if range is not None and len(range) != 2 * dims:
        raise RuntimeError(
            f"torch.histogramdd: for a {dims}-dimensional histogram range should have {2 * dims} "
            f"elements, but got {len(range)}"
        )
    edges = []
    for dim, count in enumerate(bins):
        if range is not None:
            low, high = float(range[2 * dim]), float(range[2 * dim + 1])
        else:
            low, high = (points[:, dim].min(), points[:, dim].max()) if len(points) else (0, 1)
        if not (math.isfinite(low) and math.isfinite(high)):
            raise RuntimeError(
                f"torch.histogramdd: dimension {dim}'s range [{low:g}, {high:g}] is not finite"
            )
        if low > high:
            raise RuntimeError(
                f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} "
                f"for dimension {dim}"
            )
        low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
        edges.append(np.linspace(low, high, count + 1, dtype=points.dtype))
    return edges


@offer()
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number from 0 occurs (or the sums of its weights).

    Shapes: (n,); (max + 1,), and minlength at least.
    """
    if input._data.dtype.kind not in "iu":
        raise not_implemented("bincount_cpu", input._data.dtype)
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if input._data.ndim != 1 or (input._data < 0).any():
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is None:
        return F.bincount(input, minlength)
    if weights._data.shape != input._data.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    return F.bincount_weights(input, weights, minlength)
