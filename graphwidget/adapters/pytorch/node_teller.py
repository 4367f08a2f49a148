"""Tells what was heard of the nodes of one backward run (``node_hooks.py``), at once or later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...recording.recorder import NodeRef, Ref
from .identity import TOKEN
from .node_hooks import NodeRan
from .run_context import RunContext


class NodeTeller:
    """The nodes that a run can reach, and which of them have run; ``keeps`` says that the run frees
    nothing."""

    def __init__(self, runs: RunContext, run: int, nodes: Sequence[Any], keeps: bool) -> None:
        self.runs = runs
        self.run = run
        self.keeps = keeps
        self.known = [self._known(node) for node in nodes]
        """What each is called, and whether it saved tensors; None of those that are not told."""
        self.ran: set[int] = set()
        self.left: dict[int, NodeRef] = {}
        """Nodes that said that they start and have not finished, in order."""
        self.done: list[int] = []
        """Nodes that ran and are no leaf's."""

    def _known(self, node: Any) -> tuple[NodeRef, bool] | None:
        token = node.metadata.get(TOKEN)
        ref = None if token is None else token.ref
        return None if ref is None or ref.id not in self.runs.recorder.nodes else (ref, token.saves)

    def hooked(self, nodes: Sequence[Any]) -> list[Any]:
        """The nodes that need hooks, each in its place."""
        return [None if ref is None else x for ref, x in zip(self.known, nodes, strict=True)]

    def starts(self, nr: int) -> None:
        """The node with that number starts."""
        known = self.known[nr]
        if known is not None:
            self.left[known[0].id] = known[0]

    def has_run(self, heard: NodeRan, moved: Mapping[int, Ref] | None = None) -> None:
        """A node has run: just now, or before. Then leaves have other identities since, by the
        addresses of those (``moved``)."""
        # The hot path: each node of each run.
        nr, given, leaf, before, grad, gave, added = heard
        known, runs = self.known[nr], self.runs
        if known is None:
            return
        ref, saves = known
        self.ran.add(ref.id)
        if self.left:
            self.left.pop(ref.id, None)
        value = None
        if leaf is None:
            self.done.append(ref.id)
        elif grad is not None:
            of = runs.identity.current(leaf) if moved is None else moved.get(id(before), before)
            if of is not None:
                runs.checks.graded.add(of.storage)
                value = of.id
        freed = saves and not self.keeps  # the engine does it right after the hook
        runs.recorder.raw.append((runs.ran, self.run, ref, freed, given, value, grad, gave, added))
