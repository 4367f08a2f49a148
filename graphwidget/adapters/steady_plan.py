"""What the engine will say in the next turn of a loop, read off the records of the last one."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, NamedTuple

from ..recording import events as ev
from ..recording.positions import Position
from ..recording.recorder import Ref
from ..recording.sites import Names
from .library_results import named_by_call, results
from .raw_records import EVENT, FUNCTION, MADE, NAMES, POSITION
from .repeats import Pattern
from .scope_marks import Records

OPEN, CLOSE, CALL, STEP, RUN, START, FINISH, LEAF, GRAD, DONE = (
    "opens", "closes", "calls", "steps", "runs", "starts", "finishes", "leaf", "grad", "done",
)  # fmt: skip
"""What the engine says."""
RAN, ALONG = "ran", "along"
"""Of records of two things that are said, and of those that are made along with others."""

MAX_HELD = 16_384
"""Numbers that a turn may make: those of some turns are held at once."""

Said = tuple[Any, ...]
"""What the engine says: which method is called, and what tells that it is said of the same thing at
the same place. Of a ``CALL`` the op stands first, that it is compared at once."""


class Plan(NamedTuple):
    """What is said in a turn, and at what in there names are given to."""

    said: list[Said]
    named: list[tuple[int, Names]]
    """Which calls give their result names."""
    calls: list[int]
    """Where in there the calls are, and so on."""
    runs: list[int]
    starts: list[int]
    steps: list[int]


def plan_of(pattern: Pattern, records: Records, says: Mapping[Any, str]) -> Plan | None:
    """What was said when ``records`` were made, by what their functions say; None where that
    cannot be told, or turns have to be heard in full."""
    said: list[Said] = []
    of: list[int] = []  # by record, what was said then
    held = 0
    for record in records:
        if record.__class__ is tuple:
            what = says.get(record[FUNCTION])
            found = None if what is None else _said(what, record)
            if found is None:
                return None
            said += found
            if what == CALL:
                held += prod(record[MADE][0][1][1])
        of.append(len(said) - 1)
    starts = [nr for nr, each in enumerate(said) if each[0] == START]
    if any(said[nr + 1][0] != FINISH for nr in starts):
        return None
    for nr in starts:
        said[nr] = START, said[nr + 1][1]
    first, late = said[0], {nr for nr, gives in pattern.named if gives is named_by_call}
    alone = (first[0] == OPEN or first[-1] == CALL) and said.count(first) == 1
    if not alone or held > MAX_HELD or _by_deaths(records, late):
        return None
    named = [
        (of[nr], records[nr][NAMES] if nr in late else records[nr][MADE][0][4])
        for nr, _gives in pattern.named
    ]
    whats = [CALL if each[-1] is CALL else each[0] for each in said]
    places = [
        [nr for nr, each in enumerate(whats) if each is what] for what in (CALL, RUN, START, STEP)
    ]
    return Plan(said, named, *places)


def _said(what: str, record: Any) -> list[Said] | None:
    """What was said when a record was made; None where it must be heard in full."""
    if what == ALONG:
        return []
    if what == STEP:
        return [(STEP, record[2])]
    if what in (OPEN, CALL, RUN):
        position = record[POSITION]
        if position.__class__ is not Position or position.outer or _asks(position):
            return None
        if what == CALL:
            plain = len(record) == 9 and len(record[MADE]) == 1
            return [(record[2], position, CALL)] if plain else None
        if what == RUN:
            users = [level for level in position.levels if not level.ours]
            return [(RUN, position, users[-1])] if users else None
        return [(OPEN, position, record[2])]
    if what == GRAD:
        return [(GRAD,)] if record[5] is None and record[2] in ("cleared", "assigned") else None
    if what == DONE:
        over = type(record[EVENT]) is ev.Done and record[EVENT].status == "ok"
        return [(DONE,)] if over else None
    if what == RAN:
        return [(START, record[4]), (FINISH, record[4])]
    if what == FINISH:
        return [(FINISH, record[4])]
    return [(what,)]


def _asks(position: Position) -> bool:
    return position.site is not None and position.site.asks


def _by_deaths(records: Records, late: set[int]) -> bool:
    """Whether it takes the deaths of values to know which of them a library's call gave."""
    alive: Records = [None if record.__class__ is Ref else record for record in records]
    return bool(late) and results(records, late) != results(alive, late)
