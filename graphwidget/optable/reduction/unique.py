"""``unique`` and ``bincount``."""

from __future__ import annotations

import numpy as np

from ..declare import Namespace, op
from ..pointwise.common_kernels import Array

F = Namespace()


def unique(a: Array, dim: int | None) -> tuple[Array, Array, Array]:
    """The distinct items (or slices along a dim) in order, where each item's stands among them,
    and how often each occurs; nan differs from itself."""
    found, places, counts = np.unique(
        a, return_inverse=True, return_counts=True, axis=dim, equal_nan=False
    )
    shape = a.shape if dim is None else (-1,)
    return slices_to_rows(found, dim), places.reshape(shape), counts


def slices_to_rows(a: Array, dim: int | None) -> Array:
    """A copy with slices along a dim one after another in memory."""
    if dim is None:
        return np.ascontiguousarray(a)
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(a, dim, 0)), 0, dim)


op("unique2(self, /, dim=None) -> output, inverse_indices, counts", unique,
   d_self=lambda grad: F.no_derivative("_unique2"),
   public=False, sized_by_values=True, sign="unique",
   text="distinct items of {self}", onnx="Unique")

op("unique_dim(self, /, dim) -> output, inverse_indices, counts", unique,
   d_self=lambda grad: F.no_derivative("unique_dim"),
   public=False, sized_by_values=True, sign="unique",
   text="distinct slices of {self}",
   onnx="Unique")


op("bincount(self, /, minlength)", lambda a, minlength: np.bincount(a, minlength=minlength),
   nograd=True, public=False, sized_by_values=True,
   text="counts of {self}", onnx=None)

op("bincount.weights(self, weights, /, minlength)",
   lambda a, w, minlength: np.bincount(a, w, minlength).astype(
       w.dtype if w.dtype == np.float32 else np.float64),
   nograd=True, public=False, sized_by_values=True,
   text="weighted counts of {self}", onnx=None)
