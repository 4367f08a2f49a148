"""Turns of a loop that are held as they came (``steady_turns.py``), to be noted later.

To *hold* is to keep what a call was given and what it gave; to *note* is to make the notes of it
that ``call_notes.py`` and the others would have made. What is held comes in stretches
(``steady_plan.py``). Under ``diagnose()`` only the newest of each plan stays held, and the one
before it is let go of; where there is a picture, which shows the newest turns, the newest six stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from threading import get_ident
from time import monotonic
from typing import Any

import torch

from ...recording.positions import Position
from ...recording.recorder import NodeRef, Ref
from ...recording.sites import Site
from ..scope_marks import Ticks
from ..sorting import TICK
from .dropped_turns import DroppedTurns
from .held_steps import HeldStep, HeldSteps
from .held_stretches import BecameNumber, HeldCall, Stretch, Unpacked
from .identity import Identity
from .nans import are_finite, bad_gradient
from .node_hooks import NodeHooks, NodeRan
from .note_protocols import NotedRun, Runs, Scopes
from .positions import Bound, Positions
from .reachable_nodes import reachable
from .steady_plan import DETACH, EACH, LAST, LEAVE, MADE, MAX_BYTES, PLAINLY, Enter, Plan, Source
from .tape import Write

MAX_HELD = 2 * MAX_BYTES
"""Bytes of the results of all stretches that are held, but for the one that goes on."""
SLOW_TURN = 0.05
"""Seconds: where there is a picture, what took longer is noted at once, as who looks on may have
seen nothing meanwhile."""
MAX_MISSED = 3
"""Stretches in a row that depart from a plan until it is given up."""
NEWEST_HELD = 6
"""Stretches of each plan that stay held where there is a picture."""


class HeldRun:
    """A backward run that ends a held stretch: it is made a ``BackwardRun`` when it is noted.

    ``given`` is what the engine's ``entry`` was given, ``learning`` are the leaves that it reaches,
    ``first`` the sequence number of its first node, and ``before`` that of the run before it."""

    __slots__ = (
        "before", "entry", "first", "given", "heard", "hooks", "learning", "noted", "outputs",
        "over", "plan", "turns",
    )  # fmt: skip

    def __init__(
        self, turns: HeldTurns, plan: Plan, outputs: Sequence[Any],
        given: tuple[tuple[Any, ...], Mapping[str, Any]], entry: Callable[..., Any],
        learning: list[torch.Tensor], first: int,
    ) -> None:  # fmt: skip
        self.turns, self.plan = turns, plan
        self.outputs, self.given, self.entry = outputs, given, entry
        self.learning = learning
        self.first, self.before = first, turns.runs.repeats.last
        self.over = False
        self.noted: NotedRun | None = None
        self.hooks: NodeHooks | None = None
        self.heard: list[NodeRan] = []
        """What was heard of its nodes, where that is told."""

    def hear_nodes(self) -> None:
        """Hear its nodes, and hold what they were given and gave."""
        turns = self.turns
        told = self.heard.append
        self.hooks = NodeHooks(turns.identity, turns.fault, self.learning, told)
        self.hooks.install(reachable([root.grad_fn for root in self.outputs])[0])

    def note(self, run: NotedRun, moved: Mapping[int, Ref]) -> None:
        """It is ``run`` from now on, which is told what was heard of the nodes."""
        self.noted, told = run, run.told
        if self.hooks is not None and told is not None:
            for each in self.heard:
                told.has_run(each, moved)
            self.heard = []
            self.hooks.told = told.has_run

    def stays_held(self) -> bool:
        """Whether nobody has noted it, and all gradients that it left are finite; if one is not, it
        is noted."""
        if self.noted is None:
            grads = [leaf.grad for leaf in self.learning]
            if (self.plan.few and are_finite(grads)) or bad_gradient(grads) is None:
                return True
        self.turns.note_held()
        return False

    def succeeded(self, result: Any) -> None:
        """Passed on to the run that is noted."""
        if self.noted is not None:
            self.noted.succeeded(result)

    def failed(self, error: Exception) -> None:
        """It has raised: why, is said by its notes."""
        self.turns.note_held()
        if self.noted is not None:
            self.noted.failed(error)

    def ended(self, status: str) -> None:
        """It is over."""
        if self.hooks is not None:
            self.hooks.remove()
        if self.noted is None and status == "ok":
            try:
                self.turns.stretch_over(self)
            except Exception as error:
                self.turns.fault(error)
            return
        self.turns.note_held()
        if self.noted is not None:
            self.noted.ended(status)


class HeldTurns:
    """The stretches that are held, and the plans of those that may be."""

    def __init__(
        self, identity: Identity, positions: Positions, fault: Callable[[BaseException], None]
    ) -> None:
        self.identity = identity
        self.positions = positions
        self.fault = fault
        self.runs: Runs
        self.scopes: Scopes
        self.going_on = False
        """Whether what comes next may be held."""
        self.plans: dict[Position, Plan] = {}
        """By the position where the stretch begins."""
        self.not_to_hold: set[Position] = set()
        """The positions of runs whose stretches are not held any more: the program keeps what they
        make, or their optimizer writes now this and now that."""
        self.now: Stretch | None = None
        """The one that goes on."""
        self.given: list[Any] = []
        """What the call that goes on was given."""
        self.last: list[Stretch] = []
        """Those that are over, the newest last."""
        self.dropped = DroppedTurns()
        self.steps = HeldSteps(identity)
        self.turned: Callable[[float], None] = lambda now: None
        """Called when a stretch that is held is over, with the time."""
        self._missed: dict[Position, int] = {}
        """By where they begin: how often in a row something else was done than is planned."""
        self._raw = 0  # how many raw records there were when the oldest stretch began
        self.turned_at = 0.0
        """When the last stretch was over, held or not."""

    @property
    def max_bytes(self) -> int:
        """How many bytes the results of a stretch may have."""
        return MAX_BYTES if self.identity.defers else MAX_HELD // NEWEST_HELD

    def begin_stretch(self, plan: Plan, starts: bool) -> None:
        """A stretch begins that is held."""
        self.now = Stretch(plan, starts)
        if not self.last:
            self._raw = len(self.identity.recorder.raw)

    def stretch_over(self, run: HeldRun) -> None:
        """The held stretch is over, as its run has ended well: an older one that did the same is
        let go of, with those before that."""
        now, last = self.now, self.last
        if now is None:  # all was dropped meanwhile
            return
        plan = now.plan
        self.runs.ran_nodes.note(run.first, plan.reach.ages, plan.position.site)
        run.over = True
        first = self._first_to_stay(plan)
        gone, stay = last[:first], last[first:]
        kept = [
            each for each, then in zip(gone, [*last[1:], now], strict=False)
            if each.is_kept(then.plan)
        ]  # fmt: skip
        size = sum([each.plan.size for each in stay]) + plan.size
        if size > MAX_HELD or self._others_recorded():
            kept = [now]
        if kept:
            for each in kept:
                self._hold_no_more(each.plan)
            self.note_held()
            return
        self.now = None
        self._missed.pop(plan.begins, None)
        self.runs.repeats.last = run.first
        for each in gone:
            self._let_go(each)
        stay.append(now)
        self.last = stay
        if not self.identity.defers:
            before, self.turned_at = self.turned_at, monotonic()
            if self.turned_at - before > SLOW_TURN or self.dropped.full:
                self.note_held()
            self.turned(self.turned_at)

    def _first_to_stay(self, plan: Plan) -> int:
        """Which of those that are over is the first that stays, now that there is another one of
        the plan."""
        more = 1 if self.identity.defers else NEWEST_HELD
        for nr in range(len(self.last) - 1, -1, -1):
            more -= self.last[nr].plan is plan
            if not more:
                return nr + 1
        return 0

    def _others_recorded(self) -> bool:
        """Whether there are records meanwhile of anything but deaths: something is done in these
        turns that is not heard here."""
        since = self.identity.recorder.raw[self._raw :]
        return bool(since) and not {Ref, NodeRef}.issuperset(map(type, since))

    def _let_go(self, stretch: Stretch) -> None:
        plan = stretch.plan
        ended: list[tuple[str, Any]] = []
        if plan.loops:
            ticks = [each for each in stretch.records if type(each) is Ticks]
            ended = [x for each in ticks for x in self._ended(each, plan)]
        self.dropped.let_go(stretch, ended)
        self.steps.let_go(stretch.steps)
        for place in plan.places:
            self.runs.checks.kept.passes(place)

    def _ended(self, ticks: Ticks, plan: Plan) -> Iterator[tuple[str, Any]]:
        """The numbers that a turn of the loop has left in variables."""
        if plan.loop is not None:
            yield from ticks.ended.get(plan.loop.key, {}).items()

    def _hold_no_more(self, plan: Plan) -> None:
        self.not_to_hold.add(plan.position)
        self.plans.pop(plan.begins, None)

    # Between stretches, and by the way -----------------------------------------------------
    def step_begins(self, optimizer: Any, position: Position | None) -> bool:
        """A step begins: whether it comes between two stretches and may be held."""
        between = self.going_on and bool(self.last) and self.now is None
        return between and self.steps.knows(optimizer, position)

    def stepped(self, optimizer: Any, position: Position | None) -> bool:
        """It has ended: whether it wrote what the last one did, so that it is held."""
        if not self.last:  # all was noted meanwhile
            return False
        step = self.steps.stepped(optimizer, position)
        if step is None:
            self._hold_no_more(self.last[-1].plan)
            self.note_held()
            return False
        self.last[-1].records.append(step)
        self.last[-1].steps.append(step)
        return True

    def hold_ticks(self, ticks: Ticks) -> None:
        """Loops have come to other turns: that is held where turns are, but for those of loops
        around the loop, which need to be told."""
        stretch = self._newest()
        if stretch is not None and stretch.plan.is_around(ticks):
            if stretch is self.now and not stretch.at_crossing:
                self._hold_no_more(stretch.plan)
            self.note_held()
            stretch = None
        if stretch is not None:
            stretch.records.append(ticks)
        else:
            self.identity.recorder.raw.append((TICK, ticks))

    def _newest(self) -> Stretch | None:
        """The stretch to which belongs what is done now, if turns are held."""
        return self.last[-1] if self.now is None and self.last and self.going_on else self.now

    def hold_unpacked(self, found: Sequence[Bound]) -> None:
        """A result was unpacked to variables: that is held where turns are."""
        stretch = self._newest()
        if stretch is None:
            self.positions.note_unpacked(found)
            return
        before = self.last[-1:] if stretch is self.now else self.last[-2:-1]
        for scope, name, value in found:
            if isinstance(value, torch.Tensor):
                known = self.identity.known(value)
                held = None if known is None else Unpacked(scope, name, known)
                for each in (stretch, *before):
                    nr = next((nr for nr, made in enumerate(each.made) if made is value), None)
                    if nr is not None:
                        held = Unpacked(scope, name, nr, each is not stretch)
                if held is not None:
                    stretch.records.append(held)

    def is_cut_off(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor is what a held call has detached."""
        return any(
            each is tensor and call.like is not None and call.like.name == DETACH
            for stretch in (*self.last, *([] if self.now is None else [self.now]))
            for each, call in zip(stretch.made, stretch.plan.calls, strict=False)
        )

    def puts_off(self, tensor: torch.Tensor, site: Site) -> bool:
        """A tensor became a number there: whether it is held, so that this is noted with it."""
        for stretch in (*self.last, *([] if self.now is None else [self.now])):
            for nr, each in enumerate(stretch.made):
                if each is tensor:
                    record = BecameNumber(nr, site)
                    if record not in stretch.records:
                        stretch.records.append(record)
                    return True
        return False

    # Noting --------------------------------------------------------------------------------
    def note_held(self) -> None:
        """Note all that is held, and hold nothing until a run has ended. Another thread than the
        one that is heard may not: the program may be at work with these tensors."""
        if (self.now is None and not self.last) or get_ident() != self.scopes.thread:
            return
        last, now = self.last, self.now
        self.going_on, self.now, self.last, self.given = False, None, [], []
        stretches = last if now is None else [*last, now]
        if now is not None and not now.at_crossing:
            begins = now.plan.begins
            self._missed[begins] = self._missed.get(begins, 0) + 1
            if self._missed[begins] == MAX_MISSED:
                self.plans.pop(begins, None)
        raw = self.identity.recorder.raw
        with self.identity.recorder.lock:  # another thread may look meanwhile
            self.identity.then = {}
            later = raw[self._raw :]  # what has died since
            del raw[self._raw :]
            try:
                with torch._C.DisableTorchFunction():
                    held = [step for each in stretches for step in each.steps]
                    for step in self.steps.take_dropped(held):
                        self._note_dropped(step)
                    self.dropped.note(raw, not stretches[0].starts)
                    self._note_all(stretches)
            except Exception as error:
                self.fault(error)
            finally:
                self.identity.then = None
                raw += later

    def drop_held(self) -> None:
        """Keep nothing of it any more."""
        self.going_on, self.now, self.last, self.given = False, None, [], []
        self.dropped, self.steps = DroppedTurns(), HeldSteps(self.identity)

    def _note_all(self, stretches: list[Stretch]) -> None:
        made: list[Ref] = []
        moved: dict[int, Ref] = {}
        identity, then = self.identity, self.identity.then
        assert then is not None
        while stretches:
            stretch = stretches.pop(0)  # what nobody has any more dies in its order
            then |= {ref.id: content for ref, content in stretch.met}
            before, made = made, []
            for record in stretch.records:
                kind = type(record)
                if kind is HeldCall:
                    made.append(self._note_call(record, made, before, moved))
                elif kind is Enter:
                    self.scopes.note_module(record)
                elif record is LEAVE:
                    self.scopes.note_end()
                elif kind is HeldRun:
                    self._note_run(record, moved)
                elif kind is Unpacked:
                    self._note_unpacked(record, before if record.earlier else made, moved)
                elif kind is Ticks:
                    identity.recorder.raw.append((TICK, record))
                elif kind is HeldStep:
                    writes = self.steps.writes(record, moved)
                    self.scopes.note_step(record.name, record.numbers, record.position, writes)
                else:
                    self.runs.calls.note_number(stretch.made[record.nr], record.site)
            record = None
            identity.recorder.raw += [ref for ref, _content in stretch.met if ref() is None]

    def _note_unpacked(self, held: Unpacked, made: list[Ref], moved: dict[int, Ref]) -> None:
        value = held.value
        if not isinstance(value, int):
            self.positions.note_bound(moved.get(id(value), value), held.scope, held.name)
        elif made:  # else the stretch before was let go of
            self.positions.note_bound(made[value], held.scope, held.name)

    def _note_call(
        self, held: HeldCall, made: list[Ref], before: list[Ref],
        moved: dict[int, Ref],
    ) -> Ref:  # fmt: skip
        call, given, result, then = held
        like = call.like
        assert like is not None
        refs: list[Ref] = []

        def arguments(given: Sequence[Any], sources: Sequence[Source]) -> Iterator[Any]:
            for each, (whence, what) in zip(given, sources, strict=True):
                if whence is EACH:
                    yield type(each)(arguments(each, what[1]))
                elif whence is PLAINLY:
                    yield each
                else:
                    if whence is MADE:
                        ref = made[what]
                    elif whence is LAST:  # that turn may have been let go of
                        ref = before[what] if before else self._identity_of(each)
                    else:
                        ref = moved.get(id(each), each)
                    refs.append(ref)
                    yield ref

        args, count = tuple(arguments(given, call.sources)), len(given) - len(call.keywords)
        kwargs = dict(zip(call.keywords, args[count:], strict=True))
        if not like.given:
            return self.runs.calls.note_factory(
                call.func, like.name, args[:count], kwargs, result, call.grad_mode, like.position,
                like.names, like.late,
            )  # fmt: skip
        if not self.identity.defers:
            self.identity.assure(*refs)
        made_then, node = None, result.grad_fn if then is None else then.node
        if then is not None:
            made_then = self.identity.made_then(result, then.content, then.version)
        noted = self.runs.calls.note_made(
            call.func, like.name, (refs, args[:count], kwargs), result, call.grad_mode,
            like.position, like.names, like.late, node, call.pair, call.saves, made_then,
        )  # fmt: skip
        if like.name == DETACH:
            self.runs.calls.note_alias(result, refs[0], DETACH)
        return noted

    def _identity_of(self, given: Any) -> Ref:
        return given if isinstance(given, Ref) else self.identity.given(given)

    def _note_dropped(self, step: HeldStep) -> None:
        """A step, and those after it that were let go of, are told as one."""
        for before, _version, after, _new_version, _content in step.wrote:
            if after is not None:
                if not self.identity.defers:
                    self.identity.assure(before, after)
                write = Write(before, after, None, None, False)
                self.runs.calls.note_passed_write(step.name, step.position, write)

    def _note_run(self, held: HeldRun, moved: Mapping[int, Ref]) -> None:
        self.runs.repeats.last = held.before
        run = self.runs.begun(held.entry, held.outputs, *held.given, held.plan.position)
        held.note(run, moved)
        if held.over:
            run.succeeded(None)
            self.runs.calls.returned(None)
            run.ended("ok")
            self.going_on = False
