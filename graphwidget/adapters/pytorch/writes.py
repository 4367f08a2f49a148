"""Writes of calls: seen by their arguments' versions, or known of calls that raise no version."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from sys import _getframe
from types import FrameType
from typing import Any

import torch
from torch.autograd import gradcheck

from ...recording import events as ev
from ...recording.recorder import Ref
from . import ops
from .identity import Identity
from .tape import Call, Write
from .tensor_facts import base_of, grad_fn_of, storage_of, version_of
from .tensors import MAX_SILENT

Also = list[torch.Tensor]
"""Other tensors that a write changed, because they share memory."""

GRADCHECK = gradcheck.__code__.co_filename


class Writes:
    """Records writes, with what is known of silent ones before."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.emits_gradient: Callable[..., None] = lambda *record: None
        """Emits the gradient of a leaf, while draining."""
        self.sharing: dict[int, list[weakref.ref[torch.Tensor]]] = {}
        """Tensors of one memory whose versions are their own, by the storage's address."""
        self.following: list[tuple[Ref, Ref]] = []
        """Values changed by writes whose events do not include them, before and after."""
        self._needed: set[int] = set()  # storages that batch norms keep for their backward

    def record(self, tensor: torch.Tensor, before: Ref, also: Also | None = None) -> Write:
        """Record an in-place write: the new values are emitted. Other tensors that it changed go
        into ``also``."""
        identity = self.identity
        base = base_of(tensor)
        base_before = base_after = None
        grown = False
        if identity.defers:  # else the other tensor is emitted when it is seen
            of = self._detached_from(tensor if base is None else base)
            if of is not None and base is not None:
                identity.renew(base)
            base = base if of is None else of
        if base is not None:
            history = grad_fn_of(base)
            grown = history is not None and history.next_functions[0][0] is not None
            base_before = identity.known(base)
            base_after = identity.renew(base)
        if self.sharing and not identity.defers:
            pairs = self._followers(tensor if base is None else base, also)
            if pairs:
                if base_before is not None and base_after is not None:
                    pairs.append((base_before, base_after))
                base_before, base_after = pairs[0]
                self.following += pairs[1:]
        after = identity.renew(tensor)
        if not identity.defers:
            identity.assure(base_after, after)
        return Write(before, after, base_before, base_after, grown)

    def share(self, tensor: torch.Tensor, other: torch.Tensor) -> None:
        """Two tensors have the same memory, and versions of their own."""
        if len(self.sharing) > MAX_SILENT:
            self.sharing.clear()
        known = self.sharing.setdefault(storage_of(tensor), [])
        living = [each() for each in known]
        known[:] = [ref for ref, each in zip(known, living, strict=True) if each is not None]
        for one in (tensor, other, base_of(other)):
            if one is not None and not any(one is each for each in living):
                known.append(weakref.ref(one))

    def _followers(self, tensor: torch.Tensor, also: Also | None) -> list[tuple[Ref, Ref]]:
        """Return the values of tensors that a write changed, which share memory with ``tensor``
        but not its version counter: each before and after."""
        identity, address, found = self.identity, storage_of(tensor), []
        written = identity.known(tensor)
        for each in [ref() for ref in self.sharing.get(address, ())]:
            before = None if each is None else identity.known(each)
            if each is None or before is None or storage_of(each) != address:
                continue
            if each is tensor or (written is not None and before.storage == written.storage):
                continue
            after = identity.renew(each)
            identity.assure(after)
            found.append((before, after))
            if also is not None:
                also.append(each)
        return found

    def emit_followers(self) -> None:
        """Emit what writes changed that their own events do not speak of."""
        recorder = self.identity.recorder
        for before, after in self.following:
            write = ev.Write(
                after.storage, after.version, before.id, after.id, None, None, None, None
            )
            recorder.raw.append((recorder.emit, write))
        self.following.clear()

    def _detached_from(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """Return the tensor that ``detach()`` made this one of; they share versions."""
        alias = self.identity.aliases.get(id(tensor))
        if alias is None or alias.how != "detach" or alias.tensor() is not tensor:
            return None
        of: torch.Tensor | None = alias.of()
        return of

    def into_gradients(self, call: Call, written: Iterable[torch.Tensor]) -> None:
        """Emit what leaves' gradients are now, if the call wrote these, as to clip them."""
        identity = self.identity
        how = "zeroed" if call.name.endswith("zero_") else "assigned"
        for tensor in written:
            known = identity.gradients.get(id(tensor))
            leaf = None if known is None else known()
            if leaf is None or leaf.grad is not tensor:
                continue
            ref, taken = identity.current(leaf), identity.captured(tensor)
            identity.recorder.raw.append((self.emits_gradient, how, ref.id, taken, None))

    def gradient_set(self, tensor: torch.Tensor, grad: torch.Tensor | None) -> None:
        """Record that a known tensor has another gradient now, or none."""
        identity = self.identity
        ref = None if identity.defers else identity.known(tensor)
        if ref is None:
            return
        how, taken = ("cleared", None) if grad is None else ("assigned", identity.captured(grad))
        identity.recorder.raw.append((self.emits_gradient, how, ref.id, taken, None))
        if grad is not None:
            identity.record_gradient(tensor, grad)

    def silent(self, call: Call, written: list[tuple[torch.Tensor, Ref]]) -> None:
        """Record writes of the call that raised no version that others see."""
        identity, name, args = self.identity, call.name, call.args
        site = None if call.position is None else call.position.site
        if identity.apart:
            for (tensor, _ref), write in zip(written, call.writes, strict=True):
                of = identity.apart.get(write.before.storage)
                if of is not None and not _is_undone():
                    identity.wrote_silently(tensor, of, site, ".data")
        if name != "batch_norm":
            return
        running = [ref for ref in args[1:3] if type(ref) is Ref]
        if not _trains(args, call.kwargs):  # then it needs its running numbers in backward
            self._needed.update(ref.facts.address for ref in running)
            return
        for ref in running:
            norm = ref() if ref.facts.address in self._needed else None
            if norm is not None and ref.version == version_of(norm):
                identity.wrote_silently(norm, ref.id, site, "a batch norm in training")


def _is_undone() -> bool:
    """Return whether ``gradcheck`` writes, which puts back what was there."""
    frame: FrameType | None = _getframe(1)
    while frame is not None and frame.f_code.co_filename != GRADCHECK:
        frame = frame.f_back
    return frame is not None


def written_by(
    tensors: list[torch.Tensor], refs: list[Ref], result: Any
) -> list[tuple[torch.Tensor, Ref]]:
    """The tensors that a call wrote, as they were before: of several with one storage, the one it
    returned or was given first."""
    both = zip(tensors, refs, strict=True)
    changed = [(each, ref) for each, ref in both if version_of(each) != ref.version]
    if not changed:
        return changed
    found: dict[int, tuple[torch.Tensor, Ref]] = {}
    returned = ops.tensors_in(result)
    for tensor, ref in changed:
        if ref.storage not in found or any(tensor is each for each in returned):
            found[ref.storage] = tensor, ref
    return list(found.values())


def _trains(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Return whether a batch norm writes its running mean and variance, which raises no version."""
    return bool(args[5] if len(args) > 5 else kwargs.get("training"))
