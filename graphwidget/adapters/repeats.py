"""Recognises turns of a loop that do what the turn before did, at the same places.

Most turns of a training loop do the same at the same places. Their records need not be looked at
one by one to know in which scopes they stand: see ``Sorter``. Of loops within loops only turns of
the inner ones are recognised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from operator import itemgetter
from typing import Any

from ..recording.positions import Position
from .library_results import named_by_call, results
from .raw_records import FUNCTION, PLACED, POSITION, Groups, Named, kind_of
from .scope_marks import LoopMark, Records

Key = Callable[[Any], Any]

_placed: Key = itemgetter(*range(PLACED))
_placeless: Key = itemgetter(FUNCTION, POSITION)
_function: Key = itemgetter(FUNCTION)


def key_of(record: Any) -> Key | None:
    """What gives of a record that which it has in common with those of turns that do the same: its
    function and, if it has them, its position and what is done there. None where that is only its
    class."""
    if record.__class__ is not tuple:
        return None
    if record[POSITION].__class__ is Position:
        return _placed
    return _placeless if record[POSITION] is None else _function


class Pattern:
    """What a turn of a loop does, which the next ones may repeat."""

    def __init__(
        self, records: Records, loop: LoopMark, kinds: Mapping[Any, str], named: Mapping[Any, Named]
    ) -> None:
        self.loop = loop
        self.size = len(records)
        self._classes = list(map(type, records))
        self._keys = [
            (at, key, key(record))
            for at, record in enumerate(records)
            if (key := key_of(record)) is not None
        ]
        self._kinds: dict[str, list[int]] = {}  # the records of each kind, by their numbers
        for at, record in enumerate(records):
            kind = kind_of(record, kinds)
            if kind != "turn":  # there are no loops among them
                self._kinds.setdefault(kind, []).append(at)
        self.named = [
            (at, gives)
            for at, record in enumerate(records)
            if record.__class__ is tuple
            and (gives := named.get(record[FUNCTION]))
            and gives(record)
        ]
        """Which records give names, and what tells them."""
        late = {at for at, gives in self.named if gives is named_by_call}
        if late:
            overruled = late - results(records, late)
            self.named = [each for each in self.named if each[0] not in overruled]
        self.begins = self._kinds.get("begin", [])
        """Which records are of runs that begin."""

    def repeats(self, records: Records, at: int) -> int:
        """How many turns from there on do the same, before yet another that begins so."""
        size, found = self.size, 0
        left = (len(records) - at - 1) // size
        many = min(1, left)
        while many:  # first one, then all that there are, then fewer
            end = at + many * size
            if self._is(records[at : end + 1]):
                found, at, left = found + many, end, left - many
                many = left if found == 1 else min(many, left)
            else:
                many //= 2
        return found

    def may_repeat(self, records: Records, at: int) -> bool:
        """Whether such a turn may begin there, as far as there are records."""
        return len(records) - at <= self.size and self._is(records[at:])

    def _is(self, records: Records) -> bool:
        """Whether these are records of such turns, the last of which need not be complete."""
        # The hot path: the same record of all turns at once, by functions that are written in C.
        size, count = self.size, len(records)
        if list(map(type, records)) != (self._classes * (count // size + 1))[:count]:
            return False
        try:
            for at, key, known in self._keys:
                those = records[at::size]
                if list(map(key, those)) != [known] * len(those):
                    return False
        except IndexError:  # a record of fewer items
            return False
        return True

    def groups(self, records: Records) -> Groups:
        """The records of such turns by their kinds."""
        size = self.size
        return {
            kind: [*chain.from_iterable([records[at::size] for at in found])]
            for kind, found in self._kinds.items()
        }
