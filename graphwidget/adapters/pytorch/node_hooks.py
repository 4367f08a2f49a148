"""The hooks of the nodes of one backward run: they tell what each node was given and what it gave.

While the run goes on every node that it can reach has a hook, and where it must be known that a
node starts two; they are taken away when the run is over. Hooks that return None change nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import torch

from ...recording.recorder import NodeRef
from .identity import TOKEN
from .live import Gate
from .node_facts import leaf_of
from .run_context import Grad, RunContext
from .tape import new_tuple
from .tensor_facts import Passed, asked, dtype_name, shape_of, version_of

MAX_HELD = 2**15
"""Bytes of a storage that may be held for a gradient in it."""


class NodeHooks:
    """The hooks, while they are installed, and what they have heard."""

    def __init__(
        self,
        runs: RunContext,
        run: int,
        gate: Gate | None,
        asks: bool,
        leaves: Iterable[torch.Tensor],
        ran: set[int],
        keeps: bool,
    ) -> None:
        self.runs = runs
        self.run = run
        self.gate = gate
        self.asks = asks
        self.ran = ran
        self.keeps = keeps
        self.left: dict[int, NodeRef] = {}
        """Nodes that said that they start and have not finished, in order."""
        self.done: list[int] = []
        """Nodes that ran and are no leaf's."""
        self._handles: list[Any] = []
        self._passed: dict[int, Passed] = {}  # what nodes gave, by its address while it is held
        self._ungraded = set(map(id, filter(_ungraded, leaves)))
        # leaves whose gradient will be what they are given first

    def install(self, nodes: Iterable[Any]) -> None:
        """Hear these nodes from now on."""
        known = self.runs.recorder.nodes
        for node in nodes:
            token = node.metadata.get(TOKEN)
            ref = None if token is None else token.ref
            if ref is None or ref.id not in known:
                continue
            if self.asks:
                self._handles.append(node.register_prehook(partial(self._starts, node, ref)))
            # one hook hears what came in and what went out: two would cost twice as much
            heard = partial(self._has_run, ref, token.saves, leaf_of(node))
            self._handles.append(node.register_hook(heard))

    def remove(self) -> None:
        """Hear them no more."""
        self._passed.clear()
        for handle in self._handles:
            handle.remove()

    def _starts(self, node: Any, ref: NodeRef, _grads: Sequence[Any]) -> None:
        if self.gate is not None:
            if not self.gate.of_this_run():
                return
            self.gate.before(node)
        self.left[ref.id] = ref

    def _has_run(
        self, ref: NodeRef, saves: bool, leaf: torch.Tensor | None, into: Any, out: Any
    ) -> None:
        if self.gate is not None and not self.gate.of_this_run():
            return
        try:
            number, runs = ref.id, self.runs
            self.ran.add(number)
            if self.asks:
                self.left.pop(number, None)
            if leaf is None:
                self.done.append(number)
            with torch._C.DisableTorchFunction():
                taken: list[Grad | None] | None = None
                value, grad, added = None, None, None
                if leaf is not None and (grown := leaf.grad) is not None:
                    known = runs.identity.current(leaf)
                    runs.checks.graded.add(known.storage)
                    # as it is now: the program may write into it
                    value, grad = known.id, runs.identity.captured(grown)
                    if id(leaf) in self._ungraded:
                        if not version_of(grown):
                            taken = [grad]  # it had none before, and has what it was given
                    elif not _hooked(leaf):
                        taken = self._taken(out)
                        added = taken[0]
                    runs.identity.note_gradient(leaf, grown)
                if taken is None:
                    taken = self._taken(out)
                gave = self._taken(into) if into else []  # a leaf's node gives nothing
            freed = saves and not self.keeps  # the engine does it right after this hook
            told = runs.ran, self.run, ref, freed, taken, value, grad, gave, added
            runs.recorder.raw.append(told)
        except Exception as error:
            self.runs.fault(error)

    def _taken(self, grads: Any) -> list[Grad | None]:
        """What a hook was given, where something else than a tensor is nothing. Most of it another
        node gave, whose hook was shown it."""
        # The hot path: twice for each node of each run.
        passed = self._passed
        taken: list[Grad | None] = []
        for each in grads if isinstance(grads, tuple) else (grads,):
            known = passed.get(id(each))
            fresh = known is None or known.version != each._version
            taken.append(self._seen(each) if fresh else known)
        return taken

    def _seen(self, grad: Any) -> Grad | None:
        """What nobody was shown before, to be looked at later; a copy of what would keep a graph
        alive, or a larger storage."""
        if not isinstance(grad, torch.Tensor):  # as None, where no gradient goes
            return None
        identity, count = self.runs.identity, grad.numel()
        if count > identity.limit:
            return dtype_name(grad.dtype), shape_of(grad), None
        try:
            version, size = grad._version, grad.untyped_storage().nbytes()
        except (RuntimeError, NotImplementedError):  # as sparse ones have none
            return identity.captured(grad)
        if size > MAX_HELD or grad.requires_grad:
            return identity.captured(grad)
        identity.copied += count
        found: Passed = new_tuple(Passed, (grad, version))
        self._passed[id(grad)] = found
        return found


def _hooked(leaf: torch.Tensor) -> bool:
    """Whether a hook of the program may change a gradient after it came."""
    return bool(getattr(leaf, "_post_accumulate_grad_hooks", None))


def _ungraded(leaf: torch.Tensor) -> bool:
    """Whether it has no gradient, nor such a hook. (A tensor that is no leaf any more must not be
    asked: PyTorch would warn.)"""
    return not _hooked(leaf) and asked(leaf, "is_leaf") and leaf.grad is None
