"""The adapter for the real PyTorch: watches a program that imports torch, and leaves no trace.

Watching is a function mode, wrapped calls of modules, hooks on optimizers and a wrapped entry to
the engine; ``stop`` takes all of it away. Nothing that goes wrong here may reach the user's
program: an internal failure is reported once and the adapter takes itself away.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import get_ident
from time import monotonic
from typing import Any

import torch

from ...recording import events as ev
from ...recording.findings import Finding
from ...recording.looking import add_note
from ...recording.recorder import Recorder
from ...recording.summary import SMALL, detailed_summary
from ..bindings import Bindings, named_item, named_result
from ..error_words import stopped
from ..scopes import Scopes
from ..sorting import Sorter
from .call_recorder import NOT_ONE_NUMBER, CallRecorder, named
from .clipping import clipped_too_early, clips_in_vain
from .engine_entry import EngineEntry
from .graph_errors import graph_error
from .identity import Identity
from .loss_inputs import any_odd
from .many_numbers import many_numbers
from .mode_stack import enter, leave, put_back
from .modules_and_steps import ModulesAndSteps
from .node_facts import leafy, sequence_of
from .none_gradients import absent
from .observed_calls import ObservedCalls
from .positions import Positions, not_the_users
from .raised_calls import raised
from .saved_tensors import CarefulHooks
from .tape import LONG, MOST
from .tensor_facts import grad_fn_of, version_of
from .tensors import Tables
from .unused_parameters import unused
from .warned_lines import WarnedLines

BETWEEN, QUICK = 32, 0.01
"""Records after which there is another look at the clock, if the last ones took less seconds."""


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
        self.records = CallRecorder(recorder, self.identity, self.names, self.sorter.scopes)
        self.positions = Positions(recorder, self.identity)
        self.calls = ObservedCalls(
            recorder, self.identity, self.records, self.positions.here_and_names, self.fault
        )
        self.calls.names_of_part = self.positions.names_of_part
        self.runs = EngineEntry(
            recorder, self.identity, self.calls, self.positions.here, self.fault
        )
        self.hooks = ModulesAndSteps(
            recorder, self.calls, self.runs.checks, self.positions, self.fault
        )
        self.runs.about_to_run, self.runs.is_over = self.hooks.step_over, self._run_over
        self.runs.elsewhere = lambda: get_ident() != self.hooks.thread
        self.calls.found, self.calls.errs = self.runs.checks.add, self.runs.errs
        self.calls.writes.emits_gradient = self.runs.accumulates
        self.sorter.named[self.records.emit_call] = named
        self.sorter.named[self.names.found] = named_result
        self.sorter.named[self.names.gave] = named_item
        self.sorter.kinds.update({
            self.records.emit_call: "call", self.records.emit_step: "call",
            self.identity.emits_value: "value", self.runs.begins: "begin",
            self.runs.ran: "finish", self.runs.starts: "run", self.runs.errs: "error",
            self.runs.accumulates: "run", self.identity.emits_node: "node",
            self.records.made: "iteration", self.names.found: "iteration",
            self.names.read: "iteration", self.names.gave: "iteration",
        })  # fmt: skip
        own, real = self.sorter.window.known, self.identity.known
        self.sorter.window.known = lambda each: (
            real(each) if isinstance(each, torch.Tensor) else own(each)
        )
        self.positions.bindings = self.names
        self.names.emit_again[self.records.emit_call] = self.records.emit_again
        self.sorter.settling.add(self.names.settle)
        self.faults: list[str] = []
        """Internal errors, in sentences."""
        self.on_pulse: Callable[[float], None] | None = None
        self.calls.observed = self._beat
        self._saved_hooks = CarefulHooks()
        self._warned: WarnedLines | None = None
        self._next = 0  # how many records there are at the next beat
        self._looked = 0.0  # when the last one was
        self._recorded = 0  # how many records there were when the last run was over

    def lighten(self) -> None:
        """Only record from now on, and emit when something is wrong: no picture is
        wanted. The numbers of small tensors are recorded too, they explain errors."""
        self.identity.defers, self.identity.brief, self.identity.limit = True, True, SMALL
        self.recorder.sort = self._unfolded

    def _unfolded(self, batch: list[Any]) -> list[Any]:
        runs = self.runs
        roots = [node for run in runs.going_on for node in run.nodes]
        records, living = self.records.unfold(batch, roots)
        ran = runs.ran_nodes.where()
        for node in living:
            number, at = self.identity.edge(node), sequence_of(node)
            if number is not None and at in ran and not leafy(node):
                runs.checks.freed_by.setdefault(number, ran[at])
        return self.sorter.sort(records)

    def fork(self, recorder: Recorder, sorter: Sorter, names: Bindings) -> TorchAdapter:
        """An adapter that goes on from here, in a recorder that was forked."""
        other = TorchAdapter(recorder, sorter, names, self.identity.tables)
        other.hooks.modules = self.hooks.modules
        other.calls.go_on_from(self.calls)
        other.runs.checks.go_on_from(self.runs.checks)
        return other

    # Switching on and off ------------------------------------------------------------------
    @property
    def active(self) -> bool:
        """True if this adapter observes."""
        return self.hooks.installed

    def start(self) -> None:
        """Observe from now on, in this thread."""
        if self.active:
            self.hooks.resume()
            return
        leave(self.calls)
        self.calls.off = False
        enter(self.calls)
        self.runs.install()
        self._saved_hooks.install()
        self._warned = WarnedLines()
        self.hooks.install()

    def resume(self) -> None:
        """The program is between two statements: if an interrupt came just where the mode was off
        the stack, it is observed again."""
        if self.active and not self.calls.off and get_ident() == self.hooks.thread:
            self.hooks.resume()
            put_back(self.calls)

    def stop(self) -> None:
        """Observe no more, and leave nothing of it behind."""
        self.hooks.remove()
        self.runs.remove()
        self._saved_hooks.remove()
        if self._warned is not None:
            self._warned.remove()
        self.calls.off = True  # a call that is going on would put the mode back
        leave(self.calls)

    @contextmanager
    def observing(self, commanded: bool = False) -> Iterator[None]:
        """Observe within the block. What a command of the page does (``commanded``) stands on no
        line of the program."""
        was, outer = self.active, self.positions.commanded
        self.start()
        self.positions.commanded = commanded or outer
        try:
            yield
        finally:
            self.positions.commanded = outer
            if not was:  # also where a fault has stopped it: then the mode is still there
                self.stop()

    def fault(self, error: BaseException) -> None:
        """Recording has failed: say it once and leave the user's program alone."""
        self.stop()
        self.faults.append(stopped(error))
        with suppress(Warning):  # the program may make errors of warnings
            warnings.warn(self.faults[-1], stacklevel=3)

    def drain(self, live: bool = False) -> None:
        """Make events of all that happened so far and is kept (see ``Recorder.drain``)."""
        try:
            with torch._C.DisableTorchFunction():
                self.recorder.drain(live)
        except Exception as error:
            self.fault(error)

    def raised(self, error: BaseException) -> None:
        """The program was ended by an error: report the call that raised it, if one did, and what
        it has to do with gradients."""
        try:
            with torch._C.DisableTorchFunction():
                finding = graph_error(error, self.runs, not_the_users)
                finding = finding or many_numbers(error, self.runs, not_the_users)
                failed = raised(error, self.calls, self.hooks.modules, not_the_users, finding)
                finding = finding or failed or absent(error, self.runs, not_the_users)
                self.runs.checks.add(finding)
            for line in () if finding is None else finding.lines():
                add_note(error, line)
        except Exception as fault:
            self.fault(fault)

    # Names ---------------------------------------------------------------------------------
    def bind(self, names: Iterable[tuple[str, str, torch.Tensor]]) -> None:
        """Record what variables are bound to, as far as it is known of and new."""
        with torch._C.DisableTorchFunction():
            for scope, name, tensor in names:
                ref = self.identity.known(tensor)
                seen = ref is not None and (self.identity.defers or ref.id in self.recorder.values)
                if not seen and (ref is not None or not self.identity.waits_for(tensor)):
                    continue  # nothing was done with it while we recorded
                current = self.identity.current(tensor)
                self.identity.emit_unknown_node(current, tensor)
                record: tuple[Any, ...] = self.names.rebound, current.id, scope, name
                if self.positions.awaits(scope, name):
                    content = self.positions.number(tensor) or NOT_ONE_NUMBER
                    record = self.names.found, None, current.id, scope, name, content
                self.identity.record(current, record)

    def peek(self, tensor: torch.Tensor) -> None:
        """Emit a detailed summary of a value's numbers."""
        with torch._C.DisableTorchFunction():
            ref = self.identity.current(tensor)
            content = detailed_summary(tensor.detach().cpu().numpy())
            event = ev.Value(
                ref.id, ref.storage, ref.version, tensor.requires_grad, tensor.is_leaf,
                isinstance(tensor, torch.nn.Parameter), None, content,
            )  # fmt: skip
            self.recorder.raw.append((self.recorder.value, ref, event))

    def shown(self, tensor: torch.Tensor) -> int:
        """Emit a tensor with its graph; its value."""
        with torch._C.DisableTorchFunction():
            ref = self.identity.current(tensor)
            self.identity.emit_nodes([(grad_fn_of(tensor), -1, ref)], [ref], None)
        self.drain()
        return ref.id

    def value_of(self, tensor: torch.Tensor) -> int | None:
        """The value that the tensor is in this recording; None when it does not know it, or is over
        and has not observed its later changes."""
        ref = self.identity.known(tensor)
        if ref is None:
            return None
        number: int | None
        if self.active:
            number = self.shown(tensor)
        else:
            self.drain()
            number = ref.id if ref.version == version_of(tensor) else None
        return number if self.recorder.shows(number, grad_fn_of(tensor)) else None

    def findings(self, over: bool = False) -> list[Finding]:
        """Return the findings so far, the newest first. Graphs that no backward ran through are
        reported when the program is ``over``: before that a backward may come."""
        checks, idle = self.runs.checks, None
        learners, graded = checks.learners, checks.graded
        stray = over and learners.any_stray(graded)
        if not self.identity.defers or stray or learners.any_idle(graded):
            self.drain()
            with torch._C.DisableTorchFunction():
                model = self.recorder.latest()
                lost = self.calls.became_numbers, self.calls.origins, self.calls.frozen
                idle = unused(model, learners, graded, *lost, over)
        found = [*reversed(checks.findings), *reversed(checks.earlier)]
        vain = clips_in_vain(self.calls.origins) if over else []
        if vain:
            self.drain()
            early = clipped_too_early(self.recorder.latest(), vain)
            found += [early] if early is not None else []
        if over and not found:
            found = checks.kept_for_nothing()
        culprits = {each.culprit for each in found if each.culprit is not None}
        if idle is not None and idle.culprit not in culprits:  # one cause is said once
            found = [*found, idle]
        if not found and checks.unknown is not None:
            found = [checks.unknown]
        if over and not found:
            idle = checks.idle_steps()
            found = [] if idle is None else [idle]
        calls = self.calls
        suspect = calls.cuts or calls.became_numbers or calls.frozen or any_odd(calls.tape.calls)
        if not found and checks.ran_at and suspect:
            self.drain()
            with torch._C.DisableTorchFunction():
                found = checks.lost_terms()
        return found

    def object(self, value: int) -> torch.Tensor | None:
        """The tensor that is the value, or None when there is none any more."""
        ref = self.recorder.refs.get(value)
        tensor = None if ref is None else ref()
        return tensor if tensor is not None and self.identity.known(tensor) is ref else None

    # Now and then --------------------------------------------------------------------------
    def _run_over(self) -> None:
        count = len(self.recorder.raw)
        iteration, self._recorded = count - self._recorded, count
        if self.identity.defers and count > max(LONG, 4 * iteration):
            self.records.drop(self.hooks.scopes, LONG)
            self._recorded = len(self.recorder.raw)

    def _beat(self) -> None:
        """Now and then: keep the raw records few, and let those who watch look."""
        count = len(self.recorder.raw)
        if count < self._next:
            return
        if self.identity.defers:
            if count > MOST:
                self.records.drop(self.hooks.scopes, LONG)
            return
        now = monotonic()
        if self.sorter.sift():
            self.drain()  # the log keeps itself small
        if self.on_pulse is not None:
            self.sorter.pulse(self.on_pulse, now)
        # quick calls are counted, the clock is looked at after each slow one
        self._next = len(self.recorder.raw) + (BETWEEN if now - self._looked < QUICK else 0)
        self._looked = now
