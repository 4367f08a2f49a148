"""`replace_pattern`: put something else wherever a pattern occurs in a graph."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..nn.module import Module
from .graph import Graph
from .graph_module import GraphModule
from .node import Node
from .passes.utils.matcher_utils import InternalMatch, SubgraphMatcher
from .tracer import symbolic_trace

__all__ = ["Match", "ReplacedPatterns", "replace_pattern", "replace_pattern_with_filters"]

Filter = Callable[[InternalMatch, Graph, Graph], bool]


class Match(NamedTuple):
    """An occurrence: the node where it ends, and which node stood for each of the pattern's."""

    anchor: Node
    nodes_map: dict[Node, Node]


@dataclass
class ReplacedPatterns:
    """An occurrence, with the nodes that took its place."""

    anchor: Node
    nodes_map: dict[Node, Node]
    replacements: list[Node]


def replace_pattern(gm: GraphModule, pattern: Any, replacement: Any) -> list[Match]:
    """Replace all occurrences of a pattern, which do not overlap, and compile.

    Args:
        pattern, replacement: functions or modules, which are recorded, with parameters in the same
            order; a parameter stands for anything.

    Returns:
        Where the pattern occurred.
    """
    done = replace_pattern_with_filters(gm, pattern, replacement)
    return [Match(each.anchor, each.nodes_map) for each in done]


def replace_pattern_with_filters(
    gm: GraphModule,
    pattern: Any,
    replacement: Any = None,
    match_filters: list[Filter] | None = None,
    ignore_literals: bool = False,
    replacement_callback: Callable[[InternalMatch, Graph, Graph], Graph] | None = None,
    node_name_match: str = "",
) -> list[ReplacedPatterns]:
    """The same for the occurrences that filters want.

    Args:
        match_filters: each is given an occurrence, the graph and the pattern.
        ignore_literals: constants in the pattern may differ.
        replacement_callback: gives the replacement for an occurrence.
        node_name_match: nodes with this in their names are taken for what ends the pattern.

    Raises:
        AssertionError: no replacement, or one that takes or returns another number of values.
    """
    wanted, graph = _graph_of(pattern), gm.graph
    matcher = SubgraphMatcher(wanted, ignore_literals=ignore_literals)
    matches = [
        each
        for each in matcher.match(graph, node_name_match)
        if all(accepts(each, graph, wanted) for accepts in match_filters or ())
    ]
    common = None if replacement is None else _graph_of(replacement)
    if common is None and replacement_callback is None:
        raise AssertionError(
            "Must provide either a replacement GraphModule or a replacement callback"
        )
    moved: dict[Node, Node] = {}
    done = []
    for match in matches:
        put = replacement_callback(match, graph, wanted) if replacement_callback else common
        assert put is not None
        new = _replace(graph, match, put, moved)
        for node in reversed(wanted.nodes):
            if node.op not in ("placeholder", "output"):
                graph.erase_node(match.nodes_map[node])
        done.append(ReplacedPatterns(match.anchors[0], match.nodes_map, new))
    gm.recompile()
    if isinstance(replacement, Module):
        _bring_attributes(gm, replacement)
    return done


def _graph_of(program: Any) -> Graph:
    if isinstance(program, GraphModule):
        return program.graph
    return program if isinstance(program, Graph) else symbolic_trace(program).graph


def _replace(graph: Graph, match: InternalMatch, put: Graph, moved: dict[Node, Node]) -> list[Node]:
    """Put a graph where a pattern occurred, and let others use it; gives its nodes.

    Args:
        moved: nodes of former occurrences and what took their places.
    """
    parameters = [node for node in put.nodes if node.op == "placeholder"]
    given = match.placeholder_nodes
    if len(given) != len(parameters):
        raise AssertionError(f"Placeholder count mismatch: {len(given)} vs {len(parameters)}")
    for place, node in enumerate(given):
        if isinstance(node, Node) and node in moved:
            own = next(key for key, each in match.nodes_map.items() if each is node)
            given[place] = match.nodes_map[own] = moved[node]
    values: dict[Node, Any] = dict(zip(parameters, given, strict=True))
    with graph.inserting_before(_first_after(graph, match.returning_nodes)):
        results = graph.graph_copy(put, values)
    results = (results,) if isinstance(results, Node) else results
    if len(match.returning_nodes) != len(results):
        raise AssertionError(
            f"Returning nodes count mismatch: {len(match.returning_nodes)} vs {len(results)}"
        )
    new = [node for node in values.values() if not any(node is each for each in given)]
    for node, result in zip(match.returning_nodes, results, strict=True):
        node.replace_all_uses_with(result)
        moved[node] = result
    return new


def _first_after(graph: Graph, returned: list[Node]) -> Node:
    """The first node that uses some, or without one that after the last of them.

    Raises:
        AssertionError: there is none.
    """
    users = {user for node in returned for user in node.users}
    if users:
        return next(node for node in graph.nodes if node in users)
    last = next(node for node in reversed(graph.nodes) if node in returned)
    if last.next.op == "root":
        raise AssertionError("The insert point can't be None")
    return last.next


def _bring_attributes(gm: GraphModule, replacement: Module) -> None:
    """Give a module what its new nodes call and read in the replacement, and take away what none
    does any more.

    Raises:
        RuntimeError: neither has something.
    """
    gm.delete_all_unused_submodules()
    if isinstance(replacement, GraphModule):
        replacement.graph.lint()
    for node in gm.graph.nodes:
        if node.op not in ("call_module", "get_attr") or _found(gm, node.target) is not None:
            continue
        theirs = _found(replacement, node.target)
        if theirs is None:
            raise RuntimeError(
                'Attempted to create a "',
                node.op,
                '" node during subgraph rewriting '
                f"with target {node.target}, but "
                "the referenced attribute does not "
                "exist in the replacement GraphModule",
            )
        if isinstance(theirs, Module):
            gm.add_submodule(node.target, copy.deepcopy(theirs))
        else:
            setattr(gm, node.target, copy.deepcopy(theirs))
    gm.graph.lint()


def _found(module: Any, path: str) -> Any:
    for part in path.split("."):
        module = getattr(module, part, None)
    return module
