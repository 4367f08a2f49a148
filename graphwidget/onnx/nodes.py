"""Node: a node of a file, and how it becomes operations of a static graph.

A *reader* is a function of the node and its operands that builds with ``F``, the table's ops on
symbols. Where an operand decides about shapes or axes the reader asks for its numbers; if they are
known only when the graph runs, the node becomes one operation that is built then, of what its
operands turn out to be, by the same reader.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..static.add_operation import constant_value, make_constant
from ..static.dtypes import as_dtype
from ..static.graph import Graph, Operation
from ..static.operand import SYMBOLS, CannotBuild, Operand
from ..static.runner import KINDS, Env, State, execute, plan, value_of
from ..static.symbol import Spec, Symbol
from .errors import LoadError

READERS: dict[str, Callable[..., Any]] = {}
"""Reader of each operator, by its name in ONNX."""
USUAL: dict[str, dict[str, Any]] = {}
"""Attributes that an operator may only have as they usually are, by its name."""
F = SYMBOLS


LARGEST = 1 << 28
"""No tensor is made from a file's numbers that has more items."""


class Unknown(Exception):
    """Numbers are needed that are known only when the graph runs."""


def reads(*types: str, **usual: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a function read the operators of these names, if these attributes are as usual."""

    def keep(function: Callable[..., Any]) -> Callable[..., Any]:
        READERS.update(dict.fromkeys(types, function))
        USUAL.update(dict.fromkeys(types, usual))
        return function

    return keep


class Node:
    """Node of a file as readers see it."""

    def __init__(self, proto: Any, attributes: dict[str, Any]) -> None:
        self.type: str = proto.op_type
        self.name: str = proto.name or (proto.output[0] if proto.output else "")
        self.inputs, self.outputs = list(proto.input), list(proto.output)
        self.attributes = attributes

    def get(self, name: str, default: Any = None) -> Any:
        """An attribute, or what stands for a missing one."""
        return self.attributes.get(name, default)

    def numbers(self, operand: Operand | None) -> Any:
        """The numbers of an operand, where they are known.

        Raises:
            Unknown: they are not.
        """
        if operand is None:
            return None
        found = constant_value(operand.symbol)
        if operand.symbol.op.type == "Const":
            found = operand.symbol.op.params["value"]
        if found is None:
            raise Unknown
        return found

    def ints(self, operand: Operand | None, name: str = "", default: Any = None) -> Any:
        """Integers that newer opsets have as an operand and older ones as an attribute."""
        if operand is not None:
            return tuple(int(each) for each in np.atleast_1d(self.numbers(operand)))
        found = self.get(name, default)
        return tuple(found) if isinstance(found, list) else found

    def __str__(self) -> str:
        return f"node '{self.name}' ({self.type})"


def constant(value: Any) -> Operand:
    """An array as an operand."""
    return Operand(make_constant(np.asarray(value)))


def limited(*sizes: int) -> None:
    """Refuse to make a tensor that no memory holds.

    Raises:
        LoadError: it would have more items than ``LARGEST``.
    """
    if math.prod(map(int, sizes)) > LARGEST:
        raise LoadError(f"it makes a tensor of the shape {tuple(map(int, sizes))}")


def known(operand: Operand) -> tuple[int, ...]:
    """The sizes of an operand, all of them known.

    Raises:
        Unknown: they are not.
    """
    sizes = operand.symbol.sizes
    if sizes is None or None in sizes:
        raise Unknown
    return sizes  # type: ignore[return-value]


def build(node: Node, inputs: Sequence[Symbol | None], hints: Sequence[Any]) -> list[Symbol]:
    """The operations of a node.

    Args:
        hints: what the file says of the results: type and sizes.

    Raises:
        LoadError: the node cannot be read; the message names it.
    """
    reader = READERS.get(node.type)
    if reader is None:
        raise LoadError(f"{node}: the operator {node.type} is not known here")
    for name, value in USUAL[node.type].items():
        if node.get(name, value) != value:
            raise LoadError(f"{node}: {name}={node.get(name)!r} is not known here")
    present = [each for each in inputs if each is not None]
    open_ = any(each.sizes is None for each in present)
    try:
        if not open_:
            return built(reader, node, inputs)
    except (Unknown, CannotBuild):
        pass
    except LoadError as error:
        raise LoadError(f"{node}: {error}") from None
    except Exception as error:
        certain = all(each.sizes is not None and None not in each.sizes for each in present)
        if certain:
            raise LoadError(f"{node}: {error}") from error
    return built_when_run(node, inputs, hints)


def built(reader: Any, node: Node, inputs: Sequence[Symbol | None]) -> list[Symbol]:
    """Return the symbols that a reader builds."""
    found = reader(node, *(None if each is None else Operand(each) for each in inputs))
    found = found if isinstance(found, (tuple, list)) else [found]
    return [each.symbol if isinstance(each, Operand) else each for each in found]


def built_when_run(
    node: Node, inputs: Sequence[Symbol | None], hints: Sequence[Any]
) -> list[Symbol]:
    """One operation that is built when the graph runs."""
    graph: Graph = next(each.graph for each in inputs if each is not None)
    first = next(each.dtype for each in inputs if each is not None)
    specs = [Spec(as_dtype(dtype) if dtype is not None else first, sizes) for dtype, sizes in hints]
    made = graph.create("OnnxNode", inputs, specs, params={"node": node}, name=node.type)
    return list(made.outputs)


def run_node(operation: Operation, env: Env, state: State) -> Sequence[Any]:
    """Build a node of what its operands turned out to be, and run that."""
    node = operation.params["node"]
    graph = Graph()
    with graph.as_default():
        inputs = [
            None if each is None else make_constant(np.array(value_of(each, env, operation)))
            for each in operation.inputs
        ]
        try:
            found = built(READERS[node.type], node, inputs)
        except (Unknown, CannotBuild, LoadError) as error:
            raise ValueError(f"{node}: {error}") from None
    inner: Env = {}
    execute(plan((each.op for each in found), (), graph.root), inner, state)
    return [inner[each] for each in found[: len(operation.outputs)]]


KINDS["OnnxNode"] = run_node


def compute(function: Callable[..., Any], *operands: Operand | None) -> Operand:
    """Compute known arrays with numpy, for operators that the table has no op for.

    Raises:
        Unknown: an operand is not known.
    """
    arrays: list[Any] = []
    for each in operands:
        if each is None:
            arrays.append(None)
            continue
        if each.symbol.op.type != "Const":
            raise Unknown
        arrays.append(each.symbol.op.params["value"])
    return constant(function(*arrays))


__all__ = [
    "READERS",
    "F",
    "Node",
    "Unknown",
    "build",
    "compute",
    "constant",
    "known",
    "limited",
    "reads",
]  # fmt: skip
