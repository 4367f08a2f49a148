"""Sorts raw records into the scopes and iterations of the program, before events are made of them.

Records of scopes that open and close are added; iterations for which there is no room are dropped
(``iterations.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

from ..recording.positions import Position
from ..recording.recorder import Recorder, no_collection
from .iterations import Window
from .raw_records import DID, FUNCTION, POSITION, Named, roots_of
from .scope_marks import Records
from .scopes import Scopes

PULSE = 0.05
"""Seconds between two looks at a program that runs."""

FIRST = 0.15
"""Seconds until the first look: a cell that is over before is drawn once, at its end."""

SIFT = 1_024
"""Raw records, at least, that are put in order at once while the program runs."""

LIVE, LOOKS = 120, 64
"""Records of which events are made at each look at a program that runs long: at least this number,
and this part of those that still fit into the window."""

BEGINS, ENDS, TICK = object(), object(), object()
"""Stand in the place of a function in the records of scopes that say themselves when they begin
and end, and of iterations of outer loops."""


NOWHERE = ("value", "node", "finish", "free", "event", "run")
"""The kinds of records that say of no position where the program is."""


class Sorter:
    """``sort`` of a recorder, for the adapters that write records into it.

    A record is a function and its arguments; if the first of these is a position, the program has
    reached it, and the second is what it did there. ``kinds`` classifies the functions for the
    window; ``named`` finds the values that records name: named numbers become the iteration's;
    ``settling`` are the functions of records between two statements of a notebook."""

    def __init__(self, recorder: Recorder, scopes: Scopes) -> None:
        self.recorder = recorder
        self.scopes = scopes
        self.named: dict[Any, Named] = {}
        self.settling: set[Any] = set()
        self.kinds: dict[Any, str] = {
            recorder.emit: "event", recorder.free: "free", scopes.opens: "iteration",
            scopes.closes: "iteration", BEGINS: "iteration", ENDS: "iteration",
        }  # fmt: skip
        self.window = Window(recorder, scopes, self.kinds)
        self._due = monotonic() + FIRST  # when the next look is
        self._seen = self._live = self._quiet = 0
        self._over = False  # whether the statement of the notebook is over
        recorder.sort = self.sort

    def pulse(self, look: Callable[[float], None], now: float) -> None:
        """Call ``look`` while the program runs, with how long there is to wait."""
        look(max(0.0, self._due - now))
        if now > self._due:
            # a picture that takes long to make must not take the program's time
            self._due = monotonic() + max(PULSE, 4 * (monotonic() - now))

    def sort(self, batch: list[Any]) -> list[Any]:
        """Return the records so far of which events are made now."""
        with no_collection():
            self._order(batch)
        records: list[Any] = []
        live = self.recorder.live
        if not live or self._seen >= self._quiet:
            self._thin()
            records = self.scopes.take()
            self._live += len(records)
            if live and self._live > self.window.budget:
                self._quiet = self._seen * 5 // 4
            if self._over:  # another statement begins
                self._live, self._quiet, self._over = 0, 0, False
        records.append((self.scopes.emit_curves, None))
        return records

    def _thin(self) -> None:
        """Drop iterations, before events are made of the others. What was emitted while the program
        runs is never taken back: once that is half of what fits, each look takes little."""
        budget = self.window.budget
        most = max(budget - self._live, budget // 4)
        if self.recorder.live and self._live + self.scopes.size > budget // 2:
            most = max(LIVE, (budget - self._live) // LOOKS)
        self.window.thin(most, most)

    def sift(self) -> bool:
        """If there are more records than fit, put them in order and drop iterations. Return whether
        there are too many of which none can be dropped."""
        raw = self.recorder.raw
        if len(raw) <= max(SIFT, self.window.budget - self.scopes.size):
            return False
        with self.recorder.lock, no_collection():
            batch = raw[:]
            del raw[: len(batch)]
            self._order(batch)
            self.window.thin(self.window.budget, self.window.budget * 3 // 4)
        return self.scopes.size > 2 * self.window.budget

    def _order(self, batch: Records) -> None:
        """Put records where they belong, with those of the scopes that open and close."""
        self._seen += len(batch)
        scopes = self.scopes
        quiet = {function for function, kind in self.kinds.items() if kind in NOWHERE}
        begins = {function for function, kind in self.kinds.items() if kind == "begin"}
        named, settling = self.named.get, self.settling
        append = scopes.out.append
        unkept = 0
        for record in batch:
            if type(record) is not tuple or (function := record[FUNCTION]) in quiet:
                append(record)
                continue
            if function is BEGINS:
                scopes.begin(*record[1:])
            elif function is ENDS:
                scopes.end(record[1])
                unkept += 1  # what closes has records of its own
            elif function is TICK:
                scopes.ticks = record[1]
                unkept += 1
            else:
                position = record[POSITION]
                if type(position) is Position:
                    scopes.move(position, None if position.direct else record[DID])
                elif function in settling:
                    scopes.leave()
                    self._over = True
                if function in begins:
                    scopes.ran(roots_of(record))
                gives = named(function)
                if gives is not None:
                    for given in gives(record):
                        scopes.record_scalar(given)
                scopes.out.append(record)
            append = scopes.out.append
        scopes.added(len(batch) - unkept)
