"""The nodes that a backward can reach, and those that ran in earlier ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import torch

from ...recording.sites import Site
from .node_facts import leaf_of

MAX_RAN = 20_000
"""Nodes of which is known where they ran."""


def reachable(roots: Sequence[Any]) -> dict[Any, torch.Tensor | None]:
    """The nodes that a run from ``roots`` can reach, each with its leaf if it is one's."""
    # The hot path: every node of every run.
    found: dict[Any, torch.Tensor | None] = {}
    waiting = [node for node in roots if node is not None]
    while waiting:
        node = waiting.pop()
        if node in found:
            continue
        before = node.next_functions
        found[node] = None if before else leaf_of(node)
        for each, _nr in before:
            if each is not None and each not in found:
                waiting.append(each)
    return found


class RanNodes:
    """Nodes that ran in runs that are emitted later."""

    def __init__(self) -> None:
        self._runs: deque[tuple[list[int], Site | None]] = deque()
        self._count = 0

    def record(self, nodes: list[int], site: Site | None) -> None:
        """A run is over, of the nodes with these sequence numbers."""
        self._runs.append((nodes, site))
        self._count += len(nodes)
        while self._count > MAX_RAN and len(self._runs) > 1:
            self._count -= len(self._runs.popleft()[0])

    def where(self) -> dict[int, Site | None]:
        """The line of the run in which a node ran first, by the node's sequence number."""
        runs = list(self._runs)  # at once: another thread may look
        return {number: site for nodes, site in reversed(runs) for number in nodes}
