"""Turns of a loop that are held as they came (``steady_turns.py``), to be noted later.

To *hold* is to keep what a call was given and what it gave; to *note* is to make the notes of it
that ``call_notes.py`` and the others had made. At most two turns are held: when one is over, the
one before it is let go of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from sys import getrefcount
from typing import Any, NamedTuple, Protocol

import torch

from ...recording.positions import Position
from ...recording.recorder import Ref
from ...recording.sites import Names, Site
from .held_steps import HeldStep, HeldSteps
from .identity import Identity
from .nans import are_finite, bad_gradient
from .passed_turns import PassedTurns
from .reachable_nodes import RanNodes, RepeatedRuns
from .steady_plan import EACH, LAST, LEAVE, MADE, PLAINLY, Call, Enter, Plan, Source
from .tape import Write


class Calls(Protocol):
    """What notes calls."""

    def note_made(
        self, func: Callable[..., Any], name: str,
        before: tuple[Sequence[Ref], tuple[Any, ...], Mapping[str, Any]], result: torch.Tensor,
        enabled: bool, position: Position | None, names: Names, late: Names, node: Any,
        pair: bool = False,
    ) -> Ref:  # fmt: skip
        """A call that made one tensor."""

    def note_number(self, tensor: torch.Tensor, site: Site) -> None:
        """A tensor became a number."""

    def note_passed_write(self, name: str, position: Position | None, write: Write) -> None:
        """What several steps wrote."""

    def returned(self, result: Any) -> None:
        """A run is over."""


class Scopes(Protocol):
    """What notes modules and steps."""

    def note_module(self, event: Enter) -> None:
        """A module is called."""

    def note_end(self) -> None:
        """Its call ends."""

    def note_step(self, name: str, position: Position | None, writes: list[Write]) -> None:
        """An optimizer's step."""


class NotedRun(Protocol):
    """A run that is noted."""

    def succeeded(self, result: Any) -> None:
        """It has ended well."""

    def failed(self, error: Exception) -> None:
        """It has raised."""

    def ended(self, status: str) -> None:
        """It is over."""


class Checks(Protocol):
    """What is looked at when runs begin: what ``waits`` for a run, and gradients that are
    ``plain``."""

    @property
    def waiting(self) -> Mapping[Any, Any]:
        """Graphs that no run has gone through."""

    @property
    def plain(self) -> bool:
        """Whether gradients were given that have no graph."""


class Runs(Protocol):
    """What notes runs."""

    @property
    def calls(self) -> Calls:
        """What notes calls."""

    @property
    def checks(self) -> Checks:
        """What looks at them."""

    @property
    def repeats(self) -> RepeatedRuns:
        """What the last runs did."""

    @property
    def ran_nodes(self) -> RanNodes:
        """Which nodes ran."""

    def begun(
        self, entry: Callable[..., Any], outputs: Sequence[Any], args: tuple[Any, ...],
        kwargs: Mapping[str, Any], position: Position | None = None,
    ) -> NotedRun:  # fmt: skip
        """A run has begun."""


def _references_of_one() -> int:
    """What ``getrefcount`` tells of an object that only a list has (the number differs between
    versions of Python)."""
    return sum(map(getrefcount, [object()]))


def _references_of_a_base() -> int:
    """How many more it tells of a tensor that another one is a view of (that differs between
    versions of PyTorch)."""
    base = torch.empty(1)
    before = getrefcount(base)
    view = base.view(1)
    return getrefcount(base) - before if view is not base else 0


IN_A_LIST = _references_of_one()
with torch._C.DisableTorchFunction():
    OF_A_BASE = _references_of_a_base()


class HeldRun:
    """A backward run that ends a held turn: it is made a ``BackwardRun`` when it is noted.

    ``given`` is what the engine's ``entry`` was given, ``learning`` are the leaves that it reaches,
    ``first`` the sequence number of its first node."""

    __slots__ = (
        "before", "entry", "first", "given", "learning", "noted", "outputs", "over", "plan", "turns"
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

    def is_finite(self) -> bool:
        """Whether all gradients that it left are; if not, it is noted."""
        if self.noted is None:
            grads = [leaf.grad for leaf in self.learning]
            if (self.plan.few and are_finite(grads)) or bad_gradient(grads) is None:
                return True
        self.turns.note_held()
        return False

    def succeeded(self, result: Any) -> None:
        """It has ended well, and somebody wanted to know of it."""
        if self.noted is not None:
            self.noted.succeeded(result)

    def failed(self, error: Exception) -> None:
        """It has raised: why, is said by its notes."""
        self.turns.note_held()
        if self.noted is not None:
            self.noted.failed(error)

    def ended(self, status: str) -> None:
        """It is over."""
        if self.noted is None and status == "ok":
            try:
                self.turns.turn_over(self)
            except Exception as error:
                self.turns.fault(error)
            return
        self.turns.note_held()
        if self.noted is not None:
            self.noted.ended(status)


class BecameNumber(NamedTuple):
    """The result of a call of the turn became a number there."""

    nr: int
    site: Site


class HeldTurns:
    """The turns that are held, and the plans of those that may be."""

    def __init__(self, identity: Identity, fault: Callable[[BaseException], None]) -> None:
        self.identity = identity
        self.fault = fault
        self.runs: Runs
        self.scopes: Scopes
        self.going_on = False
        """Whether what comes next may be held."""
        self.plans: dict[Position, Plan] = {}
        """By the position where the turn begins."""
        self.never: set[Position] = set()
        """The positions of runs whose turns are not held: the program keeps what they make."""
        self.plan: Plan | None = None
        """That of the turn that goes on."""
        self.now: list[Any] = []
        """What is held of it."""
        self.made: list[torch.Tensor] = []
        """What its calls made."""
        self.given: list[Any] = []
        """What the call that goes on was given."""
        self.begun = True
        """Whether it begins another turn of the loop around it."""
        self.last: list[Any] = []
        """What is held of the turn before, and what came between."""
        self.last_plan: Plan | None = None
        self.last_made: list[torch.Tensor] = []
        self.last_begun = True
        self.passed = PassedTurns()
        self.steps = HeldSteps(identity)

    def turn_over(self, run: HeldRun) -> None:
        """A held run has ended well: the turn before is let go of."""
        plan = self.plan
        assert plan is not None
        self.runs.ran_nodes.note(run.first, plan.reach.ages, plan.position.site)
        run.over = True
        if self.last_made and self._keeps_last(plan):
            self.never.add(plan.position)
            self.note_held()
            return
        self.plan = None
        self.runs.repeats.last = run.first
        if self.last_plan is not None:
            self.passed.let_go(self.last_plan, self.last_begun, self.last_made)
            self.steps.let_go()
        self.last, self.last_made, self.last_plan = self.now, self.made, plan
        self.last_begun = self.begun
        self.now, self.made = [], []

    def _keeps_last(self, plan: Plan) -> bool:
        """Whether the program still has something that it made in the turn before."""
        # each result is in its record too, and the run has its root
        last = self.last_plan
        assert last is not None
        uses = last.uses + plan.late_uses + last.bases * OF_A_BASE
        expected = (IN_A_LIST + 1) * len(self.last_made) + uses + 1
        return sum(map(getrefcount, self.last_made)) > expected

    # Between turns, and by the way ---------------------------------------------------------
    def step_begins(self, optimizer: Any, position: Position | None) -> bool:
        """A step begins: whether it comes between two turns and may be held."""
        between = self.going_on and bool(self.last) and not self.now
        return between and self.steps.knows(optimizer, position)

    def stepped(self, optimizer: Any, position: Position | None) -> bool:
        """It has ended: whether it wrote what the last one did, so that it is held."""
        step = self.steps.stepped(optimizer, position) if self.last else None
        if step is None:
            self.never.update(x.plan.position for x in self.last if type(x) is HeldRun)
            self.note_held()
            return False
        self.last.append(step)
        return True

    def puts_off(self, tensor: torch.Tensor, site: Site) -> bool:
        """A tensor became a number there: whether it is held, so that this is noted with it."""
        turn, made = (self.now, self.made) if self.now else (self.last, self.last_made)
        nr = next((nr for nr, each in enumerate(made) if each is tensor), None)
        if nr is None:
            return False
        turn.append(BecameNumber(nr, site))
        return True

    # Noting --------------------------------------------------------------------------------
    def note_held(self) -> None:
        """Note all that is held, and hold nothing until a run has ended."""
        last, now, plan = self.last, self.now, self.plan
        if not last and plan is None:
            return
        self.going_on, self.plan = False, None
        self.last, self.last_made, self.now, self.made = [], [], [], []
        self.last_plan, self.given = None, []
        steps = self.steps.are_noted()
        if plan is not None:
            self.plans.pop(plan.begins, None)
        try:
            with torch._C.DisableTorchFunction():
                for step in steps:
                    self._note_passed_step(step)
                self.passed.note(self.identity.recorder.raw, not self.last_begun)
                self._note_all([*last, *now])
        except Exception as error:
            self.fault(error)

    def _note_all(self, records: Sequence[Any]) -> None:
        made: list[Ref] = []
        before: list[Ref] = []  # in the turn before
        moved: dict[int, Ref] = {}
        ended = False
        for record in records:
            kind = type(record)
            if ended and (kind is Enter or kind is tuple):  # the next turn begins
                before, made, ended = made, [], False
            if kind is HeldRun:
                self._note_run(record)
                ended = True
            elif kind is HeldStep:
                writes = self.steps.writes(record, moved)
                self.scopes.note_step(record.name, record.position, writes)
            elif record is LEAVE:
                self.scopes.note_end()
            elif kind is Enter:
                self.scopes.note_module(record)
            elif type(record[0]) is Call:
                made.append(self._note_call(record, made, before, moved))
            else:
                tensor = made[record.nr]()
                self.runs.calls.note_number(tensor, record.site)

    def _note_call(
        self, held: tuple[Call, list[Any], torch.Tensor], made: list[Ref], before: list[Ref],
        moved: dict[int, Ref],
    ) -> Ref:  # fmt: skip
        call, given, result = held
        like = call.like
        assert like is not None
        refs: list[Ref] = []

        def arguments(given: Sequence[Any], sources: Sequence[Source]) -> Iterator[Any]:
            for each, (whence, what) in zip(given, sources, strict=True):
                if whence is EACH:
                    yield type(each)(arguments(each, what))
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

        args, count = tuple(arguments(given, call.sources)), len(given) - len(call.words)
        kwargs = dict(zip(call.words, args[count:], strict=True))
        return self.runs.calls.note_made(
            call.func, like.name, (refs, args[:count], kwargs), result, call.enabled, like.position,
            like.names, like.late, result.grad_fn, call.pair,
        )  # fmt: skip

    def _identity_of(self, given: Any) -> Ref:
        return given if isinstance(given, Ref) else self.identity.given(given)

    def _note_passed_step(self, step: HeldStep) -> None:
        """A step, and those after it that were let go of, are told as one."""
        for before, _version, after, _new_version in step.wrote:
            if after is not None:
                write = Write(before, after, None, None, False)
                self.runs.calls.note_passed_write(step.name, step.position, write)

    def _note_run(self, held: HeldRun) -> None:
        self.runs.repeats.last = held.before
        held.noted = run = self.runs.begun(
            held.entry, held.outputs, *held.given, held.plan.position
        )
        if held.over:
            run.succeeded(None)
            self.runs.calls.returned(None)
            run.ended("ok")
            self.going_on = False
