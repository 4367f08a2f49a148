"""Turns of a loop that are held as they were heard (``steady_turns.py``), to be noted later.

Of what is held the plan says what it is (``steady_plan.py``). Turns in the middle are let go of;
what remains of them is what others can see: numbers with names, the parameters, and values that
the program still has. The others are noted as if they happened now.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from sys import getrefcount
from typing import Any

from ..graph.base import TensorBase
from ..recording import events as ev
from ..recording.recorder import NodeRef
from ..recording.summary import Captured
from .heard_ops import HeardOps
from .local_derivatives import copied_of
from .module_paths import numbers_told
from .scope_marks import Given
from .sorting import PASSED
from .steady_plan import CLOSE, DONE, FINISH, GRAD, LEAF, OPEN, RUN, START, STEP, Plan

UNSHARED = 3
"""References to a value of which nobody else has one: those of ``HeldTurns.let_go``."""

Row = tuple[list[Given], list[int]]
"""What remains of a turn: the numbers that it gave names to, and the roots of its backward runs."""

Stepped = tuple[TensorBase, int, Captured]
"""A parameter after a step: its version and what it held."""


class HeldTurns:
    """The turns of one loop, from one of them on."""

    def __init__(self, adapter: HeardOps, plan: Plan) -> None:
        self.adapter = adapter
        self.plan = plan
        self.kept: list[Any] = []
        """What was said, in the order of the plan, from the start of the oldest turn."""
        self._gone = 0  # so many turns were let go of
        self._columns: list[list[Captured]] = [[] for _call in plan.named]
        """What they gave names to: a column for each call that does."""
        self._stepped: dict[int, Stepped] = {}  # how they left the parameters
        self._nodes: dict[int, int | None] = {}
        self._roots: dict[int, int] = {}
        self._start = adapter.positions.mark()
        self._before = len(adapter.raw)  # records that came before these turns

    # Letting go ----------------------------------------------------------------------------
    def drop_incomplete(self) -> None:
        """A turn has begun: the one before is complete, unless the program was interrupted while
        something was said, and went on."""
        extra = len(self.kept) % len(self.plan.said)
        if extra:
            del self.kept[-extra:]

    def let_go(self, count: int) -> bool:
        """Let go of so many turns, the oldest; whether that can be: not where a run may still go
        backward through what they made."""
        if count <= 0:
            return True
        plan, kept, size = self.plan, self.kept, len(self.plan.said)
        end = count * size
        if not self._gone:
            self._find_runs()
        for nr, ran in self._nodes.items():
            those = [None] * count if ran is None else [each[0] for each in kept[ran:end:size]]
            if [each[3] for each in kept[nr:end:size]] != those:
                return False
        for run, nr in self._roots.items():
            those = [id(each[2][0]) for each in kept[nr:end:size]]
            if [id(each.tensors[0]) for each in kept[run:end:size]] != those:
                return False
        for column, (nr, _names) in zip(self._columns, plan.named, strict=True):
            column += [each[4] for each in kept[nr:end:size]]
        for nr in plan.steps:  # what the last turn has left all of them have
            self._stepped |= {id(each[0]): each for each in kept[end - size + nr][1]}
        values = [(each[2][0], each[4]) for nr in plan.calls for each in kept[nr:end:size]]
        del kept[:end]
        for tensor, content in values:
            if getrefcount(tensor) > UNSHARED:
                self._survives(tensor, content)
        self._gone += count
        return True

    def _find_runs(self) -> None:
        """In a turn: where the nodes of its calls run, and which call has made what a run goes
        backward from."""
        kept, plan = self.kept, self.plan
        ran = {id(kept[nr][0]): nr for nr in plan.starts}
        self._nodes = {nr: ran.get(id(kept[nr][3])) for nr in plan.calls}
        made = {id(kept[nr][2][0]): nr for nr in plan.calls}
        for run in plan.runs:
            root = made.get(id(kept[run].tensors[0])) if kept[run].tensors else None
            if root is not None:
                self._roots[run] = root

    def _survives(self, tensor: TensorBase, content: Captured) -> None:
        """Somebody still has what was made in a turn that was let go of: it is told when it is
        used."""
        adapter, node = self.adapter, tensor._node
        adapter.identity.pass_over(tensor, content)
        if node is not None and node._rec is None:
            known = node._rec = NodeRef(node, adapter.raw.append)
            known.id = adapter.recorder.ids.node()
            known.edge = known.id, 0
            adapter.nodes.add(known.id)
            adapter.sorter.ring.gone.add(known.id)

    def _rows(self) -> list[Row]:
        """The turns that were let go of. The number of a call stands for what it made."""
        names, roots = self.plan.named, list(self._roots.values())
        rows = zip(*self._columns, strict=True) if names else [()] * self._gone
        return [
            ([(nr, told, content) for (nr, told), content in zip(names, row, strict=True)], roots)
            for row in rows
        ]

    # Noting --------------------------------------------------------------------------------
    def note(self, written: Sequence[TensorBase]) -> None:
        """Note the turns, with the versions that tensors had then; some were ``written`` once
        since."""
        before = {key: each[:2] for key, each in self._stepped.items()}
        for said, each in zip(cycle(self.plan.said), self.kept, strict=False):
            for tensor, version, _content in each[1] if said[0] is STEP else ():
                before.setdefault(id(tensor), (tensor, version - 1))
        for tensor in written:
            before.setdefault(id(tensor), (tensor, tensor._counter.version - 1))
        now = [(tensor, tensor._counter.version) for tensor, _version in before.values()]
        try:
            for tensor, version in before.values():
                tensor._counter.version = version
            with self.adapter.recorder.lock:  # another thread may look meanwhile
                self._note_all(not written)
        finally:
            self.kept.clear()
            for tensor, version in now:
                tensor._counter.version = version

    def _note_all(self, as_it_was: bool) -> None:
        """Note what remains of the turns that were let go of, and the others; ``as_it_was`` tells
        whether arrays still hold what they did."""
        adapter, kept = self.adapter, self.kept
        adapter.positions.back_to(self._start)
        later = adapter.raw[self._before :]  # what died since, and what other threads did
        del adapter.raw[self._before :]
        if self._gone:
            adapter.raw.append((PASSED, self._rows()))
        for tensor, _version, content in self._stepped.values():
            adapter.identity.pass_over(tensor, content)
        run: Any = None
        for nr, said in zip(range(len(kept)), cycle(self.plan.said), strict=False):
            each, kept[nr] = kept[nr], None  # what nobody has any more dies in its order
            if said[0] is RUN:
                run = each
            self._note_one(said, each, run, as_it_was)
        adapter.raw += later

    def _note_one(self, said: Any, held: Any, run: Any, as_it_was: bool) -> None:
        """Note what was said once."""
        adapter, what = self.adapter, said[0]
        if what is OPEN:
            of, code, values = held
            numbers = numbers_told(values) if values else ""
            adapter.note_scope(said[2], of, said[1], code, numbers)
        elif what is CLOSE:
            adapter.note_end(held)
        elif what is RUN:
            adapter.note_run(run, said[1])
        elif what is START:
            node, grads, local = held
            copied = copied_of(local) if local is not None and as_it_was else None
            adapter.note_start(run, node, grads, copied)
        elif what is FINISH:
            adapter.note_finish(run, *held)
        elif what is LEAF:
            adapter.note_leaf(run, *held)
        elif what is GRAD:
            adapter.note_grad(*held)
        elif what is DONE:
            adapter.raw.append((adapter.recorder.tell, ev.Done(run._rec, "ok")))
        elif what is STEP:
            for tensor, version, _content in held[1]:
                tensor._counter.version = version
            adapter.note_step(held[0], [(tensor, content) for tensor, _version, content in held[1]])
        else:
            op, position = said[:2]
            inputs, params, outputs, node, content = held
            adapter.positions.site = position.site
            placed = position.result or (position, (), ())
            adapter.note_call(op, inputs, params, outputs[0], node, placed, content)
