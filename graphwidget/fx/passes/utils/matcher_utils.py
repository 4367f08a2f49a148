"""`SubgraphMatcher`: where a small graph, the pattern, occurs in another one."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ....graph.tensor import Tensor
from ...graph import Graph
from ...node import Node

__all__ = ["InternalMatch", "SubgraphMatcher"]


@dataclass
class InternalMatch:
    """An occurrence of the pattern: the pattern's nodes from which the search began, the graph's
    node for each node of the pattern, and among these the inputs and the outputs."""

    anchors: list[Node]
    nodes_map: dict[Node, Any] = field(default_factory=dict)
    placeholder_nodes: list[Any] = field(default_factory=list)
    returning_nodes: list[Node] = field(default_factory=list)
    name_node_map: dict[str, Node] = field(default_factory=dict)

    def __copy__(self) -> InternalMatch:
        return InternalMatch(
            self.anchors, dict(self.nodes_map), [*self.placeholder_nodes], [*self.returning_nodes]
        )


class SubgraphMatcher:
    """Finds where a pattern occurs.

    Args:
        match_output, match_placeholder: these must be the same, too.
        remove_overlapping_matches: of occurrences that share nodes keep the first.
        ignore_literals: constants may differ.

    Raises:
        ValueError: the pattern is empty.
        AssertionError: it has nodes that nobody uses.
    """

    def __init__(
        self,
        pattern: Graph,
        match_output: bool = False,
        match_placeholder: bool = False,
        remove_overlapping_matches: bool = True,
        ignore_literals: bool = False,
    ) -> None:
        self.pattern, self.match_placeholder = pattern, match_placeholder
        self.remove_overlapping_matches = remove_overlapping_matches
        self.ignore_literals = ignore_literals
        if len(pattern.nodes) == 0:
            raise ValueError("SubgraphMatcher cannot be initialized with an empty pattern")
        for node in pattern.nodes:
            if node.op != "output" and not node.is_impure() and not node.users:
                raise AssertionError(
                    "SubgraphMatcher cannot be initialized with an pattern with dead code"
                )
        output = next(iter(reversed(pattern.nodes)))
        self.taken = [node for node in pattern.nodes if node.op == "placeholder"]
        self.returned = output.all_input_nodes
        last = [node for node in self.returned if len(node.users) == 1]
        self.pattern_anchors = [output] if match_output else last

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        """The occurrences in a graph, in order.

        Args:
            node_name_match: nodes with this in their names are taken for what ends the pattern.
        """
        candidates = [
            (anchor, [n for n in graph.nodes if self._alike(anchor, n, node_name_match)])
            for anchor in self.pattern_anchors
        ]
        candidates = [each for each in candidates if each[1]]
        found: list[InternalMatch] = []
        if candidates:
            self._search(candidates, InternalMatch(self.pattern_anchors), found, node_name_match)
        found = [each for each in found if self._is_contained(each) and not _is_circular(each)]
        return _apart(found) if self.remove_overlapping_matches else found

    def _search(
        self,
        candidates: list[tuple[Node, list[Node]]],
        match: InternalMatch,
        found: list[InternalMatch],
        name: str,
    ) -> None:
        """Extend an occurrence by nodes for the anchors that are left."""
        if not candidates:
            match.placeholder_nodes = [match.nodes_map[node] for node in self.taken]
            match.returning_nodes = [match.nodes_map[node] for node in self.returned]
            found.append(match)
            return
        (anchor, nodes), *rest = candidates
        for node in nodes:
            extended = copy.copy(match)
            if self._match(anchor, node, extended, name):
                self._search(rest, extended, found, name)

    def _alike(self, own: Node, node: Node, name: str = "") -> bool:
        """Whether two nodes do the same, whatever they are given."""
        if (own.op == "placeholder" and not self.match_placeholder) or (name and name in node.name):
            return True
        if own.op != node.op:
            return False
        if own.op == "get_attr":
            mine, theirs = _value(own), _value(node)
            if type(mine) is type(theirs) and not isinstance(mine, Tensor):
                raise RuntimeError(f"Unsupported type {mine} when matching attributes")
            return type(mine) is type(theirs)
        return own.op in ("placeholder", "output") or own.target == node.target

    def _match(self, own: Node, node: Node, match: InternalMatch, name: str = "") -> bool:
        """Whether two nodes do the same with the same, noting what stands for what."""
        if own in match.nodes_map:
            return match.nodes_map[own] is node
        if any(each is node for each in match.nodes_map.values()):
            return False
        if not self._alike(own, node, name):
            return False
        match.nodes_map[own] = node
        if own.op == "placeholder":
            return True
        return (
            list(own.kwargs) == list(node.kwargs)
            and self._match_all(
                (*own.args, *own.kwargs.values()), (*node.args, *node.kwargs.values()), match
            )
            and len(own.args) == len(node.args)
        )

    def _match_all(self, mine: Any, theirs: Any, match: InternalMatch) -> bool:
        if len(mine) != len(theirs):
            return False
        for own, other in zip(mine, theirs, strict=True):
            if isinstance(own, Node) and isinstance(other, Node):
                same = self._match(own, other, match)
            elif isinstance(own, (list, tuple)) and isinstance(other, (list, tuple)):
                same = self._match_all(own, other, match)
            else:
                same = self._match_literal(own, other, match) or self.ignore_literals
            if not same:
                return False
        return True

    def _match_literal(self, own: Any, other: Any, match: InternalMatch) -> bool:
        if isinstance(own, Node):
            if own.op != "placeholder":
                return False
            return bool(match.nodes_map.setdefault(own, other) == other)
        return type(other) is type(own) and bool(other == own)

    def _is_contained(self, match: InternalMatch) -> bool:
        """Whether nobody else uses what the pattern does not return."""
        inner = {node for own, node in match.nodes_map.items() if own.op != "placeholder"}
        return all(
            user in inner
            for own, node in match.nodes_map.items()
            if own.op != "placeholder" and own not in self.returned
            for user in node.users
        )


def _value(node: Node) -> Any:
    """What a node reads.

    Raises:
        AssertionError: its graph belongs to no module.
    """
    found: Any = node.graph.owning_module
    assert found is not None
    for part in node.target.split("."):
        found = getattr(found, part)
    return found


def _inner(match: InternalMatch) -> list[Node]:
    return [n for own, n in match.nodes_map.items() if own.op not in ("placeholder", "output")]


def _is_circular(match: InternalMatch) -> bool:
    """Whether something outside an occurrence uses it and is used by it."""
    inner = set(_inner(match))
    waiting = [user for node in inner for user in node.users if user not in inner]
    seen: set[Node] = set()
    while waiting:
        node = waiting.pop()
        if node in inner:
            return True
        if node not in seen:
            seen.add(node)
            waiting += node.users
    return False


def _apart(matches: Iterable[InternalMatch]) -> list[InternalMatch]:
    """Those that share no node with one before them."""
    kept, seen = [], set[Node]()
    for match in matches:
        nodes = _inner(match)
        if seen.isdisjoint(nodes):
            kept.append(match)
            seen.update(nodes)
    return kept
