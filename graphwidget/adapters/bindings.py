"""Tells which variables hold a value, and tells again of values that the ring had let go of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..recording import events as ev
from ..recording.positions import Position
from ..recording.recorder import Recorder, Ref
from ..recording.sites import Names
from .raw_records import FUNCTION, VALUE
from .scope_marks import Given


def named_late(record: Any) -> Sequence[Given]:
    """What a record of ``Bindings.perhaps`` gives names to."""
    return ((record[2].id, record[4], record[5]),)


class Bindings:
    """Tells names. Its methods run while draining."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.bindings: dict[tuple[str, str], int] = {}
        """What each (scope, name) was last told to be bound to."""
        self.retell: dict[Any, Callable[[Any, int], None]] = {}
        """By the functions of records of calls: what tells a value that such a call made."""
        self._perhaps: tuple[Ref, Position | None, Names] | None = None

    def recall(self, values: Iterable[Any]) -> None:
        """Tell those of the values that were let go of, and what they were written from."""
        for value in values:
            record = self.recorder.lost.pop(value, None)
            if record is None:
                continue
            if type(record[VALUE]) is not Ref:
                self.retell[record[FUNCTION]](record, value)
                continue
            ref = record[VALUE]
            before = self.recorder.heads.get(ref.storage)
            record[0](*record[1:])
            after = self.recorder.heads.get(ref.storage)
            if before is not None and after == (value, ref.version) and ref.version > before[1]:
                self.recorder.tell(
                    ev.Write(ref.storage, ref.version, before[0], value, None, None, None, None)
                )

    def bound(self, value: int, names: Names) -> None:
        """Tell what is bound to the value."""
        if self.recorder.lost:
            self.recall((value,))
        for scope, name in names:
            self.bindings[scope, name] = value
            self.recorder.tell(ev.Name(value, name, scope))

    def rebound(self, value: int, scope: str, name: str) -> None:
        """Tell what a variable is bound to if that is new."""
        if self.bindings.get((scope, name)) != value:
            self.bound(value, ((scope, name),))

    def perhaps(
        self, _: None, ref: Ref, position: Position | None, names: Names, _content: Any
    ) -> None:
        """The value is the last so far of a call in the user's program, inside of a library,
        whose result gets these names: if nothing follows there, it is that result."""
        self._perhaps = ref, position, names

    def settle(self, _: None = None) -> None:
        """The program has moved on: what was perhaps the result of its call is it, if it lives."""
        if self._perhaps is not None:
            ref, _position, names = self._perhaps
            self._perhaps = None
            if ref.id in self.recorder.refs:
                self.bound(ref.id, names)

    def moved(self, position: Position | None) -> None:
        """A call is told, or one that raised: it follows on what was perhaps the last of its site,
        or on its end."""
        before = None if self._perhaps is None else self._perhaps[1]
        site = None if position is None else position.site
        if before is not None and site is not None and before.site is site:
            self._perhaps = None
        else:
            self.settle()
