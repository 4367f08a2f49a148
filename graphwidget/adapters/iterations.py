"""The window: which iterations of loops are kept whole.

What the program does waits here as records, which are cheap. While they fit into the window all
are kept. Of a loop that does not fit every second iteration between the first and the newest ones
is dropped, then every second of those left, and so on: what stays is spread evenly. Of an iteration
that is dropped this remains: its scalars, what it made and others still use, and what concerns
values and nodes of other iterations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from sys import getrefcount
from typing import Any

from ..recording import events as ev
from ..recording.recorder import NodeRef, Recorder
from .raw_records import (
    DEATH,
    EVENT,
    FREED,
    FREED_NODE,
    FUNCTION,
    MADE,
    MARK,
    NODE,
    NODE_DEATH,
    NODE_EVENT,
    NODE_REF,
    RAN,
    RUN_EVENT,
    VALUE,
    Groups,
    kind_of,
    ref_of,
)
from .scope_marks import Iteration, LoopMark, Records, flat
from .scopes import Scopes

BUDGET = 24_000
"""Records that wait, of about a kilobyte each. With the copies of arrays that they refer to
(``recording/summary.py``) they take 32 MB."""

NEWEST, NEWEST_WITHIN = 12, 3
"""Iterations of a loop that are kept beside the first; and of one within an iteration of another
loop, once it is over."""

LONG = 20
"""More iterations than these make a curve worth keeping."""

MAX_GONE = 10_000
"""Nodes that are remembered after they were dropped."""

UNSHARED = 3
"""References to a value's ``Ref`` when only its own record and who looks at it have it."""

SOME, PART = 64, 4
"""Dropped values after which those to forget are looked for again: this number, or this part of
the values that stayed, which are looked at each time."""

NUMBER = attrgetter("id")
"""The id of a value or a node that has died, in the record that this is."""


class Window:
    """Drops iterations when there are too many records. ``kinds`` says what records are by their
    function: ``call``, ``node``, ``value``, ``begin``, ``finish``, ``free``, ``event``, and
    ``iteration`` or ``run`` (of no interest when the iteration is none); of another kind are those
    that stay."""

    def __init__(self, recorder: Recorder, scopes: Scopes, kinds: dict[Any, str]) -> None:
        self.recorder = recorder
        self.scopes = scopes
        self.kinds = kinds
        self.budget = BUDGET
        self.known: Callable[[Any], Any] = lambda tensor: tensor._rec
        """The identity of a tensor as it is now."""
        self.gone: set[int] = set()
        """Nodes that were dropped and may be alive."""
        self._crowded = 0
        """So many values that were dropped are there to be before some are forgotten."""
        self._again = 0
        """Records from which on it is tried again to drop some, where nothing could be dropped."""

    # Which iterations are dropped -----------------------------------------------------------
    def thin(self, most: int, goal: int) -> None:
        """Drop iterations until at most ``goal`` records are left, if there are more than ``most``:
        first those between, then those with curves of their own, then some of the newest."""
        if self.scopes.size <= max(most, self._again):
            return
        before = list(self.recorder.lost)
        for newest, curves in ((NEWEST, False), (NEWEST, True), (3, True), (1, True)):
            self._halve(goal, newest, curves)
        self._again = 0 if self.scopes.size <= most else 2 * self.scopes.size
        self._prune(before)

    def _halve(self, goal: int, newest: int, curves: bool) -> None:
        """Drop every second iteration of the loops with the most records in those that may be
        dropped, and again, until few enough records are left."""
        waiting: set[LoopMark] = set()  # those of which nothing more can be dropped
        size_of = cache(lambda iteration: iteration.size)
        while self.scopes.size > goal:
            between = {
                loop: found
                for loop in self.scopes.pending
                if loop not in waiting and (found := self._between(loop, newest, curves))
            }
            sizes = {loop: sum(map(size_of, found)) for loop, found in between.items()}
            largest = max(sizes.values(), default=0)
            for loop, iterations in between.items():
                if sizes[loop] < largest / 2 or loop not in self.scopes.pending:
                    continue
                uneven = [iteration for iteration in iterations if (iteration.nr - 1) % loop.stride]
                if not uneven:
                    loop.stride *= 2
                elif not self._drop(loop, uneven):
                    waiting.add(loop)
            if not largest:
                return

    def _between(self, loop: LoopMark, newest: int, curves: bool) -> list[Iteration]:
        """The iterations of a loop that may be dropped."""
        if loop.closed and not self.scopes.outermost(loop):
            newest = min(newest, NEWEST_WITHIN)
        return [
            iteration
            for iteration in loop.iterations[:-newest]
            if iteration.nr != 1 and (curves or not self._has_curve(iteration))
        ]

    def _has_curve(self, iteration: Iteration) -> bool:
        """Return whether an iteration that is over contains a loop of many iterations."""
        if iteration.holds_curve is None:
            iteration.holds_curve = iteration.nested and any(
                record.__class__ is tuple and _is_long(record[MARK])
                for record in flat(iteration.records)
            )
        return iteration.holds_curve

    # Dropping -------------------------------------------------------------------------------
    def _drop(self, loop: LoopMark, iterations: list[Iteration]) -> bool:
        """Drop those of the iterations that can be dropped; whether there were any."""
        rests = self._rests_of([iteration for iteration in iterations if not self.waits(iteration)])
        for iteration in rests:
            if iteration.nested:
                self._forget_loops(iteration.records)
            iteration.records = []
        if rests:
            loop.iterations = [iteration for iteration in loop.iterations if iteration not in rests]
            loop.within[:] = [
                each
                for record in loop.within
                for each in (
                    rests.get(record, (record,)) if type(record) is Iteration else (record,)
                )
            ]
        return bool(rests)

    def waits(self, iteration: Iteration) -> bool:
        """Return whether a run may still go backward through what the iteration made, as far as one
        sees without looking at the iterations within it."""
        get, records = self.kinds.get, iteration.records
        alive: set[int] = set()
        ran: set[int] = set()
        for record in records:
            kind = get(record[FUNCTION]) if record.__class__ is tuple else None
            if kind == "call" and (node := record[NODE]) is not None and node() is not None:
                alive.add(node.id)
            elif kind == "finish":
                ran.add(record[RAN].id)
            elif kind == "free":
                ran.add(record[FREED_NODE])
        return not alive <= ran

    def _rests_of(self, iterations: list[Iteration]) -> dict[Any, Records]:
        """Return the records that remain of dropped iterations: of all together if possible, else
        of those that can be dropped."""
        lists = [flat(one.records) if one.nested else one.records for one in iterations]
        rests: dict[Any, Records] = {iteration: [] for iteration in iterations}
        whole = self._rest_of([record for records in lists for record in records])
        if whole is not None and iterations:
            rests[iterations[-1]] = whole
        else:
            found = zip(iterations, map(self._rest_of, lists), strict=True)
            rests = {iteration: rest for iteration, rest in found if rest is not None}
        sizes = (len(lists[nr]) for nr, one in enumerate(iterations) if one in rests)
        self.scopes.added(sum(map(len, rests.values())) - sum(sizes))
        return rests

    def _forget_loops(self, records: Records) -> None:
        """The iterations of loops within an iteration that was dropped are no more."""
        for record in records:
            if type(record) is Iteration:
                self.scopes.pending.pop(record.loop, None)
                self._forget_loops(record.records)

    def _rest_of(self, records: Records) -> Records | None:
        """Return what remains of dropped records; None if a backward may still run through what
        they made, or they must stay for another reason."""
        groups = self._grouped(records)
        of = groups.get
        if "error" in groups:
            return None
        made = {record[VALUE].id: record for record in of("value", ())}
        nodes: list[NodeRef] = []
        for record in of("call", ()):
            for each in record[MADE]:
                made[each[0].id] = record
            if record[NODE] is not None:
                nodes.append(record[NODE])
        gone = [node.id for node in nodes]
        # a leaf's node lives as long as the leaf
        nodes += [
            record[NODE_REF] for record in of("node", ()) if record[NODE_EVENT].variable is None
        ]
        if self._awaited(nodes, groups):
            return None
        self.gone.update(gone)
        recorder, rest = self.recorder, self._concerning_others(groups)
        dead = set(map(NUMBER, of(DEATH, ())))
        recorder.values -= dead
        others = dead - made.keys() - recorder.lost.keys()
        for number in dead - others:
            if made.pop(number, None) is None:
                del recorder.lost[number]
        rest += [record for record in of(DEATH, ()) if record.id in others]
        recorder.lost.update(made)
        if len(rest) > 1:
            wanted = set(map(id, rest))
            rest = [record for record in records if id(record) in wanted]
        return [self._freed(record) for record in rest]

    def _freed(self, record: Any) -> Any:
        """Return a record only of a node's freeing what it had saved."""
        ran = record.__class__ is tuple and self.kinds.get(record[FUNCTION]) == "finish"
        return (self.recorder.free, record[RAN].id) if ran else record

    def _awaited(self, nodes: list[NodeRef], groups: Groups) -> bool:
        """Return whether one of the nodes may still run."""
        ran = {record[RAN].id for record in groups.get("finish", ())}
        ran.update([record[FREED_NODE] for record in groups.get("free", ())])
        return any(node.id not in ran and node() is not None for node in nodes)

    def _grouped(self, records: Records) -> Groups:
        # The hot path of long loops.
        groups: Groups = defaultdict(list)
        for record in records:
            groups[kind_of(record, self.kinds)].append(record)
        return groups

    def _concerning_others(self, groups: Groups) -> Records:
        """The records that stay of iterations that are dropped, but for deaths of values."""
        of, gone = groups.get, self.gone
        rest = [*of("other", ())]
        for record in of("node", ()):
            if record[NODE_REF]() is None:
                gone.add(record[NODE_REF].id)
            else:
                rest.append(record)
        rest += [record for record in of("free", ()) if record[FREED_NODE] not in gone]
        for record in of("finish", ()):
            if record[FREED] is True and record[RAN].id not in gone:
                rest.append(record)  # it is not emitted as a whole: see ``_freed``
        dead = gone & set(map(NUMBER, of(NODE_DEATH, ())))
        gone -= dead
        self.recorder.nodes -= dead
        rest += [record for record in of(NODE_DEATH, ()) if record.id not in dead]
        runs = {record[RUN_EVENT].run for record in of("begin", ())}
        for record in of("event", ()):
            if type(record[EVENT]) is not ev.Done or record[EVENT].run not in runs:
                rest.append(record)
        return rest

    # Values of the past ---------------------------------------------------------------------
    def _prune(self, known: list[int]) -> None:
        """Forget those of the ``known`` values that no tensor is any more, unless an iteration that
        is kept has read them."""
        lost = self.recorder.lost
        if len(known) < self._crowded:
            return
        shared: list[int] = []
        for value in known:
            record = lost.get(value)
            if record is not None:
                ref = ref_of(record, value)
                tensor = ref()
                if tensor is not None and self.known(tensor) is ref:
                    continue
                if getrefcount(ref) > UNSHARED:
                    shared.append(value)
                else:
                    self._forget(value)
        for value in shared[: -self.budget]:
            self._forget(value)
        self._crowded = len(lost) + max(SOME, len(lost) // PART)
        if len(self.gone) > MAX_GONE:
            self.gone.clear()

    def _forget(self, value: int) -> None:
        del self.recorder.lost[value]
        self.recorder.values.discard(value)


def _is_long(mark: Any) -> bool:
    """Return whether it is a loop whose own iterations make a curve worth keeping."""
    return type(mark) is LoopMark and mark.count > LONG
