"""The row of a graph's nodes, and the place in it where new ones go."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .node import Node


class NodeList:
    """The nodes of a graph in order; it may be changed meanwhile."""

    def __init__(self, graph: Any, backwards: bool = False) -> None:
        self._graph, self._backwards = graph, backwards

    def __len__(self) -> int:
        return int(self._graph._len)

    def __iter__(self) -> Iterator[Node]:
        root = self._graph._root
        node = root._prev if self._backwards else root._next
        while node is not root:
            if not node._erased:
                yield node
            node = node._prev if self._backwards else node._next

    def __reversed__(self) -> Iterator[Node]:
        return iter(NodeList(self._graph, not self._backwards))


class InsertPoint:
    """Where new nodes go, until the `with` block ends."""

    def __init__(self, graph: Any, insert: Callable[[Node], None]) -> None:
        self.graph, self.before = graph, graph._insert
        graph._insert = insert

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        self.graph._insert = self.before
