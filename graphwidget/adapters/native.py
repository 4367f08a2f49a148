"""The adapter of graphwidget's own engine: observes it and records what it does.

Its base classes (``observed_ops.py`` and the files behind it) observe; this file switches it on and
off, and answers questions. No internal error may reach the user's program: it is reported once, and
the adapter is removed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any, Self

from ..graph import listeners
from ..graph.base import NodeBase, TensorBase
from ..graph.version import version_of
from ..recording.recorder import Recorder
from ..recording.summary import capture, detailed_summary
from .bindings import named_item, named_result
from .error_words import stopped, words_of_saved
from .identity import guarded
from .observed_ops import ObservedOps
from .raw_records import MADE
from .scope_marks import Given
from .sorting import Sorter

BETWEEN, QUICK = 64, 0.002
"""Raw records between two looks at the clock, as long as they come within this many seconds."""


class NativeAdapter(ObservedOps):
    """Observes the core and records into ``recorder``.

    ``on_pulse``, when set, is called while ops run, in the thread that runs them, to show them
    live: with 0 about every 50 ms, and in between with the seconds still to wait.
    """

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(recorder)
        self.on_pulse: Callable[[float], None] | None = None
        self._settle = self.calls.settle
        self._looked = 0.0
        self.sorter = Sorter(recorder, self.scopes)
        self.sorter.settling.add(self._settle)
        self.sorter.named.update({
            self._call: _named, self._gives: _named, self._found: named_result,
            self.calls.gave: named_item,
        })  # fmt: skip
        self.sorter.kinds.update({
            self._call: "call", self._gives: "call", self.identity.emits_value: "value",
            self._begin: "begin",
            self._finishes: "finish", self._runs: "finish", self._accumulates: "finish",
            self._starts: "run", self._emits_grad: "run", self._error: "error",
            self.calls.made: "iteration", self._wrote: "iteration",
            self._assigned: "iteration", self._stepped: "iteration", self._found: "iteration",
            self._reads: "iteration", self.calls.gave: "iteration",
        })  # fmt: skip
        self.faults: list[str] = []
        """Internal errors, in sentences."""

    def fork(self) -> Self:
        """An adapter that goes on from here with a log of its own (see ``Recorder.fork``)."""
        self.drain()
        other = type(self)(self.recorder.fork())
        other.calls.bindings.update(self.calls.bindings)
        other.calls.write_times.update(self.calls.write_times)
        other.erred = self.erred
        return other

    # Switching on and off ------------------------------------------------------------------
    def start(self) -> None:
        """Observe from now on; an earlier observer is replaced."""
        self.identity.begin()
        listeners.set_observer(self)

    def stop(self) -> None:
        """Observe no more (unless another has taken over already)."""
        if listeners.get_observer() is self:
            listeners.set_observer(None)

    @property
    def active(self) -> bool:
        """True if this adapter is the observer."""
        return listeners.get_observer() is self

    @contextmanager
    def observing(self, commanded: bool = False) -> Iterator[None]:
        """Observe within the block, whatever observes outside of it. What a command of the page
        does (``commanded``) stands on no line of the program."""
        before = listeners.get_observer()
        listeners.set_observer(self)
        self._commanded, outer = commanded or self._commanded, self._commanded
        try:
            yield
        finally:
            self._commanded = outer
            listeners.set_observer(before)

    def fault(self, error: BaseException) -> None:
        """Recording has failed: say it once and leave the user's program alone."""
        self.stop()
        self.faults.append(stopped(error))
        with suppress(Warning):  # the program may make errors of warnings
            warnings.warn(self.faults[-1], stacklevel=3)

    def drain(self, live: bool = False) -> None:
        """Make events of all that happened so far and is kept (see ``Recorder.drain``)."""
        self._next = 0
        try:
            self.recorder.drain(live)
        except Exception as error:
            self.fault(error)

    def settle(self) -> None:
        """The program is between two statements: a call that was going on is over."""
        if not self.recorder.untouched:
            self.raw.append((self._settle, None))

    @property
    def awaits_result(self) -> bool:
        """True while the variables of the program's last call have yet to be read."""
        return self.positions.asks is not None

    # Questions ------------------------------------------------------------------------------
    @guarded
    def bind(self, names: Iterable[tuple[str, str, TensorBase]]) -> None:
        """Record what variables are bound to, as far as it is known of and new."""
        for scope, name, tensor in names:
            ref, earlier = tensor._rec, self.identity.earlier
            if not earlier.knows(tensor._node) if ref is None else ref.id not in self.values:
                continue  # nothing was done with it while we recorded
            ref = self.identity.current(tensor)
            if self.positions.awaits(scope, name):
                content = capture(tensor._data)
                self.raw.append((self._found, None, ref.id, scope, name, content))
            else:
                self.raw.append((self.calls.rebound, ref.id, scope, name))

    def peek(self, tensor: TensorBase) -> None:
        """Emit a detailed summary of a value's numbers."""
        ref = self.identity.current(tensor)
        self.identity.emit_value(tensor, ref, detailed_summary(tensor._data))

    def value_of(self, tensor: TensorBase) -> int | None:
        """The value that the tensor is in this recording; None when it does not know it, or is over
        and has not observed its later changes."""
        ref = tensor._rec
        if ref is None or ref.id not in self.values:
            return None
        if self.active:
            ref = self.identity.current(tensor)
        self.drain()
        current = ref.version == version_of(tensor)
        return ref.id if current and self.recorder.shows(ref.id, tensor._node) else None

    def object(self, value: int) -> Any:
        """The tensor that is the value, or None when there is none any more."""
        return self.recorder.object(value)

    def describe_saved(self, node: NodeBase, slot: str) -> tuple[str, str] | None:
        """The variable's name for what a node saved, and the line that made the node."""
        try:
            self.drain()
            return words_of_saved(self.recorder.log.model(), node._rec.id, slot)
        except Exception:  # it only adds to an error message
            return None

    # Now and then --------------------------------------------------------------------------
    def _beat(self) -> None:
        """Now and then: let those who watch look, and keep the raw records few."""
        now = monotonic()
        if self.sorter.sift():
            self.drain()
        if self.on_pulse is not None:
            self.sorter.pulse(self.on_pulse, now)
        # quick ops are counted, the clock is looked at after each slow one
        self._next = len(self.raw) + (BETWEEN if now - self._looked < QUICK else 0)
        self._looked = now


def _named(record: Any) -> Sequence[Given]:
    """Return the values that a call names."""
    return [(ref.id, names, data) for ref, data, _needs, _view_of, names in record[MADE] if names]
