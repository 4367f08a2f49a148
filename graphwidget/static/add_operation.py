"""Adds operations to a static graph: of ops of the op table, constants, shapes and sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..optable.declare import REQUIRED, TABLE, Op
from .dtypes import DType, as_dtype, int32
from .graph import Graph, get_default_graph, only
from .inference import STAND_INS, infer
from .symbol import Spec, Symbol
from .tensor_shape import Sizes

TYPES = {
    "add": "AddV2", "sub": "Sub", "mul": "Mul", "div": "RealDiv", "neg": "Neg", "pow": "Pow",
    "pow.tensor": "Pow", "sum": "Sum", "sum.dim": "Sum", "mean": "Mean", "mean.dim": "Mean",
    "mm": "MatMul", "bmm": "BatchMatMulV2", "mv": "MatVec", "t": "Transpose",
    "transpose": "Transpose", "permute": "Transpose", "view": "Reshape", "unsafe_view": "Reshape",
    "reshape_alias": "Reshape", "unsqueeze": "ExpandDims", "squeeze.dim": "Squeeze",
    "squeeze.dims": "Squeeze", "expand": "BroadcastTo", "cat": "ConcatV2", "stack": "Pack",
    "unbind": "Unpack", "split.sizes": "Split", "select": "StridedSlice", "slice": "StridedSlice",
    "to_copy": "Cast", "alias": "Identity", "detach": "StopGradient", "where": "SelectV2",
    "eq": "Equal", "ne": "NotEqual", "lt": "Less", "le": "LessEqual", "gt": "Greater",
    "ge": "GreaterEqual", "repeat": "Tile", "relu": "Relu", "threshold_backward": "ReluGrad",
    "tanh_backward": "TanhGrad", "sigmoid_backward": "SigmoidGrad", "addmm": "Gemm",
    "zeros_like": "ZerosLike", "ones_like": "OnesLike", "argmax": "ArgMax", "argmin": "ArgMin",
    "amax": "Max", "amin": "Min", "remainder": "FloorMod", "clamp_min.tensor": "Maximum",
    "clamp_max.tensor": "Minimum", "index_select": "GatherV2", "constant_pad_nd": "PadV2",
}  # fmt: skip
"""TensorFlow's names of the ops that derivatives and traced functions are made of, where it is not
the table's name in capitals."""


def type_of(op: Op) -> str:
    """TensorFlow's word for an op (``log_softmax`` -> ``LogSoftmax``)."""
    return TYPES.get(op.key) or "".join(part[:1].upper() + part[1:] for part in op.name.split("_"))


def emit(
    key: str, inputs: Sequence[Symbol | None], params: Mapping[str, Any] | None = None, *,
    type: str = "", name: str | None = None,
) -> list[Symbol]:  # fmt: skip
    """Add an op of the table to the graph, its operands being of the types that its kernel takes.

    Args:
        params: the table's metadata; defaults stand for what is missing.
        type: TensorFlow's word, where it is not the usual one.
        name: as ``Graph.create``.

    Returns:
        its results, the kept ones last.

    Raises:
        ValueError: the shapes do not go together.
    """
    op = TABLE[key]
    given = {**op.params, **(params or {})}
    missing = [each for each, value in given.items() if value is REQUIRED]
    if missing or given.keys() != op.params.keys():
        raise TypeError(f"{key}: wants {list(op.params)}, was given {list(params or ())}")
    graph = graph_of(inputs)
    type = type or type_of(op)
    made = graph.create(type, inputs, infer(op, inputs, given), op=op, params=given, name=name)
    return made.outputs


def graph_of(inputs: Sequence[Any]) -> Graph:
    """The graph in which operands are, or that is being built."""
    default = get_default_graph()
    for each in inputs:
        if isinstance(each, Symbol):
            found: Graph = each.graph
            return found
    return default


def make_constant(array: Any, name: str | None = None, graph: Graph | None = None) -> Symbol:
    """A constant: the array itself, which is read-only from then on."""
    array = np.asarray(array)
    array.flags.writeable = False
    spec = Spec(as_dtype(array.dtype), array.shape, (array, array))
    made = (graph or get_default_graph()).create(
        "Const", (), [spec], params={"value": array}, name=name or "Const"
    )
    return only(made)


def constant_value(symbol: Symbol) -> np.ndarray | None:
    """The value of a symbol that depends on nothing that is fed; None for others."""
    if symbol.known is None:
        return None
    one, two = symbol.known
    same = one.shape == two.shape and bool(np.array_equal(one, two))
    return one if one is two or (same and not on_sizes(symbol)) else None


def on_sizes(symbol: Symbol) -> bool:
    """Return whether a symbol's value is a matter of sizes."""
    return bool(symbol.op.type != "Const")


def make_shape(symbol: Symbol, dtype: DType = int32, name: str | None = None) -> Symbol:
    """The sizes of a symbol as one: a constant where all are known."""
    if symbol.sizes is not None and None not in symbol.sizes:
        return make_constant(np.array(symbol.sizes, dtype.numpy), name or "Shape")
    return emit_shape(symbol, dtype, name)


def emit_shape(symbol: Symbol, dtype: DType, name: str | None) -> Symbol:
    """The sizes in a run."""
    sizes: Sizes | None = None
    known = None
    if symbol.sizes is not None:
        sizes = (len(symbol.sizes),)
        one, two = (
            np.array([which if size is None else size for size in symbol.sizes], dtype.numpy)
            for which in STAND_INS
        )
        known = one, two
    made = symbol.graph.create(
        "Shape", (symbol,), [Spec(dtype, sizes or (None,), known)], name=name or "Shape"
    )
    return only(made)


def size_at(symbol: Symbol, dim: int) -> Symbol:
    """One size of a symbol in a run."""
    found = (
        each.outputs[0] for each in reversed(symbol.graph.operations)
        if each.type == "Shape" and each.inputs[0] is symbol
        and each.region.contains(symbol.graph.region)
    )  # fmt: skip
    shape = next(found, None)
    if shape is None:
        shape = emit_shape(symbol, int32, None)
    return emit("select", (shape,), {"dim": 0, "index": dim})[0]


def make_sum_to(symbol: Symbol, shape: Any) -> Symbol:
    """The sum over the dims that a broadcast from ``shape`` stretched. Sizes of the shape are
    symbols, so only a run knows which dims these are."""
    sizes = tuple(None if isinstance(size, Symbol) else size for size in shape)
    spec = Spec(symbol.dtype, sizes)
    made = symbol.graph.create("SumTo", (symbol,), [spec], params={"shape": tuple(shape)})
    return only(made)
