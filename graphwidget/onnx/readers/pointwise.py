"""Reads ONNX operators that work item by item."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from ...optable import TABLE
from ..nodes import F, Node, constant, reads

PLAIN = {
    op.onnx: key for key, op in reversed(TABLE.items())
    if op.onnx and op.pointwise and not op.params and "." not in key
} | {"Sign": "sgn", "Max": "maximum", "Min": "minimum", "BitwiseAnd": "bitwise_and",
     "BitwiseOr": "bitwise_or", "BitwiseXor": "bitwise_xor", "BitwiseNot": "bitwise_not",
     "IsNaN": "isnan"}  # fmt: skip
"""Operators that are one op of the table, as the table declares."""


def _plain(key: str) -> Any:
    return lambda node, *operands: getattr(F, key)(*operands)


for _type, _key in PLAIN.items():
    reads(_type)(_plain(_key))


def _joined(key: str) -> Any:
    """An operator of any number of operands."""
    return lambda node, *operands: reduce(getattr(F, key), operands)


reads("Sum")(_joined("add"))
reads("Max")(_joined("maximum"))
reads("Min")(_joined("minimum"))


@reads("Identity", "Dropout")
def _identity(node: Node, x: Any, *rest: Any) -> Any:
    if node.type == "Dropout" and len(rest) > 1 and rest[1] is not None and node.numbers(rest[1]):
        raise ValueError("dropout that trains draws random numbers")
    found = [F.alias(x)]
    if len(node.outputs) > 1:
        found.append(F.ones_like(F.to_copy(x, np.dtype(bool))))
    return found


@reads("Where")
def _where(node: Node, condition: Any, x: Any, y: Any) -> Any:
    return F.where(condition, x, y)


@reads("Div")
def _div(node: Node, a: Any, b: Any) -> Any:
    return F.div(a, b) if a.dtype.kind == "f" else F.div_mode(a, b, "trunc")


@reads("Mod")
def _mod(node: Node, a: Any, b: Any) -> Any:
    return F.fmod(a, b) if node.get("fmod", 0) else F.remainder(a, b)


@reads("Pow")
def _pow(node: Node, a: Any, b: Any) -> Any:
    wide = np.result_type(a.dtype, b.dtype)
    found = F.pow_tensor(F.to_copy(a, wide), F.to_copy(b, wide))
    return F.to_copy(found, a.dtype)


@reads("Cast")
def _cast(node: Node, x: Any) -> Any:
    to = node.get("to")
    if to.name not in TYPES or x.dtype.name not in TYPES:
        raise ValueError(f"the type {to.name} is not known here")
    return F.to_copy(x, to)


TYPES = {
    "float16", "float32", "float64", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16",
    "uint32", "uint64",
}  # fmt: skip


@reads("Clip")
def _clip(node: Node, x: Any, low: Any = None, high: Any = None) -> Any:
    x = x if low is None else F.maximum(x, low)
    return x if high is None else F.minimum(x, high)


@reads("LeakyRelu")
def _leaky(node: Node, x: Any) -> Any:
    return F.leaky_relu(x, node.get("alpha", 0.01))


@reads("Elu")
def _elu(node: Node, x: Any) -> Any:
    return F.elu(x, node.get("alpha", 1.0), 1, 1)


@reads("Selu")
def _selu(node: Node, x: Any) -> Any:
    alpha, gamma = node.get("alpha", 1.6732632423543772), node.get("gamma", 1.0507009873554805)
    return F.elu(x, alpha, gamma, 1)


@reads("PRelu")
def _prelu(node: Node, x: Any, slope: Any) -> Any:
    return F.where(F.lt(x, constant(np.zeros((), x.dtype))), F.mul(x, slope), x)


@reads("HardSigmoid")
def _hard_sigmoid(node: Node, x: Any) -> Any:
    kind = x.dtype.type
    slope, start = constant(kind(node.get("alpha", 0.2))), constant(kind(node.get("beta", 0.5)))
    return F.clamp(F.add(F.mul(x, slope), start), 0.0, 1.0)


@reads("Softplus")
def _softplus(node: Node, x: Any) -> Any:
    return F.logaddexp(x, constant(np.zeros((), x.dtype)))


@reads("Gelu")
def _gelu(node: Node, x: Any) -> Any:
    found = F.gelu(x, node.get("approximate", "none"))
    return found[0] if isinstance(found, tuple) else found


@reads("Reciprocal")
def _reciprocal(node: Node, x: Any) -> Any:
    return F.reciprocal(x)


@reads("HardSwish")
def _hard_swish(node: Node, x: Any) -> Any:
    return F.hardswish(x)
