"""Positions: where a program stands, as the row of calls that it is in the middle of.

A position is made once for each row of code objects and offsets, however often the program comes
by; what follows from it (the user's line, names, the loops and functions around it) is found once.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from copy import copy
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

from .loops import Loop, flow
from .sites import Names, Path, Site, function_of, text_of

MAX_FRAMES = 60
"""Calls looked at outward from an op; a deeper one stands in no function or loop."""

MAX_POSITIONS = 20_000


class Level(NamedTuple):
    """One call of the row: where its code stands, whether that is the engine's, and whether it is
    a library's (the engine's is)."""

    code: CodeType
    lasti: int
    ours: bool
    library: bool


class Region(NamedTuple):
    """A function, a loop or an iteration of it that a position is in, at the level of its frame."""

    kind: str
    level: int
    key: Any
    """Key of it among others at this level: a Loop, or the offsets that lead to a function."""
    name: str
    source: tuple[CodeType, int] | None
    """Instruction that called it, or the loop's first one."""
    fetches: bool = False
    """True if it is an iteration that has not begun: the program is getting what it is for."""

    def __hash__(self) -> int:  # not that of its code, which takes as long as the code is
        return hash((self.kind, self.level, self.key))


class Holder(NamedTuple):
    """A frame with variables that loops bind: ``above`` is the number of calls between it and the
    innermost; among its own variables (``local``) or the globals."""

    above: int
    local: bool
    loops: list[Loop]


class Position:
    """A row of calls, the outermost first. ``site`` is the user's innermost call; ``named`` the
    names that a result (or a part of it) gets here, see ``Sites.names``; ``initial`` says that what
    is done here only gives parameters their first values."""

    __slots__ = (
        "_inside", "_outside", "_reads", "asks", "direct", "holders", "initial", "last_outer",
        "levels", "named", "outer", "regions", "result", "site", "uncounted",
    )  # fmt: skip

    def __init__(
        self,
        levels: tuple[Level, ...],
        site: Site | None,
        initial: bool = False,
        counted: Container[Loop] = (),
    ) -> None:
        self.initial = initial
        self.levels = levels
        self.site = site
        self.direct = bool(levels) and not levels[-1].ours
        self.named: dict[Path, Names] = {}
        self.result: tuple[Position, Names] | None = None  # with the names of ()
        self.asks: Site | None = None
        """The user's call whose variables must be read when it is over: the result's path within a
        library is not known."""
        self._reads: tuple[str, ...] | None = None
        self._inside: Position | None = None
        self._outside: Position | None = None
        self.regions = _the_same(tuple(_regions(levels, counted)))
        """Functions, loops and iterations around, the outermost first; equal ones are the same."""
        self.uncounted = tuple(_uncounted(levels, counted))
        """Loops of libraries around, whose iterations are not counted."""
        regions = [each for each in self.regions if each.kind == "iteration"]
        outer = (each for each in regions[:-1] if each.key.target is not None and not each.fetches)
        self.outer = _the_same(tuple(outer))
        """Iterations of loops around other loops: the same position may belong to another one."""
        self.holders = _holders(self.outer, levels)
        self.last_outer = max((self.regions.index(each) for each in self.outer), default=-1)
        """Index of the last of them among the regions."""

    @property
    def outside(self) -> Position:
        """The same, for what stands beside the library's own work: a model or an optimizer that it
        calls."""
        if self._outside is None:
            self._outside = self
            if self.regions and self.regions[-1].kind == "library":
                self._outside = copy(self)
                self._outside.regions = _the_same(self.regions[:-1])
        return self._outside

    @property
    def by_user(self) -> bool:
        """True if the user's own code makes the call."""
        return bool(self.levels) and not self.levels[-1].ours and not self.levels[-1].library

    @property
    def by_library(self) -> bool:
        """True if a library makes the call, and not the engine for the user."""
        caller = next((level for level in reversed(self.levels) if not level.ours), None)
        return caller is not None and caller.library

    @property
    def reads(self) -> tuple[str, ...]:
        """Text of the call's arguments in the user's code; empty for a call by a library."""
        if self._reads is None:
            known = self.site is not None and bool(self.levels) and not self.by_library
            self._reads = self.site.spelling.texts if known and self.site is not None else ()
        return self._reads

    @property
    def inside(self) -> Position:
        """The same line, for what is done in there by a way of no interest."""
        if self._inside is None:
            self._inside = Position((), self.site, self.initial)
        return self._inside


def _holders(outer: tuple[Region, ...], levels: tuple[Level, ...]) -> list[Holder]:
    """The frames that hold the variables of loops, the innermost first."""
    found: list[Holder] = []
    for iteration in sorted(outer, key=lambda iteration: -iteration.level):
        holder = Holder(len(levels) - 1 - iteration.level, iteration.key.local, [])
        if not found or found[-1][:2] != holder[:2]:
            found.append(holder)
        found[-1].loops.append(iteration.key)
    return found


@lru_cache(maxsize=1_024)
def _the_same(regions: tuple[Region, ...]) -> tuple[Region, ...]:
    """Return one object for all that are equal."""
    return regions


def _regions(levels: tuple[Level, ...], counted: Container[Loop]) -> list[Region]:
    found: list[Region] = []
    caller: Level | None = None
    for at, level in enumerate(levels):
        if level.library:
            if caller is not None:
                found += _of_library(at, level, caller, counted)
            continue
        if caller is not None and not level.code.co_name.startswith("<"):
            way = (id(level.code), *(each.lasti for each in levels[:at]))
            name = function_of(level.code)
            found.append(Region("function", at, way, name, (caller.code, caller.lasti)))
        caller = level
        fetched = flow(level.code).fetched_at(level.lasti)
        for loop in flow(level.code).around(level.lasti):
            source = (level.code, loop.header)
            found.append(Region("loop", at, loop, loop.text, source))
            found.append(Region("iteration", at, loop, "", source, loop is fetched))
    if caller is not None and (first := _librarys_call(levels)) is not None:
        key = id(caller.code), caller.lasti
        found.append(Region("library", first, key, "", (caller.code, caller.lasti)))
    return found


def _librarys_call(levels: tuple[Level, ...]) -> int | None:
    """Return where a library was called that does what is done; None if the user does it."""
    inner = len(levels)
    while inner > 0 and levels[inner - 1].ours:
        inner -= 1
    first = inner
    while first > 0 and levels[first - 1].library:
        first -= 1
    return None if first == inner else first


def _of_library(at: int, level: Level, caller: Level, counted: Container[Loop]) -> Iterator[Region]:
    """The iterations of a library's loops that are counted: they stand on the user's line."""
    for loop in flow(level.code).around(level.lasti):
        if loop in counted:
            site = caller.code, caller.lasti
            yield Region("loop", at, loop, text_of(*site), site)
            yield Region("iteration", at, loop, "", site)


def _uncounted(levels: tuple[Level, ...], counted: Container[Loop]) -> Iterator[Loop]:
    for level in levels:
        if level.library and not level.ours:
            around = flow(level.code).around(level.lasti)
            fetched = flow(level.code).fetched_at(level.lasti)
            yield from (loop for loop in around if loop is not fetched and loop not in counted)


class Change(NamedTuple):
    """Change between two positions, at a level: another iteration of a loop began, or (``loop``
    is None) the function called from there was called again."""

    level: int
    loop: Loop | None


def change(before: Position, after: Position) -> Change | None:
    """Return the change from one position to the other; None if the program only went on."""
    old, new = before.levels, after.levels
    at = 0
    for one, other in zip(old, new, strict=False):
        if one.code is not other.code or one.lasti != other.lasti:
            break
        at += 1
    if at == len(old) or at == len(new):
        return None
    if old[at].code is not new[at].code:
        anew = at > 0 and not new[at - 1].library and not (old[at].ours and new[at].ours)
        return again(new, at - 1) if anew else None
    between = flow(new[at].code).between(old[at].lasti, new[at].lasti)
    if between is True:
        return None
    if between is False:
        return again(new, at - 1) or Change(at - 1, None)
    return Change(at, between)


def again(levels: tuple[Level, ...], start: int) -> Change | None:
    """Return the change when the program reaches the levels up to ``start`` once more."""
    for at in range(start, -1, -1):
        level = levels[at]
        loops = flow(level.code).around(level.lasti)
        if loops:
            return Change(at, loops[-1])
    return None
