"""``unique``, ``histc``, ``histogram``, ``bincount`` and their kin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...arrays.kernel_errors import C_WORDS, not_implemented
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
    check_histogram(data, bins, weight)
    items = data.reshape(-1)
    edges = bins._data.copy() if isinstance(bins, Tensor) else equal_edges(items, bins, range)
    size = len(edges) - 1
    within = (items >= edges[0]) & (items <= edges[-1])
    places = np.minimum(np.searchsorted(edges, items[within], "right") - 1, size - 1)
    weights = None if weight is None else weight._data.reshape(-1)[within]
    counts = np.bincount(places, weights, size)
    if density:  # sums to 1 over the widths of the bins
        counts = counts / counts.sum() / np.diff(edges)
    return HISTOGRAM((new_leaf(counts.astype(data.dtype)), new_leaf(edges)))


def check_histogram(data: np.ndarray, bins: Any, weight: Tensor | None) -> None:
    """Refuse edges and weights that do not fit the items (PyTorch's texts)."""
    if isinstance(bins, Tensor):
        if bins._data.dtype != data.dtype:
            raise RuntimeError(
                "torch.histogramdd: input tensor and bins tensors should have the same dtype, but "
                f"got input with dtype {C_WORDS[data.dtype.name]} and bins for dimension 0 "
                f"with dtype {C_WORDS[bins._data.dtype.name]}"
            )
        if bins._data.ndim != 1:
            raise RuntimeError(
                "torch.histogramdd: bins tensor should have one dimension, but got "
                f"{bins._data.ndim} dimensions in the bins tensor for dimension 0"
            )
    if weight is not None and weight._data.shape != data.shape:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the "
            "input tensor excluding its innermost dimension, but got input with shape "
            f"{[*data.shape, 1]} and weight with shape {list(weight._data.shape)}"
        )


def equal_edges(items: np.ndarray, bins: int, range: Any) -> np.ndarray:
    """The edges of equal bins over a range, or over that of the items.

    Raises:
        RuntimeError: no bins, or a range that is none (PyTorch's texts).
    """
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if range is not None and len(range) != 2:
        raise RuntimeError(
            "torch.histogramdd: for a 1-dimensional histogram range should have 2 "
            f"elements, but got {len(range)}"
        )
    if range is not None:
        low, high = float(range[0]), float(range[1])
    else:
        low, high = (items.min(), items.max()) if len(items) else (0, 1)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(
            f"torch.histogramdd: dimension 0's range [{low:g}, {high:g}] is not finite"
        )
    if low > high:
        raise RuntimeError(
            f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} "
            "for dimension 0"
        )
    low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
    return np.linspace(low, high, bins + 1, dtype=items.dtype)


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
