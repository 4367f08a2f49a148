"""Writes reductions, running sums, products and sorting as ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import OnnxExporterError
from .shapes import reshape
from .values import writes


def dims_of(self: Any, dim: Any) -> list[int]:
    """Dims as numbers from 0; all of them for None and ``()``."""
    if dim is None or dim == ():
        return list(range(self.rank)) if self.sizes is not None else []
    dims = [dim] if isinstance(dim, int) else list(dim)
    return [int(each) % self.rank for each in dims] if self.rank else []


def reduce(w: Any, type: str, self: Any, dim: Any = None, keepdim: Any = False) -> Any:
    """A reduction over dims; over all where none is given."""
    dims = dims_of(self, dim)
    keep = int(bool(keepdim))
    if not self.sizes and self.sizes is not None:
        return self
    sizes = None
    if self.sizes is not None:
        sizes = tuple(1 if i in dims else size for i, size in enumerate(self.sizes)
                      if keep or i not in dims)  # fmt: skip
    if type == "ReduceSum" or w.opset >= 18:
        return w(type, self, w.ints(*dims) if dims else None, keepdims=keep, sizes=sizes)
    return w(type, self, axes=dims or None, keepdims=keep, sizes=sizes)


def wide(w: Any, self: Any, dtype: Any) -> Any:
    """An operand in the type that is asked for, else the result's."""
    found = w.asked.outputs[0].dtype.numpy if dtype is None else getattr(dtype, "numpy", dtype)
    return self.cast(found)


@writes("sum", "sum.dim")
def _sum_(w: Any, self: Any, dim: Any = None, keepdim: Any = False, dtype: Any = None) -> Any:
    return reduce(w, "ReduceSum", wide(w, self, dtype), dim, keepdim)


@writes("mean", "mean.dim")
def _mean(w: Any, self: Any, dim: Any = None, keepdim: Any = False, dtype: Any = None) -> Any:
    return reduce(w, "ReduceMean", wide(w, self, dtype), dim, keepdim)


@writes("prod", "prod.dim")
def _prod(w: Any, self: Any, dim: Any = None, keepdim: Any = False, dtype: Any = None) -> Any:
    return reduce(w, "ReduceProd", wide(w, self, dtype), dim, keepdim)


def _extreme(type: str) -> Any:
    def write(w: Any, self: Any, dim: Any = None, keepdim: Any = False) -> Any:
        if self.dtype == bool:
            return reduce(w, type, self.cast(np.int32), dim, keepdim).cast(bool)
        return reduce(w, type, self, dim, keepdim)

    return write


writes("max", "amax")(_extreme("ReduceMax"))
writes("min", "amin")(_extreme("ReduceMin"))


def place_of(type: str) -> Any:
    """The place of the first extreme item."""

    def write(w: Any, self: Any, dim: Any = None, keepdim: Any = False) -> Any:
        if self.sizes == ():
            return w.constant(np.array(0, np.int64))
        if dim is None:
            flat = reshape(w, self, (-1,))
            found = w(type, flat, axis=0, keepdims=0, dtype=np.int64)
            return reshape(w, found, (1,) * self.rank) if keepdim else found
        return w(type, self, axis=dim % self.rank, keepdims=int(bool(keepdim)), dtype=np.int64)

    return write


writes("argmax")(place_of("ArgMax"))
writes("argmin")(place_of("ArgMin"))


@writes("max.dim")
def _max_dim(w: Any, self: Any, dim: int, keepdim: Any = False) -> Any:
    return [_extreme("ReduceMax")(w, self, dim, keepdim), place_of("ArgMax")(w, self, dim, keepdim)]


@writes("min.dim")
def _min_dim(w: Any, self: Any, dim: int, keepdim: Any = False) -> Any:
    return [_extreme("ReduceMin")(w, self, dim, keepdim), place_of("ArgMin")(w, self, dim, keepdim)]


@writes("var_mean")
def _var_mean(w: Any, self: Any, dim: Any = None, correction: Any = None, keepdim: Any = False,
             ) -> Any:  # fmt: skip
    dims = dims_of(self, dim)
    count = 1
    for each in dims:
        count *= self.size(each)
    middle = reduce(w, "ReduceMean", self, dim, True)
    off = self - middle
    left = max(count - (1 if correction is None else correction), 0)
    spread = reduce(w, "ReduceSum", off * off, dims, keepdim) / float(left)
    return [spread, middle if keepdim else reduce(w, "ReduceMean", self, dim)]


@writes("var")
def _var(w: Any, self: Any, dim: Any = None, correction: Any = None, keepdim: Any = False) -> Any:
    return _var_mean(w, self, dim, correction, keepdim)[0]


def hits(w: Any, found: Any, dim: Any, keepdim: Any) -> Any:
    """Return how often something holds; never for nothing."""
    return reduce(w, "ReduceSum", found.cast(np.int64), dim, keepdim)


@writes("all")
def _all_(w: Any, self: Any, dim: Any = None, keepdim: Any = False) -> Any:
    return hits(w, ~self.cast(bool), dim, keepdim).equals(0)


@writes("any")
def _any_(w: Any, self: Any, dim: Any = None, keepdim: Any = False) -> Any:
    return hits(w, self.cast(bool), dim, keepdim) > 0


@writes("logsumexp")
def _logsumexp(w: Any, self: Any, dim: Any, keepdim: Any = False) -> Any:
    return reduce(w, "ReduceLogSumExp", self, dim, keepdim)


@writes("linalg_vector_norm", "norm.dim")
def _vector_norm(w: Any, self: Any, ord: Any = 2, dim: Any = None, keepdim: Any = False,
                dtype: Any = None, p: Any = None) -> Any:  # fmt: skip
    ord = ord if p is None else p
    self = wide(w, self, dtype)
    if ord == 2:
        return reduce(w, "ReduceL2", self, dim, keepdim)
    size = w("Abs", self)
    if ord in (float("inf"), float("-inf")):
        return reduce(w, "ReduceMax" if ord > 0 else "ReduceMin", size, dim, keepdim)
    if ord == 0:
        return reduce(w, "ReduceSum", self.differs(0).cast(self.dtype), dim, keepdim)
    if ord == 1:
        return reduce(w, "ReduceSum", size, dim, keepdim)
    return reduce(w, "ReduceSum", size**ord, dim, keepdim) ** (1 / ord)


@writes("cumsum")
def _cumsum(w: Any, self: Any, dim: int, dtype: Any = None) -> Any:
    self = wide(w, self, dtype)
    if not self.rank:
        return self
    return w("CumSum", self, w.constant(np.array(dim % self.rank, np.int64)))


@writes("nonzero")
def _nonzero(w: Any, self: Any) -> Any:
    if not self.rank:
        raise OnnxExporterError("nonzero of a single number")
    return w("Transpose", w("NonZero", self, dtype=np.int64), perm=[1, 0])


# Writes products of vectors and matrices as ONNX -------------------------------------------------


@writes("mm", "bmm", "mv", "dot")
def _matmul(w: Any, self: Any, other: Any) -> Any:
    return self @ other


@writes("addmm", "addmm.scaled")
def _addmm(w: Any, self: Any, mat1: Any, mat2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    if self.floating and beta:
        return w("Gemm", mat1, mat2, self, alpha=float(alpha), beta=float(beta))
    return scaled_sum(w, self, mat1 @ mat2, beta, alpha)


def scaled_sum(w: Any, self: Any, product: Any, beta: Any, alpha: Any) -> Any:
    """beta self + alpha product; nothing of ``self`` where beta is 0."""
    product = product if alpha == 1 else product * alpha
    if not beta:
        return product
    return (self if beta == 1 else self * beta) + product


@writes("baddbmm")
def _baddbmm(w: Any, self: Any, a: Any, b: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    return scaled_sum(w, self, a @ b, beta, alpha)


# Writes topk, sort, argsort and median as ONNX -----------------------------------------


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
