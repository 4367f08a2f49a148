"""Steps of optimizers that are held with turns (``held_turns.py``): which parameters they wrote.

A parameter that a step writes is another value then, and has another identity. Until something is
noted nobody else knows that one: then the same goes on from step to step with a higher version.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import torch

from ...recording.positions import Position
from ...recording.recorder import Ref
from ..module_paths import numbers_of
from .identity import Identity
from .tape import Write, new_tuple
from .tensor_facts import Captured

MAX_STEPS = 1_000


class Wrote(NamedTuple):
    """A parameter that a held step wrote, and its versions before and after. Where ``after`` is
    None its identity went on."""

    ref: Ref
    version: int
    after: Ref | None
    new_version: int
    content: Captured | None = None
    """What it held then, where that is told."""


class HeldStep(NamedTuple):
    """A held step, with its optimizer's main ``numbers`` where these are told."""

    name: str
    numbers: str
    position: Position | None
    wrote: list[Wrote]


def parameters_of(optimizer: Any) -> list[torch.Tensor]:
    """The parameters of an optimizer."""
    return [each for group in optimizer.param_groups for each in group["params"]]


class HeldSteps:
    """Knows what steps write, and gives parameters their identities."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self._known: dict[tuple[int, Position | None], tuple[weakref.ref[Any], list[int]]] = {}
        """By the optimizer's address and where its steps stand: it, and by how much the last one
        raised the version of each of its parameters."""
        self._own: dict[int, Ref] = {}
        """The identities that held steps gave, which nobody else knows, by their addresses."""
        self._dropped: list[HeldStep] = []
        """Of stretches that were let go of, the steps that gave parameters new identities: each
        stands for those after it too, as what it wrote is known by what it is now."""
        self._contents: dict[int, Captured | None] = {}
        """What such parameters held after the last step that was let go of, where that is told."""

    def learn(self, optimizer: Any, position: Position | None, writes: Sequence[Write]) -> None:
        """A step was noted, which has written these parameters."""
        if all(
            each.after.version > each.before.version and each.after.facts.base is None
            for each in writes
        ):
            if len(self._known) > MAX_STEPS:
                self._known.clear()
            rises = {x.after.facts.key: x.after.version - x.before.version for x in writes}
            found = [rises.get(id(each), 0) for each in parameters_of(optimizer)]
            self._known[id(optimizer), position] = weakref.ref(optimizer), found

    def knows(self, optimizer: Any, position: Position | None) -> bool:
        """Whether a step of the optimizer's was noted that stands there."""
        known = self._known.get((id(optimizer), position))
        return known is not None and known[0]() is optimizer

    def stepped(self, optimizer: Any, position: Position | None) -> HeldStep | None:
        """A step has ended that was known; None if it did not write what the last one did."""
        # The hot path: every parameter of every step that is held.
        tensors, met, own = parameters_of(optimizer), self.identity.refs.get, self._own
        defers = self.identity.defers
        known = [(tensor, met(id(tensor)), tensor._version) for tensor in tensors]
        rises = [0 if ref is None else new - ref.version for _tensor, ref, new in known]
        before = self._known.get((id(optimizer), position))
        if before is None or rises != before[1]:  # as when somebody else has written one
            return None
        wrote: list[Wrote] = []
        for tensor, ref, new in known:
            if ref is None or new == ref.version:
                continue
            old, after = ref.version, None
            if id(ref) in own:
                ref.version = new
            else:
                after = self.identity.rewritten(tensor, ref)
                own[id(after)] = after
            content = None if defers else self.identity.captured(tensor)
            wrote.append(new_tuple(Wrote, (ref, old, after, new, content)))
        numbers = "" if defers else numbers_of(optimizer)
        return HeldStep(type(optimizer).__name__, numbers, position, wrote)

    def let_go(self, steps: Iterable[HeldStep]) -> None:
        """The stretch that these steps have followed is let go of."""
        for step in steps:
            if any(each.after is not None for each in step.wrote):
                self._dropped.append(step)
            for each in step.wrote if not self.identity.defers else ():
                ref = each.ref if each.after is None else each.after
                self._contents[id(ref)] = each.content

    def take_dropped(self, held: Iterable[HeldStep]) -> list[HeldStep]:
        """All that is held is about to be noted, these steps too: those that stand for the ones let
        go of. Parameters are what they were after these, and have their versions of then."""
        steps, self._dropped = self._dropped, []
        contents, self._contents = self._contents, {}
        for step in steps:
            for each in step.wrote:
                if each.after is not None:
                    self._held_then(each.after, contents.get(id(each.after)))
        first: set[int] = set()
        for step in held:
            for each in step.wrote:
                if each.ref.facts.key not in first:
                    first.add(each.ref.facts.key)
                    each.ref.version = each.version
                    self._is_now(each.ref)
        self._known.clear()
        self._own.clear()  # now they are known
        return steps

    def writes(self, step: HeldStep, moved: dict[int, Ref]) -> list[Write]:
        """What a step wrote, told as the writes of a step that is noted; ``moved`` are the
        identities that parameters have since, by those that they had before."""
        writes: list[Write] = []
        for known, version, after, new_version, content in step.wrote:
            before, tensor = moved.get(id(known), known), known()
            if after is None and tensor is not None:
                before.version = version
                after = moved[id(known)] = self.identity.rewritten(tensor, before)
            if after is not None:
                after.version = new_version
                self._held_then(after, content)
                self._is_now(after)
                writes.append(Write(before, after, None, None, False))
        return writes

    def _held_then(self, ref: Ref, content: Captured | None) -> None:
        """What a parameter held then, if that is known."""
        if content is not None and self.identity.then is not None:
            self.identity.then[ref.id] = content

    def _is_now(self, ref: Ref) -> None:
        """The identity of a parameter is this one."""
        if ref() is not None:
            self.identity.refs[ref.facts.key] = ref
