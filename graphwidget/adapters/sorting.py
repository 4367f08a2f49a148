"""Sorts raw records into the scopes and turns of the program, before events are made of them.

Records of scopes that open and close are added; those of turns that nobody will look at fall out.
While each turn of a loop does what the one before did, its records are put aside as they are, and
only those of the newest turns are ever put in order: in the end the program stands in the same
scopes as after the first of them.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

from ..recording.positions import Position
from ..recording.recorder import Recorder, Ref, no_collection
from .library_results import LibraryResult, named_by_call
from .raw_records import DID, FUNCTION, POSITION, Named, roots_of
from .repeats import Pattern
from .ring import BUDGET, LIVE, NEWEST, NEWEST_WITHIN, Ring
from .scope_marks import Given, LoopMark, Records, Turn
from .scopes import Scopes

PULSE = 0.05
"""Seconds between two looks at a program that runs."""

FIRST = 0.15
"""Seconds until the first look: a cell that is over before is drawn once, at its end."""

SIFT = 1_024
"""Raw records after which those of turns in the middle are let go."""

MAX_LIVE = 4_000
"""Records of which events are made while a cell runs; from then on more and more seldom."""

BEGINS, ENDS, TICK = object(), object(), object()
"""Stand in the place of a function in the records of scopes that say themselves when they begin
and end, and of turns of outer loops."""


NOWHERE = ("value", "node", "finish", "free", "told", "run")
"""The kinds of records that say of no position where the program is."""


class Sorter:
    """What a recorder's ``sort`` is, for the adapters that write raw records into it.

    A record is a function and its arguments; if the first of these is a position, the program has
    come there, and did there what the second says. ``kinds`` has what the ring must know of the
    functions; ``named`` tells what records give names to, for one number with a name is the turn's;
    ``settling`` are the functions of records that stand between two statements of a notebook."""

    def __init__(self, recorder: Recorder, scopes: Scopes) -> None:
        self.recorder = recorder
        self.scopes = scopes
        self.named: dict[Any, Named] = {}
        self.settling: set[Any] = set()
        self.kinds: dict[Any, str] = {
            recorder.tell: "told", recorder.free: "free", scopes.opens: "turn",
            scopes.closes: "turn", BEGINS: "turn", ENDS: "turn",
        }  # fmt: skip
        self.ring = Ring(recorder, scopes, self.kinds)
        self.pulsing = False
        """Whether somebody looks while the program runs."""
        self._due = monotonic() + FIRST  # when the next look is
        self.most = SIFT
        """Raw records after which to ``sift``."""
        self.few = True
        """Whether few records were left when that was done last."""
        self._seen = self._live = self._quiet = 0
        self._library: LibraryResult[Given] = LibraryResult()
        self.pattern: Pattern | None = None
        """What the turns of the loop that goes on do, while each does what the one before did."""
        self._aside: Records = []  # those of such turns, which are not in order yet
        self._rest: Records = []  # those of the turn that goes on
        self._placeless: set[Any] = set()  # functions of records that say of no position
        self._begins: set[Any] = set()  # and of those of runs that begin
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
            waiting = self.scopes.size + len(self._aside)
            few = self._live + waiting <= 2 * BUDGET  # then all turns are told, live or not
            budget = LIVE if self.pulsing and not few else BUDGET
            self._let_go(budget)
            self._bring_back()
            self.ring.thin(budget)
            records = self.scopes.take()
            self.most, self.few = SIFT, True
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
            self._let_go(BUDGET)
            self.ring.thin(BUDGET)
            # a program without turns has nothing to let go of: look less and less often
            self.few = self.scopes.size <= 2 * BUDGET
            self.most = SIFT if self.few else self.scopes.size

    # Turns that repeat ----------------------------------------------------------------------
    def _order(self, batch: Records) -> None:
        """Put the records where they belong, or aside while turns repeat."""
        self._seen += len(batch)
        self._placeless = {function for function, kind in self.kinds.items() if kind in NOWHERE}
        self._begins = {function for function, kind in self.kinds.items() if kind == "begin"}
        batch, self._rest = self._rest + batch, []
        at = 0
        while at < len(batch):
            if self.pattern is None:
                at = self._follow(batch, at)
            else:
                at = self._put_aside(batch, at, self.pattern)

    def _put_aside(self, batch: Records, at: int, pattern: Pattern) -> int:
        """Put aside the turns from there on that repeat the one before. Up to where they do."""
        end = at + pattern.repeats(batch, at) * pattern.size
        self._aside += batch[at:end]
        if pattern.may_repeat(batch, end):
            self._rest = batch[end:]
            return len(batch)
        self._let_go(BUDGET, NEWEST if self.scopes.outermost(pattern.loop) else NEWEST_WITHIN)
        self._bring_back()
        return end

    def _let_go(self, budget: int, newest: int = NEWEST) -> None:
        """Let go of what was put aside, but for the newest turns: so many, or with so many
        records."""
        pattern, aside = self.pattern, self._aside
        if pattern is None:
            return
        size = pattern.size
        count = len(aside) - min(max(1, budget // size), newest) * size
        if count <= 0:
            return
        rest, gone = self.ring.release(pattern, aside[:count])
        if gone:
            turns = (
                (
                    [each for nr, gives in pattern.named for each in gives(aside[at + nr])],
                    [root for nr in pattern.begins for root in roots_of(aside[at + nr])],
                )
                for at in range(0, gone, size)
            )
            self.scopes.pass_over(pattern.loop, turns, rest)
            self.ring.forget(pattern.loop)
        self._aside = aside[gone:]
        if gone < count:
            pattern.loop.waits = True
            self._bring_back()

    def _bring_back(self) -> None:
        """Put in order what was put aside."""
        records, self._aside, self._rest, self.pattern = self._aside + self._rest, [], [], None
        self._follow(records, 0, learn=False)

    # All others -----------------------------------------------------------------------------
    def _follow(self, batch: Records, at: int, learn: bool = True) -> int:
        """Put records where they belong, with those of the scopes that open and close; up to where
        turns may repeat, if they are to be recognised."""
        scopes, first = self.scopes, at
        named, settling, library = self.named.get, self.settling, self._library
        quiet, begins = self._placeless, self._begins
        turn: Turn | None = None
        began = over = -1  # with which record it began, and is over if it repeats the one before
        pattern: Pattern | None = None  # what that one did
        append = scopes.out.append
        unkept = 0
        while at < len(batch):
            if at == over and pattern is not None and pattern.repeats(batch, began):
                pattern.loop.waits = turn is not None and self.ring.waits(turn)
                if not pattern.loop.waits:
                    self.pattern = pattern
                    break
            record = batch[at]
            at += 1
            if type(record) is not tuple or (function := record[FUNCTION]) in quiet:
                if library.site is not None and type(record) is Ref and library.died(record.id):
                    scopes.note_scalar(library.pick())
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
                    if library.site is not None and position.site is not library.site:
                        library.over()
                    scopes.move(position, None if position.direct else record[DID])
                elif function in settling:
                    scopes.leave()
                    self._live = self._quiet = 0
                if function in begins:
                    scopes.ran(roots_of(record))
                gives = named(function)
                if gives is named_by_call:
                    library.computed(record, *named_by_call(record))
                    scopes.note_scalar(library.pick())
                elif gives is not None:
                    for given in gives(record):
                        scopes.note_scalar(given)
                scopes.out.append(record)
            append = scopes.out.append
            if learn and scopes.turn is not turn:
                before, turn, pattern = turn, scopes.turn, None
                if turn is not None and before is not None and before.loop is turn.loop:
                    pattern = self._pattern_of(turn.loop, batch[began : at - 1])
                began = at - 1
                over = began if pattern is None else began + pattern.size
        scopes.added(at - first - unkept)
        return at

    def _pattern_of(self, loop: LoopMark, records: Records) -> Pattern | None:
        """What a turn did that is over, if that can be told from its records and the next ones may
        repeat it."""
        kinds = {self.kinds.get(each[FUNCTION]) for each in records if each.__class__ is tuple}
        if loop.waits or not kinds.isdisjoint({None, "error"}):
            return None
        return Pattern(records, loop, self.kinds, self.named)
