"""Hears a loop whose turns all do the same, as cheaply as can be.

Once turns repeat (``repeats.py``), what the engine says is only compared with what it said in the
turn before (``steady_plan.py``), and held as it came (``held_turns.py``). Of turns in the middle
nothing else is ever made. The newest ones are noted when somebody looks, or when something else
happens. Until then their tensors live: only turns of few numbers are heard in this way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from sys import _getframe
from threading import get_ident
from time import monotonic
from typing import Any

from ..graph import runtime
from ..graph.base import NodeBase, RunBase, TensorBase
from ..optable import Op
from ..recording.summary import capture
from .heard_ops import HeardOps
from .held_turns import HeldTurns
from .local_derivatives import FIRST_NODES, held
from .module_paths import numbers_in
from .position_finder import ours, unheard
from .ring import NEWEST
from .steady_plan import (
    CALL,
    CLOSE,
    DONE,
    FINISH,
    GRAD,
    LEAF,
    OPEN,
    RUN,
    START,
    STEP,
    Plan,
    plan_of,
)

BATCH = 12
"""So many turns are let go of at once."""

SLOW = 0.01
"""Seconds: turns that take longer are heard in full. That costs little of them, and who looks on
sees each at once."""

QUICK = 0.002
"""Seconds between two looks at who watches."""

HEARS = (
    "called", "scope", "run_begins", "node_starts", "node_finishes", "leaf_ran", "grad_assigned",
    "stepped", "run_ends",
)  # fmt: skip
"""The methods of the adapter in whose place those of the same names are called meanwhile."""


class SteadyTurns:
    """Hears in the place of the adapter, while it is ``on``."""

    def __init__(self, adapter: HeardOps, says: Mapping[Any, str]) -> None:
        self.adapter = adapter
        self._says = says
        self.on = False
        self._plan: Plan | None = None  # what is said in a turn
        self._first: Any = None  # what is said first in it
        self._say: Callable[[], Any] = cycle([None]).__next__  # what is to be said next
        self._turns: HeldTurns | None = None
        self._kept: list[Any] = []  # theirs
        self._keep = self._kept.append
        self._most = 0  # so much may be kept
        self._thread = 0
        self._turned = self._looked = 0.0  # when the turn began, and when somebody could look
        self._refused = 0  # the scope of a loop whose turns must be heard in full

    # Switching on and off ------------------------------------------------------------------
    def consider(self) -> None:
        """Turns repeat: hear them from the next one on, if that can be."""
        sorter = self.adapter.sorter
        pattern = sorter.pattern
        turn = sorter.newest_turn()
        if self.on or pattern is None or not turn or pattern.loop.scope == self._refused:
            return
        plan = plan_of(pattern, turn, self._says)
        if plan is None:
            self._refused = pattern.loop.scope
            return
        self._plan, self._first = plan, plan.said[0]
        self._most = (NEWEST + BATCH) * len(plan.said)
        self.adapter.__dict__.update(
            {"called": self._awaited_call}
            if self._first[2] is CALL
            else {"scope": self._awaited_scope}
        )

    def _begins(self) -> bool:
        """The first thing of a turn is said: whether it is heard here from now on."""
        adapter = self.adapter
        self._hear_no_more()
        hears: Any = runtime.observer  # others are there while modes of the engine hear as well
        if hears is not adapter or not adapter.sorter.at_start():
            return False
        self._thread, self._turned = get_ident(), monotonic()
        self._go_on()
        return True

    def _go_on(self) -> None:
        """Hear the turn that begins: its first thing was said."""
        adapter, plan = self.adapter, self._plan
        assert plan is not None
        self.on = True
        self._say = cycle(plan.said).__next__
        self._say()
        self._turns = HeldTurns(adapter, plan)
        self._kept, self._keep = self._turns.kept, self._turns.kept.append
        adapter.__dict__.update({name: getattr(self, name) for name in HEARS})

    def _hear_no_more(self) -> None:
        self.on = False
        for name in HEARS:
            self.adapter.__dict__.pop(name, None)

    def leave(self, written: Sequence[TensorBase] = ()) -> None:
        """Note what is held, if it is this thread that is heard; tensors were ``written`` since,
        once. The adapter hears again."""
        turns = self._turns
        if not self.on or turns is None or get_ident() != self._thread:
            return
        self._hear_no_more()
        self._turns, self._kept = None, []
        try:
            turns.let_go(len(turns.kept) // len(turns.plan.said) - NEWEST)
            turns.note(written)
        except Exception as error:
            self.adapter.fault(error)

    # Hearing -------------------------------------------------------------------------------
    # The hot paths: these run for all that is done in every turn.
    def called(
        self, op: Op, inputs: Sequence[Any], params: Mapping[str, Any],
        outputs: tuple[TensorBase, ...], node: NodeBase | None,
    ) -> None:  # fmt: skip
        adapter = self.adapter
        try:
            said = self._say()
            if (
                said[0] is op and adapter.positions.at(_getframe(2)) is said[1]
                and (said is not self._first or self._turn_begins())
            ):  # fmt: skip
                self._keep((inputs, params, outputs, node, capture(outputs[0]._data)))
                return
            self.leave()
            frame: Any = unheard(_getframe(1)).f_back
            adapter.hear_call(op, inputs, params, outputs, node, frame)
        except Exception as error:
            adapter.fault(error)

    def scope(self, kind: str, of: Any, open: bool) -> None:
        adapter = self.adapter
        try:
            said, positions = self._say(), adapter.positions
            frame = _getframe(1)
            if not open:
                if said[0] is CLOSE:
                    if kind == "module":
                        positions.leave()
                    self._keep(kind)
                    return
            elif said[0] is OPEN and said[2] == kind:
                above: Any = frame.f_back
                if positions.at(above) is said[1] and (
                    said is not self._first or self._turn_begins()
                ):
                    self._opens(kind, of, frame.f_code, said[1])
                    return
            self.leave()
            adapter.hear_scope(kind, of, open, unheard(frame))
        except Exception as error:
            adapter.fault(error)

    def _opens(self, kind: str, of: Any, code: Any, position: Any) -> None:
        if kind == "module":
            positions = self.adapter.positions
            positions.calling = code
            positions.enter(position)
        self._keep((of, code, numbers_in(of) if kind == "step" else ()))

    def run_begins(self, run: RunBase) -> None:
        adapter = self.adapter
        try:
            said = self._say()
            if said[0] is RUN and run._rec is None:
                frame: Any = _getframe(1)
                while ours(frame.f_code.co_filename):
                    frame = frame.f_back
                user = said[2]
                if frame.f_lasti == user.lasti and frame.f_code is user.code:
                    adapter._left = FIRST_NODES
                    self._keep(run)
                    return
        except Exception as error:
            adapter.fault(error)
            return
        self.leave()
        adapter.run_begins(run)

    def node_starts(self, run: RunBase, node: NodeBase, grads: tuple[Any, ...]) -> None:
        adapter = self.adapter
        try:
            said = self._say()
            if said[0] is START and said[1] is node.__class__:
                taken = adapter.take(grads)
                self._keep((node, taken, adapter.local(node, taken, held)))
                return
        except Exception as error:
            adapter.fault(error)
            return
        self.leave()
        adapter.node_starts(run, node, grads)

    def node_finishes(
        self, run: RunBase, node: NodeBase, grads: tuple[Any, ...], freed: bool
    ) -> None:
        try:
            said = self._say()
            if said[0] is FINISH and said[1] is node.__class__:
                self._keep((node, freed, self.adapter.take(grads)))
                return
        except Exception as error:
            self.adapter.fault(error)
            return
        self.leave()
        self.adapter.node_finishes(run, node, grads, freed)

    def leaf_ran(self, run: RunBase, node: Any, grad: Any) -> None:
        adapter = self.adapter
        try:
            said, tensor = self._say(), node.variable
            if said[0] is LEAF and tensor._grad._node is None:
                grads = adapter.take((grad,))
                self._keep((node, grads, adapter.grad_content(tensor, grads[0])))
                return
        except Exception as error:
            adapter.fault(error)
            return
        self.leave()
        adapter.leaf_ran(run, node, grad)

    def grad_assigned(self, tensor: TensorBase) -> None:
        try:
            said, grad = self._say(), tensor._grad
            if said[0] is GRAD and (grad is None or grad._node is None):
                self._keep((tensor, self.adapter.grad_content(tensor, None)))
                return
        except Exception as error:
            self.adapter.fault(error)
            return
        self.leave()
        self.adapter.grad_assigned(tensor)

    def stepped(self, optimizer: Any, parameters: Sequence[TensorBase]) -> None:
        adapter = self.adapter
        try:
            said, name = self._say(), type(optimizer).__name__
            if said[0] is STEP and said[1] == name and not any(x._view for x in parameters):
                adapter.forget_last()
                self._keep(
                    (optimizer, [(x, x._counter.version, capture(x._data)) for x in parameters])
                )
                return
        except Exception as error:
            adapter.fault(error)
            return
        self.leave(parameters)
        adapter.stepped(optimizer, parameters)

    def run_ends(self, run: RunBase, status: str, error: BaseException | None) -> None:
        if self._say()[0] is DONE and status == "ok":
            self._keep(None)
            return
        self.leave()
        self.adapter.run_ends(run, status, error)

    # The first of a turn -------------------------------------------------------------------
    def _awaited_call(
        self, op: Op, inputs: Sequence[Any], params: Mapping[str, Any],
        outputs: tuple[TensorBase, ...], node: NodeBase | None,
    ) -> None:  # fmt: skip
        adapter, first = self.adapter, self._first
        try:
            frame: Any = unheard(_getframe(1)).f_back
            if first[0] is op and adapter.positions.at(frame) is first[1] and self._begins():
                self._keep((inputs, params, outputs, node, capture(outputs[0]._data)))
            else:
                adapter.hear_call(op, inputs, params, outputs, node, frame)
        except Exception as error:
            adapter.fault(error)

    def _awaited_scope(self, kind: str, of: Any, open: bool) -> None:
        adapter, first = self.adapter, self._first
        try:
            frame = unheard(_getframe(1))
            above: Any = frame.f_back
            if (
                open and first[2] == kind and adapter.positions.at(above) is first[1]
                and self._begins()
            ):  # fmt: skip
                self._opens(kind, of, frame.f_code, first[1])
            else:
                adapter.hear_scope(kind, of, open, frame)
        except Exception as error:
            adapter.fault(error)

    def _turn_begins(self) -> bool:
        """Another turn begins: whether it is heard here. Now and then somebody may look, and older
        turns are let go of."""
        adapter, before, now = self.adapter, self._turned, monotonic()
        self._turned = now
        if now - before > SLOW:
            return False
        if adapter.on_pulse is not None and now - self._looked > QUICK:
            self._looked = now
            adapter.sorter.pulse(adapter.on_pulse, now)
            if not self.on:  # so what was held is told
                if not adapter.active:
                    return False
                self._go_on()
        turns, kept = self._turns, self._kept
        assert turns is not None
        if len(kept) % len(turns.plan.said):
            turns.drop_incomplete()
        if len(kept) >= self._most and not turns.let_go(BATCH):
            loop = adapter.sorter.scopes.loop
            self._refused = 0 if loop is None else loop.scope
            return False
        return True
