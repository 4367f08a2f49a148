"""Ids of PyTorch's nodes, beside those of its tensors (``tensors.py``), and events of nodes.

A node cannot be referred to weakly; a token in its ``metadata`` says that it is known, and by its
own death that the node is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from sys import getrefcount
from typing import Any

import torch

from ...recording import events as ev
from ...recording.recorder import NodeRef, Recorder, Ref
from .earlier_calls import Earlier, EarlierCalls
from .node_facts import class_of, leaf_of, name_of, sequence_of
from .ops import definition
from .saved_tensors import Stale, refused_slots, saved_slots, slots_of, staleness_of
from .tape import Call, new_tuple
from .tensor_facts import grad_fn_of, storage_of, version_of
from .tensors import Tables, Tensors

TOKEN = "graphwidget"
"""The key of the token in a node's metadata."""

COPY_SLICES = "CopySlices"
"""The node of a write through a view. It runs another node, which cannot be inspected."""

Made = tuple[Any, int, Ref | None]
"""A node, and the value that its output of that number is; below 0 it is none of its outputs."""


class Token:
    """Mark of a known node; it dies with the node, and its reference reports that.

    ``ref`` is the node's reference in the log, once it is emitted; ``made`` the time it was first
    seen, in the identity's own time. For a call that is emitted later, ``call`` is that call, and
    ``outputs`` are its results."""

    __slots__ = ("__weakref__", "call", "made", "mark", "outputs", "ref", "saves")

    def __init__(
        self,
        mark: object,
        made: int,
        call: Call | None,
        outputs: tuple[tuple[int, Ref], ...] = (),
    ) -> None:
        self.mark, self.made, self.call, self.outputs = mark, made, call, outputs
        self.ref: NodeRef | None = None
        self.saves = False  # whether the node saved tensors


class Outputs(dict[Any, list[tuple[int, Ref]]]):
    """The values that nodes gave, by node: what the call itself ``made``, and for nodes not known
    before, those among the values ``near``, which are looked for when they are wanted."""

    def __init__(self, made: Iterable[Made], near: Sequence[Ref]) -> None:
        self._near = near
        for node, nr, ref in made:
            if nr >= 0 and ref is not None:
                self.setdefault(node, []).append((nr, ref))

    def __missing__(self, node: Any) -> list[tuple[int, Ref]]:
        near, self._near = self._near, ()
        found: dict[Any, list[tuple[int, Ref]]] = {}
        for ref in near:
            tensor = None if ref.facts.leaf else ref()
            owner = None if tensor is None else grad_fn_of(tensor)
            if tensor is not None and owner not in self:
                found.setdefault(owner, []).append((tensor.output_nr, ref))
        self.update(found)
        return self.setdefault(node, [])


class Identity(Tensors):
    """Gives tensors and nodes their ids and records them when they are first seen."""

    def __init__(self, recorder: Recorder, tables: Tables | None = None) -> None:
        super().__init__(recorder, tables)
        self.earlier = EarlierCalls(recorder.ids.value)
        self.unseen = self.earlier.unseen
        self.read: set[int] = set()
        """Values that a call has read: one that made them cannot be recorded any more."""
        self.emits_node = self._node
        self.newest = 0
        """The highest sequence number of the emitted nodes, if calls are emitted later."""
        self._mark = object()  # what the tokens of living nodes refer to

    @property
    def living(self) -> int:
        """Number of known nodes that are alive, nearly: the token of each refers to the mark,
        whose references are counted anyway."""
        return getrefcount(self._mark)

    def waits_for(self, tensor: torch.Tensor) -> bool:
        """Return whether the node of the tensor was emitted before the tensor was seen."""
        node = self.known_node(grad_fn_of(tensor)) if self.unseen else None
        return node is not None and (node.id, tensor.output_nr) in self.unseen

    def _take_unseen(self, tensor: torch.Tensor) -> int | None:
        """Take the id of the tensor's value, if its node was emitted before it was seen."""
        node = self.known_node(grad_fn_of(tensor))
        return None if node is None else self.unseen.pop((node.id, tensor.output_nr), None)

    def _has_known_node(self, ref: Ref, tensor: torch.Tensor) -> None:
        node = self.known_node(grad_fn_of(tensor))
        if node is not None:
            flag = ev.Flag(ref.id, True, tensor.retains_grad, (node.id, tensor.output_nr))
            self.record(ref, (self.recorder.emit, flag))

    def emit_unknown_node(self, ref: Ref, tensor: torch.Tensor) -> None:
        """Emit the node of a known tensor that was made where another recording observed it."""
        node = None if ref.facts.leaf or self.defers else grad_fn_of(tensor)
        if node is not None and self.known_node(node) is None:
            self.emit_nodes(((node, tensor.output_nr, ref),), (ref,), None)

    def known_node(self, node: Any) -> NodeRef | None:
        """The identity of a node; None if no gradient goes there, or if it is not known."""
        token = None if node is None else node.metadata.get(TOKEN)
        ref = None if token is None else token.ref
        return ref if ref is not None and ref.id in self.recorder.nodes else None

    def edge(self, node: Any) -> int | None:
        """The id of a node, or None."""
        ref = self.known_node(node)
        return None if ref is None else ref.id

    def claim_fresh(self, node: Any, nr: int, call: Call) -> None:
        """The node of the only tensor that a call made, its output of that number, is its own."""
        data = node.metadata
        if TOKEN not in data:
            data[TOKEN] = Token(self._mark, self.time, call, ((nr, call.made[0]),))

    def claim(self, made: Iterable[Made], call: Call) -> None:
        """The nodes of what a call made are its own, which is emitted later."""
        for node, nr, ref in made:
            if node is None:
                continue
            data = node.metadata
            token = data.get(TOKEN)
            if token is None:
                token = data[TOKEN] = Token(self._mark, self.time, call)
            elif token.call is not call:
                continue
            if nr >= 0 and ref is not None:
                token.outputs += ((nr, ref),)

    def emit_nodes(
        self, made: Sequence[Made], near: Sequence[Ref], call: list[int] | None,
        inside: Sequence[ev.Saved] | None = None,
    ) -> None:  # fmt: skip
        """Emit the nodes of what was ``made``, and those that lead to them, if they are unknown.
        What they saved is looked for among the values ``near``, and ``call`` will have the id of
        the call that made them. If that wrote, ``inside`` is what it saved where it cannot be
        read."""
        # The hot path: each node of each iteration.
        waiting = [node for node, _nr, _ref in made if node is not None]
        known, gave = self.recorder.nodes, Outputs(made, near)
        while waiting:  # not recursive: graphs are deep
            node = waiting[-1]
            token = node.metadata.get(TOKEN)
            if token is not None and token.ref is not None and token.ref.id in known:
                waiting.pop()
                continue
            edges: list[tuple[int | None, int]] = []
            unknown = []
            for before, nr in node.next_functions:
                other = None if before is None else before.metadata.get(TOKEN)
                if other is not None and other.ref is not None and other.ref.id in known:
                    edges.append((other.ref.id, nr))
                elif before is None:
                    edges.append((None, nr))
                else:
                    unknown.append(before)
            if unknown:
                waiting += unknown
                continue
            waiting.pop()
            if token is None or token.ref is not None:  # that of another recording
                token = node.metadata[TOKEN] = Token(self._mark, self.time, None)
            self._emit_node(node, token, tuple(edges), gave, near, call, inside)

    def _emit_node(
        self, node: Any, token: Token, edges: tuple[tuple[int | None, int], ...], gave: Outputs,
        near: Sequence[Ref], call: list[int] | None, inside: Sequence[ev.Saved] | None,
    ) -> None:  # fmt: skip
        recorder, name = self.recorder, name_of(node)
        number = recorder.ids.node()
        ref = token.ref = NodeRef(token, recorder.raw.append)
        ref.id = number
        recorder.nodes.add(number)
        saved: tuple[ev.Saved, ...] = ()
        earlier = None
        results: tuple[int, ...] = ()
        leaf = None if edges else self._leaf(node)
        if leaf is not None:
            call = None
        else:
            if self.brief:
                self.newest = max(self.newest, sequence_of(node))
            if slots_of(class_of(node)):
                saved = self._saved(node, near, inside is not None)
            token.saves = bool(saved)
            if inside and name == COPY_SLICES:
                saved += tuple(inside)
            outputs: list[int] = []
            for nr, value in gave[node]:
                outputs += [0] * (nr + 1 - len(outputs))
                outputs[nr] = value.id
            if call is None:
                leaves = [self._leaf(before) for before, _ in node.next_functions]
                earlier = self.earlier.call(node, number, outputs, edges, leaves, saved)
            results = tuple(outputs) if earlier is None else earlier.outputs
        event: ev.Node = new_tuple(ev.Node, (number, name, None, results, edges, saved, leaf))
        recorder.raw.append((self.emits_node, ref, event, call, earlier))

    def _leaf(self, node: Any) -> int | None:
        """The value of the leaf at a node, if it is an AccumulateGrad."""
        variable = leaf_of(node)
        return None if variable is None else self.current(variable).id

    def _node(
        self, ref: NodeRef, event: ev.Node, call: list[int] | None, made: Earlier | None
    ) -> None:
        if made is not None and self.read.isdisjoint(made.outputs):
            call = [self._call(made)]
        self.recorder.node(ref, event._replace(call=call[0]) if call else event)

    def _call(self, made: Earlier) -> int:
        """Emit an earlier call, known from its node; its id."""
        recorder = self.recorder
        call = recorder.ids.call()
        if recorder.define(made.key):
            recorder.emit(definition(made.name, made.key))
        for value in made.values:
            recorder.emit(value)
        recorder.emit(
            ev.Op(call, made.key, made.inputs, made.params, made.outputs, None, False, None, None)
        )
        return call

    def _saved(self, node: Any, near: Sequence[Ref], wrote: bool) -> tuple[ev.Saved, ...]:
        found: list[ev.Saved] = []
        for slot, raw, word in saved_slots(node):
            ref = None if raw is None or word is not None else self._among(raw, near)
            if ref is not None:
                since = staleness_of(node, slot) if wrote else None
                version = ref.version if since is None else since.expected
                found.append(new_tuple(ev.Saved, (slot, ref.id, ref.storage, version, None)))
            elif word is not None or raw is not None:
                text = word or f"tensor{list(raw.shape)}"  # type: ignore[union-attr]
                found.append(ev.Saved(slot, None, None, None, text))
        for slot, since in refused_slots(node):
            ref = _written_since(near, since)
            if ref is not None:
                found.append(ev.Saved(slot, ref.id, ref.storage, since.expected, None))
        return tuple(found)

    def _among(self, saved: torch.Tensor, near: Sequence[Ref]) -> Ref | None:
        """The identity of a saved tensor. What a node keeps of its own results is another object
        than the result, and a composite call (linear) saves views of what it was given."""
        for ref in near:
            if ref() is saved:
                return ref
        if self.known(saved) is not None:
            return self.current(saved)
        address, alike = storage_of(saved), None
        for ref in near:
            if ref.facts.address == address:
                if ref.facts.shape == saved.shape:
                    return ref
                alike = ref if alike is None else alike
        return alike


def _written_since(near: Sequence[Ref], since: Stale) -> Ref | None:
    """Return the value that is the saved tensor of PyTorch's error: one of its shape and
    version, or a view of one; if possible one that was written, as far as known."""
    fits = [ref for ref in near if ref.version == since.expected]
    alike = [ref for ref in fits if sorted(ref.facts.shape) == sorted(since.shape)] or fits
    for ref in alike:
        tensor = ref()
        if tensor is not None and version_of(tensor) == since.found:
            return ref
    return alike[0] if alike else None
