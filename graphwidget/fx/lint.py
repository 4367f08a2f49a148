"""Checks that a graph can run: its nodes are in order and named apart, and their targets exist."""

from __future__ import annotations

from typing import Any

from ..functions.tensor.global_settings import typename
from ..nn.module import Module
from .node import OPCODES, Node


def check(graph: Any) -> None:
    """Check a graph for `Graph.lint`."""
    names: set[str] = set()
    seen: set[Node] = set()
    for node in graph.nodes:
        if node.op not in OPCODES:
            raise RuntimeError(f"Node {node} had unknown opcode {node.op}!")
        if node.graph is not graph:
            raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
        for arg in node._input_nodes:
            check_argument(graph, node, arg, seen)
        seen.add(node)
        if node.name in names:
            raise RuntimeError(f"Node redefined name {node.name}!")
        names.add(node.name)
    if graph.owning_module is not None:
        for node in graph.nodes:
            check_target(node, graph.owning_module)


def check_argument(graph: Any, node: Node, arg: Node, seen: set[Node]) -> None:
    """RuntimeError for an argument of another graph, or that is computed later."""
    if arg.graph is not graph:
        raise RuntimeError(
            f"Argument '{arg}' of Node '{node}' does not belong to this Graph, but was "
            "used as an argument! If you are copying nodes from another graph, make "
            f"sure to use ``arg_transform`` on node_copy() to remap values\n{graph}"
        )
    if arg not in seen:
        raise RuntimeError(
            f"Argument '{arg}' of Node '{node}' was used before it has been defined! "
            f"Please check that Nodes in the graph are topologically ordered\n{graph}"
        )


def check_target(node: Node, module: Module) -> None:
    """ValueError for a target of the wrong kind, RuntimeError for a path that leads nowhere."""
    target = node.target
    function = node.op == "call_function"
    if not (callable(target) if function else isinstance(target, str)):
        raise ValueError(
            f"Node {node} target {target} has type {typename(target)} but "
            f"a {'Callable' if function else 'str'} is expected"
        )
    if node.op not in ("get_attr", "call_module"):
        return
    place: Any = module
    parts = target.split(".")
    for i, part in enumerate(parts):
        place, above = getattr(place, part, None), ".".join(parts[:i])
        if place is None:
            raise RuntimeError(
                f"Node {node} target {target} references nonexistent attribute {part} of {above}"
            )
        if node.op == "call_module" and not isinstance(place, Module):
            raise RuntimeError(
                f"Node {node} target {target} {part} of {above} does not reference an nn.Module"
            )
