"""``If`` and ``Loop`` of a file, as branches and loops of a static graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..static.add_operation import emit, make_constant
from ..static.control_flow import cond, while_loop
from ..static.symbol import Symbol
from ..static.tensor_shape import TensorShape
from .errors import LoadError
from .nodes import Node


def as_bool(symbol: Symbol) -> Symbol:
    """A condition as one bool."""
    return emit("unsafe_view", (symbol,), {"shape": ()})[0] if symbol.sizes != () else symbol


def read_if(reader: Any, node: Node, inputs: Sequence[Any], env: dict[str, Symbol]) -> list[Symbol]:
    """A choice between two graphs."""

    def branch(name: str) -> Callable[[], list[Symbol]]:
        def build() -> list[Symbol]:
            return inside(reader, node, node.get(name), dict(env))

        return build

    found = cond(as_bool(inputs[0]), branch("then_branch"), branch("else_branch"), strict=True)
    return list(found)


def inside(reader: Any, node: Node, proto: Any, env: dict[str, Symbol]) -> list[Symbol]:
    """The outputs of a graph in an attribute."""
    if proto is None:
        raise LoadError(f"{node} lacks a graph")
    reader.constants(proto, env)
    reader.nodes(proto, env)
    missing = [each.name for each in proto.output if each.name not in env]
    if missing:
        raise LoadError(f"{node}: its output '{missing[0]}' is given by no node")
    return [env[each.name] for each in proto.output]


def read_loop(reader: Any, node: Node, inputs: Sequence[Any], env: dict[str, Symbol]) -> list[Any]:
    """A loop that carries values.

    Raises:
        LoadError: it makes lists of its iterations' results, or its body does not fit.
    """
    proto = node.get("body")
    if proto is None:
        raise LoadError(f"{node} lacks a body")
    limit, go, *first = [*inputs, None, None][: max(len(inputs), 2)]
    names = [each.name for each in proto.input]
    if len(names) != len(first) + 2 or len(proto.output) != len(first) + 1:
        raise LoadError(f"{node}: its body does not take and give what it carries and no more")
    start = make_constant(np.array(True)) if go is None else as_bool(go)
    most = None if limit is None else emit("unsafe_view", (limit,), {"shape": ()})[0]

    def test(i: Symbol, more: Symbol, *values: Symbol) -> Symbol:
        if most is None:
            return more
        return emit("logical_and", (more, emit("lt", (i, most))[0]))[0]

    def body(i: Symbol, more: Symbol, *values: Symbol) -> list[Symbol]:
        inner = {**env, **dict(zip(names, (i, more, *values), strict=True))}
        again, *last = inside(reader, node, proto, inner)
        last = [shown(reader, each, info)
                for each, info in zip(last, proto.output[1:], strict=True)]  # fmt: skip
        following = emit("add", (i, make_constant(np.array(1, np.int64))))[0]
        return [following, as_bool(again), *last]

    zero = make_constant(np.array(0, np.int64))
    shapes = [TensorShape([]), TensorShape([]), *(open_shape(reader, each, names[i + 2], proto)
              for i, each in enumerate(first))]  # fmt: skip
    found = while_loop(test, body, [zero, start, *first], shape_invariants=shapes)
    return list(found[2:])


def shown(reader: Any, symbol: Symbol, info: Any) -> Symbol:
    """A result in the shape that the file says it has, where nothing else says it."""
    _, sizes = reader.described(info)
    if symbol.sizes is not None or sizes is None or None in sizes:
        return symbol
    return emit("unsafe_view", (symbol,), {"shape": sizes})[0]


def open_shape(reader: Any, first: Symbol, name: str, proto: Any) -> TensorShape:
    """The shape that a loop's variable has in all iterations: as its body says, if it does."""
    info = next(each for each in proto.input if each.name == name)
    _, sizes = reader.described(info)
    place = [each.name for each in proto.input].index(name) - 1
    _, after = reader.described(proto.output[place])
    if sizes is not None and sizes == after == first.sizes:
        return TensorShape(sizes)
    return TensorShape(None)


CONTROL = {"If": read_if, "Loop": read_loop}
"""Readers of the operators that contain graphs."""
