"""Scopes: the regions of the program that its records stand in, told as they open and close.

Modules, optimizer steps and grad modes say themselves when they begin and end. Functions, loops
and their turns are found afterwards, from the positions of consecutive records.
"""

from __future__ import annotations

from typing import Any

from ..recording import events as ev
from ..recording.loops import Loop
from ..recording.positions import Change, Position, Region, again, change
from ..recording.recorder import Recorder
from ..recording.sites import Names, Site, function_of
from ..recording.summary import Captured, summary

Records = list[Any]

CO_GENERATOR = 0x20


class Mark:
    """A scope that is open, or was."""

    def __init__(self, number: int, kind: str, name: str, text: str, site: Site | None) -> None:
        self.scope = number
        self.kind = kind
        self.name = name
        self.text = text
        self.site = site
        self.told = self.closed = False
        self.region: Region | None = None
        self.loop: Mark | None = None  # of a turn
        self.tick: int | None = None
        self.count = 0  # of a loop: turns so far
        self.scalars: dict[str, Captured] = {}  # of a turn
        self.rows: list[dict[str, Captured]] = []  # of a loop: the scalars of turns that are over
        self.first = 1  # of a loop: the turn of the first of these rows
        self.columns: dict[str, None] = {}

    @property
    def passing(self) -> bool:
        """Whether it is a loop that ran once, or its turn: not worth telling."""
        loop = self.loop if self.kind == "turn" else self if self.kind == "loop" else None
        return loop is not None and loop.closed and loop.count < 2 and not loop.told


class _Block:
    """Where the program was last within a call of a module, or outside of all."""

    def __init__(self) -> None:
        self.last: Position | None = None
        self.heard: list[Any] = []
        self.wanted: tuple[Region, ...] | None = None  # the regions that are open


class Scopes:
    """Follows the program through its scopes. While records are sorted, ``move`` and the methods
    below it add records of what opens and closes; these tell the events when their time comes."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._open: list[Mark] = []
        self._blocks = [_Block()]
        self._changes: dict[tuple[Position, Position], Change | None] = {}
        self._same: set[tuple[Position | None, Position]] = set()
        """Ways from one position to another on which nothing opens or closes."""
        self.opens, self.closes = self._opens, self._closes
        self._told: list[int] = []  # open scopes that were told
        self.ticks: dict[Loop, int] = {}  # see ``Places.ticks``
        self._loops: list[Mark] = []  # that were told and may have rows to tell

    # While sorting --------------------------------------------------------------------------
    def move(self, to: Position, what: Any, out: Records) -> None:
        """The program has come to a position and did ``what`` (the same thing again, by the same
        way, it did in another turn)."""
        if not to.levels:
            return
        block = self._blocks[-1]
        last = block.last
        found = None
        if to.outer:
            found = self._ticked(to)
        elif last is not to and block.wanted is to.regions and (last, to) in self._same:
            block.last, block.heard = to, [what]
            return
        if found is None and to is last:
            if what not in block.heard:
                block.heard.append(what)
                return
            found = again(to.levels, len(to.levels) - 1)
            if found is None:
                return
        elif found is None and last is not None:
            if _within_generator(last, to):
                return
            found = self._change(last, to)
            if found is None and not to.outer:
                self._same.add((last, to))
        block.last = to
        block.heard = [what]
        self._adjust(to.regions, to.outer, found, out)

    def _ticked(self, to: Position) -> Change | None:
        """Another turn of a loop around a loop, which the position does not show."""
        for mark in self._open:
            region = mark.region
            if mark.kind == "turn" and region is not None and region in to.outer:
                tick = self.ticks.get(region.key)
                if mark.tick is not None and mark.tick != tick:
                    return Change(region.level, region.key)
                mark.tick = tick
        return None

    def _change(self, before: Position, after: Position) -> Change | None:
        key = before, after
        if key not in self._changes:
            if len(self._changes) > 20_000:
                self._changes.clear()
                self._same.clear()
            self._changes[key] = change(before, after)
        return self._changes[key]

    def _adjust(
        self,
        wanted: tuple[Region, ...],
        outer: tuple[Region, ...],
        found: Change | None,
        out: Records,
    ) -> None:
        """Close what the program has left and open what it is in now."""
        block = self._blocks[-1]
        if found is None and not outer and block.wanted == wanted:
            return
        block.wanted = None
        marks = self._open
        start = next((n for n in range(len(marks), 0, -1) if marks[n - 1].kind == "module"), 0)
        derived = [n for n in range(start, len(marks)) if marks[n].region is not None]
        kept = 0
        for place, region in zip(derived, wanted, strict=False):
            known = marks[place].region
            assert known is not None
            if known[:3] != region[:3] or _over(region, found):
                break
            kept += 1
        if kept < len(derived):
            first = derived[kept]
            if any(mark.region is None for mark in marks[first:]):
                return  # a region that says itself when it ends is still open in there
            self._close_from(first, out)
        for region in wanted[kept:]:
            self._enter(region, out)
        block.wanted = wanted
        for mark in self._open if outer else ():
            if mark.kind == "turn" and mark.tick is None and mark.region in outer:
                assert mark.region is not None
                mark.tick = self.ticks.get(mark.region.key)

    def _enter(self, region: Region, out: Records) -> None:
        loop = self._open[-1] if region.kind == "turn" else None
        text, name = "", region.name
        if region.kind == "loop":
            text = region.key.text
        if loop is not None:
            loop.count += 1
            name = str(loop.count)
        site = None if region.source is None else self.recorder.sites.at(*region.source)
        mark = Mark(self.recorder.ids.scope(), region.kind, name, text, site)
        mark.region, mark.loop = region, loop
        self._open.append(mark)
        out.append((self.opens, mark))

    def _close_from(self, first: int, out: Records) -> None:
        for mark in reversed(self._open[first:]):
            mark.closed = True
            if mark.kind == "module":
                self._blocks.pop()
            if mark.loop is not None:
                mark.loop.rows.append(mark.scalars)
                mark.loop.columns.update(dict.fromkeys(mark.scalars))
            out.append((self.closes, mark))
        del self._open[first:]

    def begin(
        self, out: Records, to: Position | None, number: int, kind: str, name: str, text: str
    ) -> None:
        """A region begins that says so itself."""
        if to is not None:
            self.move(to, kind, out)
        mark = Mark(number, kind, name, text, None if to is None else to.site)
        self._open.append(mark)
        if kind == "module":
            self._blocks.append(_Block())
        out.append((self.opens, mark))

    def end(self, number: int, out: Records) -> None:
        """It ends, and all that was found within it."""
        for at in range(len(self._open) - 1, -1, -1):
            if self._open[at].scope == number:
                module = self._open[at].kind == "module"
                self._close_from(at, out)
                if not module:
                    self._blocks[-1].wanted = None
                return

    def leave(self, out: Records) -> None:
        """The program is between two statements of the notebook: it has left what was found."""
        first = next((n for n, mark in enumerate(self._open) if mark.region is not None), None)
        if first is not None and all(mark.region is not None for mark in self._open[first:]):
            self._close_from(first, out)
            self._blocks[-1] = _Block()

    def computed(self, names: Names, content: Captured) -> None:
        """Something got names: if it is one number, it is noted for the turn on whose own level
        that is."""
        dtype, _shape, data = content
        scope, name = names[-1]
        for mark in reversed(self._open):
            if mark.kind == "turn":
                assert mark.region is not None
                loop: Loop = mark.region.key
                if scope in ("", function_of(loop.code)):
                    if type(data) is bytes and len(data) == dtype.itemsize:
                        mark.scalars[name] = content
                    else:
                        mark.scalars.pop(name, None)
                    return

    # While telling --------------------------------------------------------------------------
    @property
    def current(self) -> int | None:
        """The innermost open scope that was told."""
        return self._told[-1] if self._told else None

    def _opens(self, mark: Mark) -> None:
        if mark.passing:
            return
        mark.told = True
        source = self.recorder.source(mark.site)
        self.recorder.tell(
            ev.Scope(mark.scope, self.current, mark.kind, mark.name, mark.text, source, True)
        )
        self._told.append(mark.scope)
        if mark.kind == "loop":
            self._loops.append(mark)

    def _closes(self, mark: Mark) -> None:
        if mark.told:
            self._told.remove(mark.scope)
            self.recorder.tell(ev.Scope(mark.scope, None, mark.kind, mark.name, "", None, False))

    def tell_curves(self, _: None = None) -> None:
        """Tell the scalars of the turns that ended since the last time."""
        for loop in self._loops:
            names = tuple(loop.columns)
            if names and loop.rows:
                rows = tuple(
                    [tuple([_number(row.get(each)) for each in names]) for row in loop.rows]
                )
                self.recorder.tell(ev.Curve(loop.scope, loop.first, names, rows))
            loop.first += len(loop.rows)
            loop.rows = []
        self._loops = [loop for loop in self._loops if not loop.closed]


def _number(content: Captured | None) -> ev.Number | None:
    if content is None:
        return None
    values = summary(content).values
    return values[0] if values else None


def _within_generator(before: Position, after: Position) -> bool:
    """Whether what is done at a position may be done with what a generator in there has given,
    which goes on after that."""
    old, new = before.levels, after.levels
    at = len(new)
    return at < len(old) and bool(old[at].code.co_flags & CO_GENERATOR) and old[:at] == new


def _over(region: Region, found: Change | None) -> bool:
    """Whether the program has left a region that it is in again."""
    if found is None or region.level < found.level:
        return False
    if region.level > found.level:
        return True
    return found.loop is not None and region.kind == "turn" and region.key is found.loop
