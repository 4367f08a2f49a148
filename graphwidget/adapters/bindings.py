"""Names of values, by the variables bound to them; values of dropped iterations, emitted again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..recording import events as ev
from ..recording.positions import Position
from ..recording.recorder import Recorder, Ref
from ..recording.sites import Names
from ..recording.summary import Captured
from .raw_records import FUNCTION, PARAMETER, VALUE
from .scope_marks import Given

MAX_NAMED = 100_000
"""Values of which it is known that they have a name."""


def named_item(record: Any) -> Sequence[Given]:
    """Return the value that a record of an item of a result names."""
    return ((record[2].id, record[3], record[4]),)


def named_result(record: Any) -> Sequence[Given]:
    """Return the value that a record of a library's result names."""
    _function, _position, value, scope, name, content = record
    return ((value, ((scope, name),), content),)


class Bindings:
    """Emits names. Its methods run while draining."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.bindings: dict[tuple[str, str], int] = {}
        """Value of the last emitted binding of each (scope, name)."""
        self.emit_again: dict[Any, Callable[[Any, int], None]] = {}
        """By the functions of records of calls: functions that emit a value of such a call."""
        self.paths: dict[int, str] = {}
        """By their storages, what parameters and buffers are called in their modules."""
        self.named: dict[int, str] = {}
        """The scope of the latest name of each value that has one."""

    def recall(self, values: Iterable[Any]) -> None:
        """Emit those of the values that were dropped, and the values they were written from."""
        for value in values:
            record = self.recorder.lost.pop(value, None)
            if record is None:
                continue
            if type(record[VALUE]) is not Ref:
                self.emit_again[record[FUNCTION]](record, value)
                continue
            ref = record[VALUE]
            before = self.recorder.heads.get(ref.storage)
            record[0](*record[1:])
            after = self.recorder.heads.get(ref.storage)
            if before is None or after != (value, ref.version):
                continue
            # steps of fused optimizers leave versions as they are
            same = self.recorder.refs.get(before[0])
            if ref.version > before[1] or same is None or same() is ref():
                self.recorder.emit(
                    ev.Write(ref.storage, ref.version, before[0], value, None, None, None, None)
                )
            if record[PARAMETER] and ref.storage in self.paths:
                self.bound(value, (("module", self.paths[ref.storage]),))

    def bound(self, value: int, names: Names, made_in: int | None = None) -> None:
        """Emit what is bound to the value, a leaf perhaps that was made in a scope."""
        if self.recorder.lost:
            self.recall((value,))
        for scope, name in names:
            self.bindings[scope, name] = value
            self.recorder.emit(ev.Name(value, name, scope, made_in))
        if names:
            if len(self.named) > MAX_NAMED:
                self.named.clear()
            self.named[value] = names[-1][0]

    def read(self, _: None, value: int, scope: str, text: str) -> None:
        """Emit what the program calls a value that it reads, if nothing named it before, or if it
        is another variable there: ``state = next_state``."""
        known = self.named.get(value)
        another = known == scope and text.isidentifier()
        if known is None or (another and self.bindings.get((scope, text)) != value):
            self.bound(value, ((scope, text),))

    def own(self, position: Position | None, value: int) -> None:
        """Emit what the program calls a value that it has just computed, as ``h[0]`` and ``x.T``,
        if nothing else names it."""
        site = None if position is None else position.site
        if site is not None and site.spelling.own is not None:
            text = site.spelling.own
            self.read(None, value, site.scope_of(text), text)

    def written(self, before: int, value: int) -> None:
        """A tensor was written in place: it keeps its names."""
        if before in self.named:
            self.named[value] = self.named[before]

    def gave(self, _: None, ref: Ref, names: Names, _content: Captured) -> None:
        """Emit what an item of a result is bound to, as ``outputs.loss``."""
        self.bound(ref.id, tuple([name for name in names if self.bindings.get(name) != ref.id]))

    def rebound(self, value: int, scope: str, name: str) -> None:
        """Emit what a variable is bound to if that is new; what holds the value only where nothing
        else names it."""
        if not (scope or name.isidentifier()) and value in self.named:
            return
        ref = self.recorder.refs.get(value) if scope == "module" else None
        if ref is not None:
            self.paths[ref.storage] = name
        if self.bindings.get((scope, name)) != value:
            self.bound(value, ((scope, name),))

    def settle(self, _: None = None) -> None:
        """The program is between two statements of the notebook, which its record says."""

    def found(self, _: None, value: int, scope: str, name: str, _content: Captured) -> None:
        """Emit the variable that a library's result, or a part of it, was bound to: as ``rebound``,
        but a part of its iteration, with which it is dropped."""
        self.rebound(value, scope, name)
