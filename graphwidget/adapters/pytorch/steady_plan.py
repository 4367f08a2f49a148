"""The plan of a turn: what the adapter is told next where a loop's turns all do the same.

``steady_turns.py`` compares with it what happens. A turn goes from one backward run to the next.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple, Protocol

import torch

from ...recording.positions import Position, Region
from ...recording.recorder import Ref
from .nans import few_and_near
from .reachable_nodes import Reach, Way
from .tape import PLAIN, Heard

MAX_NUMBERS = 2**20
"""How many numbers the results of a turn that is held may have."""
FEW_NUMBERS = 4096
"""Results that have not more may grow from turn to turn."""
MADE, LAST, SAME, NEW, EACH, PLAINLY = "made", "last", "same", "new", "each", "plainly"
"""Where an argument comes from: a call of this turn made it or one of the last turn, by its number
there; it is the very tensor that the last turn was given, by its number; it was met in this turn,
and no gradient goes to it; it is a list or tuple of arguments; or it is no tensor, and the last
turn was given the same (or another number)."""
Source = tuple[str, Any]


class Gave(NamedTuple):
    """A call that gave back what it was given, as its argument with that number: as dropout does
    that drops nothing. It is not noted, and only said to have been."""

    func: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    enabled: bool
    nr: int


class Call(NamedTuple):
    """A call that makes one tensor; ``sources`` are of its arguments, of which the last ones have
    these ``words`` for their names; ``like`` is how the last turn's was noted (None of one that
    gives back its argument with the number ``gives``), ``grown`` says that a gradient goes to what
    it makes, ``size`` how many numbers that may have, ``pair`` that it gives it with a None."""

    position: Position | None
    func: Callable[..., Any]
    sources: tuple[Source, ...]
    words: tuple[str, ...]
    enabled: bool
    like: Heard | None = None
    gives: int = -1
    grown: bool = False
    size: int = 0
    pair: bool = False


class Enter(NamedTuple):
    """A module is called; ``record`` is how the last turn's call was noted."""

    position: Position
    module: weakref.ref[torch.nn.Module]
    record: tuple[Any, ...]


LEAVE = None
"""The call of a module ends."""

Said = Heard | Gave | Enter | None
"""What was noted of a turn, in its order."""


class Whole(Protocol):
    """A module that is heard as a whole."""

    def arguments(self, module: Any, args: tuple[Any, ...]) -> list[Any] | None:
        """What its call will be given; None if the module may do something else this time."""


class Plan(NamedTuple):
    """A turn: the calls and modules up to its run, where this stands, which result it begins at,
    how many nodes were made since the run before, and what it reaches; its calls alone, which of
    them make one number that gets a name, how often results are given to calls of this turn, and
    those of the last one, and how many results others are views of; whether the gradients are few
    and near (``nans.py``); which turns it is among; and the modules that are heard as a whole
    (``whole_modules.py``), by the places of their beginnings."""

    events: list[Call | Enter | None]
    position: Position
    root: int
    nodes: int
    reach: Reach
    calls: list[Call]
    named: list[int]
    uses: int
    late_uses: int
    bases: int
    few: bool
    loop: Region | None
    wholes: dict[int, Whole]

    @property
    def begins(self) -> Position:
        """Where it begins."""
        first = self.events[0]
        position = None if first is LEAVE else first.position
        assert position is not None
        return position


def plan_of(
    said: Sequence[Said], position: Position, root: Ref, way: Way, reach: Reach, born: int,
    last: Mapping[int, int],
) -> Plan | None:  # fmt: skip
    """The plan of a turn that was noted so; ``born`` is the highest number of a tensor that was met
    before it, ``last`` has the numbers of what the calls of the turn before had made. None where
    a turn is not to be held: one of its calls writes, or gives something else than one tensor, or
    they are too large."""
    events: list[Call | Enter | None] = []
    origins = _Origins({}, last, born)
    depth = 0
    for each in said:
        if isinstance(each, Heard | Gave):
            call = _call(each, origins) if isinstance(each, Heard) else _gave(each, origins)
            if call is None:
                return None
            events.append(call)
        elif isinstance(each, Enter):
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
    every = [each for each in events if isinstance(each, Call)]
    if sum(each.size for each in every) > MAX_NUMBERS:
        return None
    calls = [each for each in every if each.like is not None]
    whences = [whence for call in calls for whence in _whences(call.sources)]
    uses, late_uses = whences.count(MADE), whences.count(LAST)
    named = [at for at, each in enumerate(calls) if each.like and is_number(each.like)]
    viewed = [each.like.made[0].facts.base for each in calls if each.like is not None]
    numbers = {base.facts.number for base in viewed if base is not None}
    bases = len(numbers & origins.made.keys())
    leaves = [leaf() for leaf in reach.leaves]
    few = few_and_near([None if leaf is None else leaf.grad for leaf in leaves])
    return Plan(
        events, position, nr, way[0], reach, calls, named, uses, late_uses, bases, few,
        turn_of(position), {},
    )  # fmt: skip


def turn_of(position: Position) -> Region | None:
    """The turn of the innermost loop around a position."""
    turns = [each for each in position.regions if each.kind == "turn"]
    return turns[-1] if turns else None


def goes_back(before: Position | None, plan: Plan) -> bool:
    """Whether a turn begins another turn of the loop around it, after a run that stood there: it
    begins at the same line or one above."""
    loop = plan.loop
    if before is None or loop is None or turn_of(before) != loop:
        return True
    last, now = before.levels[loop.level :], plan.begins.levels[loop.level :]
    return not last or not now or now[0].lasti <= last[0].lasti


def _begins(event: Call | Enter | None) -> bool:
    """Whether a turn can begin so that it is known by where it begins."""
    return event is not LEAVE and event.position is not None


def is_number(call: Heard) -> bool:
    """Whether a call has made one number that gets a name and is no complex one."""
    facts = call.made[0].facts
    return bool(call.names) and tuple(facts.shape) in ((), (1,)) and not facts.dtype.is_complex


class _Origins(NamedTuple):
    """What the calls of a turn have ``made`` so far, by numbers, and those of the ``last`` turn;
    and the highest number of a tensor that was ``born`` before it."""

    made: dict[int, int]
    last: Mapping[int, int]
    born: int

    def source(self, value: Any) -> Source | None:
        """Where an argument comes from; None of one that no plan may have."""
        if type(value) is list or (type(value) is tuple and not is_plain(value)):
            found = self.sources(value)
            return None if found is None else (EACH, found)
        if type(value) is not Ref:
            return (PLAINLY, value) if is_plain(value) else None
        number = value.facts.number
        if number in self.made:
            return MADE, self.made[number]
        if number in self.last:
            return LAST, self.last[number]
        if number <= self.born:
            return SAME, number
        return None if value.facts.requires_grad else (NEW, None)

    def sources(self, values: Sequence[Any]) -> tuple[Source, ...] | None:
        """The same of several."""
        found = [source for each in values if (source := self.source(each)) is not None]
        return tuple(found) if len(found) == len(values) else None


def _whences(sources: Sequence[Source]) -> Iterator[str]:
    for whence, what in sources:
        yield from _whences(what) if whence is EACH else (whence,)


def _call(call: Heard, origins: _Origins) -> Call | None:
    at, ref, facts = call.position, call.made[0], call.made[0].facts
    pair = call.result == (ref, None)
    usual = (pair or call.result is ref) and len(call.made) == 1
    if not usual or call.writes or call.parts or at is None or at.site is None or at.site.asks:
        return None
    sources = origins.sources((*call.args, *call.kwargs.values()))
    if call.func is None or sources is None:
        return None
    origins.made[facts.number] = len(origins.made)
    size = max(prod(facts.shape), FEW_NUMBERS)
    return Call(
        at, call.func, sources, tuple(call.kwargs), call.grad_mode, call, -1, facts.requires_grad,
        size, pair,
    )  # fmt: skip


def _gave(call: Gave, origins: _Origins) -> Call | None:
    sources = origins.sources((*call.args, *call.kwargs.values()))
    if sources is None:
        return None
    return Call(None, call.func, sources, tuple(call.kwargs), call.enabled, None, call.nr)


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
