"""The ring: of a loop that runs long, the first turn and the newest ones are told in full.

What the program does waits as records, which are cheap. Events are made only of those that are
still wanted when somebody looks. When a turn is let go, this remains of it: its scalars, what it
made and others still use, and what concerns values and nodes of other turns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
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
    NODE_TOLD,
    RAN,
    RUN_EVENT,
    VALUE,
    Groups,
    kind_of,
    ref_of,
)
from .repeats import Pattern
from .scope_marks import LoopMark, Records, Turn, flat
from .scopes import Scopes

BUDGET = 800
"""Records of which events are made when the program has done more than that in turns."""

LIVE = 120
"""The same while the program runs: the turn that is shown then is soon another's past."""

NEWEST = 12
"""Turns of one loop that are told beside the first, however few records each has."""

NEWEST_WITHIN = 3
"""The same of a loop within a turn of another, when it is over and that one goes on."""

MAX_GONE = 10_000
"""Nodes that are remembered after they were let go of."""

LONG = 20
"""More turns than these make a curve worth keeping."""

UNSHARED = 3
"""References to a value's ``Ref`` when only its own record and who looks at it have it."""

MAX_SHARED = 2_000
"""Values of the past that are kept for records that wait, 32 MB at most: of all parameters in the
turns within each of the newest turns."""

SOME, PART = 64, 4
"""Values that are let go of until it is looked again which of them to forget: so many, or such a
part of those that stayed, which are looked at each time."""

MAX_LOOPS = 8
"""Loops of which turns are let go at once."""


NUMBER = attrgetter("id")
"""The id of a value or a node that has died, in the record that this is."""


class Ring:
    """Lets go of the turns in the middle. ``kinds`` says what records are by their function:
    ``call``, ``node``, ``value``, ``begin``, ``finish``, ``free``, ``told``, and ``turn`` or
    ``run`` (of no interest when the turn is none); of another kind are those that stay."""

    def __init__(self, recorder: Recorder, scopes: Scopes, kinds: dict[Any, str]) -> None:
        self.recorder = recorder
        self.scopes = scopes
        self.kinds = kinds
        self.known: Callable[[Any], Any] = lambda tensor: tensor._rec
        """The identity of a tensor as it is now."""
        self.gone: set[int] = set()
        """Nodes that were let go of and may be alive."""
        self._crowded = 0
        """So many values that were let go of are there to be before some are forgotten."""
        self._again = 0
        """Records from which on loops are tried again whose turns waited for a run."""

    def thin(self, budget: int) -> None:
        """Let go of turns in the middle, if there are more records than ``budget``."""
        scopes = self.scopes
        if scopes.size <= budget:
            return
        before = list(self.recorder.lost)
        patient = scopes.size < self._again
        if not patient:
            self._again = 2 * scopes.size
        for _ in range(MAX_LOOPS):
            if scopes.size <= budget:
                self._again = 0
                break
            # first those of loops that run backward, and of those with most turns
            loops = [
                loop
                for loop in scopes.pending
                if len(loop.turns) > 2 and not (patient and loop.waits)
            ]
            loops.sort(key=lambda loop: (loop.runs, len(loop.turns)), reverse=True)
            if not any(self.shorten(loop, budget // (2 * len(loops))) for loop in loops):
                break
        self._prune(before)

    def shorten(self, loop: LoopMark, wanted: int) -> bool:
        """Let go of the turns in the middle of a loop: of the newest ones so many stay as make up
        ``wanted`` records, but not more than ``NEWEST``. Whether there were any."""
        turns = [turn for turn in loop.turns if not self._holds_curve(turn)]
        if len(turns) < 2:
            return False
        first, size = len(turns) - 1, turns[-1].size
        least = max(0, len(turns) - NEWEST)
        while first > least and size + (length := turns[first - 1].size) <= wanted:
            first, size = first - 1, size + length
        return self._drop(loop, turns[:first])

    def forget(self, loop: LoopMark) -> None:
        """Let go of all turns of a loop but the first: there are newer ones, of which little was
        noted."""
        self._drop(loop, [turn for turn in loop.turns if not self._holds_curve(turn)])

    def _drop(self, loop: LoopMark, turns: list[Turn]) -> bool:
        """Let go of those of the turns that can be let go of; whether there were any."""
        turns = [turn for turn in turns if turn.nr != 1]
        if not turns:
            return False
        rests = self._let_go_of_turns([turn for turn in turns if not self.waits(turn)])
        loop.waits = not rests
        for turn in rests:
            if turn.nested:
                self._forget_loops(turn.records)
            turn.records = []
        if rests:
            loop.turns = [turn for turn in loop.turns if turn not in rests]
            loop.within[:] = [
                each
                for record in loop.within
                for each in (rests.get(record, (record,)) if type(record) is Turn else (record,))
            ]
        return bool(rests)

    def waits(self, turn: Turn) -> bool:
        """Whether a run may still go backward through what the turn made, as far as one sees
        without looking at the turns within it."""
        get, records = self.kinds.get, turn.records
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

    def _holds_curve(self, turn: Turn) -> bool:
        """Whether a turn that is over holds a loop of many turns."""
        if turn.holds_curve is None:
            turn.holds_curve = turn.nested and any(
                record.__class__ is tuple and _is_long(record[MARK])
                for record in flat(turn.records)
            )
        return turn.holds_curve

    def _let_go_of_turns(self, turns: list[Turn]) -> dict[Any, Records]:
        """Let go of turns: all together if that can be, else of those that need not stay. What
        remains of each."""
        lists = [flat(turn.records) if turn.nested else turn.records for turn in turns]
        rests: dict[Any, Records] = {turn: [] for turn in turns}
        whole = self.let_go_of([record for records in lists for record in records])
        if whole is not None and turns:
            rests[turns[-1]] = whole
        else:
            found = zip(turns, map(self.let_go_of, lists), strict=True)
            rests = {turn: rest for turn, rest in found if rest is not None}
        sizes = (len(records) for turn, records in zip(turns, lists, strict=True) if turn in rests)
        self.scopes.added(sum(map(len, rests.values())) - sum(sizes))
        return rests

    def _forget_loops(self, records: Records) -> None:
        """The turns of loops within a turn that was let go of are no more."""
        for record in records:
            if type(record) is Turn:
                self.scopes.pending.pop(record.loop, None)
                self._forget_loops(record.records)

    def let_go_of(self, records: Records, groups: Groups | None = None) -> Records | None:
        """Let go of records, which are in ``groups`` by their kinds. What remains of them; None
        when something may still run backward through what they made, or they are of interest for
        another reason."""
        groups = self._grouped(records) if groups is None else groups
        of = groups.get
        if "error" in groups or any(_is_long(record[MARK]) for record in of("turn", ())):
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
            record[NODE_TOLD] for record in of("node", ()) if record[NODE_EVENT].variable is None
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
        """Of a node that ran only that it freed what it had saved."""
        ran = record.__class__ is tuple and self.kinds.get(record[FUNCTION]) == "finish"
        return (self.recorder.free, record[RAN].id) if ran else record

    def _awaited(self, nodes: list[NodeRef], groups: Groups) -> bool:
        """Whether one of the nodes may still run."""
        ran = {record[RAN].id for record in groups.get("finish", ())}
        ran.update([record[FREED_NODE] for record in groups.get("free", ())])
        return any(node.id not in ran and node() is not None for node in nodes)

    def _grouped(self, records: Records) -> Groups:
        # The hot path of loops whose turns differ.
        groups: Groups = defaultdict(list)
        for record in records:
            groups[kind_of(record, self.kinds)].append(record)
        return groups

    def _concerning_others(self, groups: Groups) -> Records:
        """What must be told all the same of turns that are let go, but for deaths of values."""
        of, gone = groups.get, self.gone
        rest = [*of("other", ())]
        for record in of("node", ()):
            if record[NODE_TOLD]() is None:
                gone.add(record[NODE_TOLD].id)
            else:
                rest.append(record)
        rest += [record for record in of("free", ()) if record[FREED_NODE] not in gone]
        for record in of("finish", ()):
            if record[FREED] is True and record[RAN].id not in gone:
                rest.append(record)  # it is not told in whole: see ``_freed``
        dead = gone & set(map(NUMBER, of(NODE_DEATH, ())))
        gone -= dead
        self.recorder.nodes -= dead
        rest += [record for record in of(NODE_DEATH, ()) if record.id not in dead]
        runs = {record[RUN_EVENT].run for record in of("begin", ())}
        for record in of("told", ()):
            if type(record[EVENT]) is not ev.Done or record[EVENT].run not in runs:
                rest.append(record)
        return rest

    def release(self, pattern: Pattern, records: Records) -> tuple[Records, int]:
        """Let go of turns that do what the pattern says: all together if that can be, else up to
        the first that must stay. What remains of them, and of how many records."""
        before, size = list(self.recorder.lost), pattern.size
        rest, count = self.let_go_of(records, pattern.groups(records)), len(records)
        if rest is None:
            rest, count = [], 0
            while count < len(records):
                turn = records[count : count + size]
                more = self.let_go_of(turn, pattern.groups(turn))
                if more is None:
                    break
                rest += more
                count += size
        self._prune(before)
        return rest, count

    def _prune(self, known: list[int]) -> None:
        """Forget those of the ``known`` values that no tensor is any more. A few of the newest are
        kept if somebody still has their ``Ref``, for example a record that waits."""
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
        for value in shared[:-MAX_SHARED]:
            self._forget(value)
        self._crowded = len(lost) + max(SOME, len(lost) // PART)
        if len(self.gone) > MAX_GONE:
            self.gone.clear()

    def _forget(self, value: int) -> None:
        del self.recorder.lost[value]
        self.recorder.values.discard(value)


def _is_long(mark: Any) -> bool:
    """Whether it is a loop whose own turns make a curve worth keeping."""
    return type(mark) is LoopMark and mark.count > LONG
