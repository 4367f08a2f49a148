"""The hooks of the nodes of one backward run: they record what nodes were given and what they gave.

While the run goes on every node that it can reach has a hook, and where it must be known that a
node starts two; they are taken away when the run is over. Hooks that return None change nothing.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import torch

from ...recording.recorder import NodeRef
from ...recording.summary import SMALL, Copy
from .identity import TOKEN
from .live import Gate
from .run_context import RunContext
from .tensor_facts import Captured, asked, shape_of, version_of

Seen: TypeAlias = tuple[weakref.ref[torch.Tensor], int, Captured]
"""A gradient that one node gave another, its version then, and its content."""


class NodeHooks:
    """The hooks, while they are installed, and which nodes have run. ``keeps`` says that the run
    with the number ``run`` frees nothing, ``asks`` that nodes record their start too."""

    def __init__(
        self, runs: RunContext, run: int, keeps: bool, gate: Gate | None, asks: bool
    ) -> None:
        self.runs = runs
        self.run = run
        self.keeps = keeps
        self.gate = gate
        self.asks = asks
        self.ran: set[int] = set()
        self.left: dict[int, NodeRef] = {}
        """Nodes that have started and not finished, in order."""
        self.done: list[int] = []
        """Nodes that ran and are no leaf's."""
        self._handles: list[Any] = []
        self._passed: dict[int, Seen] = {}  # what nodes gave, by its address
        self._ungraded: set[int] = set()
        # the leaves, by address, whose gradient will be what they are given first

    def install(self, nodes: Mapping[Any, torch.Tensor | None]) -> None:
        """Observe those of the nodes that were recorded, from now on; each is given with its leaf,
        if it is one's."""
        # The hot path: each node of each run.
        known, handles = self.runs.recorder.nodes, self._handles
        for node, leaf in nodes.items():
            token = node.metadata.get(TOKEN)
            ref = None if token is None else token.ref
            if ref is None or ref.id not in known:
                continue
            if self.asks:
                handles.append(node.register_prehook(partial(self._starts, ref, node)))
            # one hook sees what came in and what went out: two would cost twice as much
            if leaf is not None:
                hook = partial(self._leaf_has_run, ref, leaf)
                if asked(leaf, "is_leaf") and leaf.grad is None and not _hooked(leaf):
                    self._ungraded.add(id(leaf))  # (of what is no leaf PyTorch would warn)
            else:  # the engine frees what it saved right after the hook
                hook = partial(self._has_run, ref, token.saves and not self.keeps)
            handles.append(node.register_hook(hook))

    def remove(self) -> None:
        """Observe them no more."""
        self._passed.clear()
        for handle in self._handles:
            handle.remove()

    def _starts(self, ref: NodeRef, node: Any, _grads: Sequence[Any]) -> None:
        if self.gate is not None:
            if not self.gate.of_this_run():
                return
            self.gate.before(node)
        self.left[ref.id] = ref

    def _has_run(self, ref: NodeRef, freed: bool, into: Any, out: Any) -> None:
        # The hot path: each node of each run.
        if self.gate is not None and not self.gate.of_this_run():
            return
        try:
            with torch._C.DisableTorchFunction():
                given = [self.taken(each) for each in out]
                gave = [self.taken(each, out, given) for each in into]
            self.done.append(ref.id)
            self._finishes(ref, (freed, None, None, None, len(given), *given, *gave))
        except Exception as error:
            self.runs.fault(error)

    def _leaf_has_run(self, ref: NodeRef, leaf: torch.Tensor, _into: Any, out: Any) -> None:
        # The hot path: each leaf of each run.
        if self.gate is not None and not self.gate.of_this_run():
            return
        try:
            with torch._C.DisableTorchFunction():
                given, grad, added, value = self.taken(out[0]), None, None, None
                grown, identity = leaf.grad, self.runs.identity
                if grown is not None:
                    first = id(leaf) in self._ungraded
                    self._ungraded.discard(id(leaf))
                    if first and not version_of(grown):
                        grad = given  # it had none before, and has what it was given
                    else:  # as it is now: the program may write into it
                        grad = identity.captured(grown, gradient=True)
                        added = None if first or _hooked(leaf) else given
                        if not identity.defers and identity.known(grown) is not None:
                            identity.current(grown)  # its card shows what was added
                    identity.record_gradient(leaf, grown)
                if grad is not None:
                    of = identity.current(leaf)
                    self.runs.checks.graded.add(of.storage)
                    value = of.id
            self._finishes(ref, (False, value, grad, added, 1, given))
        except Exception as error:
            self.runs.fault(error)

    def _finishes(self, ref: NodeRef, facts: tuple[Any, ...]) -> None:
        self.ran.add(ref.id)
        if self.left:
            self.left.pop(ref.id, None)
        runs = self.runs  # one tuple: the fewer objects there are, the less is collected
        runs.recorder.raw.append((runs.ran, self.run, ref, *facts))

    def taken(
        self, grad: Any, others: Sequence[Any] = (), known: Sequence[Captured | None] = ()
    ) -> Captured | None:
        """The content of a gradient that a hook is shown; of what is no tensor, as where no
        gradient goes, None. Most of them were shown to the hook of the node before, or have the
        memory of one of the ``others``, whose contents are ``known``."""
        # The hot path: twice for each node of each run.
        seen = self._passed.get(id(grad))
        if seen is not None and seen[0]() is grad is not None and seen[1] == grad._version:
            return seen[2]
        if not isinstance(grad, torch.Tensor):
            return None
        for other, content in zip(others, known, strict=True):
            if content is not None and type(content[2]) is Copy and _is_view(grad, other):
                content = content[0], shape_of(grad), content[2]
                break
        else:
            content = self.runs.identity.captured(grad, gradient=True)
        self._passed[id(grad)] = weakref.ref(grad), version_of(grad), content
        return content


def _is_view(grad: torch.Tensor, other: torch.Tensor) -> bool:
    """Return whether two gradients have the same memory and numbers, as a transposed one: of many
    numbers the statistics are emitted, which do not depend on their order."""
    alike = SMALL < grad.numel() == other.numel() and grad.dtype is other.dtype
    alike = alike and grad.layout is torch.strided and torch._C._has_storage(grad)
    alike = alike and grad.data_ptr() == other.data_ptr() and grad.is_neg() == other.is_neg()
    return alike and 0 not in grad.stride()


def _hooked(leaf: torch.Tensor) -> bool:
    """Return whether a hook of the program may change a gradient after it came."""
    return bool(getattr(leaf, "_post_accumulate_grad_hooks", None))
