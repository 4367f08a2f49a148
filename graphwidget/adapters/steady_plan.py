"""What the engine is expected to say in the next turn of a loop, by the records of the last one."""

from __future__ import annotations

from collections.abc import Mapping
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
"""What the engine says: that a scope opens, and so on, by one method of ``Observer`` each."""
START_AND_FINISH, ALONG = "ran", "along"
"""Of a record that stands for two things, and of one that is made along with another."""

Expected = tuple[Any, ...]
"""One thing that the engine will say: what it is, and what tells that it is said of the same thing
at the same place. Of a ``CALL`` the op comes first, so that one comparison finds most others."""


class Plan(NamedTuple):
    """What is expected in a turn, in order. All numbers are places in that."""

    expected: list[Expected]
    named: list[tuple[int, Names]]
    """The calls whose results are one number and get names, and these."""
    calls: list[int]
    runs: list[int]
    starts: list[int]
    steps: list[int]
    tail: int
    """How many of the turn's last records are made along with the first of the next."""


def plan_of(pattern: Pattern, records: Records, says: Mapping[Any, str]) -> Plan | None:
    """What is expected after ``records``, which are a turn's, by what the engine ``says`` when
    records with some function are made; None where turns must be heard in full."""
    expected: list[Expected] = []
    place: list[int] = []  # of each record, among what is expected
    for record in records:
        if record.__class__ is tuple:
            what = says.get(record[FUNCTION])
            found = None if what is None else _expected(what, record)
            if found is None:
                return None
            expected += found
        place.append(len(expected) - 1)
    for nr, each in enumerate(expected):
        if each[0] == START and len(each) == 1:
            following = expected[nr + 1] if nr + 1 < len(expected) else None
            if following is None or following[0] != FINISH:
                return None
            expected[nr] = START, following[1]
    late = {nr for nr, gives in pattern.named if gives is named_by_call}
    if not _is_start(expected) or _by_deaths(records, late):
        return None
    named = [
        (place[nr], records[nr][NAMES] if nr in late else records[nr][MADE][0][4])
        for nr, _gives in pattern.named
    ]
    whats = [CALL if each[-1] is CALL else each[0] for each in expected]
    calls, runs, starts, steps = (
        [nr for nr, each in enumerate(whats) if each is what] for what in (CALL, RUN, START, STEP)
    )
    tail = 0
    for record in reversed(records):
        if record.__class__ is not tuple or says[record[FUNCTION]] != ALONG:
            break
        tail += 1
    return Plan(expected, named, calls, runs, starts, steps, tail)


def _expected(what: str, record: Any) -> list[Expected] | None:
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
            users = [(each.code, each.lasti) for each in position.levels if not each.ours]
            return [(RUN, position, users[::-1])] if users else None
        return [(OPEN, position, record[2])]
    if what == GRAD:
        return [(GRAD,)] if record[5] is None and record[2] in ("cleared", "assigned") else None
    if what == DONE:
        over = type(record[EVENT]) is ev.Done and record[EVENT].status == "ok"
        return [(DONE,)] if over else None
    if what == START_AND_FINISH:
        return [(START, record[4]), (FINISH, record[4])]
    if what == FINISH:
        return [(FINISH, record[4])]
    return [(what,)]


def _is_start(expected: list[Expected]) -> bool:
    """Whether turns can be told apart by what is said first."""
    first = expected[0] if expected else (None,)
    return (first[0] == OPEN or first[-1] == CALL) and expected.count(first) == 1


def _asks(position: Position) -> bool:
    """Whether the parts of what is made there get names, which the program's variables tell."""
    return position.site is not None and position.site.asks


def _by_deaths(records: Records, late: set[int]) -> bool:
    """Whether deaths decide which value a library's call returned: then it cannot be planned."""
    alive: Records = [None if record.__class__ is Ref else record for record in records]
    return bool(late) and results(records, late) != results(alive, late)
