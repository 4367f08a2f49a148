"""Hears turns that repeat in the place of the adapter, where calls are told later (``diagnose()``).

A training loop does the same turn after turn. Once a turn has come about so often in one way, what
the program does is only compared with the plan of that turn (``steady_plan.py``) and *held*: what a
call was given and what it gave, and no notes are made of it. What is held is noted when anything
else happens, when a run fails or gives what is not finite, or when somebody looks. When a turn is
over, the one before it is let go of. So at most two turns of small tensors are kept alive, and none
whose tensors the program keeps itself: of these it may be asked how they came about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from sys import getrefcount
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from ...recording.positions import Position
from ...recording.recorder import Ref
from ...recording.sites import Site
from .arguments import TENSORS
from .heard_functions import PLAIN_TYPES
from .identity import Identity
from .nans import are_finite, bad_gradient
from .node_facts import sequence_of
from .passed_turns import PassedTurns
from .positions import Positions
from .steady_plan import (
    EACH,
    LAST,
    LEAVE,
    MADE,
    PLAINLY,
    SAME,
    Call,
    Enter,
    Gave,
    Plan,
    Said,
    Source,
    goes_back,
    is_like,
    plan_of,
)
from .tape import Heard, Write, new_tuple
from .tensor_facts import copyable
from .whole_modules import wholes_of

if TYPE_CHECKING:
    from .backward_run import BackwardRun
    from .engine_entry import EngineEntry
    from .modules_and_steps import ModulesAndSteps

WAIT = 8
"""So many runs from a line repeat the one before before its turns are held: what grows or is kept
from turn to turn is found in these."""
MAX_LINES = 1_000
END = "end"
"""What a turn's plan ends with: its run."""


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
        self, turns: SteadyTurns, plan: Plan, outputs: Sequence[Any],
        given: tuple[tuple[Any, ...], Mapping[str, Any]], entry: Callable[..., Any],
        learning: list[torch.Tensor], first: int,
    ) -> None:  # fmt: skip
        self.turns, self.plan = turns, plan
        self.outputs, self.given, self.entry = outputs, given, entry
        self.learning = learning
        self.first, self.before = first, turns.runs.repeats.last
        self.over = False
        self.noted: BackwardRun | None = None

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


class _Wrote(NamedTuple):
    """A parameter that a held step wrote, and its versions before and after. Where ``after`` is
    None its identity went on, which nobody else knows."""

    ref: Ref
    version: int
    after: Ref | None
    new_version: int


class _Stepped(NamedTuple):
    """A held step."""

    name: str
    position: Position | None
    wrote: list[_Wrote]


class _BecameNumber(NamedTuple):
    """The result of a call of the turn became a number there."""

    nr: int
    site: Site


def held_by(optimizer: Any) -> list[torch.Tensor]:
    """The parameters of an optimizer."""
    return [each for group in optimizer.param_groups for each in group["params"]]


class SteadyTurns:
    """The turns that are held, and the plans of those that may be."""

    def __init__(
        self, identity: Identity, positions: Positions, fault: Callable[[BaseException], None]
    ) -> None:
        self.identity = identity
        self.positions = positions
        self.fault = fault
        self.runs: EngineEntry
        self.hooks: ModulesAndSteps
        self.going_on = False
        """Whether what comes next may be held."""
        self.said: list[Said] = []
        """What was noted since the last run."""
        self.unusual = False
        """Whether something else was, which no plan may have."""
        self._plans: dict[Position, Plan] = {}
        """By the position where the turn begins."""
        self._counts: dict[Position, int] = {}
        """By the position of runs: how many repeated the one before."""
        self._never: set[Position] = set()
        """The positions of runs whose turns are not held: the program keeps what they make."""
        self._steps: dict[tuple[int, Position | None], list[bool]] = {}
        """Which parameters steps wrote, by the optimizer's address and where they stand."""
        self._own: dict[int, Ref] = {}
        """The identities that held steps have given, which nobody else knows, by their addresses.
        They go on from step to step."""
        self._begun = self._last_begins = True
        """Whether this turn, and the last one, begin another turn of the loop around them."""
        self._run_before: Position | None = None  # where the last run stood that is not held
        self._said_last: dict[int, int] = {}  # what the calls before the last run made
        self._born = 0  # the newest number of a tensor when the last run was over
        self._plan: Plan | None = None
        self._events: Sequence[Any] = ()
        self._at = 0  # which event is to come
        self.given: list[Any] = []
        """What the call that goes on was given."""
        self._now: list[Any] = []
        self._made: list[torch.Tensor] = []  # in this turn
        self._last: list[Any] = []
        self._last_made: list[torch.Tensor] = []
        self._last_plan: Plan | None = None
        self._passed = PassedTurns()
        self._new_steps: list[_Stepped] = []
        """Of the last turn, the steps that gave parameters new identities."""
        self._first_steps: list[_Stepped] = []
        """Of the turns that were let go of, the first steps: what they wrote is known by what it is
        now, and by what it was before them."""

    # Learning ------------------------------------------------------------------------------
    def forget(self) -> None:
        """What was noted since the last run is too much for a turn."""
        self.said.clear()
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
        elif self.identity.defers:
            self.said.append(Gave(func, args, kwargs, torch.is_grad_enabled(), nr))

    def ran(self, run: BackwardRun) -> None:
        """A run was noted, and has ended well: if its turn has repeated often, plan the next."""
        said, unusual, born, last = self.said, self.unusual, self._born, self._said_last
        self.said, self.unusual, self._born = [], False, self.identity.tables.number()
        self._given = []
        calls = [each for each in said if isinstance(each, Heard)]
        self._said_last = {each.made[0].facts.number: nr for nr, each in enumerate(calls)}
        self._run_before = run.position
        position, way, root = run.position, run.way, run.roots[0] if run.roots else None
        if position is not None and position not in self._never:
            count = self._counts.get(position, 0) + 1 if run.repeated and not unusual else 0
            if len(self._counts) > MAX_LINES:
                self._counts.clear()
            self._counts[position] = count
            if count >= WAIT and way is not None and root is not None:
                self._counts[position] = -WAIT  # if it comes to nothing, not every turn is tried
                plan = plan_of(said, position, root, way, run.reach, born, last)
                if plan is not None:
                    plan.wholes.update(wholes_of(plan))
                    plan.events.append(END)  # type: ignore[arg-type]
                    self._plans[plan.begins] = plan
        self.going_on = bool(self._plans)

    # Hearing -------------------------------------------------------------------------------
    def _begins(self, frame: FrameType) -> bool:
        """A turn begins: whether it may be held."""
        identity, checks = self.identity, self.runs.checks
        plan = self._plans.get(self.positions.at(frame))
        odd: tuple[Any, ...] = (
            identity.apart, identity.silent, identity.retaining, identity.unmet,
            checks.waiting, checks.plain, self.positions.commanded, self.said, self.unusual,
        )  # fmt: skip
        if plan is None or any(odd) or self._passed.are_of_another_loop(plan):
            self.note_held()
            self.going_on = False
            return False
        self._plan, self._events, self._at = plan, plan.events, 0
        last = self._last_plan
        before = self._run_before if last is None else last.position
        self._begun = last is plan or goes_back(before, plan)
        return True

    def expects(
        self, func: Callable[..., Any], types: Sequence[type[Any]], args: Sequence[Any],
        kwargs: Mapping[str, Any], frame: FrameType,
    ) -> bool:  # fmt: skip
        """A call is about to be made by ``frame``: whether it is the one to come. If not, what was
        held is noted."""
        # The hot path: every call of a turn that is held.
        if self._plan is None and not self._begins(frame):
            return False
        call = self._events[self._at]
        if (
            type(call) is Call and call.func is func and types in PLAIN_TYPES
            and torch.is_grad_enabled() is call.enabled
            and (call.position is None or self.positions.at(frame) is call.position)
            and tuple(kwargs) == call.words
        ):  # fmt: skip
            try:
                given = self._taken((*args, *kwargs.values()), call.sources)
            except RuntimeError:  # a tensor without versions
                given = None
            if given is not None:
                self.given = given
                return True
        self.note_held()
        return False

    def _taken(self, args: Sequence[Any], sources: Sequence[Source]) -> list[Any] | None:
        """A call's arguments, to be kept; None if one does not come from where it is to come."""
        # The hot path: every argument of every call of a turn that is held.
        if len(args) != len(sources):
            return None
        made: list[Any] = self._made
        met: Callable[[int], Any] = self.identity.refs.get
        given: list[Any] = []
        for each, (whence, what) in zip(args, sources, strict=True):
            taken = each
            if whence is MADE:
                if made[what] is not each:
                    return None
            elif whence is SAME:
                taken = met(id(each))
                if (
                    taken is None or taken.facts.number != what or taken() is not each
                    or taken.version != each._version
                ):  # fmt: skip
                    return None
            elif whence is PLAINLY:
                if each is not what and not is_like(each, what):
                    return None
            else:
                taken = self._taken_specially(each, whence, what)
                if taken is None:
                    return None
            given.append(taken)
        return given

    def _taken_specially(self, value: Any, whence: str, what: Any) -> Any:
        if whence is LAST:
            return self._of_last_turn(value, what)
        if whence is EACH:
            return self._taken(value, what) if type(value) in (list, tuple) else None
        return self._met(value)

    def _of_last_turn(self, tensor: Any, nr: int) -> torch.Tensor | Ref | None:
        """The result of the last turn's call with that number, if the tensor is that: itself if it
        is held, else its identity."""
        if self._last:
            made = self._last_made
            return tensor if nr < len(made) and made[nr] is tensor else None
        known = self.identity.known(tensor)
        if known is None or self._said_last.get(known.facts.number) != nr:
            return None
        return known if known.version == tensor._version else None

    def _met(self, tensor: Any) -> Ref | None:
        """The identity of a tensor that this turn was given from outside and no gradient goes to;
        None of another one."""
        if type(tensor) not in TENSORS or tensor.requires_grad:
            return None
        known = self.identity.known(tensor)
        if known is not None:
            return known if known.version == tensor._version else None
        held = map(id, (*self._made, *self._last_made))
        return None if tensor._is_view() or id(tensor) in held else self.identity.fresh(tensor)

    def holds(self, result: Any) -> bool:
        """The expected call has given this: whether it is held. If not, what came before it is
        noted."""
        call, given = self._events[self._at], self.given
        made = result
        if call.gives >= 0:
            before = given[call.gives]
            if result is (before() if type(before) is Ref else before):
                self._at += 1
                self._given = []
                return True
        if call.pair and type(result) is tuple and len(result) == 2 and result[1] is None:
            made = result[0]
        if (
            call.gives >= 0 or type(made) is not torch.Tensor
            or made.requires_grad is not call.grown or made.numel() > call.size
            or id(made) in self.identity.refs or _has(given, made)
        ):  # fmt: skip
            self.note_held()
            return False
        self._now.append((call, given, made))
        self._made.append(made)
        self._at += 1
        self._given = []
        self.positions.site = call.position.site
        return True

    def may_be_whole(self) -> bool:
        """Whether the module that is called next may be heard as a whole."""
        return self._plan is None or self._at in self._plan.wholes

    def takes_whole(self, module: Any, args: tuple[Any, ...], frame: FrameType) -> Call | None:
        """A module is called: if it is to come, and is heard as a whole, it is entered; the call
        that it makes."""
        # The hot path: most modules of a turn that is held.
        if self._plan is None and not self._begins(frame):
            return None
        assert self._plan is not None
        whole = self._plan.wholes.get(self._at)
        if whole is None:
            return None
        event, call = self._events[self._at : self._at + 2]
        if event.module() is not module or self.positions.at(frame) is not event.position:
            return None
        arguments = whole.arguments(module, args)
        if arguments is None or torch.is_grad_enabled() is not call.enabled:
            return None
        try:
            given = self._taken(arguments, call.sources)
        except RuntimeError:  # a tensor without versions
            given = None
        if given is None:
            return None
        self.given = given
        self._now.append(event)
        self._at += 1
        found: Call = call
        return found

    def taken(self, call: Call, held: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of a call for which these were held."""
        given = [each() if isinstance(each, Ref) else each for each in held]
        count = len(given) - len(call.words)
        return given[:count], dict(zip(call.words, given[count:], strict=True))

    def enters(self, module: Any, frame: FrameType) -> bool:
        """A module is called: whether that is to come; then it is entered."""
        if self._plan is None and not self._begins(frame):
            return False
        event = self._events[self._at]
        if (
            type(event) is Enter and event.module() is module
            and self.positions.at(frame) is event.position
        ):  # fmt: skip
            self._now.append(event)
            self._at += 1
            self.positions.enter(event.position)
            return True
        self.note_held()
        return False

    def leaves(self) -> bool:
        """The call of a module ends: whether that is to come."""
        if self._plan is not None and self._events[self._at] is LEAVE:
            self._now.append(LEAVE)
            self._at += 1
            return True
        self.note_held()
        return False

    def run(
        self, entry: Callable[..., Any], outputs: Sequence[Any], args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> HeldRun | None:  # fmt: skip
        """A run begins: it is held if it is the one that ends the turn."""
        plan = self._plan
        if plan is not None and self._events[self._at] is END and len(outputs) == 1:
            root = outputs[0]
            plainly = len(args) > 3 and not (args[1] or args[2] or args[3])
            if root is self._made[plan.root] and plainly and _is_finite(root):
                first = sequence_of(root.grad_fn)
                found = [leaf() for leaf in plan.reach.leaves]
                learning = [leaf for leaf in found if leaf is not None]
                repeats = first - self.runs.repeats.last == plan.nodes
                at = self.positions.here()
                if repeats and len(learning) == len(found) and at is plan.position:
                    run = HeldRun(self, plan, outputs, (args, kwargs), entry, learning, first)
                    self._now.append(run)
                    return run
        self.note_held()
        return None

    def turn_over(self, run: HeldRun) -> None:
        """A held run has ended well: the turn before is let go of."""
        plan = self._plan
        assert plan is not None
        self.runs.ran_nodes.note(run.first, plan.reach.ages, plan.position.site)
        run.over = True
        if self._last_made and self._keeps_last(plan):
            self._never.add(plan.position)
            self.note_held()
            return
        self._plan = None
        self.runs.repeats.last = run.first
        if self._last_plan is not None:
            self._passed.let_go(self._last_plan, self._last_begins, self._last_made)
            self._first_steps += self._new_steps
            self._new_steps = []
        self._last, self._last_made, self._last_plan = self._now, self._made, plan
        self._last_begins = self._begun
        self._now, self._made = [], []

    def _keeps_last(self, plan: Plan) -> bool:
        """Whether the program still has something that it made in the turn before."""
        # each result is in its record too, and the run has its root
        last = self._last_plan
        assert last is not None
        uses = last.uses + plan.late_uses + last.bases * OF_A_BASE
        expected = (IN_A_LIST + 1) * len(self._last_made) + uses + 1
        return sum(map(getrefcount, self._last_made)) > expected

    # Steps ---------------------------------------------------------------------------------
    def learn_step(
        self, optimizer: Any, position: Position | None, writes: Sequence[Write]
    ) -> None:
        """A step was noted, which has written these parameters."""
        if self.identity.defers and all(
            each.after.version > each.before.version and each.after.facts.base is None
            for each in writes
        ):
            if len(self._steps) > MAX_LINES:
                self._steps.clear()
            written = {each.after.facts.key for each in writes}
            found = [id(each) in written for each in held_by(optimizer)]
            self._steps[id(optimizer), position] = found

    def step_begins(self, optimizer: Any, position: Position | None) -> bool:
        """A step begins between two turns: whether it may be held."""
        between = self.going_on and bool(self._last) and not self._now
        return between and (id(optimizer), position) in self._steps

    def stepped(self, optimizer: Any, position: Position | None) -> bool:
        """It has ended: whether it wrote what the last one did, so that it is held."""
        # The hot path: every parameter of every step that is held.
        tensors, met, own = held_by(optimizer), self.identity.refs.get, self._own
        known = [(tensor, met(id(tensor)), tensor._version) for tensor in tensors]
        written = [ref is not None and new != ref.version for _tensor, ref, new in known]
        if written != self._steps[id(optimizer), position] or not self._last:
            self._never.update(x.plan.position for x in self._last if type(x) is HeldRun)
            self.note_held()
            return False
        wrote: list[_Wrote] = []
        for tensor, ref, new in known:
            if ref is None or new == ref.version:
                continue
            old, after = ref.version, None
            if id(ref) in own:
                ref.version = new
            else:
                after = self.identity.rewritten(tensor, ref)
                own[id(after)] = after
            wrote.append(new_tuple(_Wrote, (ref, old, after, new)))
        step = _Stepped(type(optimizer).__name__, position, wrote)
        self._last.append(step)
        if any(each.after is not None for each in wrote):
            self._new_steps.append(step)
        return True

    # By the way ----------------------------------------------------------------------------
    def puts_off(self, tensor: torch.Tensor, site: Site) -> bool:
        """A tensor became a number there: whether it is held, so that this is noted with it."""
        turn, made = (self._now, self._made) if self._now else (self._last, self._last_made)
        nr = next((nr for nr, each in enumerate(made) if each is tensor), None)
        if nr is None:
            return False
        turn.append(_BecameNumber(nr, site))
        return True

    # Noting --------------------------------------------------------------------------------
    def note_held(self) -> None:
        """Note all that is held, and hold nothing until a run has ended."""
        last, now, plan = self._last, self._now, self._plan
        if not last and plan is None:
            return
        self.going_on, self._plan = False, None
        self._last, self._last_made, self._now, self._made = [], [], [], []
        self._last_plan, self.given = None, []
        steps, self._first_steps, self._new_steps = self._first_steps, [], []
        self._steps.clear()
        self._own.clear()  # now they are known
        if plan is not None:
            self._plans.pop(plan.begins, None)
        try:
            with torch._C.DisableTorchFunction():
                for step in steps:
                    self._note_passed_step(step)
                self._passed.note(self.identity.recorder.raw, not self._last_begins)
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
            elif kind is _Stepped:
                self._note_step(record, moved)
            elif record is LEAVE:
                self.hooks.note_end()
            elif kind is Enter:
                self.hooks.note_module(record)
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

    def _note_step(self, step: _Stepped, moved: dict[int, Ref]) -> None:
        """``moved`` are the identities that its parameters have since, by those they had before."""
        writes: list[Write] = []
        for known, version, after, new_version in step.wrote:
            before, tensor = moved.get(id(known), known), known()
            if after is None and tensor is not None:
                before.version = version
                after = moved[id(known)] = self.identity.rewritten(tensor, before)
            if after is not None:
                after.version = new_version
                writes.append(Write(before, after, None, None, False))
        self.hooks.note_step(step.name, step.position, writes)

    def _note_passed_step(self, step: _Stepped) -> None:
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


def _is_finite(root: torch.Tensor) -> bool:
    """Whether a root's only number is finite, where it is near."""
    if not copyable(root):
        return True
    number = root.item()
    return bool(number - number == 0)


def _has(given: list[Any], value: Any) -> bool:
    """Whether an argument is the very value."""
    for each in given:  # a generator would take three times as long  # noqa: SIM110
        if each is value:
            return True
    return False
