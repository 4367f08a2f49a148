"""Reads ONNX's products: MatMul, Gemm, Det and Einsum."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..nodes import F, Node, compute, constant, known, reads


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


@reads("Det")
def _det(node: Node, x: Any) -> Any:
    return compute(np.linalg.det, x)


@reads("Einsum")
def _einsum(node: Node, *operands: Any) -> Any:
    return compute(lambda *arrays: np.einsum(node.get("equation"), *arrays), *operands)
