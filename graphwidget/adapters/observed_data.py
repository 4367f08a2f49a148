"""Observes ``.data``: what shares memory but no versions, and what else a write has changed."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from sys import _getframe
from typing import Any

from ..arrays.memory_order import memory_owner
from ..graph.base import TensorBase
from ..recording import events as ev
from ..recording.recorder import Recorder, Ref
from ..recording.summary import capture
from .identity import guarded
from .observed_grad_calls import ObservedGradCalls
from .position_finder import outside, unobserved

MOST = 1_000
"""Memories of which it is known who shares them."""


class ObservedData(ObservedGradCalls):
    """The part of the native adapter that observes ``.data``."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(recorder)
        self._assigned = self.calls.assigned
        self._sharing: dict[int, list[weakref.ref[TensorBase]]] = {}

    @guarded
    def data_taken(self, tensor: TensorBase, of: TensorBase) -> None:
        """Record ``of.data`` as a call that made ``tensor``."""
        frame = outside(unobserved(_getframe(2)))
        position, names = self._position(frame)
        if position is not None and position.initial:
            return
        given = [self.identity.current(of)]
        if position is not None and position.reads:
            self._read(position, frame, [of], given)
        ref = self.identity.renew(tensor)
        self.values.add(ref.id)
        needed = tensor._requires_grad is not False
        made = [(ref, capture(tensor._data), needed, None, names)]
        self.raw.append((self._gives, position, "data", given, {}, made, None))
        self._share(tensor, of if of._view is None else of._view.base)
        if of._view is not None:
            self._share(of)

    @guarded
    def data_assigned(self, tensor: TensorBase, given: TensorBase) -> None:
        """Record ``tensor.data = given`` as a call that wrote ``tensor``."""
        position, _names = self._position(outside(unobserved(_getframe(2))))
        before = tensor._rec
        self._share(tensor, given)
        if before is None or before.id not in self.values:
            return  # nothing was done with it
        if position is not None and position.initial:
            tensor._rec = None  # emitted with its new numbers when it is used
            return
        other = self.identity.current(given)
        after = self.identity.renew(tensor)
        self.identity.emit_value(tensor, after)
        self.raw.append((self._assigned, position, before, other, after))

    def _share(self, *tensors: TensorBase) -> None:
        """Tensors have the same memory, and versions of their own."""
        if len(self._sharing) > MOST:
            self._sharing.clear()
        known = self._sharing.setdefault(id(memory_owner(tensors[0]._data)), [])
        known[:] = [each for each in known if each() is not None]
        refs = [each() for each in known]
        for tensor in tensors:
            if not any(tensor is each for each in refs):
                known.append(weakref.ref(tensor))

    def _also_written(self, tensor: TensorBase) -> list[TensorBase]:
        """Return the tensors that share memory with ``tensor`` but not its version counter."""
        if not self._sharing:
            return []
        memory = memory_owner(tensor._data)
        known = [each() for each in self._sharing.get(id(memory), ())]
        return [
            each
            for each in known
            if each is not None
            and each._rec is not None
            and each._rec.id in self.values
            and (each._counter is None or each._counter is not tensor._counter)
            and memory_owner(each._data) is memory
        ]

    def _follow(self, tensors: Sequence[TensorBase]) -> list[tuple[Ref, Ref]]:
        """New identities for what a write has changed: what each was and is."""
        pairs: list[tuple[Any, Ref]] = []
        for each in tensors:
            pairs.append((self.identity.before(each), self.identity.renew(each)))
            self.identity.emit_value(each, pairs[-1][1])
        return pairs

    def _emit_followers(self, pairs: Sequence[tuple[Ref, Ref]]) -> None:
        """Emit the writes that the event of the call does not contain."""
        for before, after in pairs:
            write = ev.Write(
                after.storage, after.version, before.id, after.id, None, None, None, None
            )
            self.raw.append((self.recorder.emit, write))
