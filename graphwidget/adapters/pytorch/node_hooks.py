"""The hooks of the nodes of one backward run: they tell what each node was given and what it gave.

While the run goes on every node that it can reach has a hook, and where it must be known that a
node starts two; they are taken away when the run is over. Hooks that return None change nothing.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import torch

from ...recording.recorder import Ref
from .identity import Identity
from .live import Gate
from .node_facts import leaf_of
from .tape import new_tuple
from .tensor_facts import Captured, asked, version_of

Seen: TypeAlias = tuple[weakref.ref[torch.Tensor], int, Captured]
"""A gradient that one node gave another, its version then, and what it held."""


class NodeRan(NamedTuple):
    """What was heard of a node: its number among those that are hooked, what it was given, for a
    leaf's its tensor with that one's identity and what it has for a gradient now, what it gave, and
    of a leaf what was added to the gradient before."""

    nr: int
    given: list[Captured | None]
    leaf: torch.Tensor | None
    ref: Ref | None
    grad: Captured | None
    gave: list[Captured | None]
    added: Captured | None


class NodeHooks:
    """The hooks, while they are installed. ``told`` is called with what is heard (``NodeRan``), and
    where that must be known, ``starts`` when a node with that number starts."""

    def __init__(
        self, identity: Identity, fault: Callable[[BaseException], None],
        leaves: Iterable[torch.Tensor], told: Callable[[NodeRan], None], gate: Gate | None = None,
        starts: Callable[[int], None] | None = None,
    ) -> None:  # fmt: skip
        self.identity = identity
        self.fault = fault
        self.told = told
        self.gate = gate
        self.starts = starts
        self._handles: list[Any] = []
        self._passed: dict[int, Seen] = {}  # what nodes gave, by its address
        self._ungraded = set(map(id, filter(_ungraded, leaves)))
        # leaves whose gradient will be what they are given first

    def install(self, nodes: Iterable[Any]) -> None:
        """Hear these nodes from now on."""
        for nr, node in enumerate(nodes):
            if node is None:
                continue
            if self.starts is not None:
                self._handles.append(node.register_prehook(partial(self._starts, nr, node)))
            # one hook hears what came in and what went out: two would cost twice as much
            self._handles.append(node.register_hook(partial(self._has_run, nr, leaf_of(node))))

    def remove(self) -> None:
        """Hear them no more."""
        self._passed.clear()
        for handle in self._handles:
            handle.remove()

    def _starts(self, nr: int, node: Any, _grads: Sequence[Any]) -> None:
        if self.gate is not None:
            if not self.gate.of_this_run():
                return
            self.gate.before(node)
        if self.starts is not None:
            self.starts(nr)

    def _has_run(self, nr: int, leaf: torch.Tensor | None, into: Any, out: Any) -> None:
        # The hot path: each node of each run.
        if self.gate is not None and not self.gate.of_this_run():
            return
        try:
            with torch._C.DisableTorchFunction():
                given: list[Captured | None] | None = None
                ref, grad, added = None, None, None
                if leaf is not None and (grown := leaf.grad) is not None:
                    identity = self.identity
                    # as it is now: the program may write into it
                    ref, grad = identity.known(leaf), identity.captured(grown, True)
                    if id(leaf) in self._ungraded:
                        if not version_of(grown):
                            given = [grad]  # it had none before, and has what it was given
                    elif not _hooked(leaf):
                        given = self._taken(out)
                        added = given[0]
                    identity.note_gradient(leaf, grown)
                    if not identity.defers and identity.known(grown) is not None:
                        with torch._C.DisableTorchFunction():
                            identity.current(grown)  # its card shows what was added
                if given is None:
                    given = self._taken(out)
                gave = self._taken(into) if into else []  # a leaf's node gives nothing
                self.told(new_tuple(NodeRan, (nr, given, leaf, ref, grad, gave, added)))
        except Exception as error:
            self.fault(error)

    def _taken(self, grads: Any) -> list[Captured | None]:
        """What a hook was given, where something else than a tensor is nothing. Most of it another
        node gave, whose hook was shown it."""
        # The hot path: twice for each node of each run.
        passed = self._passed
        taken: list[Captured | None] = []
        for each in grads if isinstance(grads, tuple) else (grads,):
            known = passed.get(id(each))
            if known is not None and known[0]() is each is not None and known[1] == each._version:
                taken.append(known[2])
            elif isinstance(each, torch.Tensor):
                content = self.identity.captured(each, True)
                passed[id(each)] = weakref.ref(each), version_of(each), content
                taken.append(content)
            else:  # as None, where no gradient goes
                taken.append(None)
        return taken


def _hooked(leaf: torch.Tensor) -> bool:
    """Return whether a hook of the program may change a gradient after it came."""
    return bool(getattr(leaf, "_post_accumulate_grad_hooks", None))


def _ungraded(leaf: torch.Tensor) -> bool:
    """Return whether it has no gradient, nor such a hook. (A tensor that is no leaf any more must
    not be asked: PyTorch would warn.)"""
    return not _hooked(leaf) and asked(leaf, "is_leaf") and leaf.grad is None
