"""The plan of a stretch: what is done next where a training loop does the same again and again.

A *stretch* goes from one backward run to the next: a turn of most loops, and a part of one where a
turn has several runs, as a GAN's. ``steady_turns.py`` compares with the plan what happens.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, NamedTuple, Protocol

import torch

from ...recording import events as ev
from ...recording.positions import Position, Region, change
from ...recording.recorder import Ref
from ...recording.sites import Site
from ..scope_marks import Ticks
from .identity import Slots, slots_with
from .nans import few_and_near
from .reachable_nodes import Reach, Way
from .tape import PLAIN, Heard

MAX_BYTES = 2**22
"""Of all results of a stretch that is held, with what they are views of; where there is a picture
fewer, as more stretches stay (``HeldTurns.max_bytes``)."""
FEW_NUMBERS = 64
"""A result may have so many where it had fewer when the plan was made."""
DETACH = "detach"
END = "end"
"""What a plan ends with: its run."""
MADE, LAST = "made", "last"
"""A call of this stretch made an argument, or one of the last: which, by its number there."""
SAME, ANY = "same", "any"
"""It is the tensor that was given the last time, by its number; or perhaps another one, where no
gradient goes to it."""
NEW = "new"
"""It is met in this stretch, and no gradient goes to it."""
EACH = "each"
"""It is a list or a tuple (the kind) of arguments that come from somewhere each."""
PLAINLY = "plainly"
"""It is no tensor: the same as the last time, or another number."""
INPUT = object()
"""Stands for what a module is given, among what it gives to its call."""
Source = tuple[str, Any]
"""Where an argument comes from, and what else is to be known of that."""


class Gave(NamedTuple):
    """A call that gave back what it was given, as its argument with that number: as dropout does
    that drops nothing. It is not noted, and only said to have been."""

    func: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    grad_mode: bool
    nr: int


@dataclass(slots=True, eq=False)
class Call:
    """A call that makes one tensor; ``sources`` are of its arguments, of which the last ones have
    these ``keywords`` for their names; ``like`` is how the last turn's was noted (None of one that
    gives back its argument with the number ``gives``), ``requires_grad`` is what it makes to say,
    ``least`` and ``size`` how many numbers that may have, ``pair`` says that it gives it with a
    None, ``saves`` is what its nodes save, where these are told; ``outside`` says that it makes
    what has the memory of what no call of the stretch made, which may be written before that is
    noted."""

    position: Position | None
    func: Callable[..., Any]
    sources: tuple[Source, ...]
    keywords: tuple[str, ...]
    grad_mode: bool
    like: Heard | None = None
    gives: int = -1
    requires_grad: bool = False
    size: int = 0
    pair: bool = False
    saves: tuple[Slots, ...] = ()
    outside: bool = False
    least: int = 0


@dataclass(slots=True, eq=False)
class Enter:
    """A module is called; ``record`` is how the last turn's call was noted."""

    position: Position
    module: weakref.ref[torch.nn.Module]
    record: tuple[Any, ...]


LEAVE = None
"""The call of a module ends."""

SavedByMade = Mapping[int, Sequence[Sequence[ev.Saved]]]
"""What the nodes of calls saved, by the numbers of what these made."""

Said = Heard | Gave | Enter | None
"""What was noted of a turn, in its order."""


class Whole(Protocol):
    """A module that is heard as a whole (``single_call_modules.py``)."""

    calls: tuple[Call, ...]
    """Those that it makes."""
    inner: tuple[Enter, ...]
    """The modules that it calls, each of which makes one of these; none where it is the one."""
    places: tuple[int, ...]
    """Where, among the arguments of each, stands what the module is given."""
    events: int
    """How many events of a plan there are after it is entered."""
    site: Site | None
    """Where the last call stands."""

    def given(self, module: Any, value: Any, turns: Any) -> list[list[Any]] | None:
        """It is called with one ``value``: what is kept of what each of its calls will be given in
        these ``turns``; None if it may do something else this time. In the place of what an inner
        module is given by the one before it stands ``INPUT``."""


@dataclass(slots=True, eq=False)
class Plan:
    """A stretch."""

    events: list[Any]
    """Its calls and modules (``Call``, ``Enter``, ``LEAVE``) up to its run (``END``)."""
    position: Position
    """Where the run stands."""
    root: int
    """The number of the call that made what the run begins at."""
    nodes: int
    """How many nodes were made since the run before."""
    reach: Reach
    """What the run reaches."""
    calls: list[Call]
    """Those of the events that make something."""
    named: list[int]
    """Which of these make one number that gets a name."""
    uses: int
    """How often results are given to calls of the stretch,"""
    uses_of_last: int
    """and those of the stretch before,"""
    bases: int
    """and how many are what others are views of."""
    size: int
    """How many bytes the results have."""
    few: bool
    """Whether the gradients are few and near (``nans.py``)."""
    loop: Region | None
    """The turns of the loop that it is among."""
    places: list[Any]
    """Where living nodes are counted (``leaks.py``)."""
    crosses: int | None
    """If it begins in one turn of the loop and ends in the next, how many of those that are named
    are made in the first,"""
    crossing: int
    """and which of the events is the first of the next; else -1."""
    outside: bool
    """Whether one that is named has the memory of what no call of the stretch made,"""
    unpacks: bool
    """whether something is unpacked to variables there,"""
    loops: bool
    """and whether there are loops around loops."""
    wholes: Mapping[int, Whole] = field(default_factory=dict)
    """The modules that are heard as a whole, by where they are among the events."""

    @property
    def outer(self) -> tuple[Region, ...]:
        """The turns of loops around the loop."""
        return self.position.outer

    def is_around(self, ticks: Ticks) -> bool:
        """Whether a loop around the loop has come to its next turn."""
        return any(each.key in ticks.ended for each in self.position.outer)

    @property
    def begins(self) -> Position:
        """Where it begins."""
        position: Position = self.events[0].position
        return position


def plan_of(
    said: Sequence[Said], position: Position, root: Ref, way: Way, reach: Reach, born: int,
    last: Mapping[int, int], most: int, saved: SavedByMade,
) -> Plan | None:  # fmt: skip
    """The plan of a stretch that was noted so; ``born`` is the highest number of a tensor that was
    met before it, ``last`` has the numbers of what the calls of the one before had made, ``saved``
    has by such numbers what their nodes saved. None where it is not to be held: one of its calls
    writes, or gives something else than one tensor, or these have more than ``most`` bytes."""
    events: list[Any] = []
    origins = _Origins({}, last, born)
    depth = 0
    places: list[Any] = [position]
    for each in said:
        if isinstance(each, Heard | Gave):
            call = _call(each, origins, saved) if isinstance(each, Heard) else _gave(each, origins)
            if call is None:
                return None
            events.append(call)
        elif isinstance(each, Enter):
            if not depth:
                places.append((each.position,))
            depth += 1
            events.append(each)
        else:
            depth -= 1
            events.append(LEAVE)
        if depth < 0:
            return None
    nr = origins.made.get(root.facts.number)
    if depth or nr is None or not events or not _begins(events[0]) or prod(root.facts.shape) != 1:
        return None
    calls = [each for each in events if isinstance(each, Call) and each.like is not None]
    size = _bytes_of([each.like.made[0] for each in calls if each.like is not None], born)
    if size > most:
        return None
    whences = [whence for call in calls for whence in _whences(call.sources)]
    uses, uses_of_last = whences.count(MADE), whences.count(LAST)
    named = _named([each.like for each in calls if each.like is not None])
    viewed = [each.like.made[0].facts.base for each in calls if each.like is not None]
    numbers = {base.facts.number for base in viewed if base is not None}
    bases = len(numbers & origins.made.keys())
    leaves = [leaf() for leaf in reach.leaves]
    few = few_and_near([None if leaf is None else leaf.grad for leaf in leaves])
    crosses, crossing = _crosses(events, position, named)
    at = [each.position for each in events if isinstance(each, Call | Enter)]
    unpacks = any(each is not None and each.site is not None and each.site.asks for each in at)
    loops = any(each is not None and each.outer for each in at)
    return Plan(
        [*events, END], position, nr, way[0], reach, calls, named, uses, uses_of_last, bases, size,
        few, turn_of(position), places, crosses, crossing,
        any(calls[nr].outside for nr in named), unpacks, loops,
    )  # fmt: skip


def _bytes_of(made: Sequence[Ref], born: int) -> int:
    """How many bytes results have, with what they are views of: that is theirs if it was met since
    the last run."""
    found: dict[int, int] = {}
    for each in made:
        facts = each.facts if each.facts.base is None else each.facts.base.facts
        if facts.number > born:
            found[facts.number] = max(prod(facts.shape), FEW_NUMBERS) * facts.dtype.itemsize
    return sum(found.values())


def turn_of(position: Position) -> Region | None:
    """The turn of the innermost loop around a position."""
    turns = [each for each in position.regions if each.kind == "turn"]
    return turns[-1] if turns else None


def _crosses(events: Sequence[Any], end: Position, named: Sequence[int]) -> tuple[int | None, int]:
    """How many of the named calls are made before the loop around the ``end`` comes to its next
    turn, and the first event there; None and -1 if it does not within these events."""
    loop, before, made = turn_of(end), None, 0
    for at, each in enumerate((*events, end)):
        position = each.position if isinstance(each, Call | Enter) else each
        if position is not None:
            found = None if before is None else change(before, position)
            if found is not None and loop is not None and found == (loop.level, loop.key):
                return sum(nr < made for nr in named), at
            before = position
        made += isinstance(each, Call) and each.like is not None
    return None, -1


def goes_back(before: Position | None, plan: Plan) -> bool:
    """Whether a stretch begins another turn of the loop around it, after a run that stood there: it
    begins at the same instruction or before it."""
    loop = plan.loop
    if before is None or loop is None or turn_of(before) != loop:
        return True
    last, now = before.levels[loop.level :], plan.begins.levels[loop.level :]
    return not last or not now or now[0].lasti <= last[0].lasti


def _begins(event: Any) -> bool:
    """Whether a stretch can begin so that it is known by where it begins."""
    return event is not LEAVE and event.position is not None


def _named(calls: Sequence[Heard]) -> list[int]:
    """Which calls have made one number that got a name and is no complex one. Of those that a
    function of a library made at one line it is the newest whose result lives."""
    found: list[int] = []
    results: dict[Site | None, int] = {}
    for at, call in enumerate(calls):
        if call.names:
            found.append(at)
        elif call.late and call.position is not None and call.made[0]() is not None:
            results[call.position.site] = at
    found += results.values()
    facts = [calls[at].made[0].facts for at in found]
    return sorted(
        at
        for at, each in zip(found, facts, strict=True)
        if tuple(each.shape) in ((), (1,)) and not each.dtype.is_complex
    )


class _Origins(NamedTuple):
    """What the calls of a stretch have ``made`` so far, by numbers, and those of the ``last`` one;
    and the highest number of a tensor that was ``born`` before it."""

    made: dict[int, int]
    last: Mapping[int, int]
    born: int

    def source(self, value: Any) -> Source | None:
        """Where an argument comes from; None of one that no plan may have."""
        if type(value) is list or (type(value) is tuple and not is_plain(value)):
            found = self.sources(value)
            return None if found is None else (EACH, (type(value), found))
        if type(value) is not Ref:
            return (PLAINLY, value) if is_plain(value) else None
        number = value.facts.number
        if number in self.made:
            return MADE, self.made[number]
        if number in self.last:
            return LAST, self.last[number]
        if number <= self.born:
            return SAME if value.facts.requires_grad else ANY, number
        return None if value.facts.requires_grad else (NEW, None)

    def sources(self, values: Sequence[Any]) -> tuple[Source, ...] | None:
        """The same of several."""
        found = [source for each in values if (source := self.source(each)) is not None]
        return tuple(found) if len(found) == len(values) else None


def _whences(sources: Sequence[Source]) -> Iterator[str]:
    for whence, what in sources:
        yield from _whences(what[1]) if whence is EACH else (whence,)


def _call(call: Heard, origins: _Origins, saved: SavedByMade) -> Call | None:
    at, ref, facts = call.position, call.made[0], call.made[0].facts
    pair = call.result == (ref, None)
    usual = (pair or call.result is ref) and len(call.made) == 1
    if not usual or call.writes or call.parts or at is None or at.site is None:
        return None
    sources = origins.sources((*call.args, *call.kwargs.values()))
    if call.func is None or sources is None:
        return None
    near = call.made + call.given
    slots = [slots_with(each, near) for each in saved.get(facts.number, ())]
    saves = tuple([each for each in slots if each is not None])
    if len(saves) < len(slots):
        return None
    owners = [ref for ref in call.given if ref.facts.address == facts.address]
    owners += [] if facts.base is None else [facts.base]
    outside = any(ref.facts.number not in origins.made for ref in owners)
    origins.made[facts.number] = len(origins.made)
    count = prod(facts.shape)
    # what nodes save that is none of these values is told by its shape
    exactly = any(isinstance(what, str) for each in saves for _slot, what in each)
    least, size = (count, count) if exactly else (0, max(count, FEW_NUMBERS))
    return Call(
        at, call.func, sources, tuple(call.kwargs), call.grad_mode, call, -1, facts.requires_grad,
        size, pair, saves, outside, least,
    )  # fmt: skip


def _gave(call: Gave, origins: _Origins) -> Call | None:
    sources = origins.sources((*call.args, *call.kwargs.values()))
    if sources is None:
        return None
    return Call(None, call.func, sources, tuple(call.kwargs), call.grad_mode, None, call.nr)


def is_plain(value: Any) -> bool:
    """Whether a value is no tensor, and has none."""
    kind = type(value)
    if kind is slice:
        return all(type(each) in PLAIN for each in (value.start, value.stop, value.step))
    return kind in PLAIN or (kind is tuple and all(map(is_plain, value)))


def is_like(value: Any, before: Any) -> bool:
    """Whether an argument that is no tensor makes a call do what the one before did: it is the
    same, or both are numbers or slices, or tuples of such."""
    kind = type(value)
    if kind is not type(before):
        return False
    if kind is slice:
        return is_plain(value)
    if kind is tuple:
        return len(value) == len(before) and all(map(is_like, value, before))
    return kind is int or kind is float or value == before
