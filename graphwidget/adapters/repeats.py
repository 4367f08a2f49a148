"""Turns that repeat the turn before them, recognised by what their records say where.

Most turns of a training loop do the same at the same places. Their records need not be looked at
one by one to know in which scopes they stand: see ``Sorter``. Of loops within loops only turns of
the inner ones are recognised.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..recording.positions import Position
from .library_results import named_by_call, results
from .raw_records import FUNCTION, PLACED, POSITION, Groups, Named, kind_of
from .scope_marks import LoopMark, Records

TOGETHER = 64
"""So many records are compared at once."""


def keys_of(records: Records) -> list[Any]:
    """What turns that do the same have in common: each record's function and, if it has them, its
    position and what is done there."""
    return [
        (record[:PLACED] if record[POSITION].__class__ is Position else record[FUNCTION])
        if record.__class__ is tuple
        else record.__class__
        for record in records
    ]


class Pattern:
    """What a turn of a loop does, which the next ones may repeat."""

    def __init__(
        self, records: Records, loop: LoopMark, kinds: Mapping[Any, str], named: Mapping[Any, Named]
    ) -> None:
        self.loop = loop
        self.keys = keys_of(records)
        self.size = len(records)
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
        late = [at for at, gives in self.named if gives is named_by_call]
        if late:
            overruled = {*late} - results(records, late)
            self.named = [each for each in self.named if each[0] not in overruled]
        self.begins = self._kinds.get("begin", [])
        """Which records are of runs that begin."""

    def repeats(self, records: Records, at: int) -> int:
        """How many turns from there on do the same, before yet another that begins so."""
        keys, size = self.keys, self.size
        found, many, most = 0, 1, max(1, TOGETHER // size)
        while many:
            end = at + many * size
            if keys_of(records[at : end + 1]) == [*keys * many, keys[0]]:
                found, at, many = found + many, end, min(2 * many, most)
            else:
                many, most = many // 2, many // 2  # fewer are left
        return found

    def may_repeat(self, records: Records, at: int) -> bool:
        """Whether such a turn may begin there, as far as there are records."""
        count = len(records) - at
        return count <= self.size and keys_of(records[at:]) == self.keys[:count]

    def groups(self, records: Records) -> Groups:
        """The records of such turns by their kinds."""
        size = self.size
        return {
            kind: [record for at in found for record in records[at::size]]
            for kind, found in self._kinds.items()
        }
