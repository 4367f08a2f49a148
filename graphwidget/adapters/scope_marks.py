"""Scopes, loops and their iterations, with what is known of each while it is open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..recording.loops import Loop
from ..recording.positions import Region
from ..recording.sites import Names, Site
from ..recording.summary import Captured

Records = list[Any]

Given = tuple[int, Names, Captured]
"""A value that got names, with its content."""


class Ticks(dict[Loop, int]):
    """Numbers that tell apart the iterations of loops that do nothing outside of inner loops."""

    ended: Mapping[Loop, Mapping[str, Captured]] = {}
    """Numbers of the variables of loops that have just ended an iteration."""


class Mark:
    """A scope that is open, or was."""

    emitted = closed = False
    region: Region | None = None
    """Found from positions; else it says itself when it ends."""
    passing: Any = False
    """True if it is a loop that ran once, or its iteration: not emitted."""

    def __init__(self, number: int, kind: str, name: str, text: str, site: Site | None) -> None:
        self.scope = number
        self.kind = kind
        self.name = name
        self.text = text
        self.site = site


class LoopMark(Mark):
    """A loop."""

    def __init__(self, number: int, text: str, within: Records) -> None:
        super().__init__(number, "loop", "", text, None)
        self.within = within  # the list of records in which its iterations stand
        self.iterations: list[Iteration] = []  # those in there that are over
        self.count = 0  # iterations so far
        self.stride = 1  # of iterations between the first and the newest, one in this many stays
        self.rows: list[dict[str, Captured]] = []  # the scalars of iterations that are over
        self.first = 1  # the iteration of the first of these rows
        self.ahead: dict[str, Captured] = {}  # emitted ones of the current iteration
        self.columns: dict[str, None] = {}

    @property
    def passing(self) -> bool:
        return self.closed and self.count < 2 and not self.emitted

    def record(self, iteration: Iteration) -> None:
        """An iteration is over: its scalars are a row of the loop's."""
        iteration.below, iteration.names = None, {}
        self.rows.append(iteration.scalars)
        if iteration.scalars:
            self.columns.update(dict.fromkeys(iteration.scalars))


class Iteration(Mark):
    """An iteration of a loop. Once it is over it is one record, which contains all its records
    and can be dropped as a whole."""

    kind, text, site = "iteration", "", None
    begun = True
    """True if more of it is known than that the program got what it is for."""
    tick: int | None = None
    below: dict[int, tuple[str, Captured]] | None = None
    """Of values that are one number and got a name in a function that it calls: that name."""
    nested = False
    """True if there are other iterations among its records."""
    holds_curve: bool | None = None
    """True if there is a loop of many iterations among them; None if not known."""

    def __init__(self, number: int, loop: LoopMark, records: Records) -> None:
        # The hot path: what all have is the class's.
        self.scope = number
        self.loop = loop
        self.nr = loop.count
        self.scalars: dict[str, Captured] = {}
        self.names: dict[int, str] = {}  # what the iteration's own level calls values
        self.records = records  # what it does, from where it begins to where it ends

    def call(self, value: int, name: str) -> None:
        """A value has this name now: what it was called before is no other number."""
        before = self.names.get(value)
        if before is not None and before != name:
            self.scalars.pop(before, None)
        if self.below is not None:
            self.below.pop(value, None)
        self.names[value] = name

    @property
    def passing(self) -> bool:
        return self.loop.passing

    @property
    def size(self) -> int:
        """Return the number of its records."""
        return size_of(self.records) if self.nested else len(self.records)


def size_of(records: Records) -> int:
    """Return how many records there are, with those of iterations."""
    return sum(record.size if type(record) is Iteration else 1 for record in records)


def flat(records: Records) -> Records:
    """The records, with those of iterations put in among them."""
    found: Records = []
    for record in records:
        if type(record) is Iteration:
            found += flat(record.records) if record.nested else record.records
        else:
            found.append(record)
    return found
