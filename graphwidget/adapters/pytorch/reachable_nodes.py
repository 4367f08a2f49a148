"""The nodes that a backward can reach: looked up in the graph, or known from the run before.

The iterations of a training loop make graphs of one structure. If the program has made the same
calls since the run before, of the same tensors or of results of the same calls, with as many nodes,
the run reaches what it did in the iteration before, and its graph is not searched. After a history
that was not observed (in TorchScript, or in a Function of the program's) it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple
from weakref import ref as weak

import torch

from ...recording.positions import Position
from ...recording.recorder import Ref
from ...recording.sites import Site
from .node_facts import leaf_of, sequence_of, sequences_of
from .tape import Call

MAX_RAN = 20_000
"""Nodes of which is known where they ran."""
MAX_LINES = 1_000
MAX_CALLS = 2_000
"""A run after more calls than these is always looked at."""
Way = tuple[int, list[Any], list[int]]
"""Way to a run since the run before: the number of nodes made, the calls, and by numbers their
arguments that need gradients and the run's root."""


class Reach(NamedTuple):
    """Graph that a run can reach: the number of nodes; the ages of those that are not leaves', in
    sequence numbers before its first node; and the leaves, by weak references."""

    size: int
    ages: tuple[int, ...]
    leaves: list[weak[torch.Tensor]]


class RepeatedRuns:
    """Graph that the last run from each line could reach, and the program's way to it."""

    def __init__(self, calls: deque[Call]) -> None:
        self._calls = calls
        self._known: dict[Position, tuple[Way, Reach]] = {}
        self.last = 0  # the sequence number of the last run's first node
        self._first = 0  # the number of the first tensor that was made since the run before
        self._unobserved = 0  # how many histories had come about unheard before it

    def known(
        self, position: Position | None, roots: Sequence[Ref | None], nodes: Sequence[Any],
        unobserved: int,
    ) -> tuple[Way | None, Reach | None]:  # fmt: skip
        """Return how the program came to a run, if that is known; and what it reaches, if the
        last one from its line came about so too."""
        node = nodes[0] if len(nodes) == 1 else None
        root = roots[0] if node is not None else None
        if position is None or root is None:
            return None, None
        last, self.last = self.last, sequence_of(node)
        complete, self._unobserved = self._unobserved == unobserved, unobserved
        calls = _since_last_run(self._calls) if complete else None
        since = self._first
        way = None if calls is None else _way(calls, root, self.last - last, since)
        self._first = (_first_made(calls) if calls else None) or since
        before = self._known.get(position)
        if way is None or before is None or before[0] != way:
            return way, None
        return way, before[1]

    def record(self, position: Position | None, way: Way | None, reach: Reach) -> None:
        """Record the graph that a run reaches."""
        if position is not None and way is not None:
            if len(self._known) > MAX_LINES:
                self._known.clear()
            self._known[position] = way, reach


def _since_last_run(calls: deque[Call]) -> list[Call] | None:
    """The calls since the last run, the newest first."""
    found: list[Call] = []
    for call in reversed(calls):
        if call.run:
            return found
        if len(found) > MAX_CALLS:
            return None
        found.append(call)
    return found


def _way(calls: list[Call], root: Ref, nodes: int, since: int) -> Way | None:
    """Return what determines the structure of the graph: the calls, their positions, arguments
    and number of nodes; ``since`` is the number of the first tensor that was made between the
    two runs before."""
    # The hot path: every call of every iteration. What was made since the run
    # before has a number that is higher by an iteration's; all else must be the very same.
    first = _first_made(calls)
    if first is None:
        return None
    given = [ref.facts.number for x in calls for ref in x.given if ref.facts.requires_grad]
    given.append(root.facts.number)
    if any(since <= number < first for number in given) and not _go_on(calls, since, first):
        since = first
    return (
        nodes,
        list(map(_STRUCTURE, calls)),
        [number if number < since else number - first for number in given],
    )


def _first_made(calls: list[Call]) -> int | None:
    """The number of the first tensor that calls made, of which the newest is the first."""
    return next((call.made[0].facts.number for call in reversed(calls) if call.made), None)


def _go_on(calls: list[Call], since: int, first: int) -> bool:
    """Return whether no gradient of a call goes back to tensors of the iteration before, which are
    others in each iteration: then the graph does not depend on them."""
    return not any(
        since <= ref.facts.number < first
        for call in calls
        if any(made.facts.requires_grad for made in call.made)
        for ref in call.given
    )


_STRUCTURE = itemgetter(*map(Call._fields.index, ("position", "func", "grad_mode")))


def reach_of(root: Any, nodes: Sequence[Any], leaves: Iterable[torch.Tensor]) -> Reach:
    """Return the graph that a run from ``root`` reaches: ``nodes`` and ``leaves``."""
    first = sequence_of(root)
    inner = sequences_of([node for node in nodes if node.next_functions])
    return Reach(len(nodes), tuple([first - number for number in inner]), [*map(weak, leaves)])


def reachable(roots: Sequence[Any]) -> tuple[list[Any], list[torch.Tensor]]:
    """The nodes that a run from ``roots`` can reach, each once; and the leaves among them."""
    # The hot path: every node of every run that does not repeat.
    found: dict[Any, None] = {}
    leaves: list[torch.Tensor] = []
    waiting = [node for node in roots if node is not None]
    while waiting:
        node = waiting.pop()
        if node in found:
            continue
        found[node] = None
        before = node.next_functions
        for each, _nr in before:
            if each is not None and each not in found:
                waiting.append(each)
        if not before and (leaf := leaf_of(node)) is not None:
            leaves.append(leaf)
    return list(found), leaves


class RanNodes:
    """Nodes that ran in runs that are emitted later."""

    def __init__(self) -> None:
        self._runs: deque[tuple[int, tuple[int, ...], Site | None]] = deque()
        self._count = 0

    def record(self, first: int, ages: tuple[int, ...], site: Site | None) -> None:
        """A run is over, from the node with that sequence number."""
        self._runs.append((first, ages, site))
        self._count += len(ages)
        while self._count > MAX_RAN and len(self._runs) > 1:
            self._count -= len(self._runs.popleft()[1])

    def where(self) -> dict[int, Site | None]:
        """The line of the run in which a node ran first, by the node's sequence number."""
        runs = list(self._runs)  # at once: another thread may look
        return {first - age: site for first, ages, site in reversed(runs) for age in ages}
