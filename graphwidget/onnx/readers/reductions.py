"""Reads ONNX's reductions, softmax, TopK and products (MatMul, Gemm, Einsum)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..nodes import F, Node, Unknown, compute, constant, known, reads


def _dims(node: Node, x: Any, axes: Any) -> Any:
    """The dims to reduce over; None where none are."""
    found = node.ints(axes, "axes")  # of most operators an attribute before opset 18
    if not found:
        return None if node.get("noop_with_empty_axes", 0) else tuple(range(x.ndim))
    return tuple(each % x.ndim for each in found)


def _reduced(function: Any, before: Any = None, after: Any = None) -> Any:
    def read(node: Node, x: Any, axes: Any = None) -> Any:
        dims = _dims(node, x, axes)
        found = before(x) if before else x
        if dims is not None and x.ndim:
            found = function(found, dims, bool(node.get("keepdims", 1)))
        found = after(found) if after else found
        return F.to_copy(found, x.dtype)

    return read


def _sum(x: Any, dims: Any, keep: bool) -> Any:
    return F.sum_dim(x, dims, keep, x.dtype)


def _square(x: Any) -> Any:
    return F.mul(x, x)


def _prod(x: Any, dims: Any, keep: bool) -> Any:
    for dim in sorted(dims, reverse=True):
        x = F.prod_dim(x, dim, keep, x.dtype)
    return x


def _mean(x: Any, dims: Any, keep: bool) -> Any:
    if x.dtype.kind != "f":
        raise Unknown
    return F.mean_dim(x, dims, keep)


def _wide(x: Any) -> Any:
    return x if x.dtype.kind == "f" else F.to_copy(x, np.dtype(np.float64))


reads("ReduceSum")(_reduced(_sum))
reads("ReduceL1")(_reduced(_sum, lambda x: F.abs(x)))
reads("ReduceL2")(_reduced(_sum, lambda x: _square(_wide(x)), lambda x: F.sqrt(x)))
reads("ReduceLogSumExp")(_reduced(lambda x, dims, keep: F.logsumexp(x, dims, keep), _wide))
reads("ReduceMean")(_reduced(_mean, _wide))
reads("ReduceProd")(_reduced(_prod))
reads("ReduceMax")(_reduced(lambda x, dims, keep: F.amax(x, dims, keep)))
reads("ReduceMin")(_reduced(lambda x, dims, keep: F.amin(x, dims, keep)))


@reads("ArgMax", "ArgMin", select_last_index=0)
def _arg(node: Node, x: Any) -> Any:
    axis, keep = node.get("axis", 0) % x.ndim, bool(node.get("keepdims", 1))
    return getattr(F, node.type.lower())(x, axis, keep)


@reads("Softmax", "LogSoftmax")
def _softmax(node: Node, x: Any) -> Any:
    function = F.softmax if node.type == "Softmax" else F.log_softmax
    return function(x, node.get("axis", -1) % x.ndim)


@reads("CumSum", exclusive=0, reverse=0)
def _cumsum(node: Node, x: Any, axis: Any) -> Any:
    dim = int(np.reshape(node.numbers(axis), ())) % x.ndim
    return F.cumsum(x, dim, x.dtype)


@reads("TopK")
def _topk(node: Node, x: Any, k: Any) -> Any:
    axis = node.get("axis", -1) % x.ndim
    return list(F.topk(x, node.ints(k)[0], axis, bool(node.get("largest", 1)), True))


# Products ----------------------------------------------------------------------------------------


@reads("MatMul")
def _matmul(node: Node, a: Any, b: Any) -> Any:
    inner = a.symbol.sizes[-1], b.symbol.sizes[-2 if b.ndim > 1 else 0]
    if None not in inner and inner[0] != inner[1]:
        raise ValueError(f"the shapes {a.symbol.sizes} and {b.symbol.sizes} do not go together")
    if a.ndim == b.ndim == 2:
        return F.mm(a, b)
    if a.ndim == b.ndim == 3 and known(a)[0] == known(b)[0]:
        return F.bmm(a, b)
    one, two = known(a), known(b)
    x = F.reshape(a, (1, *one)) if len(one) == 1 else a
    y = F.reshape(b, (*two, 1)) if len(two) == 1 else b
    one, two = known(x), known(y)
    lead = np.broadcast_shapes(one[:-2], two[:-2])
    x = F.reshape(F.expand(x, (*lead, *one[-2:])), (-1, *one[-2:]))
    y = F.reshape(F.expand(y, (*lead, *two[-2:])), (-1, *two[-2:]))
    shape = [*lead, *([one[-2]] if a.ndim > 1 else []), *([two[-1]] if b.ndim > 1 else [])]
    return F.reshape(F.bmm(x, y), tuple(shape))


@reads("Gemm")
def _gemm(node: Node, a: Any, b: Any, c: Any = None) -> Any:
    a = F.t(a) if node.get("transA", 0) else a
    b = F.t(b) if node.get("transB", 0) else b
    found, alpha, beta = F.mm(a, b), node.get("alpha", 1.0), node.get("beta", 1.0)
    kind = a.dtype.type
    found = found if alpha == 1 else F.mul(found, constant(kind(alpha)))
    if c is None:
        return found
    return F.add(found, c if beta == 1 else F.mul(c, constant(kind(beta))))


@reads("Einsum")
def _einsum(node: Node, *operands: Any) -> Any:
    return compute(lambda *arrays: np.einsum(node.get("equation"), *arrays), *operands)
