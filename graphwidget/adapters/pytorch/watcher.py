"""The adapter for the real PyTorch: watches a program that imports torch, and leaves no trace.

Watching is a function mode, hooks on modules and a wrapped entry to the engine; ``stop`` takes all
of it away. Nothing that goes wrong here may reach the user's program: an internal failure is
reported once and the adapter takes itself away.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from sys import _getframe
from threading import get_ident
from time import monotonic
from types import FrameType
from typing import Any

import torch
from torch.nn.modules import module as modules
from torch.nn.parameter import is_lazy
from torch.optim import optimizer as optimizers

from ...arrays.call_sites import PACKAGE
from ...recording import events as ev
from ...recording.findings import Finding
from ...recording.positions import Position
from ...recording.recorder import Recorder, Ref
from ...recording.summary import SMALL, peek
from ..bindings import Bindings, named_late
from ..module_paths import ModuleNames, numbers_of
from ..position_finder import PositionFinder
from ..scopes import Scopes
from ..sorting import BEGINS, ENDS, TICK, Sorter
from .backward_runs import BackwardRuns
from .call_records import CallRecords, named
from .calls import Calls, Named
from .identity import Identity
from .mode_stack import ZeroGrad, enter, leave
from .node_facts import leafy, sequence_of
from .none_gradients import absent
from .raised_calls import raised
from .saved_tensors import CarefulHooks
from .tape import LONG, MOST
from .tensor_facts import grad_fn_of, traced
from .tensors import Tables
from .unused import unused

TORCH = os.path.dirname(torch.__file__) + os.sep
BETWEEN, QUICK = 32, 0.01
"""Records after which there is another look at the clock, if the last ones took less seconds."""
MAX_COPIED = 2**21
"""Numbers of copied tensors that may wait to be told."""
MODULE, CALLING = modules.__file__, torch.nn.Module._call_impl.__code__
"""The file in which modules are called, and the code that calls them."""
WITHIN = 3
"""Frames of that file, at least, between a module's hook and its caller."""
BEFORE = 3
"""Frames of ours, at least, between the position that is asked for and the call that was heard."""


class TorchAdapter:
    """Observes the real PyTorch and records into ``recorder``."""

    def __init__(
        self,
        recorder: Recorder,
        sorter: Sorter | None = None,
        names: Bindings | None = None,
        tables: Tables | None = None,
    ) -> None:
        self.recorder = recorder
        self.sorter = Sorter(recorder, Scopes(recorder)) if sorter is None else sorter
        self.names = Bindings(recorder) if names is None else names
        self.identity = Identity(recorder, tables)
        self.records = CallRecords(recorder, self.identity, self.names, self.sorter.scopes)
        self.calls = Calls(
            recorder, self.identity, self.records, self._position_and_names, self.fault
        )
        self.runs = BackwardRuns(recorder, self.identity, self.calls, self.position, self.fault)
        self.runs.about_to_run, self.runs.is_over = self.step_over, self._run_over
        self.runs.elsewhere = lambda: get_ident() != self._thread
        self.calls.found, self.calls.errs = self.runs.checks.found, self.runs.errs
        self.sorter.named[self.records.tell_call] = named
        self.sorter.named[self.names.perhaps] = named_late
        self.sorter.kinds.update({
            self.records.tell_call: "call", self.records.tell_step: "call",
            self.identity.told: "value", self.runs.begins: "begin",
            self.runs.ran: "finish", self.runs.starts: "run", self.runs.errs: "error",
            self.runs.accumulates: "run", self.identity.node_told: "node",
            self.names.perhaps: "turn", self.records.made: "turn",
        })  # fmt: skip
        own, real = self.sorter.ring.known, self.identity.known
        self.sorter.ring.known = lambda each: (
            real(each) if isinstance(each, torch.Tensor) else own(each)
        )
        self.names.retell[self.records.tell_call] = self.records.retell
        self.sorter.settling.add(self.names.settle)
        self.on_pulse: Callable[[float], None] | None = None
        self.positions = PositionFinder(recorder.sites, not_the_users, torch.nn.init.__file__)
        self.positions.calling = CALLING
        self.modules = ModuleNames(not_the_users)
        self.calls.heard = self._beat
        self.commanded = False
        """Whether what happens is the page's wish, and stands on no line of the program."""
        self._hooks = CarefulHooks()
        self._handles: list[Any] = []
        self._thread = 0
        self._scopes: list[int] = []
        self._stepping: list[tuple[torch.Tensor, Ref]] = []  # of the step that goes on
        self._step: int | None = None  # the scope of the step that goes on
        self._step_position: Position | None = None
        self._next = 0  # how many records there are at the next beat
        self._looked = 0.0  # when the last one was
        self._noted = 0  # how many records there were when the last run was over
        self._away = False  # whether the mode is off the stack for a step

    def lighten(self) -> None:
        """Only note from now on what is done, and tell it when something is wrong: no picture is
        wanted. The numbers of small tensors are noted too, they explain errors."""
        self.identity.later, self.identity.brief, self.identity.limit = True, True, SMALL
        self.recorder.sort = self._unfolded

    def _unfolded(self, batch: list[Any]) -> list[Any]:
        runs = self.runs
        roots = [node for run in runs.going_on for node in run.nodes]
        records, living = self.records.unfold(batch, roots)
        for node in living:
            number, at = self.identity.edge(node), sequence_of(node)
            if number is not None and at in runs.ran_at and not leafy(node):
                runs.checks.first.setdefault(number, runs.ran_at[at])
        return self.sorter.sort(records)

    def fork(self, recorder: Recorder, sorter: Sorter, names: Bindings) -> TorchAdapter:
        """An adapter that goes on from here, in a recorder that was forked."""
        other = TorchAdapter(recorder, sorter, names, self.identity.tables)
        other.modules = self.modules
        mine, its = self.calls, other.calls
        its.origins, its.leaks, its.frozen = mine.origins, mine.leaks, mine.frozen
        before, after = self.runs.checks, other.runs.checks
        after.earlier = [*before.earlier, *before.findings]
        after.first = before.first
        after.graded, after.grown = before.graded, before.grown
        for each in ("parameters", "held", "bare"):
            setattr(after.learners, each, getattr(before.learners, each))
        return other

    # Switching on and off ------------------------------------------------------------------
    @property
    def active(self) -> bool:
        """Whether this adapter observes."""
        return bool(self._handles)

    def start(self) -> None:
        """Observe from now on, in this thread."""
        if self.active:
            if self._away and get_ident() == self._thread:
                self.step_over()
            return
        self._away, self._step = False, None
        self._thread = get_ident()
        leave(self.calls)
        self.calls.off = False
        enter(self.calls)
        self.runs.install()
        self._hooks.install()
        self._handles = [
            modules.register_module_forward_pre_hook(self._module_begins),
            modules.register_module_forward_hook(self._module_ends, always_call=True),
            optimizers.register_optimizer_step_pre_hook(self._step_begins),
            optimizers.register_optimizer_step_post_hook(self._step_ends),
            ZeroGrad(self.calls, self._elsewhere),
        ]

    def stop(self) -> None:
        """Observe no more, and leave nothing of it behind."""
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self.runs.remove()
        self._hooks.remove()
        self.calls.off = True  # a call that is going on would put the mode back
        leave(self.calls)

    @contextmanager
    def observing(self, commanded: bool = False) -> Iterator[None]:
        """Observe within the block. What a command of the page does (``commanded``) stands on no
        line of the program."""
        was, outer = self.active, self.commanded
        self.start()
        self.commanded = commanded or outer
        try:
            yield
        finally:
            self.commanded = outer
            if not was:  # also where a fault has stopped it: then the mode is still there
                self.stop()

    def fault(self, error: BaseException) -> None:
        """Recording has failed: say it once and leave the user's program alone."""
        self.stop()
        with suppress(Warning):  # the program may make errors of warnings
            warnings.warn(
                f"graphwidget stopped recording after an internal error: {error!r}", stacklevel=3
            )

    def drain(self) -> None:
        """Make events of all that happened so far."""
        try:
            with torch._C.DisableTorchFunction():
                self.recorder.drain()
        except Exception as error:
            self.fault(error)

    def raised(self, error: BaseException) -> None:
        """The program was ended by an error: tell the call that raised it, if one did, and what it
        has to do with gradients."""
        try:
            with torch._C.DisableTorchFunction():
                raised(error, self.calls, self.modules, not_the_users)
                finding = absent(error, self.recorder, self.identity, not_the_users)
                self.runs.checks.found(finding)
            for line in () if finding is None else finding.lines():
                error.add_note(line)
        except Exception as fault:
            self.fault(fault)

    # Names ---------------------------------------------------------------------------------
    def bind(self, names: Iterable[tuple[str, str, torch.Tensor]]) -> None:
        """Record what variables are bound to, as far as it is known of and new."""
        with torch._C.DisableTorchFunction():
            for scope, name, tensor in names:
                ref = self.identity.known(tensor)
                heard = ref is not None and (self.identity.later or ref.id in self.recorder.values)
                if not heard and (ref is not None or not self.identity.waits_for(tensor)):
                    continue  # nothing was done with it while we recorded
                current = self.identity.current(tensor)
                self.identity.note(current, (self.names.rebound, current.id, scope, name))

    def peek(self, tensor: torch.Tensor) -> None:
        """Tell more of a value's numbers than is told of every value."""
        with torch._C.DisableTorchFunction():
            ref = self.identity.current(tensor)
            told = peek(tensor.detach().cpu().numpy())
            event = ev.Value(
                ref.id, ref.storage, ref.version, tensor.requires_grad, tensor.is_leaf,
                isinstance(tensor, torch.nn.Parameter), None, told,
            )  # fmt: skip
            self.recorder.raw.append((self.recorder.value, ref, event))

    def shown(self, tensor: torch.Tensor) -> int:
        """Tell a tensor with all that led to it; its value."""
        with torch._C.DisableTorchFunction():
            ref = self.identity.current(tensor)
            self.identity.tell_nodes([grad_fn_of(tensor)], (), [ref], None)
        self.drain()
        return ref.id

    def findings(self, over: bool = False) -> list[Finding]:
        """What is wrong, as far as it was noticed, the newest first. Graphs that no backward ran
        through are told of when the program is ``over``: before that one may come."""
        checks, idle = self.runs.checks, None
        learners, graded = checks.learners, checks.graded
        stray = over and learners.any_stray(graded)
        if not self.identity.later or stray or learners.any_idle(graded):
            self.drain()
            with torch._C.DisableTorchFunction():
                model = self.recorder.latest()
                idle = unused(model, learners, graded, self.calls.leaks, over)
        found = [*reversed(checks.findings), *reversed(checks.earlier)]
        if over and not found:
            found = checks.kept_for_nothing()
        return found if idle is None else [*found, idle]

    def object(self, value: int) -> torch.Tensor | None:
        """The tensor that is the value, or None when there is none any more."""
        ref = self.recorder.refs.get(value)
        tensor = None if ref is None else ref()
        return tensor if tensor is not None and self.identity.known(tensor) is ref else None

    # Modules -------------------------------------------------------------------------------
    def _elsewhere(self) -> bool:
        """Whether this is not the program's own doing, or another thread's."""
        return self.calls.off or get_ident() != self._thread or traced()

    def _module_begins(self, module: torch.nn.Module, _args: Any) -> None:
        if self._elsewhere():
            return
        if self._away:
            self.step_over()  # an error has ended it
        try:
            frame = _getframe(WITHIN)
            while frame.f_code.co_filename == MODULE and frame.f_back is not None:
                frame = frame.f_back
            position = self._at(frame)
            number = self.recorder.ids.scope()
            name = self.modules.called(module, frame, number)
            if self.modules.fresh or not self._scopes:
                with torch._C.DisableTorchFunction():
                    self._called(position)
            self._begins(number, "module", position, name, type(module).__name__)
            self.positions.enter(position)
        except Exception as error:
            self.fault(error)

    def _called(self, position: Position) -> None:
        """A model is called: its parameters are met if they are new."""
        waiting = [each for each in self.modules.fresh if is_lazy(each[1])]
        for path, parameter in self.modules.fresh:
            if is_lazy(parameter):
                continue  # it has no numbers before the end of this call
            ref = self.identity.current(parameter)
            self.identity.note(ref, (self.names.rebound, ref.id, "module", path))
            self.runs.checks.learners.parameters.append(ref)
        self.modules.fresh[:] = waiting
        if not self._scopes:
            self.runs.checks.called(position)

    def _module_ends(self, _module: torch.nn.Module, _args: Any, _result: Any) -> None:
        if self._scopes and not self._elsewhere():
            self.positions.leave()
            self._ends()

    def _step_begins(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if self._elsewhere():
            return
        try:
            with torch._C.DisableTorchFunction():
                position = self._step_position = self.position()
                self._step = self.recorder.ids.scope()
                name = type(optimizer).__name__
                numbers = "" if self.identity.later else numbers_of(optimizer)
                self._begins(self._step, "step", position, name, numbers)
                self._stepping = [
                    (parameter, self.identity.current(parameter))
                    for group in optimizer.param_groups
                    for parameter in group["params"]
                    if parameter.grad is not None
                ]
                self.runs.checks.learners.steps(optimizer, [ref for _, ref in self._stepping])
                # of a step only the new parameters are told; its closure is the user's, and so
                # is an optimizer that is none of PyTorch's
                given = len(args) > 1 or bool(kwargs)
                closure = given and any(map(callable, (*args[1:], *kwargs.values())))
                if not closure and not_the_users(_file_of(type(optimizer).__module__)):
                    self._away = True
                    leave(self.calls)  # off the stack: a step makes a hundred calls and more
        except Exception as error:
            self.fault(error)

    def _step_ends(self, optimizer: Any, _args: Any, _kwargs: Any) -> None:
        if self._step is None or get_ident() != self._thread:
            return
        try:
            with torch._C.DisableTorchFunction():
                self.calls.stepped(type(optimizer).__name__, self._stepping, self._step_position)
        except Exception as error:
            self.fault(error)
        self.step_over()

    def step_over(self) -> None:
        """The step that went on is over, perhaps by an error of its own."""
        if self._step is not None:
            self._stepping, self._step = [], None
            self._ends()
        if self._away:
            self._away = False
            if self.active and not self.calls.off:
                enter(self.calls)

    def _begins(
        self, number: int, kind: str, position: Position | None, name: str, text: str
    ) -> None:
        self._scopes.append(number)
        self.recorder.raw.append((BEGINS, position, kind, number, name, text))

    def _ends(self) -> None:
        if self._scopes:  # else it began before we came
            self.recorder.raw.append((ENDS, self._scopes.pop()))

    # Where ---------------------------------------------------------------------------------
    def position(self) -> Position | None:
        """Where the user's program stands."""
        return None if self.commanded else self._at(_outside(_getframe(1)))

    def _position_and_names(self) -> Named:
        """The same, and the names that its call's result is about to get."""
        if self.commanded:
            return None, (), ()
        frame: FrameType | None = _getframe(BEFORE)
        while frame is not None and _ours[frame.f_code.co_filename]:
            frame = frame.f_back
        assert frame is not None
        position = self.positions.at(frame) if self.identity.later else self._at(frame)
        if position.result is not None:
            return position.result
        if position.site is None:
            return None, (), ()
        return position, *self.positions.names(position, frame)

    def _at(self, frame: FrameType) -> Position:
        position = self.positions.at(frame)
        # No finding tells turns of outer loops apart.
        if position.outer and not self.identity.later:
            ticks = self.positions.ticked(position, frame)
            if ticks is not None:
                self.recorder.raw.append((TICK, ticks))
        return position

    def _run_over(self) -> None:
        count = len(self.recorder.raw)
        turn, self._noted = count - self._noted, count
        if self.identity.later and count > max(LONG, 4 * turn):
            self.records.drop(self._scopes, LONG)
            self._noted = len(self.recorder.raw)

    def _beat(self) -> None:
        """Now and then: keep the raw records few, and let those who watch look."""
        count = len(self.recorder.raw)
        if count < self._next:
            return
        if self.identity.later:
            if count > MOST:
                self.records.drop(self._scopes, LONG)
            return
        now = monotonic()
        if count > self.sorter.most:
            self.sorter.sift()
        if self.identity.copied > MAX_COPIED:
            self.identity.copied = 0
            self.sorter.sift()
            if not self.sorter.few:
                self.drain()  # the log keeps itself small
        if self.on_pulse is not None:
            self.sorter.pulse(self.on_pulse, now)
        # quick calls are counted, the clock is looked at after each slow one
        self._next = len(self.recorder.raw) + (BETWEEN if now - self._looked < QUICK else 0)
        self._looked = now


def _outside(frame: FrameType | None) -> FrameType:
    """The innermost frame that is not ours."""
    assert frame is not None
    while _ours[frame.f_code.co_filename] and frame.f_back is not None:
        frame = frame.f_back
    return frame


class _Files(dict[str, bool]):
    """Whether the names of files begin so, found once of each."""

    def __init__(self, *starts: str) -> None:
        super().__init__()
        self.starts = starts

    def __missing__(self, filename: str) -> bool:
        found = self[filename] = filename.startswith(self.starts)
        return found


_ours = _Files(PACKAGE)
_not_the_users = _Files(TORCH, PACKAGE, "<graphwidget", "<eval_with_key")


@cache
def _file_of(module: str) -> str:
    return getattr(sys.modules.get(module), "__file__", None) or ""


def not_the_users(filename: str) -> bool:
    """Whether a file is ours or PyTorch's."""
    return _not_the_users[filename]
