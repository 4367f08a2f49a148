"""The ring: of a loop that runs long, the first turn and the newest ones are told in full.

What the program does waits as records, and records are cheap; events are made of those only that
are still wanted when somebody looks. Of a turn that is let go its scalars remain, what it made and
others still use, and what concerns values and nodes of other turns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..recording import events as ev
from ..recording.recorder import NodeRef, Recorder, Ref
from .marks import LoopMark, Records, Turn, flat
from .scopes import Scopes

BUDGET = 800
"""Records of which events are made when the program has done more than that in turns."""

LIVE = 120
"""The same while the program runs: the turn that is shown then is soon another's past."""

MAX_GONE = 10_000

LONG = 20

MAX_LOOPS = 8
"""Loops of which turns are let go at once."""


class Ring:
    """Lets go of the turns in the middle. ``kinds`` says what records are by their function:
    ``call``, ``node``, ``value``, ``begin``, ``finish``, ``free``, ``told``, and ``turn`` or
    ``run`` (of no interest when the turn is none); a record of another kind stays."""

    def __init__(self, recorder: Recorder, scopes: Scopes, kinds: dict[Any, str]) -> None:
        self.recorder = recorder
        self.scopes = scopes
        self.kinds = kinds
        self.known: Callable[[Any], Any] = lambda tensor: tensor._rec
        """The identity of a tensor as it is now."""
        self._gone: set[int] = set()  # nodes that were let go of and may be alive

    def thin(self, budget: int) -> None:
        """Let go of turns in the middle, if there are more records than ``budget``."""
        scopes = self.scopes
        if scopes.size <= budget:
            return
        before = list(self.recorder.lost)
        for _ in range(MAX_LOOPS):
            if scopes.size <= budget:
                break
            # first those of loops that run backward, and of those with most turns
            loops = [loop for loop in scopes.pending if len(loop.turns) > 2]
            loops.sort(key=lambda loop: (loop.runs, len(loop.turns)), reverse=True)
            if not any(self._without(loop, budget // (2 * len(loops))) for loop in loops):
                break
        self._prune(before)

    def _without(self, loop: LoopMark, wanted: int) -> bool:
        """Let go of the turns in the middle of a loop: of the newest ones so many stay as make up
        ``wanted`` records. Whether there were any."""
        turns = loop.turns
        first, size = len(turns) - 1, turns[-1].size
        while first and size + (length := turns[first - 1].size) <= wanted:
            first, size = first - 1, size + length
        rests: dict[Any, Records] = {}
        for turn in turns[:first]:
            records = flat(turn.records) if turn.nested else turn.records
            rest = None if turn.nr == 1 else self._let_go(records)
            if rest is not None:
                rests[turn] = rest
                self.scopes.size -= len(records) - len(rest)
                if turn.nested:
                    self._forget_loops(turn.records)
        if rests:
            loop.turns = [turn for turn in turns if turn not in rests]
            loop.within[:] = [
                each
                for record in loop.within
                for each in (rests.get(record, (record,)) if type(record) is Turn else (record,))
            ]
        return bool(rests)

    def _forget_loops(self, records: Records) -> None:
        """The turns of loops within a turn that was let go of are no more."""
        for record in records:
            if type(record) is Turn:
                self.scopes.pending.pop(record.loop, None)
                self._forget_loops(record.records)

    def _let_go(self, records: Records) -> Records | None:
        """What remains of records that are let go; None when something may still run backward
        through what they made, or they are of interest for another reason."""
        kind_of = self.kinds.get
        made: dict[int, Any] = {}
        nodes: list[NodeRef] = []
        ran: set[int] = set()
        gone: list[int] = []
        died: list[int] = []
        runs: set[int] = set()
        rest: Records = []
        for record in records:
            form = type(record)
            if form is Ref:
                number = record.id
                died.append(number)
                if made.pop(number, None) is None:
                    rest.append(record)
                continue
            if form is NodeRef:
                rest.append(record)
                continue
            kind = kind_of(record[0])
            if kind == "run":
                continue
            if kind == "turn":
                if _is_long(record[1]):
                    return None
            elif kind == "value":
                made[record[1].id] = record
            elif kind == "call":
                for each in record[5]:
                    made[each[0].id] = record
                if record[6] is not None:
                    nodes.append(record[6])
                    gone.append(record[6].id)
            elif kind == "finish":
                ran.add(record[2].id)
            elif kind == "begin":
                runs.add(record[3].run)
            elif kind == "error":
                return None
            else:
                rest.append(record)
                if kind == "free":
                    ran.add(record[1])
                elif kind == "node" and record[2].variable is None:
                    nodes.append(record[1])  # a leaf's lives as long as the leaf
        for node in nodes:
            if node.id not in ran and node() is not None:
                return None
        self._gone.update(gone)
        rest = [record for record in rest if self._concerns_others(record, runs)]
        self.recorder.values.difference_update(died)
        self.recorder.lost.update(made)
        return rest

    def _concerns_others(self, record: Any, runs: set[int]) -> bool:
        """Whether a record of a turn that is let go must be told all the same."""
        recorder, gone = self.recorder, self._gone
        form = type(record)
        if form is Ref:
            return recorder.lost.pop(record.id, None) is None
        if form is NodeRef:
            number = record.id
            if number not in gone:
                return True
            gone.discard(number)
            recorder.nodes.discard(number)
            return False
        kind = self.kinds.get(record[0])
        if kind == "free":
            return record[1] not in gone
        if kind == "node" and record[1]() is None:
            gone.add(record[1].id)
            return False
        return kind != "told" or type(record[1]) is not ev.Done or record[1].run not in runs

    def _prune(self, known: list[int]) -> None:
        """Forget values that were let go of earlier and that no tensor is any more."""
        lost = self.recorder.lost
        for value in known:
            record = lost.get(value)
            if record is not None:
                ref = ref_of(record, value)
                tensor = ref()
                if tensor is None or self.known(tensor) is not ref:
                    del lost[value]
                    self.recorder.values.discard(value)
        if len(self._gone) > MAX_GONE:
            self._gone.clear()


def _is_long(mark: Any) -> bool:
    """Whether it is a loop whose own turns make a curve worth keeping."""
    return type(mark) is LoopMark and mark.count > LONG


def ref_of(record: Any, value: int) -> Any:
    """The identity of a value in the record that made it."""
    if type(record[1]) is Ref:
        return record[1]
    return next(made[0] for made in record[5] if made[0].id == value)
