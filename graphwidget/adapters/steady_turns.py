"""Hears a loop whose turns all do the same, as cheaply as can be.

Once turns repeat (``repeats.py``), what the engine says is only compared with what is expected by
the turn before (``steady_plan.py``), and held as it came (``held_turns.py``). Turns in the middle
never become records at all. The newest ones do when somebody looks, or when something else happens.
Until then their tensors stay alive, also for the program's weak references; so only turns of few
numbers are heard in this way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from sys import _getframe
from threading import RLock, get_ident
from time import monotonic
from typing import Any

from ..graph import runtime
from ..graph.base import NodeBase, RunBase, TensorBase
from ..optable import Op
from ..recording.summary import capture
from .heard_ops import HeardOps
from .held_turns import HeldTurns
from .identity import frozen_params
from .local_derivatives import uncopied
from .module_paths import numbers_of
from .position_finder import ours, unheard
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
)  # fmt: skip

NEWEST_HELD, LET_GO_AT_ONCE = 6, 12
"""Turns that are held at least, and those that are let go of together."""

MAX_NUMBERS = 65_536
"""Numbers that a turn's calls may be given and make."""

SLOW_TURN = 0.01
"""Seconds: turns that take longer are heard in full. That costs little of them, and who looks on
sees each at once."""

LOOK_EVERY = 0.002
"""Seconds between two looks at who watches."""

NOTHING: Any = (None,)
"""What is expected of other threads."""

HEARS = (
    "called", "scope", "run_begins", "node_starts", "node_finishes", "leaf_ran", "grad_assigned",
    "stepped", "run_ends",
)  # fmt: skip
"""The methods of the adapter that are replaced by those of the same names here while this is on."""


class SteadyTurns:
    """Hears in the place of the adapter, while it is ``on``."""

    def __init__(self, adapter: HeardOps, says: Mapping[Any, str]) -> None:
        self.adapter = adapter
        self._says = says
        self.on = False
        self._lock = RLock()  # held while something is heard or noted, not while somebody looks
        self._plan: Plan | None = None
        self._opening: Any = None  # what is expected first in a turn
        self._next: Callable[[], Any] = cycle([None]).__next__  # what is expected next
        self._turns: HeldTurns | None = None
        self._heard: list[Any] = []  # theirs
        self._hold = self._heard.append
        self._size = 1  # so much is said in a turn
        self._full = 1  # so much is held when the turn that goes on is over
        self._thread = 0  # whose loop it is, while this is on
        self._turned = self._looked = 0.0  # when a turn was over, and when somebody could look
        self._refused = 0  # the scope of a loop whose turns must be heard in full

    # Switching on and off ------------------------------------------------------------------
    def consider(self) -> None:
        """Turns repeat: hear them from the next one on, if that can be."""
        sorter = self.adapter.sorter
        pattern, turn = sorter.pattern, sorter.newest_turn()
        if self.on or pattern is None or not turn or pattern.loop.scope == self._refused:
            return
        plan = plan_of(pattern, turn, self._says)
        if plan is None:
            self._refused = pattern.loop.scope
            return
        self._plan, self._opening = plan, plan.expected[0]
        if self._opening[-1] is CALL:
            self.adapter.called = self._opening_call  # type: ignore[method-assign]
        else:
            self.adapter.scope = self._opening_scope  # type: ignore[method-assign]

    def _begins(self) -> bool:
        """What opens a turn is said: whether it is heard here from now on."""
        adapter, plan = self.adapter, self._plan
        self._give_back()
        hears: Any = runtime.observer  # others are there while modes of the engine hear as well
        if plan is None or hears is not adapter or not adapter.sorter.at_start(plan.tail):
            return False
        self._turned = monotonic()
        self._take_over(plan)
        self._next()
        return True

    def _take_over(self, plan: Plan) -> None:
        """Hear the turns that begin now."""
        self._next = cycle(plan.expected).__next__
        self._turns = HeldTurns(self.adapter, plan)
        self._heard, self._hold = self._turns.heard, self._turns.heard.append
        self._size = self._full = len(plan.expected)
        self.adapter.__dict__.update({name: getattr(self, name) for name in HEARS})
        self.on, self._thread = True, get_ident()

    def _give_back(self) -> None:
        for name in HEARS:
            self.adapter.__dict__.pop(name, None)

    def note_held(self, written: Sequence[TensorBase] = ()) -> None:
        """Note the turns that are held, and have the adapter hear again. ``written`` are tensors
        whose versions have gone up by one since the last thing that was heard."""
        if not self.on:
            return
        with self._lock:
            turns = self._turns
            if not self.on or turns is None:
                return
            self.on, self._thread = False, 0
            self._turns, self._heard = None, []
            self._hold = self._heard.append
            try:
                turns.try_to_let_go(len(turns.heard) // self._size - NEWEST_HELD)
                turns.note(written)
            except Exception as error:
                self.adapter.fault(error)
            finally:
                self._give_back()  # not before: what the loop's thread hears meanwhile waits here

    def _failed(self, error: BaseException) -> None:
        """Something went wrong while hearing, or the program was interrupted there."""
        if isinstance(error, Exception):
            self.adapter.fault(error)
            return
        self.note_held()  # but for what was being heard
        raise error

    # Hearing -------------------------------------------------------------------------------
    # The hot paths: these run for all that is done in every turn. What is not expected, or said by
    # another thread, is heard by the adapter, after all that is held was noted.
    def called(
        self, op: Op, inputs: Sequence[Any], params: Mapping[str, Any],
        outputs: tuple[TensorBase, ...], node: NodeBase | None,
    ) -> None:  # fmt: skip
        adapter = self.adapter
        try:
            if len(self._heard) == self._full:
                self._turn_is_over()
            with self._lock:
                expected = self._next() if get_ident() == self._thread else NOTHING
                if (
                    expected[0] is op and len(outputs) == 1
                    and adapter.positions.at(_getframe(2)) is expected[1]
                ):  # fmt: skip
                    out = outputs[0]
                    needed = out._requires_grad is not False
                    content = capture(out._data)
                    if type(content[2]) is bytes:  # else it is large
                        given = frozen_params(params) if params else params
                        self._hold((inputs, given, out, node, content, needed))
                        return
            self.note_held()
        except BaseException as error:
            self._failed(error)
            return
        frame: Any = unheard(_getframe(1)).f_back
        adapter.hear_call(op, inputs, params, outputs, node, frame)

    def scope(self, kind: str, of: Any, open: bool) -> None:
        adapter, frame = self.adapter, _getframe(1)
        try:
            if len(self._heard) == self._full:
                self._turn_is_over()
            with self._lock:
                expected = self._next() if get_ident() == self._thread else NOTHING
                if not open:
                    if expected[0] is CLOSE:
                        if kind == "module":
                            adapter.positions.leave()
                        self._hold(kind)
                        return
                elif expected[0] is OPEN and expected[2] == kind:
                    above: Any = frame.f_back
                    if adapter.positions.at(above) is expected[1] and self._opens(
                        kind, of, frame.f_code, expected[1]
                    ):
                        return
            self.note_held()
        except BaseException as error:
            self._failed(error)
            return
        adapter.hear_scope(kind, of, open, unheard(frame))

    def _opens(self, kind: str, of: Any, code: Any, position: Any) -> bool:
        """A scope opens as expected; not if it is a module's that was never met."""
        numbers, adapter = "", self.adapter
        if kind == "module":
            if not adapter.modules.knows(of):
                return False
            adapter.positions.calling = code
            adapter.positions.enter(position)
        elif kind == "step":
            numbers = numbers_of(of)
        self._hold((of, code, numbers))
        return True

    def run_begins(self, run: RunBase) -> None:
        adapter = self.adapter
        try:
            with self._lock:
                expected = self._next() if get_ident() == self._thread else NOTHING
                if (
                    expected[0] is RUN and run._rec is None and not run.retain_graph
                    and stands_at(_getframe(1), expected[2])
                ):  # fmt: skip
                    adapter.begin_local()
                    self._hold(run)
                    return
            self.note_held()
        except BaseException as error:
            self._failed(error)
            return
        type(adapter).run_begins(adapter, run)

    def node_starts(self, run: RunBase, node: NodeBase, grads: tuple[Any, ...]) -> None:
        adapter = self.adapter
        try:
            with self._lock:
                expected = self._next() if get_ident() == self._thread else NOTHING
                if expected[0] is START and expected[1] is node.__class__:
                    taken = adapter.take(grads)
                    self._hold((node, taken, adapter.local(node, taken, uncopied)))
                    return
            self.note_held()
        except BaseException as error:
            self._failed(error)
            return
        type(adapter).node_starts(adapter, run, node, grads)

    def node_finishes(
        self, run: RunBase, node: NodeBase, grads: tuple[Any, ...], freed: bool
    ) -> None:
        adapter = self.adapter
        try:
            with self._lock:
                expected = self._next() if get_ident() == self._thread else NOTHING
                if expected[0] is FINISH and expected[1] is node.__class__:
                    self._hold((node, freed, adapter.take(grads)))
                    return
            self.note_held()
        except BaseException as error:
            self._failed(error)
            return
        type(adapter).node_finishes(adapter, run, node, grads, freed)

    def leaf_ran(self, run: RunBase, node: Any, grad: Any) -> None:
        adapter = self.adapter
        try:
            with self._lock:
                tensor = node.variable
                expected = self._next() if get_ident() == self._thread else NOTHING
                if expected[0] is LEAF and tensor._grad._node is None:
                    taken = adapter.take((grad,))
                    self._hold((node, taken, adapter.grad_content(tensor, taken[0])))
                    return
            self.note_held()
        except BaseException as error:
            self._failed(error)
            return
        type(adapter).leaf_ran(adapter, run, node, grad)

    def grad_assigned(self, tensor: TensorBase) -> None:
        adapter = self.adapter
        try:
            with self._lock:
                grad = tensor._grad
                expected = self._next() if get_ident() == self._thread else NOTHING
                if expected[0] is GRAD and (grad is None or grad._node is None):
                    self._hold((tensor, adapter.grad_content(tensor, None)))
                    return
            self.note_held()
        except BaseException as error:
            self._failed(error)
            return
        type(adapter).grad_assigned(adapter, tensor)

    def stepped(self, optimizer: Any, parameters: Sequence[TensorBase]) -> None:
        adapter = self.adapter
        try:
            with self._lock:
                expected = self._next() if get_ident() == self._thread else NOTHING
                if (
                    expected[0] is STEP and expected[1] == type(optimizer).__name__
                    and not any(each._view for each in parameters)
                ):  # fmt: skip
                    adapter.forget_last()
                    after = [(x, x._counter.version, capture(x._data)) for x in parameters]
                    self._hold((optimizer, after))
                    return
            self.note_held(parameters)
        except BaseException as error:
            self._failed(error)
            return
        type(adapter).stepped(adapter, optimizer, parameters)

    def run_ends(self, run: RunBase, status: str, error: BaseException | None) -> None:
        try:
            with self._lock:
                expected = self._next() if get_ident() == self._thread else NOTHING
                if expected[0] is DONE and status == "ok":
                    self._hold(None)
                    return
            self.note_held()
        except BaseException as raised:
            self._failed(raised)
            return
        type(self.adapter).run_ends(self.adapter, run, status, error)

    # Where turns begin and end -------------------------------------------------------------
    def _opening_call(
        self, op: Op, inputs: Sequence[Any], params: Mapping[str, Any],
        outputs: tuple[TensorBase, ...], node: NodeBase | None,
    ) -> None:  # fmt: skip
        """A call, while a turn is awaited."""
        adapter, opening = self.adapter, self._opening
        frame: Any = unheard(_getframe(1)).f_back
        try:
            with self._lock:  # as everywhere: another thread may note what is held
                if (
                    opening[0] is op and len(outputs) == 1
                    and adapter.positions.at(frame) is opening[1] and self._begins()
                ):  # fmt: skip
                    out = outputs[0]
                    needed = out._requires_grad is not False
                    content = capture(out._data)
                    self._hold((inputs, frozen_params(params), out, node, content, needed))
                    return
        except BaseException as error:
            self._failed(error)
            return
        adapter.hear_call(op, inputs, params, outputs, node, frame)

    def _opening_scope(self, kind: str, of: Any, open: bool) -> None:
        """A scope opens or closes, while a turn is awaited."""
        adapter, opening = self.adapter, self._opening
        frame = unheard(_getframe(1))
        above: Any = frame.f_back
        try:
            with self._lock:
                if (
                    open and opening[2] == kind and adapter.positions.at(above) is opening[1]
                    and adapter.modules.knows(of) == (kind == "module") and self._begins()
                ):  # fmt: skip
                    self._opens(kind, of, frame.f_code, opening[1])
                    return
        except BaseException as error:
            self._failed(error)
            return
        adapter.hear_scope(kind, of, open, frame)

    def _turn_is_over(self) -> None:
        """The next turn begins. Now and then somebody may look, and older turns are let go of."""
        turns, plan, adapter = self._turns, self._plan, self.adapter
        if turns is None or plan is None or get_ident() != self._thread:
            return
        self._full += self._size
        before, self._turned = self._turned, monotonic()
        if self._turned - before > SLOW_TURN:
            self.note_held()
            return
        if adapter.on_pulse is not None and self._turned - self._looked > LOOK_EVERY:
            self._looked = self._turned
            adapter.sorter.pulse(adapter.on_pulse, self._turned)
            self._turned = monotonic()
            with self._lock:
                if not self.on and adapter.active:  # what was held is told
                    self._take_over(plan)
        with self._lock:
            if turns is not self._turns:
                return
            count = len(turns.heard) // self._size
            if 1 < count < NEWEST_HELD + LET_GO_AT_ONCE:
                return
            few = turns.numbers_of_newest() <= MAX_NUMBERS
            if few and (count == 1 or turns.try_to_let_go(LET_GO_AT_ONCE)):
                self._full = len(turns.heard) + self._size
                return
            loop = adapter.sorter.scopes.loop
            self._refused = 0 if loop is None else loop.scope
            self.note_held()


def stands_at(frame: Any, users: Sequence[tuple[Any, int]]) -> bool:
    """Whether a frame is called by these lines of the program, the innermost first."""
    for code, lasti in users:
        while frame is not None and ours(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is None or frame.f_lasti != lasti or frame.f_code is not code:
            return False
        frame = frame.f_back
    return True
