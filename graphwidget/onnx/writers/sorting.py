"""Writes topk, sort, argsort, kthvalue and median as ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np

from .register import writes
from .shapes import reshape


@writes("topk")
def _topk(w: Any, self: Any, k: int, dim: int = -1, largest: Any = True, sorted: Any = True) -> Any:
    values, places = w("TopK", self, w.ints(k), outputs=2, axis=dim % max(self.rank, 1),
                       largest=int(bool(largest)), sorted=int(bool(sorted)))  # fmt: skip
    places.dtype = np.dtype(np.int64)
    return [values, places]


@writes("sort", "sort.stable")
def _sort(w: Any, self: Any, dim: int = -1, descending: Any = False) -> Any:
    if not self.rank:
        return [self, w.constant(np.array(0, np.int64))]
    return _topk(w, self, self.size(dim), dim, descending)


@writes("argsort")
def _argsort(w: Any, self: Any, dim: int = -1, descending: Any = False) -> Any:
    return _sort(w, self, dim, descending)[1]


@writes("kthvalue")
def _kthvalue(w: Any, self: Any, k: int, dim: int = -1, keepdim: Any = False) -> Any:
    if not self.rank:
        return _sort(w, self)
    found = _topk(w, self, k, dim, False)
    at = dim % self.rank
    last = w.ints(k - 1) if keepdim else w.constant(np.array(k - 1, np.int64))
    return [w("Gather", each, last, axis=at) for each in found]


@writes("median.dim")
def _median_dim(w: Any, self: Any, dim: int, keepdim: Any = False) -> Any:
    k = (self.size(dim) + 1) // 2 if self.rank else 1
    return _kthvalue(w, self, k, dim, keepdim)


@writes("median")
def _median(w: Any, self: Any) -> Any:
    count = int(np.prod(self.shape))
    flat = reshape(w, self, (-1,))
    flat.sizes = (count,)
    return _kthvalue(w, flat, (count + 1) // 2, 0)[0]
