"""Who is who in the real PyTorch: the ids of tensors, storages and nodes, and how they are told.

A tensor is known by a weak reference to it, in a table and not on the tensor itself, which is the
user's. It stays the same value until the version of its storage rises: then it is a new value. A
node cannot be referred to weakly; a token in its ``metadata`` says that it is known, and by its
own death that the node is gone.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import torch

from ...recording import events as ev
from ...recording.recorder import NodeRef, Recorder, Ref
from ...recording.sites import Site
from .earlier import Earlier, EarlierCalls
from .node_facts import class_of, expected_version, leaf_of, name_of, saved_tensors, slots_of
from .ops import definition
from .tensor_facts import (
    Captured,
    _dtype_name,
    asked,
    base_of,
    copyable,
    grad_fn_of,
    storage_of,
    summarized,
    version_of,
)

MAX_SILENT = 10_000
TOKEN = "graphwidget"
"""The key of the token in a node's metadata."""

COPY_SLICES = "CopySlices"
"""The node of a write through a view. It runs another node, which nobody can look into."""

COPIED = 4096
"""Larger tensors, and those that lie on another device than the CPU, are told without numbers."""


class Token:
    """What makes a node known; it dies with the node, and its reference tells so."""

    __slots__ = ("__weakref__", "living", "made", "ref", "saves")

    def __init__(self, living: list[int]) -> None:
        self.living = living
        living[0] += 1

    def __del__(self) -> None:
        self.living[0] -= 1

    ref: NodeRef
    saves: bool
    """Whether the node saved tensors."""
    made: int
    """When the node was met, in the identity's own time."""


Given = tuple[torch.Tensor, Ref]
"""A tensor that a call was given, and who it was before."""


class Silent(NamedTuple):
    """A write that raised no version."""

    time: int
    value: int
    site: Site | None
    how: str


class Tables:
    """What is known of the living tensors, whoever records."""

    def __init__(self) -> None:
        self.refs: dict[int, Ref] = {}
        """The identity of every living tensor that was met, by the tensor's address."""
        self.storages: dict[int, tuple[int, int]] = {}
        """By the storage's address: its id in the log, and how many tensors of ``refs`` have it."""

    def lose(self, key: int, address: int, ref: Any) -> None:
        """A tensor is dead."""
        if self.refs.get(key) is not ref:
            return  # it was written since, and is known as another value
        del self.refs[key]
        storage, count = self.storages.get(address, (0, 1))
        if count > 1:
            self.storages[address] = (storage, count - 1)
        else:
            self.storages.pop(address, None)


class Alias(NamedTuple):
    """Another tensor of the same memory, without history."""

    tensor: weakref.ref[torch.Tensor]
    of: Ref
    how: str


class Identity:
    """Gives tensors and nodes their ids and tells of them at first sight."""

    def __init__(self, recorder: Recorder, tables: Tables | None = None) -> None:
        self.recorder = recorder
        self.tables = Tables() if tables is None else tables
        self.refs = self.tables.refs
        self.retaining: list[Ref] = []
        """Of tensors inside the graph that keep their gradient."""
        self.living = [0]
        """How many nodes that were told are alive."""
        self.limit = COPIED
        """Larger tensors are told without numbers."""
        self.time = 0
        self.silent: dict[int, Silent] = {}
        """By storage's address, the last write that PyTorch did not notice."""
        self.aliases: dict[int, Alias] = {}
        """What ``.data`` and ``.detach()`` gave, by the address of the tensor."""
        self.apart: dict[int, int] = {}
        """Of ``.data``, which has the memory but not the versions of its tensor: by its storage in
        the log, the value of that tensor."""
        self.copied = 0
        """Numbers that wait in the raw records."""
        self.earlier = EarlierCalls(recorder.ids.value)
        self.told, self.node_told = self._value, self._node

    # Tensors -------------------------------------------------------------------------------
    def known(self, tensor: torch.Tensor) -> Ref | None:
        """The tensor's identity, perhaps of an older version; None when it was never met."""
        ref = self.refs.get(id(tensor))
        return ref if ref is not None and ref() is tensor else None

    def current(self, tensor: torch.Tensor) -> Ref:
        """The tensor's identity as it is now, told if nobody knows it yet."""
        ref = self.refs.get(id(tensor))
        if ref is not None and ref() is not tensor:
            ref = None
        version = 0 if tensor.is_inference() else tensor._version
        if ref is not None and ref.version == version and ref.id in self.recorder.values:
            return ref
        if ref is None or ref.version != version:
            before, ref = ref, self.renew(tensor)
            self.tell(tensor, ref)
            if before is not None and before.id in self.recorder.values:
                write = ev.Write(ref.storage, version, before.id, ref.id, None, None, None, None)
                self.recorder.raw.append((self.recorder.tell, write))
        else:
            self.tell(tensor, ref)
        return ref

    def renew(self, tensor: torch.Tensor) -> Ref:
        """A new identity, for a tensor that was just made or written."""
        key, before = id(tensor), self.known(tensor)
        address = storage_of(tensor)
        ref = Ref(tensor, partial(_died, self.tables, self.recorder.raw, key, address))
        met = self._met(tensor) if self.earlier.unmet and before is None else None
        ref.id = self.recorder.ids.value() if met is None else met
        ref.version = version_of(tensor)
        storages = self.tables.storages
        storage, count = storages.get(address, (ref.id, 0))
        ref.storage = storage if before is None else before.storage  # its counter is its own
        storages[address] = (storage, count + (before is None))
        self.refs[key] = ref
        return ref

    def made(self, tensor: torch.Tensor, name: str, given: Sequence[Given]) -> Ref:
        """The identity of what a call has just made: of the versions of what it is a view of."""
        ref = self.renew(tensor)
        if name == "data" and given:
            if len(self.apart) > MAX_SILENT:
                self.apart.clear()
            ref.storage = ref.id
            self.apart[ref.id] = given[0][1].id
        elif self.apart:
            address = storage_of(tensor)
            for other, known in given:
                if known.storage in self.apart and storage_of(other) == address:
                    ref.storage = known.storage
        return ref

    def unmet(self, tensor: torch.Tensor) -> bool:
        """Whether the node of the tensor was told without it."""
        node = self.known_node(grad_fn_of(tensor)) if self.earlier.unmet else None
        return node is not None and (node.id, tensor.output_nr) in self.earlier.unmet

    def _met(self, tensor: torch.Tensor) -> int | None:
        """The id of the value that the tensor is, where its node was told without it."""
        node = self.known_node(grad_fn_of(tensor))
        return None if node is None else self.earlier.unmet.pop((node.id, tensor.output_nr), None)

    def tell(self, tensor: torch.Tensor, ref: Ref) -> None:
        """Tell the value as it is now."""
        base = base_of(tensor)
        view_of = None if base is None else self.current(base).id
        parameter = isinstance(tensor, torch.nn.Parameter)
        self.recorder.values.add(ref.id)
        if not asked(tensor, "is_leaf") and tensor.retains_grad:
            self.retaining.append(ref)
        content = self.captured(tensor)
        needed, leaf = asked(tensor, "requires_grad"), asked(tensor, "is_leaf")
        self.recorder.raw.append((self.told, ref, needed, leaf, parameter, view_of, content))

    def _value(
        self, ref: Ref, needed: bool, leaf: bool, parameter: bool, base: int | None, data: Captured
    ) -> None:
        event = ev.Value(
            ref.id, ref.storage, ref.version, needed, leaf, parameter, base, summarized(data)
        )
        self.recorder.value(ref, event)

    def wrote_silently(self, tensor: torch.Tensor, value: int, site: Site | None, how: str) -> None:
        """Somebody wrote a tensor, and no node that saved it will know."""
        if len(self.silent) > MAX_SILENT:
            self.silent.clear()
        self.time += 1
        self.silent[storage_of(tensor)] = Silent(self.time, value, site, how)
        self.time += 1

    def captured(self, tensor: torch.Tensor) -> Captured:
        """The tensor's content as it is now, to be looked at later; of a large one, and where
        looking would cost too much, its shape alone."""
        copy, count = None, tensor.numel()
        if count <= self.limit and copyable(tensor):
            # a copy: numpy's hand on it would forbid PyTorch to resize the user's storage
            try:
                copy = (tensor.detach() if tensor.requires_grad else tensor).clone()
                self.copied += count
            except RuntimeError:  # the old vmap's tensors look like others
                pass
        return _dtype_name(tensor.dtype), tuple(tensor.shape), copy

    # Nodes ---------------------------------------------------------------------------------
    def known_node(self, node: Any) -> NodeRef | None:
        """The identity of a node; None where no gradient goes, or when nobody knows it."""
        token = None if node is None else node.metadata.get(TOKEN)
        return token.ref if token is not None and token.ref.id in self.recorder.nodes else None

    def edge(self, node: Any) -> int | None:
        """The id of a node, or None."""
        ref = self.known_node(node)
        return None if ref is None else ref.id

    def tell_nodes(
        self, roots: Iterable[Any], near: Sequence[torch.Tensor], call: list[int] | None,
        inside: Sequence[ev.Saved] | None = None,
    ) -> None:  # fmt: skip
        """Tell the nodes that lead to ``roots`` and are unknown; what they saved is looked for
        among ``near``, and ``call`` will hold the id of the call that made them. If that wrote,
        ``inside`` is what it saved where nobody can look."""
        waiting = [node for node in roots if node is not None]
        known_nodes = self.recorder.nodes
        owners: list[tuple[Any, torch.Tensor]] | None = None
        while waiting:  # not recursive: graphs are deep
            node = waiting[-1]
            token = node.metadata.get(TOKEN)
            if token is not None and token.ref.id in known_nodes:
                waiting.pop()
                continue
            edges: list[tuple[int | None, int]] = []
            unknown = False
            for before, nr in node.next_functions:
                if before is None:
                    edges.append((None, nr))
                    continue
                token = before.metadata.get(TOKEN)
                if token is not None and token.ref.id in known_nodes:
                    edges.append((token.ref.id, nr))
                else:
                    unknown = True
                    waiting.append(before)
            if unknown:
                continue
            waiting.pop()
            if owners is None:
                owners = [(grad_fn_of(tensor), tensor) for tensor in near]
            outputs = [tensor for owner, tensor in owners if owner is node]
            self._tell_node(node, tuple(edges), outputs, near, call, inside)

    def _tell_node(
        self, node: Any, edges: tuple[tuple[int | None, int], ...], made: list[torch.Tensor],
        near: Sequence[torch.Tensor], call: list[int] | None, inside: Sequence[ev.Saved] | None,
    ) -> None:  # fmt: skip
        number = self.recorder.ids.node()
        token = node.metadata[TOKEN] = Token(self.living)
        token.made = self.time
        ref = token.ref = NodeRef(token, self.recorder.raw.append)
        ref.id, ref.edge = number, (number, 0)
        self.recorder.nodes.add(number)
        leaf = self._leaf(node)
        outputs: list[int] = []
        for tensor in made:
            outputs += [0] * (tensor.output_nr + 1 - len(outputs))
            outputs[tensor.output_nr] = self.current(tensor).id
        name = name_of(node)
        saved: tuple[ev.Saved, ...] = ()
        if slots_of(class_of(node)):
            saved = tuple(self._saved(node, near, inside is not None))
        token.saves = bool(saved)
        if inside and name == COPY_SLICES:
            saved += tuple(inside)
        earlier = None
        if call is None and leaf is None:
            leaves = [self._leaf(before) for before, _ in node.next_functions]
            earlier = self.earlier.call(node, number, outputs, edges, leaves, saved)
        told = tuple(outputs) if earlier is None else earlier.outputs
        event = ev.Node(number, name, None, told, edges, saved, leaf)
        call = None if leaf is not None else call
        self.recorder.raw.append((self.node_told, ref, event, call, earlier))

    def _leaf(self, node: Any) -> int | None:
        """The value of the leaf at a node, if it is an AccumulateGrad."""
        variable = leaf_of(node)
        return None if variable is None else self.current(variable).id

    def _node(
        self, ref: NodeRef, event: ev.Node, call: list[int] | None, made: Earlier | None
    ) -> None:
        if made is not None:
            call = [self._call(made)]
        self.recorder.node(ref, event._replace(call=call[0]) if call else event)

    def _call(self, made: Earlier) -> int:
        """Tell a call that was made before, which its node tells; its id."""
        recorder = self.recorder
        call = recorder.ids.call()
        if recorder.define(made.key):
            recorder.tell(definition(made.name, made.key))
        for value in made.values:
            recorder.tell(value)
        recorder.tell(
            ev.Op(call, made.key, made.inputs, made.params, made.outputs, None, False, None, None)
        )
        return call

    def _saved(self, node: Any, near: Sequence[torch.Tensor], wrote: bool) -> Iterator[ev.Saved]:
        for slot, raw in saved_tensors(node):
            ref = self._among(raw, near)
            if ref is None:
                yield ev.Saved(slot, None, None, None, f"tensor{list(raw.shape)}")
            else:
                version = expected_version(node, slot) if wrote else None
                version = ref.version if version is None else version
                yield ev.Saved(slot, ref.id, ref.storage, version, None)

    def _among(self, saved: torch.Tensor, near: Sequence[torch.Tensor]) -> Ref | None:
        """The identity of a saved tensor. What a node keeps of its own results is another object
        than the result, and a composite call (linear) saves views of what it was given."""
        if self.known(saved) is not None:
            return self.current(saved)
        address, alike = storage_of(saved), None
        for tensor in near:
            if storage_of(tensor) == address:
                if tensor.shape == saved.shape:
                    return self.current(tensor)
                alike = tensor if alike is None else alike
        return None if alike is None else self.current(alike)


def _died(tables: Tables, raw: list[Any], key: int, address: int, ref: Any) -> None:
    tables.lose(key, address, ref)
    raw.append(ref)
