"""Ids and first records of PyTorch's tensors and their storages.

A tensor is known by a weak reference to it, in a table and not on the tensor itself, which is the
user's. It stays the same value until the version of its storage rises: then it is a new value.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any, NamedTuple

import torch

from ...recording import events as ev
from ...recording.recorder import Recorder, Ref
from ...recording.sites import Site
from ...recording.summary import Copy
from .tape import Facts, new_tuple
from .tensor_facts import (
    Captured,
    asked,
    copy_of,
    copyable,
    dtype_name,
    shape_of,
    storage_of,
    summarized,
    version_of,
)

MAX_SILENT = 10_000
COPIED = 4096
"""Larger tensors, and those on another device than the CPU, are emitted without numbers."""


class Deferred(NamedTuple):
    """A record about a value, which is to be emitted before; and perhaps about another."""

    ref: Ref
    record: Any
    before: Ref | None


class Silent(NamedTuple):
    """A write that raised no version."""

    time: int
    value: int
    site: Site | None
    how: str


class Tables:
    """Tables of the living tensors, shared by all recordings."""

    def __init__(self) -> None:
        self.refs: dict[int, Ref] = {}
        """Identities of the known living tensors, by the tensor's address."""
        self.storages: dict[int, tuple[int, int]] = {}
        """By the storage's address: its id in the log, and the count of its tensors in ``refs``."""
        self.number = count(1).__next__

    def leave(self, address: int) -> None:
        """A tensor has that storage no more."""
        shared = self.storages.pop(address, None)
        if shared is not None and shared[1] > 1:
            self.storages[address] = shared[0], shared[1] - 1


class Alias(NamedTuple):
    """Another tensor of the same memory, without history."""

    tensor: weakref.ref[torch.Tensor]
    of: Ref
    how: str


class Tensors:
    """Gives tensors their ids and records them when they are first seen."""

    def __init__(self, recorder: Recorder, tables: Tables | None = None) -> None:
        self.recorder = recorder
        self.tables = Tables() if tables is None else tables
        self.refs = self.tables.refs
        self.retaining: list[Ref] = []
        """Of tensors inside the graph that keep their gradient."""
        self.limit = COPIED
        """Larger tensors are emitted without numbers."""
        self.time = 0
        self.silent: dict[int, Silent] = {}
        """By storage's address, the last write that PyTorch did not notice."""
        self.aliases: dict[int, Alias] = {}
        """Results of ``.data`` and ``.detach()``, by the address of the tensor."""
        self.apart: dict[int, int] = {}
        """Of ``.data``, which has the memory but not the versions of its tensor: by its storage in
        the log, the value of that tensor."""
        self.gradients: dict[int, weakref.ref[torch.Tensor]] = {}
        """The leaves whose ``.grad`` is the tensor with that address, if it still is."""
        self._died = _deaths(self.tables, recorder.raw.append, recorder.values)
        self.emits_value = self._value
        self.unseen: dict[tuple[int, int], int] = {}
        """The ids of values that are known without their tensors, by their nodes and outputs."""
        self.brief = False
        """True if calls are emitted later, when what they were given may be gone."""
        self.defers = False
        """True if what happens now is emitted later."""

    def known(self, tensor: torch.Tensor) -> Ref | None:
        """The tensor's identity, perhaps of an older version; None if it was never seen."""
        ref = self.refs.get(id(tensor))
        return ref if ref is not None and ref() is tensor else None

    def current(self, tensor: torch.Tensor) -> Ref:
        """The tensor's identity as it is now, emitted if it is new."""
        # The hot path: every tensor of every call.
        before = self.refs.get(id(tensor))
        if before is not None and before() is not tensor:
            before = None
        try:
            version = tensor._version
        except RuntimeError:
            version = version_of(tensor)
        if before is not None and before.version == version:
            if not self.defers and before.id not in self.recorder.values:
                self.emit(before)
            return before
        ref = self.renew(tensor)
        if not self.defers:
            self.emit(ref)
            if before is None and not ref.facts.leaf:
                self._has_known_node(ref, tensor)
        if before is not None and (self.defers or before.id in self.recorder.values):
            write = ev.Write(ref.storage, version, before.id, ref.id, None, None, None, None)
            self.record(ref, (self.recorder.emit, write), before)
        return ref

    def result(self, tensor: torch.Tensor) -> Ref:
        """The identity of what a call gave back: what is new is emitted with the call."""
        known = self.known(tensor)
        if known is None:
            return self.fresh(tensor)
        return known if known.version == version_of(tensor) else self.current(tensor)

    def forget(self, refs: Iterable[Ref]) -> None:
        """Forget those of the values that are new: they are registered when they are used."""
        raw = self.recorder.raw
        for ref in refs:
            # By `is`: two references to living tensors compare these.
            last = raw[-1] if raw and type(raw[-1]) is tuple else (None, None)
            if last[0] is not self.emits_value or last[1] is not ref:
                return
            raw.pop()
            self.recorder.values.discard(ref.id)
            if self.refs.get(ref.facts.key) is ref:
                del self.refs[ref.facts.key]
                self.tables.leave(ref.facts.address)

    def record(self, ref: Ref, record: Any, before: Ref | None = None) -> None:
        """Add a raw record that speaks of a value, or of two."""
        self.recorder.raw.append(Deferred(ref, record, before) if self.defers else record)

    def renew(self, tensor: torch.Tensor) -> Ref:
        """A new identity, for a tensor that was just made or written."""
        before = self.refs.get(id(tensor))
        if before is None or before() is not tensor:
            return self.fresh(tensor)
        address, tables = storage_of(tensor), self.tables
        ref = Ref(tensor, self._died)
        ref.id, ref.version = self.recorder.ids.value(), version_of(tensor)
        ref.storage = before.storage  # its counter is its own
        ref.facts = self._facts(tensor, before.facts.number, address, ref.version)
        if before.facts.address != address:  # it was given another one
            tables.leave(before.facts.address)
            others = tables.storages.get(address, (0, 0))[1]
            tables.storages[address] = ref.storage, others + 1
        self.refs[id(tensor)] = ref
        return ref

    def fresh(self, tensor: torch.Tensor) -> Ref:
        """The identity of a tensor that was never seen."""
        # The hot path: every result of every call.
        tables = self.tables
        storages = tables.storages
        address: int
        try:
            version, address = tensor._version, tensor.untyped_storage()._cdata
        except (RuntimeError, NotImplementedError):
            version, address = version_of(tensor), storage_of(tensor)
        ref = Ref(tensor, self._died)
        number = self._take_unseen(tensor) if self.unseen else None
        ref.id = number = self.recorder.ids.value() if number is None else number
        ref.version = version
        ref.facts = self._facts(tensor, tables.number(), address, version)
        shared = storages.get(address)
        if shared is None:
            ref.storage = number
            storages[address] = number, 1
        else:
            ref.storage = shared[0]
            storages[address] = shared[0], shared[1] + 1
        self.refs[id(tensor)] = ref
        return ref

    def moved(self, tensor: torch.Tensor) -> None:
        """The tensor was given another storage."""
        ref, address = self.current(tensor), storage_of(tensor)
        storages = self.tables.storages
        self.tables.leave(ref.facts.address)
        storages[address] = ref.storage, storages.get(address, (0, 0))[1] + 1
        ref.facts = ref.facts._replace(address=address, shape=shape_of(tensor))

    def rewritten(self, tensor: torch.Tensor, before: Ref) -> Ref:
        """A new identity for a leaf that was written, and is otherwise as it was."""
        ref = self.refs[id(tensor)] = Ref(tensor, self._died)
        ref.id, ref.version = self.recorder.ids.value(), tensor._version
        ref.storage, ref.facts = before.storage, before.facts
        return ref

    def _facts(self, tensor: torch.Tensor, number: int, address: int, version: int) -> Facts:
        stride: tuple[int, ...] = ()
        offset, base = 0, None
        if tensor._is_view():
            of = tensor._base
            base = None if of is None else self.current(of)
            if tensor.layout is torch.strided:
                stride, offset = tensor.stride(), int(tensor.storage_offset())
        try:
            shape = shape_of(tensor)
            needed = tensor.requires_grad
            leaf = not needed or tensor.is_leaf
        except RuntimeError:
            needed, leaf = asked(tensor, "requires_grad"), asked(tensor, "is_leaf")
        content: bytes | Copy | None = None
        if self.defers and (count := tensor.numel()) <= self.limit and copyable(tensor):
            content = copy_of(tensor, tensor.dtype, count)
        parameter = type(tensor) is not torch.Tensor and isinstance(tensor, torch.nn.Parameter)
        facts: Facts = new_tuple(
            Facts,
            (id(tensor), number, tensor.dtype, shape, address, needed, leaf, parameter,
             base, stride, offset, content, version),
        )  # fmt: skip
        return facts

    def made(
        self, tensor: torch.Tensor, name: str, given: Sequence[torch.Tensor], refs: Sequence[Ref]
    ) -> Ref:
        """The identity of what a call gave: if it made it just now, of the versions of what it is a
        view of."""
        met = self.refs.get(id(tensor))
        if met is not None and met() is tensor and met.version == version_of(tensor):
            return met
        ref = self.fresh(tensor) if met is None else self.renew(tensor)
        if name == "data" and given:
            if len(self.apart) > MAX_SILENT:
                self.apart.clear()
            ref.storage = ref.id
            self.apart[ref.id] = refs[0].id
        elif self.apart:
            address = storage_of(tensor)
            for other, known in zip(given, refs, strict=True):
                if known.storage in self.apart and storage_of(other) == address:
                    ref.storage = known.storage
        return ref

    def _take_unseen(self, tensor: torch.Tensor) -> int | None:
        """The id of a value that is known without its tensor."""
        return None

    def _has_known_node(self, ref: Ref, tensor: torch.Tensor) -> None:
        """Emit that a new tensor has a node that was made with another one."""

    def assure(self, *refs: Ref | None) -> None:
        """Emit those of the values that are not known yet."""
        for ref in refs:
            if ref is not None and ref.id not in self.recorder.values:
                self.emit(ref)

    def emit(self, ref: Ref) -> None:
        """Emit a value as its facts are, with what it is a view of."""
        facts, tensor = ref.facts, ref()
        base = facts.base
        if base is not None:
            self.assure(base)
        self.recorder.values.add(ref.id)
        if not facts.leaf and tensor is not None and tensor.retains_grad:
            self.retaining.append(ref)
        view = None if base is None else base.id
        self.recorder.raw.append(
            (self.emits_value, ref, facts.requires_grad, facts.leaf, facts.parameter, view,
             self.content(ref), self._owner(tensor))
        )  # fmt: skip

    def _owner(self, tensor: torch.Tensor | None) -> int | None:
        """The value whose ``.grad`` a tensor is, if it is one."""
        known = self.gradients.get(id(tensor)) if self.gradients else None
        leaf = None if known is None else known()
        return None if leaf is None or leaf.grad is not tensor else self.current(leaf).id

    def content(self, ref: Ref) -> Captured:
        """Return the content of a value: as it is now, or was at a call that is emitted later."""
        facts = ref.facts
        content: bytes | Copy | None = None
        tensor = None if self.brief and facts.version == ref.version else ref()
        if tensor is not None and (not self.brief or version_of(tensor) == ref.version):
            return self.captured(tensor)
        if facts.version == ref.version:
            content = facts.content
        return dtype_name(facts.dtype), tuple(facts.shape), content

    def _value(
        self, ref: Ref, needed: bool, leaf: bool, parameter: bool, base: int | None, data: Captured,
        of: int | None,
    ) -> None:  # fmt: skip
        event = ev.Value(
            ref.id, ref.storage, ref.version, needed, leaf, parameter, base, summarized(data), of
        )
        self.recorder.value(ref, event)

    def wrote_silently(self, tensor: torch.Tensor, value: int, site: Site | None, how: str) -> None:
        """Record a write to a tensor of which no node that saved it will know."""
        if len(self.silent) > MAX_SILENT:
            self.silent.clear()
        self.time += 1
        self.silent[storage_of(tensor)] = Silent(self.time, value, site, how)
        self.time += 1

    def record_gradient(self, leaf: torch.Tensor, grad: torch.Tensor) -> None:
        """A leaf got a gradient."""
        if len(self.gradients) > MAX_SILENT:
            self.gradients.clear()
        self.gradients[id(grad)] = weakref.ref(leaf)

    def captured(self, tensor: torch.Tensor, gradient: bool = False) -> Captured:
        """The tensor's content as it is now, to be looked at later; of a large one, and where
        looking would cost too much, its shape alone."""
        # The hot path: every result, gradient and parameter of every iteration.
        content: bytes | Copy | None = None
        dtype, count = tensor.dtype, tensor.numel()
        if count <= self.limit and copyable(tensor):
            content = copy_of(tensor, dtype, count, gradient)
        return dtype_name(dtype), shape_of(tensor), content


def _deaths(tables: Tables, emit: Callable[[Any], None], values: set[int]) -> Callable[[Any], None]:
    """Return the callback for the death of a tensor; it keeps no recording alive."""
    refs, storages = tables.refs, tables.storages

    def died(ref: Any) -> None:
        # The hot path: every result of every call.
        facts = ref.facts
        key = facts.key
        if refs.get(key) is ref:  # else it was written, and is known as another value
            del refs[key]
            address = facts.address
            shared = storages.pop(address, None)
            if shared is not None and shared[1] > 1:
                storages[address] = shared[0], shared[1] - 1
        if ref.id in values:
            emit(ref)

    return died
