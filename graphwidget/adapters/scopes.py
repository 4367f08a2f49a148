"""Scopes: the regions of the program around its records, recorded as they open and close.

Modules, optimizer steps and grad modes say themselves when they begin and end. Functions, loops
and their iterations are found afterwards, from the positions of consecutive records.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..recording import events as ev
from ..recording.loops import Loop
from ..recording.positions import Change, Position, Region, again, change
from ..recording.recorder import Recorder
from ..recording.summary import Captured, numbers
from .scope_marks import Given, Iteration, LoopMark, Mark, Records, Ticks, flat, size_of

CO_GENERATOR = 0x20


class _Block:
    """Last position of the program within a call of a module, or outside of all."""

    def __init__(self, start: int) -> None:
        self.start = start  # number of scopes that were open when it began
        self.last: Position | None = None
        self.observed: list[Any] = []
        self.wanted: tuple[Region, ...] | None = ()  # the regions that are open, if that is clear


class Way(NamedTuple):
    """Facts about the way from one position to another."""

    stays: bool
    """True if nothing has changed, not even the position."""
    kept: int
    """Number of the regions at its start that are still open at its end."""
    change: Change | None


class Scopes:
    """Follows the program through its scopes. While records are sorted, ``move`` and the methods
    below it add records of what opens and closes; these emit the events in their order."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.out: Records = []
        """Destination of new records: the innermost open iteration's list, or the one outside."""
        self.size = 0
        """Number of records in all."""
        self._outer: list[tuple[Iteration, Records]] = []
        """The open iterations, and where the records went before they began."""
        self.pending: dict[LoopMark, None] = {}
        """The loops that have iterations among the records that are over."""
        self._open: list[Mark] = []
        self._blocks = [_Block(0)]
        self._ways: dict[tuple[Position | None, Position], Way] = {}
        self.opens, self.closes = self._opens, self._closes  # one object each for all records
        self._emitted: list[int] = []  # open scopes that were emitted
        self._ticks = Ticks()  # see ``PositionFinder.ticked``
        self._ticked_by: tuple[dict[Loop, int], tuple[Region, ...]] | None = None
        self._loops: list[LoopMark] = []  # that were emitted and may have rows to emit
        self._fetching = 0  # how many of the open iterations have not begun

    # While sorting --------------------------------------------------------------------------
    def take(self) -> Records:
        """The records so far, in order; from here on there are none."""
        lists = [within for _iteration, within in self._outer] + [self.out]
        # an iteration that has not begun may turn out to be none: it waits
        first = next((n for n, (one, _) in enumerate(self._outer) if not one.begun), None)
        waiting: list[Records] = []
        if first is not None:
            lists, waiting = lists[: first + 1], lists[first + 1 :]
            self._outer = [(self._outer[first][0], []), *self._outer[first + 1 :]]
        else:
            self._outer, self.out = [], []
        found = flat([record for records in lists for record in records])
        for loop in list(self.pending):
            if any(loop.within is records for records in waiting):
                continue
            for iteration in loop.iterations:
                iteration.records = []  # breaks a reference cycle
            loop.iterations = []
            del self.pending[loop]
        self.size = sum(map(size_of, waiting))
        return found

    def added(self, count: int) -> None:
        """Count records that sorting has added, or removed (below 0)."""
        self.size += count

    def move(self, to: Position, what: Any) -> None:
        """The program has reached a position and did ``what`` there. If it is about to do the same
        thing there again, and on the same way, another iteration of a loop has begun."""
        if not to.levels:
            return
        block = self._blocks[-1]
        last, found, way = block.last, None, None
        if to.outer:
            found = self._ticked(to)
        if found is None:
            if to is last and what not in block.observed:
                block.observed.append(what)
                return
            way = self._ways.get((last, to)) or self._learn(last, to)
            if way.stays:
                return
            found = way.change
        before, wanted = block.wanted, to.regions
        block.last, block.observed = to, [what]
        if self._fetching or way is None or before is None or (
            len(self._open) - block.start != len(before)
        ):  # fmt: skip
            self._begin_iterations(wanted, found)
            if found is not None and self._fetches(found.loop):
                found = None  # it gets several things for one iteration
            self._adjust(wanted, to.outer, found)
            return
        # the hot path: nothing is open but regions of the last position
        block.wanted, kept = wanted, way.kept
        if kept < len(before):
            self._close_from(block.start + kept)
        if kept < len(wanted):
            for region in wanted[kept:]:
                self._enter(region)
            if kept <= to.last_outer:
                self._set_ticks(to.outer)

    @property
    def ticks(self) -> Ticks:
        """Numbers that tell apart the iterations of loops around loops."""
        return self._ticks

    @ticks.setter
    def ticks(self, ticks: Ticks) -> None:
        self._ticks = ticks
        for loop in self._open if ticks.ended else ():
            if type(loop) is not LoopMark or loop.region is None:
                continue
            of = [mark for mark in self._open if type(mark) is Iteration and mark.loop is loop]
            scalars = loop.rows[-1] if loop.rows else {}
            if of and of[0].tick is not None:  # else another iteration has begun meanwhile
                scalars = of[0].scalars
            for name, number in ticks.ended.get(loop.region.key, {}).items():
                scalars.setdefault(name, number)
                loop.columns.setdefault(name)

    def _ticked(self, to: Position) -> Change | None:
        """Another iteration of a loop around a loop, which the position does not show."""
        known = self._ticked_by
        if known is not None and known[0] is self._ticks and known[1] is to.outer:
            return None
        for mark in self._open:
            region = mark.region
            if type(mark) is Iteration and region is not None and region in to.outer:
                tick = self._ticks.get(region.key)
                if mark.begun and mark.tick is not None and mark.tick != tick:
                    return Change(region.level, region.key)
                mark.tick = tick
        self._ticked_by = self._ticks, to.outer
        return None

    def _fetches(self, loop: Loop | None) -> bool:
        """Return whether the open iteration of a loop has not begun."""
        marks = (mark for mark in self._open if type(mark) is Iteration and not mark.begun)
        regions = [mark.region for mark in marks]
        return loop is not None and any(each is not None and each.key is loop for each in regions)

    def _begin_iterations(self, wanted: tuple[Region, ...], found: Change | None) -> None:
        """The program has got what an iteration is for, and is in it now."""
        if not self._fetching:
            return
        for mark in self._open:
            if type(mark) is not Iteration or mark.begun:
                continue
            for region in wanted:
                same = mark.region is not None and _same(region, mark.region)
                if same and not region.fetches and not _over(region, found):
                    mark.begun, mark.region = True, region
                    self._fetching -= 1

    def _set_ticks(self, outer: tuple[Region, ...]) -> None:
        for mark in self._open:
            if type(mark) is Iteration and mark.tick is None and mark.region in outer:
                assert mark.region is not None
                mark.tick = self._ticks.get(mark.region.key)

    def _learn(self, last: Position | None, to: Position) -> Way:
        """Find the facts about a way, and remember them."""
        if len(self._ways) > 20_000:
            self._ways.clear()
        if last is None:
            stays, found = False, None
        elif last is to:
            found = again(to.levels, len(to.levels) - 1)
            stays = found is None
        else:
            stays = _within_generator(last, to)
            found = None if stays else change(last, to)
        kept = 0 if last is None else _kept(last.regions, to.regions, found)
        way = self._ways[last, to] = Way(stays, kept, found)
        return way

    def _adjust(
        self, wanted: tuple[Region, ...], outer: tuple[Region, ...], found: Change | None
    ) -> None:
        """Close what the program has left and open what it is in now."""
        block = self._blocks[-1]
        if found is None and not outer and block.wanted == wanted:
            return
        block.wanted = None
        marks = self._open
        derived = [n for n in range(block.start, len(marks)) if marks[n].region is not None]
        regions = tuple([marks[n].region for n in derived])
        kept = _kept(regions, wanted, found)  # type: ignore[arg-type]
        if kept < len(derived):
            first = derived[kept]
            if any(mark.region is None for mark in marks[first:]):
                return  # a region that says itself when it ends is still open in there
            self._close_from(first)
        for region in wanted[kept:]:
            self._enter(region)
        block.wanted = wanted
        if outer:
            self._set_ticks(outer)

    def _enter(self, region: Region) -> None:
        number, kind = self.recorder.ids.scope(), region.kind
        mark: Mark
        if kind == "iteration":
            loop = self._open[-1]
            assert type(loop) is LoopMark
            loop.count += 1
            records: Records = []
            mark = Iteration(number, loop, records)
            if region.fetches:
                mark.begun = False
                self._fetching += 1
            self._outer.append((mark, self.out))
            self.out = records
        elif kind == "loop":
            mark = LoopMark(number, region.name, self.out)
        else:
            mark = Mark(number, kind, region.name, "", None)
        mark.region = region
        self._open.append(mark)
        self.out.append((self.opens, mark))
        self.size += 1

    def _close_from(self, first: int) -> None:
        for mark in reversed(self._open[first:]):
            mark.closed = True
            if type(mark) is Iteration and not mark.begun:
                self._dissolve(mark)
                continue
            self.out.append((self.closes, mark))
            self.size += 1
            if type(mark) is Iteration:
                self._put_away(mark)
            elif mark.kind == "module":
                self._blocks.pop()
            elif type(mark) is LoopMark and mark.passing:
                self._hand_out(mark)
        del self._open[first:]

    def _hand_out(self, loop: LoopMark) -> None:
        """A loop that ran once is none: its iteration's scalars are those of the one around."""
        around = self._open[: self._open.index(loop)]
        iteration = next((mark for mark in reversed(around) if type(mark) is Iteration), None)
        if iteration is not None and loop.rows:
            for name, content in loop.rows[0].items():
                iteration.scalars.setdefault(name, content)

    def _dissolve(self, iteration: Iteration) -> None:
        """An iteration is over that never began: the loop came to its end while it got the next
        item. What was done for that is of the loop."""
        self._fetching -= 1
        iteration.loop.count -= 1
        _iteration, self.out = self._outer.pop()
        for loop in self.pending:
            if loop.within is iteration.records:
                loop.within = self.out
        if self._outer and iteration.nested:
            self._outer[-1][0].nested = True
        self.out += iteration.records[1:]
        self.size -= 1

    def _put_away(self, iteration: Iteration) -> None:
        """An iteration is over: its records become one, unless some are emitted already."""
        loop = iteration.loop
        loop.record(iteration)
        if self._outer and self._outer[-1][0] is iteration:
            _iteration, self.out = self._outer.pop()
            self.out.append(iteration)
            if self._outer:
                self._outer[-1][0].nested = True
            if not loop.iterations:
                loop.within = self.out
                self.pending[loop] = None
            loop.iterations.append(iteration)

    @property
    def iteration(self) -> Iteration | None:
        """The innermost iteration that is open and not emitted yet."""
        return self._outer[-1][0] if self._outer else None

    def outermost(self, loop: LoopMark) -> bool:
        """Return whether an open loop is in no iteration of another."""
        return all(mark.loop is loop for mark in self._open if type(mark) is Iteration)

    def begin(self, to: Position | None, kind: str, number: int, name: str, text: str) -> None:
        """A module's call or an optimizer's step begins: unlike what is found from positions, it
        says so, and says when it ends."""
        if to is not None:
            self.move(to.outside, kind)
        mark = Mark(number, kind, name, text, None if to is None else to.site)
        self._open.append(mark)
        if kind == "module":
            self._blocks.append(_Block(len(self._open)))
        self.out.append((self.opens, mark))

    def end(self, number: int) -> None:
        """End it and all that was found within it."""
        for at in range(len(self._open) - 1, -1, -1):
            if self._open[at].scope == number:
                self._close_from(at)
                block = self._blocks[-1]
                now = len(self._open) - block.start
                if block.wanted is not None and len(block.wanted) != now:
                    block.wanted = None  # some of those that are open began within
                return

    def ran(self, roots: Iterable[int]) -> None:
        """A run goes backward from some values."""
        iteration: Iteration | None = None
        for mark in self._open:
            if type(mark) is Iteration:
                iteration = mark
        if iteration is not None:
            self._record_roots(iteration, roots)

    @staticmethod
    def _record_roots(iteration: Iteration, roots: Iterable[int]) -> None:
        """Record the root of a backward run as the iteration's loss, wherever it got its name."""
        if iteration.below is not None:
            for name, content in filter(None, map(iteration.below.get, roots)):
                iteration.scalars.setdefault(name, content)

    def leave(self) -> None:
        """The program is between two statements of the notebook: it has left what was found."""
        first = next((n for n, mark in enumerate(self._open) if mark.region is not None), None)
        if first is not None and all(mark.region is not None for mark in self._open[first:]):
            self._close_from(first)
            self._blocks[-1] = _Block(first)

    def record_scalar(self, given: Given) -> None:
        """Record a named value that is one number for the iteration on whose own level it is; or,
        if below, as one that may turn out to be the iteration's loss."""
        value, names, content = given
        dtype, _shape, data = content
        single = type(data) is bytes and len(data) == dtype.itemsize
        scope, name = names[-1]
        innermost: Iteration | None = None
        for mark in reversed(self._open):
            if type(mark) is Iteration:
                assert mark.region is not None
                loop: Loop = mark.region.key
                if scope == "" or scope == loop.function:
                    mark.call(value, name)
                    if single:
                        mark.scalars[name] = content
                    else:
                        mark.scalars.pop(name, None)
                    return
                innermost = innermost or mark
        if single and innermost is not None and value not in innermost.names:
            if innermost.below is None:
                innermost.below = {}
            innermost.below[value] = name, content

    # While emitting -------------------------------------------------------------------------
    @property
    def current(self) -> int | None:
        """The innermost open scope that was emitted."""
        return self._emitted[-1] if self._emitted else None

    def _opens(self, mark: Mark) -> None:
        if mark.passing:
            return
        mark.emitted = True
        region = mark.region
        if region is not None:
            mark.site = None if region.source is None else self.recorder.sites.at(*region.source)
            if type(mark) is Iteration:
                mark.name = str(mark.nr)
        source = self.recorder.source(mark.site)
        self.recorder.emit(
            ev.Scope(mark.scope, self.current, mark.kind, mark.name, mark.text, source, True)
        )
        self._emitted.append(mark.scope)
        if type(mark) is LoopMark:
            self._loops.append(mark)

    def _closes(self, mark: Mark) -> None:
        if mark.emitted:
            self._emitted.remove(mark.scope)
            self.recorder.emit(ev.Scope(mark.scope, None, mark.kind, mark.name, "", None, False))

    def emit_curves(self, _: None = None) -> None:
        """Emit the scalars of the iterations that ended since the last time, and those that the
        current iteration has so far: it may be the last."""
        going = {mark.loop: mark.scalars for mark in self._open if type(mark) is Iteration}
        for loop in self._loops:
            ahead = going.get(loop, {})
            emitted, rows = loop.rows, [*loop.rows, ahead] if ahead else loop.rows
            names = tuple(loop.columns | dict.fromkeys(ahead))
            if names and (emitted or ahead != loop.ahead):
                columns = [_numbers([row.get(each) for row in rows]) for each in names]
                self.recorder.emit(
                    ev.Curve(loop.scope, loop.first, names, tuple(zip(*columns, strict=True)))
                )
            loop.first += len(emitted)
            loop.rows, loop.ahead = [], dict(ahead)
        self._loops = [loop for loop in self._loops if not loop.closed]


def _numbers(contents: list[Captured | None]) -> Sequence[ev.Number | None]:
    """The number that each content is."""
    given = [each for each in contents if each is not None]
    if len(given) < len(contents) or len({dtype for dtype, _shape, _data in given}) > 1:
        return [None if each is None else _numbers([each])[0] for each in contents]
    items: Any = [data for _dtype, _shape, data in given]
    return numbers(np.frombuffer(b"".join(items), given[0][0]).tolist())


def _within_generator(before: Position, after: Position) -> bool:
    """Return whether a position is in the loop body of a generator that goes on afterwards: what is
    done there may be done with a value that it gave."""
    old, new = before.levels, after.levels
    at = len(new)
    return at < len(old) and bool(old[at].code.co_flags & CO_GENERATOR) and old[:at] == new


def _kept(before: tuple[Region, ...], wanted: tuple[Region, ...], found: Change | None) -> int:
    """Return how many of the regions that the program was in it still is in."""
    kept = 0
    for known, region in zip(before, wanted, strict=False):
        if not _same(known, region) or _over(region, found):
            break
        kept += 1
    return kept


def _same(one: Region, other: Region) -> bool:
    """Return whether two regions are one, at whatever stage."""
    if one[:3] != other[:3] or one.source is None or other.source is None:
        return one[:3] == other[:3]
    return one.source[0] is other.source[0] and one.source[1] == other.source[1]


def _over(region: Region, found: Change | None) -> bool:
    """Return whether the program has left a region that it is in again."""
    if found is None or region.level < found.level:
        return False
    if region.level > found.level:
        return True
    return found.loop is not None and region.kind == "iteration" and region.key is found.loop
