"""Once the turns of a loop repeat, compares what is done with a plan instead of noting it.

A training loop does the same turn after turn. When ``WAIT`` runs from a line have come about in one
way, what the program does is only compared with the plan of that stretch (``steady_plan.py``) and
held (``held_turns.py``), and no notes are made of it. What is held is noted when anything else
happens, when a run fails or gives what is not finite, or when somebody looks. Turns whose tensors
the program keeps are not held: it may be asked how these came about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from types import FrameType
from typing import Any, Protocol

import torch

from ...recording import events as ev
from ...recording.positions import Position, Region
from ...recording.recorder import Ref
from ..scope_marks import Ticks
from .heard_functions import PLAIN_TYPES
from .held_stretches import HeldCall, Seen, Stretch, WholeCall
from .held_turns import HeldRun
from .identity import Identity
from .node_facts import sequence_of
from .planned_arguments import PlannedArguments
from .positions import Positions
from .reachable_nodes import Reach, Way
from .single_call_modules import with_wholes
from .steady_plan import (
    END,
    LEAVE,
    Call,
    Enter,
    Gave,
    Plan,
    Said,
    goes_back,
    plan_of,
)  # fmt: skip
from .tape import Heard, new_tuple
from .tensor_facts import copyable

WAIT = 8
"""So many runs from a line repeat the one before before its turns are held: what grows or is kept
from turn to turn is found in these."""
MAX_LINES = 1_000


class RepeatedRun(Protocol):
    """A run that was noted: where it stands, how it came about and whether the last one from there
    did so too, what it begins at and what it reaches."""

    position: Position | None
    way: Way | None
    repeated: bool
    roots: list[Ref | None]
    reach: Reach


class SteadyTurns(PlannedArguments):
    """Learns the plans of turns, and compares with them what is done."""

    def __init__(
        self, identity: Identity, positions: Positions, fault: Callable[[BaseException], None]
    ) -> None:
        super().__init__(identity, positions, fault)
        self.said: list[Said] = []
        """What was noted since the last run."""
        self.saved: dict[int, Sequence[Sequence[ev.Saved]]] = {}
        """What the nodes of its calls saved, where they are told, by what the calls made."""
        self.unusual = False
        """Whether something else was noted, which no plan may have."""
        self._counts: dict[Position, int] = {}
        """By the position of runs: how many repeated the one before."""
        self._run_before: Position | None = None  # where the last run stood that is not held
        self.said_last: dict[int, int] = {}  # what the calls before the last run made
        self._born = 0  # the newest number of a tensor when the last run was over
        self._events: Sequence[Any] = ()  # those of the turn that goes on
        self._at = 0  # which is to come
        self._outer: tuple[Region, ...] = ()  # the loops around its loop
        self._looks = False  # whether variables are looked at in it
        positions.tick, positions.unpack = self.hold_ticks, self.hold_unpacked

    # Learning ------------------------------------------------------------------------------
    def forget(self) -> None:
        """What was noted since the last run is too much for a turn."""
        self.said.clear()
        self.saved.clear()
        self.unusual = True

    def gave_back(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any],
        result: torch.Tensor | None,
    ) -> None:  # fmt: skip
        """A call has made nothing, but given back an argument as it was."""
        found = (nr for nr, each in enumerate(args) if type(each) is Ref and each() is result)
        nr = None if result is None else next(found, None)
        if nr is None:
            self.unusual = True
        else:
            self.said.append(Gave(func, args, kwargs, torch.is_grad_enabled(), nr))

    def ran(self, run: RepeatedRun) -> None:
        """A run was noted, and has ended well: if its turn has repeated often, plan the next."""
        said, unusual, born, last = self.said, self.unusual, self._born, self.said_last
        saved, self.saved = self.saved, {}
        self.said, self.unusual, self._born = [], False, self.identity.tables.number()
        self.given = []
        calls = [each for each in said if isinstance(each, Heard)]
        self.said_last = {each.made[0].facts.number: nr for nr, each in enumerate(calls)}
        self._run_before = run.position
        position, way, root = run.position, run.way, run.roots[0] if run.roots else None
        if position is not None and position not in self.not_to_hold:
            count = self._counts.get(position, 0) + 1 if run.repeated and not unusual else 0
            if len(self._counts) > MAX_LINES:  # as where cells are run again and again
                self._counts.clear()
                self.plans.clear()
                self.not_to_hold.clear()
            self._counts[position] = count
            if count >= WAIT and way is not None and root is not None:
                self._counts[position] = -WAIT  # the next plan is not made at once
                most = self.max_bytes
                plan = plan_of(said, position, root, way, run.reach, born, last, most, saved)
                if plan is not None:
                    self.plans[plan.begins] = with_wholes(plan)
                    self._missed.pop(plan.begins, None)
        self.going_on, self.turned_at = bool(self.plans), monotonic()

    # Hearing -------------------------------------------------------------------------------
    def _begins(self, frame: FrameType) -> bool:
        """A turn begins: whether it may be held."""
        plan = self._plan_at(frame)
        ticks = None if plan is None else self._ticks(plan.begins, frame)
        if plan is None or (ticks is not None and plan.is_around(ticks)):
            self.note_held()
            self.going_on = False
            if ticks is not None:
                self.hold_ticks(ticks)
            return False
        last = self.last[-1].plan if self.last else None
        before = self._run_before if last is None else last.position
        again = last is plan and plan.crosses is None
        self.begin_stretch(plan, again or goes_back(before, plan))
        self._events, self._at, self._outer = plan.events, 0, plan.outer
        site = self.positions.site
        self._looks = plan.unpacks or (plan.loops and not self.identity.defers)
        self._looks |= site is not None and site.asks
        if ticks is not None:
            self.hold_ticks(ticks)
        return True

    def _ticks(self, position: Position, frame: FrameType) -> Ticks | None:
        """What tells the turns of loops around a loop apart, if it is new and is told."""
        wanted = position.outer and not self.identity.defers
        return self.positions.ticked(position, frame) if wanted else None

    def _comes_to(self, position: Position, frame: FrameType) -> bool:
        """The program has come to a position that is expected. Whether this is still held."""
        positions = self.positions
        last, positions.site = positions.site, position.site
        if last is not None and last.asks and (position.direct or position.site is not last):
            self.hold_unpacked(positions.unpacked_of(last, frame))
        # Within a turn only loops within its own come to other turns.
        outer, now = position.outer, self.now
        if outer and now is not None:
            now.at_crossing = self._at == now.plan.crossing
            if outer is not self._outer or outer is not positions.outer or now.at_crossing:
                ticks = self._ticks(position, frame)
                if ticks is not None:
                    self.hold_ticks(ticks)
        return self.now is not None

    def _plan_at(self, frame: FrameType) -> Plan | None:
        """The plan of the turn that begins, if that may be held."""
        identity, checks = self.identity, self.runs.checks
        position = self.positions.at(frame)
        plan = self.plans.get(position)
        odd: tuple[Any, ...] = (
            identity.apart, identity.silent, identity.retaining, identity.unmet,
            checks.awaits_a_run, checks.plain, self.positions.commanded, self.said, self.unusual,
        )  # fmt: skip
        if plan is None or any(odd) or self._are_of_another_loop(plan):
            return None
        return plan

    def _are_of_another_loop(self, plan: Plan) -> bool:
        last = bool(self.last) and self.last[-1].plan.loop != plan.loop
        return last or self.dropped.are_of_another_loop(plan)

    def expects(
        self, func: Callable[..., Any], types: Sequence[type[Any]], args: Sequence[Any],
        kwargs: Mapping[str, Any], frame: FrameType,
    ) -> bool:  # fmt: skip
        """A call is about to be made by ``frame``: whether it is the one to come. If not, what was
        held is noted."""
        # The hot path: every call of a turn that is held.
        if self.now is None and not self._begins(frame):
            return False
        call = self._events[self._at]
        if (
            type(call) is Call and call.func is func and types in PLAIN_TYPES
            and torch.is_grad_enabled() is call.grad_mode
            and (call.position is None or self.positions.at(frame) is call.position)
            and tuple(kwargs) == call.keywords
        ):  # fmt: skip
            try:
                given = self.taken((*args, *kwargs.values()), call.sources)
            except RuntimeError:  # a tensor without versions
                given = None
            held = given is not None
            if self._looks and held and call.position is not None:
                held = self._comes_to(call.position, frame)
            if given is not None and held:
                self.given = given
                return True
        self.note_held()
        return False

    def holds(self, result: Any) -> bool:
        """The expected call has given this: whether that is as planned, and is held. If not, what
        came before it is noted."""
        call, given, now = self._events[self._at], self.given, self.now
        if now is None:  # all was noted or dropped meanwhile
            return not self.scopes.installed
        made = result
        if call.gives >= 0:
            before = given[call.gives]
            if result is (before() if type(before) is Ref else before):
                self._at += 1
                self.given = []
                return True
        if call.pair and type(result) is tuple and len(result) == 2 and result[1] is None:
            made = result[0]
        if call.gives >= 0 or not self._holds_made(call, given, made, now):
            self.note_held()
            return False
        self._at += 1
        self.given = []
        self.positions.site = call.position.site
        return True

    def _holds_made(self, call: Call, given: list[Any], made: Any, now: Stretch) -> bool:
        """A call has made this: whether that is as planned, and is held."""
        if (
            type(made) is not torch.Tensor or made.requires_grad is not call.requires_grad
            or not call.least <= made.numel() <= call.size
            or id(made) in self.identity.refs
        ):  # fmt: skip
            return False
        for each in given:
            if each is made:  # the very argument
                return False
        then = Seen(*self.identity.seen(made), made.grad_fn) if call.outside else None
        now.records.append(new_tuple(HeldCall, (call, given, made, then)))
        now.made.append(made)
        return True

    def may_be_whole(self) -> bool:
        """Whether the module that is called next may be heard as a whole."""
        return self.now is None or self._at in self.now.plan.wholes

    def takes_whole(
        self, module: Any, args: tuple[Any, ...], frame: FrameType
    ) -> WholeCall | None:  # fmt: skip
        """Enters a module that is called if it is to come and is heard as a whole: its call, or
        None."""
        # The hot path: most modules of a turn that is held.
        if self.now is None and not self._begins(frame):
            return None
        now = self.now
        assert now is not None
        whole = now.plan.wholes.get(self._at)
        if whole is None or len(args) != 1:
            return None
        event = self._events[self._at]
        if event.module() is not module or self.positions.at(frame) is not event.position:
            return None
        if torch.is_grad_enabled() is not whole.calls[0].grad_mode:
            return None
        try:
            given = whole.given(module, args[0], self)
        except RuntimeError:  # a tensor without versions
            given = None
        if given is None or (self._looks and not self._comes_to(event.position, frame)):
            return None
        now.records.append(event)
        self._at += 1
        return WholeCall(whole, given, now)

    def holds_whole(self, called: WholeCall) -> int:
        """The call of a module that is heard as a whole is over: how many of its calls are held. If
        not all are, as after an error, what came before is noted."""
        whole, given, results, now = called.whole, called.given, called.results, called.stretch
        for nr, result in enumerate(results[: len(whole.calls) - 1], 1):
            given[nr][whole.places[nr]] = result
        if self.now is not now:  # it was noted meanwhile
            return 0
        records, inner = now.records, whole.inner
        for nr, (call, result) in enumerate(zip(whole.calls, results, strict=False)):
            if inner:
                records.append(inner[nr])
            if not self._holds_made(call, given[nr], result, now):
                if inner:
                    records.pop()
                self.note_held()
                return nr
            if inner:
                records.append(LEAVE)
        if len(results) < len(whole.calls):
            self.note_held()
            return len(results)
        records.append(LEAVE)
        self._at += whole.events
        self.positions.site = whole.site
        return len(results)

    def enters(self, module: Any, frame: FrameType) -> bool:
        """A module is called: whether that is to come; then it is entered."""
        if self.now is None and not self._begins(frame):
            return False
        event = self._events[self._at]
        if (
            type(event) is Enter and event.module() is module
            and self.positions.at(frame) is event.position
            and (not self._looks or self._comes_to(event.position, frame))
            and self.now is not None
        ):  # fmt: skip
            self.now.records.append(event)
            self._at += 1
            self.positions.enter(event.position)
            return True
        self.note_held()
        return False

    def leaves(self) -> bool:
        """The call of a module ends: whether that is to come."""
        if self.now is not None and self._events[self._at] is LEAVE:
            self.now.records.append(LEAVE)
            self._at += 1
            return True
        self.note_held()
        return False

    def run(
        self, entry: Callable[..., Any], outputs: Sequence[Any], args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> HeldRun | None:  # fmt: skip
        """A run begins: it is held if it is the one that ends the stretch."""
        now = self.now
        if now is not None and self._events[self._at] is END and len(outputs) == 1:
            plan, root = now.plan, outputs[0]
            plainly = len(args) > 3 and not (args[1] or args[2] or args[3])
            one = root is now.made[plan.root] and root.numel() == 1
            if one and plainly and _is_finite(root):
                first = sequence_of(root.grad_fn)
                found = [leaf() for leaf in plan.reach.leaves]
                learning = [leaf for leaf in found if leaf is not None]
                repeats = first - self.runs.repeats.last == plan.nodes
                now.at_crossing = self._at == plan.crossing
                at = self.positions.here()  # which may note what is held
                going_on = at is plan.position and self.now is now
                if repeats and len(learning) == len(found) and going_on:
                    run = HeldRun(self, plan, outputs, (args, kwargs), entry, learning, first)
                    if not self.identity.defers:
                        run.hear_nodes()
                    now.records.append(run)
                    return run
        self.note_held()
        return None


def _is_finite(root: torch.Tensor) -> bool:
    """Whether a root's only number is finite, where it is near."""
    if not copyable(root):
        return True
    number = root.item()
    return bool(number - number == 0)
