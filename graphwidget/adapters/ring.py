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
from .scopes import Mark, Scopes

BUDGET = 800
"""Records of which events are made when the program has done more than that in turns."""

LIVE = 120
"""The same while the program runs: the turn that is shown then is soon another's past."""

MAX_GONE = 10_000

LONG = 20

MAX_LOOPS = 8
"""Loops of which turns are let go at once."""

Span = tuple[Mark, int, int]


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

    def thin(self, records: list[Any], budget: int) -> list[Any]:
        """The records without turns in the middle, if there are more of them than ``budget``."""
        for _ in range(MAX_LOOPS):
            if len(records) <= budget:
                break
            before, loops = len(records), self._loops(records)
            for spans in loops:
                records = self._without(records, spans, budget // (2 * len(loops)))
                if len(records) < before:
                    break
            else:
                break
        return records

    def _without(self, records: list[Any], spans: list[Span], wanted: int) -> list[Any]:
        """The records without the turns in the middle of a loop: of the newest ones so many stay
        as make up ``wanted`` records."""
        kept, size = [spans[-1]], spans[-1][2] - spans[-1][1]
        for span in reversed(spans[:-1]):
            length = span[2] - span[1]
            if size + length > wanted and span[0].count != 1:
                break
            size += length
            kept.append(span)
        first = kept[-1][1]
        found: list[Any] = []
        before = list(self.recorder.lost)
        at = 0
        for mark, start, end in spans:
            if start >= first:
                break
            if mark.name == "1" or not self._over(records[start:end]):
                continue
            found += records[at:start]
            found += self._rest(records[start:end])
            at = end
        found += records[at:]
        self._prune(before)
        return found

    def _loops(self, records: list[Any]) -> list[list[Span]]:
        """The turns that are over, by their loops: first of those that run backward, and first of
        those with most turns."""
        opens, closes = self.scopes.opens, self.scopes.closes
        started: dict[Mark, int] = {}
        runs: set[Mark] = set()
        loops: dict[Mark | None, list[Span]] = {}
        begins = {function for function, kind in self.kinds.items() if kind == "begin"}
        ways = {opens, closes, *begins}
        for at, record in enumerate(records):
            if type(record) is not tuple or (function := record[0]) not in ways:
                continue
            mark = record[1]
            if function in begins:
                runs.update(mark.loop for mark in started if mark.loop is not None)
            elif function is opens:
                if mark.kind == "turn":
                    started[mark] = at
            elif mark in started:
                loops.setdefault(mark.loop, []).append((mark, started.pop(mark), at + 1))
        several = [(loop in runs, len(spans), spans) for loop, spans in loops.items()]
        several.sort(key=lambda each: each[:2], reverse=True)
        return [spans for _runs, turns, spans in several if turns > 2]

    def _over(self, records: list[Any]) -> bool:
        """Whether nothing will run backward any more through what these records made."""
        kinds = self.kinds
        ran: set[int] = set()
        nodes: list[NodeRef] = []
        for record in records:
            if type(record) is not tuple:
                continue
            kind = kinds.get(record[0])
            if kind == "finish":
                ran.add(record[2].id)
            elif kind == "free":
                ran.add(record[1])
            elif kind == "call":
                if record[6] is not None:
                    nodes.append(record[6])
            elif kind == "node":
                if record[2].variable is None:  # a leaf's lives as long as the leaf
                    nodes.append(record[1])
            elif kind == "error" or (kind == "turn" and _is_long(record[1])):
                return False
        return all(node.id in ran or node() is None for node in nodes)

    def _rest(self, records: list[Any]) -> list[Any]:
        """What remains of records that are let go."""
        kinds, lost, recorder, gone = self.kinds, self.recorder.lost, self.recorder, self._gone
        runs: set[int] = set()
        rest: list[Any] = []
        for record in records:
            form = type(record)
            if form is Ref:
                number = record.id
                recorder.values.discard(number)
                if lost.pop(number, None) is None:
                    rest.append(record)
                continue
            if form is NodeRef:
                number = record.id
                if number in gone:
                    gone.discard(number)
                    recorder.nodes.discard(number)
                else:
                    rest.append(record)
                continue
            kind = kinds.get(record[0])
            if kind == "run" or kind == "turn":
                continue
            if kind == "call":
                for made in record[5]:
                    lost[made[0].id] = record
                if record[6] is not None:
                    gone.add(record[6].id)
            elif kind == "node":
                if record[1]() is None:
                    gone.add(record[1].id)
                else:
                    rest.append(record)
            elif kind == "value":
                lost[record[1].id] = record
            elif kind == "begin":
                runs.add(record[3].run)
            elif kind == "free":
                if record[1] not in gone:
                    rest.append(record)
            elif kind == "told":
                if type(record[1]) is not ev.Done or record[1].run not in runs:
                    rest.append(record)
            elif kind is None:
                rest.append(record)
        return rest

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
    return type(mark) is Mark and mark.kind == "loop" and mark.count > LONG


def ref_of(record: Any, value: int) -> Any:
    """The identity of a value in the record that made it."""
    if type(record[1]) is Ref:
        return record[1]
    return next(made[0] for made in record[5] if made[0].id == value)
