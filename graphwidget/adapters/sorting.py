"""Raw records are put in order.

Those of the scopes that open and close on the way come in; those of turns of loops that nobody will
look at fall out.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

from ..recording.positions import Position
from ..recording.recorder import Recorder, no_collection
from .ring import BUDGET, LIVE, Ring
from .scopes import Scopes

PULSE = 0.05
"""Seconds between two looks at a program that runs."""

SIFT = 1_024
"""Raw records after which those of turns in the middle are let go."""

MAX_LIVE = 4_000
"""Records of which events are made while a cell runs; from then on more and more seldom."""

BEGINS, ENDS, TICK = object(), object(), object()
"""Stand in the place of a function in the records of scopes that say themselves when they begin
and end, and of turns of outer loops."""


NOWHERE = ("value", "node", "finish", "free", "told", "run")
"""The kinds of records that say of no place where the program is."""


class Sorter:
    """What a recorder's ``sort`` is, for the adapters that write raw records into it.

    A record is a function and its arguments; if the first of these is a position, the program has
    come there, and did there what the second says. ``kinds`` has what the ring must know of the
    functions; ``heard`` what else is to be done with the records of a function; ``settling`` the
    functions of records that stand between two statements of a notebook."""

    def __init__(self, recorder: Recorder, scopes: Scopes) -> None:
        self.recorder = recorder
        self.scopes = scopes
        self.heard: dict[Any, Callable[[Any], None]] = {}
        self.settling: set[Any] = set()
        self.kinds: dict[Any, str] = {
            recorder.tell: "told", recorder.free: "free", scopes.opens: "turn",
            scopes.closes: "turn",
        }  # fmt: skip
        self.ring = Ring(recorder, scopes, self.kinds)
        self.pulsing = False
        """Whether somebody looks while the program runs."""
        self._due = monotonic() + PULSE  # when the next look is
        self.most = SIFT
        """Raw records after which to ``sift``."""
        self.few = True
        """Whether few records were left when that was done last."""
        self._seen = self._live = self._quiet = 0
        recorder.sort = self.sort

    def pulse(self, look: Callable[[float], None], now: float) -> None:
        """Let somebody look at the running program; ``look`` is given how long there is to wait."""
        self.pulsing = True
        try:
            look(max(0.0, self._due - now))
        finally:
            self.pulsing = False
        if now > self._due:
            # a picture that takes long to make must not take the program's time
            self._due = monotonic() + max(PULSE, 4 * (monotonic() - now))

    def sort(self, batch: list[Any]) -> list[Any]:
        """Of all records so far those that are told now."""
        self._order(batch)
        records: list[Any] = []
        if not self.pulsing or self._seen >= self._quiet:
            self.ring.thin(LIVE if self.pulsing else BUDGET)
            records = self.scopes.take()
            self._live += len(records)
            if self.pulsing and self._live > MAX_LIVE:
                self._quiet = self._seen * 5 // 4
        records.append((self.scopes.tell_curves, None))
        return records

    def sift(self) -> None:
        """Keep few of the records that wait: let go of turns in the middle."""
        raw = self.recorder.raw
        with self.recorder.lock, no_collection():
            batch = raw[:]
            del raw[: len(batch)]
            self._order(batch)
            self.ring.thin(BUDGET)
            # a program without turns has nothing to let go of: look less and less often
            self.few = self.scopes.size <= 2 * BUDGET
            self.most = SIFT if self.few else self.scopes.size + SIFT

    def _order(self, batch: list[Any]) -> None:
        """Put the records where they belong, with those of the scopes that open and close."""
        scopes = self.scopes
        hears, settling = self.heard.get, self.settling
        quiet = {function for function, kind in self.kinds.items() if kind in NOWHERE}
        begins = {function for function, kind in self.kinds.items() if kind == "begin"}
        self._seen += len(batch)
        scopes.size += len(batch)
        append = scopes.out.append
        for record in batch:
            if type(record) is not tuple or (function := record[0]) in quiet:
                append(record)
                continue
            if function is BEGINS:
                scopes.begin(*record[1:])
            elif function is ENDS:
                scopes.end(record[1])
            elif function is TICK:
                scopes.ticks = record[1]
                scopes.size -= 1
            else:
                place = record[1] if len(record) > 1 else None
                if type(place) is Position:
                    scopes.move(place, None if place.direct else record[2])
                elif function in settling:
                    scopes.leave()
                    self._live = self._quiet = 0
                if function in begins:
                    scopes.ran()
                hear = hears(function)
                if hear is not None:
                    hear(record)
                scopes.out.append(record)
            append = scopes.out.append
