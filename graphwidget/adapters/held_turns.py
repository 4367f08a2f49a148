"""Turns of a loop that are held as they were heard (``steady_turns.py``), to be noted later.

To *hold* is to keep what the engine said, with the tensors that it spoke of; to *note* is to make
the raw records of it. The oldest turns are let go of without being noted. What remains of them is
what others can see: numbers with names, the parameters, and values that the program still has.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from sys import getrefcount
from typing import Any

import numpy as np
from numpy import ndarray

from ..graph.base import TensorBase
from ..recording import events as ev
from ..recording.recorder import NodeRef
from ..recording.summary import Captured
from .heard_ops import HeardOps
from .local_derivatives import Copied, copied_of
from .scope_marks import Given
from .sorting import PASSED
from .steady_plan import CLOSE, DONE, FINISH, GRAD, LEAF, OPEN, RUN, START, STEP, Plan

Row = tuple[list[Given], list[int]]
"""What remains of a turn: the numbers that it gave names to, and the roots of its backward runs."""

Stepped = tuple[TensorBase, int, Captured]
"""A parameter after a step: its version and what it held."""

MANY: Captured = (np.dtype("float32"), (), b"")
"""Stands for what is more than one number."""


def _references_of_one() -> int:
    """What ``getrefcount`` tells of a tensor that only a list of pairs still has, in a loop over
    it (the number differs between versions of Python)."""
    for each, _ in [(object(), 0)]:
        return getrefcount(each)
    return 0


UNSHARED = _references_of_one()


class HeldTurns:
    """The turns of one loop, from one of them on."""

    def __init__(self, adapter: HeardOps, plan: Plan) -> None:
        self.adapter = adapter
        self.plan = plan
        self.size = len(plan.expected)
        self.heard: list[Any] = []
        """What was said, in the order of the plan, from the start of the oldest turn."""
        self._gone = 0  # so many turns were let go of
        self._columns: list[list[Captured]] = [[] for _call in plan.named]
        """The numbers that they gave names to: a column for each call that does."""
        self._stepped: dict[int, Stepped] = {}  # how they left the parameters
        self._nodes: dict[int, int | None] = {}
        self._roots: dict[int, int] = {}
        self._start = adapter.positions.mark()
        self._before = len(adapter.raw)  # records that came before these turns

    # Letting go ----------------------------------------------------------------------------
    def numbers_of_newest(self) -> int:
        """How many numbers there are in what the newest turn's calls were given and made."""
        newest = self.heard[-self.size :]
        return sum(
            [x._data.size for nr in self.plan.calls for x in (*newest[nr][0], newest[nr][2])]
        )

    def try_to_let_go(self, count: int) -> bool:
        """Let go of so many turns, the oldest. False, and nothing is done, if a later backward
        could still run through them."""
        if count <= 0:
            return True
        plan, heard, size = self.plan, self.heard, self.size
        end = count * size
        if not self._gone:
            self._find_runs()
        for nr, ran in self._nodes.items():
            those = [None] * count if ran is None else [each[0] for each in heard[ran:end:size]]
            if [each[3] for each in heard[nr:end:size]] != those:
                return False
        for run, nr in self._roots.items():
            those = [id(each[2]) for each in heard[nr:end:size]]
            if [id(each.tensors[0]) for each in heard[run:end:size]] != those:
                return False
        for column, (nr, _names) in zip(self._columns, plan.named, strict=True):
            column += [_number(each[4]) for each in heard[nr:end:size]]
        for nr in plan.steps:  # what the last turn has left all of them have
            self._stepped |= {id(each[0]): each for each in heard[end - size + nr][1]}
        self._gone += count
        values = [(each[2], each[4]) for nr in plan.calls for each in heard[nr:end:size]]
        del heard[:end]  # here the program's finalizers may run
        for tensor, content in values:
            if getrefcount(tensor) > UNSHARED:
                self._pass_over(tensor, content)
        return True

    def _find_runs(self) -> None:
        """In a turn: where the nodes of its calls run, and which call has made what a run goes
        backward from."""
        heard, plan = self.heard, self.plan
        ran = {id(heard[nr][0]): nr for nr in plan.starts}
        self._nodes = {nr: ran.get(id(heard[nr][3])) for nr in plan.calls}
        made = {id(heard[nr][2]): nr for nr in plan.calls}
        for run in plan.runs:
            root = made.get(id(heard[run].tensors[0])) if heard[run].tensors else None
            if root is not None:
                self._roots[run] = root

    def _pass_over(self, tensor: TensorBase, content: Captured) -> None:
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
        """The turns that were let go of. The place of a call stands for the id of its result."""
        names, roots = self.plan.named, list(self._roots.values())
        rows = zip(*self._columns, strict=True) if names else [()] * self._gone
        return [
            ([(nr, told, content) for (nr, told), content in zip(names, row, strict=True)], roots)
            for row in rows
        ]

    # Noting --------------------------------------------------------------------------------
    def note(self, written: Sequence[TensorBase]) -> None:
        """Make the records of the turns; some tensors were ``written`` once since. Each record sees
        the versions of its time."""
        then = {tensor._counter: version for tensor, version, _ in self._stepped.values()}
        for expected, each in zip(cycle(self.plan.expected), self.heard, strict=False):
            for tensor, version, _content in each[1] if expected[0] is STEP else ():
                then.setdefault(tensor._counter, version - 1)
        for tensor in written:
            then.setdefault(tensor._counter, tensor._counter.version - 1)
        identity = self.adapter.identity
        with self.adapter.recorder.lock:  # another thread may look meanwhile
            identity.then = then
            try:
                self._note_all(written)
            finally:
                identity.then = {}
                self.heard.clear()

    def _note_all(self, written: Sequence[TensorBase]) -> None:
        adapter, heard = self.adapter, self.heard
        adapter.positions.back_to(self._start)
        later = adapter.raw[self._before :]  # what died since
        del adapter.raw[self._before :]
        try:
            if self._gone:
                adapter.raw.append((PASSED, self._rows(), False, False))
            for tensor, _version, content in self._stepped.values():
                adapter.identity.pass_over(tensor, content)
            run: Any = None
            for nr, expected in zip(range(len(heard)), cycle(self.plan.expected), strict=False):
                each, heard[nr] = heard[nr], None  # what nobody has any more dies in its order
                if expected[0] is RUN:
                    run = each
                self._note_one(expected, each, run, written)
        finally:
            adapter.raw += later

    def _note_one(self, expected: Any, heard: Any, run: Any, written: Sequence[TensorBase]) -> None:
        adapter, what = self.adapter, expected[0]
        if what is OPEN:
            of, code, numbers = heard
            adapter.note_scope(expected[2], of, expected[1], code, numbers)
        elif what is CLOSE:
            adapter.note_end(heard)
        elif what is RUN:
            adapter.note_run(run, expected[1])
        elif what is START:
            node, grads, local = heard
            adapter.note_start(run, node, grads, _still(local, written))
        elif what is FINISH:
            adapter.note_finish(run, *heard)
        elif what is LEAF:
            node, grads, content = heard
            adapter.note_leaf(run, node, grads, content, _plain_grad(node.variable))
        elif what is GRAD:
            tensor, content = heard
            adapter.note_grad(tensor, content, _plain_grad(tensor))
        elif what is DONE:
            adapter.raw.append((adapter.recorder.tell, ev.Done(run._rec, "ok")))
        elif what is STEP:
            optimizer, parameters = heard
            adapter.identity.then |= {each[0]._counter: each[1] for each in parameters}
            adapter.note_step(optimizer, [(each[0], each[2]) for each in parameters])
        else:
            op, position = expected[:2]
            inputs, params, out, node, content, needed = heard
            adapter.positions.site = position.site
            placed = position.result or (position, (), ())
            adapter.note_call(op, inputs, params, out, node, placed, content, needed)


def _number(content: Captured) -> Captured:
    """What was captured, if that is one number: only those are told of all turns."""
    data = content[2]
    return content if type(data) is bytes and len(data) == content[0].itemsize else MANY


def _plain_grad(tensor: TensorBase) -> TensorBase | None:
    """A tensor's ``.grad``, if it has no history: none had that was held."""
    grad: TensorBase | None = tensor._grad
    return None if grad is None or grad._node is not None else grad


def _still(local: Copied | None, written: Sequence[TensorBase]) -> Copied | None:
    """What local derivatives follow from; None if it holds other numbers now."""
    if local is None:
        return None
    arrays = [each for each in local[2] if isinstance(each, ndarray)]
    if any(np.may_share_memory(each, tensor._data) for each in arrays for tensor in written):
        return None
    return copied_of(local)
