"""Graphs as plain values, for pickles: nodes by their numbers, functions of the package by name."""

from __future__ import annotations

import functools
import importlib
from typing import Any

from ..overrides import resolve_name
from .graph import Graph
from .names import PACKAGE
from .node import Node, map_aggregate


class Numbered:
    """A node of a graph, by its number."""

    def __init__(self, number: int) -> None:
        self.number = number


class Named:
    """A function of the package, by its dotted name after `torch`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def found(self) -> Any:
        """The function."""
        package = importlib.import_module(PACKAGE)
        return functools.reduce(getattr, self.name.split(".")[1:], package)


def packed(graph: Graph) -> list[Any]:
    """A graph's nodes as plain values."""
    numbers = {node: number for number, node in enumerate(graph.nodes)}

    def plain(value: Any) -> Any:
        if isinstance(value, Node):
            return Numbered(numbers[value])
        name = resolve_name(value) if callable(value) else None
        return Named(name) if name and ".__" not in name else value

    return [
        (node.op, plain(node.target), map_aggregate((node.args, dict(node.kwargs)), plain),
         node.name, node.type, node.stack_trace)
        for node in graph.nodes
    ]  # fmt: skip


def unpacked(rows: list[Any], tracer: type[Any] | None) -> Graph:
    """The graph of such values."""
    graph = Graph(tracer_cls=tracer)
    nodes: list[Node] = []

    def restored(value: Any) -> Any:
        if isinstance(value, Numbered):
            return nodes[value.number]
        return value.found() if isinstance(value, Named) else value

    for op, target, given, name, kind, trace in rows:
        args, kwargs = map_aggregate(given, restored)
        nodes.append(graph.create_node(op, restored(target), args, kwargs, name, kind))
        if trace is not None:
            nodes[-1].stack_trace = trace
    return graph
