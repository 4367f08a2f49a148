"""Hears calls of modules and steps of optimizers.

Of steps PyTorch's global hooks tell. Its hooks of modules would cost each call of one twice as much
as what is done in them: ``Module.__call__`` itself is wrapped.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from functools import cache, wraps
from sys import _getframe
from threading import get_ident
from types import FrameType
from typing import Any

import torch
from torch._C import _get_tracing_state
from torch.compiler import is_dynamo_compiling
from torch.nn import Module
from torch.nn.parameter import is_lazy
from torch.optim import Optimizer
from torch.optim import optimizer as optimizers

from ...recording.positions import Position
from ...recording.recorder import Recorder
from ..module_paths import ModuleNames, numbers_of
from ..sorting import BEGINS, ENDS
from .arguments import Given, given_to
from .heard_calls import HeardCalls
from .held_steps import parameters_of
from .held_stretches import WholeCall
from .mode_stack import Replaced, Without, enter, leave, only_it_is_taken, put_back
from .positions import Positions, not_the_users
from .run_checks import RunChecks
from .steady_plan import LEAVE, Call, Enter
from .tape import Heard, Write


class ModulesAndSteps:
    """The hooks, while they are installed; the scopes that they have seen begin and not end."""

    def __init__(
        self,
        recorder: Recorder,
        calls: HeardCalls,
        checks: RunChecks,
        positions: Positions,
        fault: Callable[[BaseException], None],
    ) -> None:
        self.recorder = recorder
        self.calls = calls
        self.identity = calls.identity
        self.steady = calls.steady
        self.checks = checks
        self.positions = positions
        self.fault = fault
        self.modules = ModuleNames(not_the_users)
        self.scopes: list[int] = []
        self.thread = 0
        """The thread whose program is heard."""
        self._handles: list[Any] = []
        self._owners: set[type[Any]] = set()  # the classes whose steps are taken over
        self._stepping: Given = [], [], (), {}  # the parameters of the step that goes on
        self._step: int | None = None  # the scope of the step that goes on
        self._step_position: Position | None = None
        self._held_step = False  # whether it is held
        self._away = False  # whether the mode is off the stack for a step
        self._whole: WholeCall | None = None
        """The call of a module that is heard as a whole, while it calls others."""

    # Switching on and off ------------------------------------------------------------------
    @property
    def installed(self) -> bool:
        """Whether modules and optimizers are heard."""
        return bool(self._handles)

    def install(self) -> None:
        """Hear them from now on, in this thread."""
        self._away, self._step = False, None
        self.thread = get_ident()
        self._handles = [
            Replaced(Module, "__call__", self._hearing_module),
            Replaced(Optimizer, "zero_grad", self._dropping_unheard),
            optimizers.register_optimizer_step_pre_hook(self._step_begins),
            optimizers.register_optimizer_step_post_hook(self._step_ends),
        ]

    def remove(self) -> None:
        """Hear them no more."""
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self._owners.clear()

    def resume(self) -> None:
        """The program goes on: if an error has ended a step, that is over."""
        if self._away and get_ident() == self.thread:
            self.step_over()

    def _elsewhere(self) -> bool:
        """Whether this is not the program's own doing, or another thread's."""
        return (
            self.calls.off or get_ident() != self.thread or _get_tracing_state() is not None
        )  # fmt: skip

    # Modules -------------------------------------------------------------------------------
    def _hearing_module(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        """The call of a module, which is heard."""

        @wraps(plain)
        def hearing(module: Any, /, *args: Any, **kwargs: Any) -> Any:
            # The hot path: each module of each turn.
            # what Dynamo traces is no call of the program's: it must not come to see the rest
            if is_dynamo_compiling() or self._elsewhere():
                return plain(module, *args, **kwargs)
            steady, calls, called = self.steady, self.calls, self._whole
            if called is not None and module is called.next_inner:
                self._whole = None  # what it calls itself is none of these
                try:
                    result = plain(module, *args, **kwargs)
                finally:
                    self._whole = called
                called.results.append(result)
                return result
            frame = _getframe(1)
            if steady.going_on and not (kwargs or self._away) and steady.may_be_whole():
                taken = True  # assumed until it is known: an interrupt may come just after
                try:
                    taken = only_it_is_taken(calls)
                    # no other mode is there to hear its calls: then these need not be heard
                    called = self._taken_whole(module, args, frame) if taken else None
                    if called is not None:
                        return self._call_whole(called, plain, module, args)
                finally:
                    if taken and not calls.off:
                        put_back(calls)
            held = self._module_begins(module, frame)
            try:
                return plain(module, *args, **kwargs)
            finally:
                if self._handles and (held or self.scopes):
                    self._module_ends()

        return hearing

    def _taken_whole(
        self, module: Any, args: tuple[Any, ...], frame: FrameType
    ) -> WholeCall | None:
        try:
            return self.steady.takes_whole(module, args, frame)
        except Exception as error:
            self.fault(error)
            return None

    def _call_whole(
        self, called: WholeCall, plain: Callable[..., Any], module: Any, args: tuple[Any, ...]
    ) -> Any:
        """Call a module that is heard as a whole, while the mode is off the stack."""
        self._whole = called if called.inner else None
        try:
            result = plain(module, *args)
        except BaseException as error:
            self._whole = None
            try:
                # `raised_calls.py` looks for them here
                name, before = self._note_failed(called, error)  # noqa: RUF059
            except Exception as fault:
                self.fault(fault)
            raise
        self._whole = None
        try:
            if not called.inner:
                called.results.append(result)
            count = self.steady.holds_whole(called)
            if count < len(called.calls) and self.installed:
                self._note_results(called, count)
                self.note_end()
        except Exception as error:
            self.fault(error)
        return result

    def _note_failed(self, called: WholeCall, error: BaseException) -> tuple[str, Given | None]:
        """Note that one of its calls has raised, after others had given something: the name of that
        one, and what it was given."""
        name, before, nr = "", None, len(called.results)
        held = self.steady.holds_whole(called)
        if held == len(called.calls) or not self.installed:
            return name, before
        self._note_results(called, held)
        if nr < len(called.calls):
            call = called.calls[nr]
            if called.inner:
                self.note_module(called.inner[nr])
            before = self.calls.before(*called.arguments(nr))
            name = "" if call.like is None else call.like.name
            if isinstance(error, RuntimeError):
                self.calls.failed(error, before, call.func, name)
            if called.inner:
                self.note_end()
        self.note_end()
        return name, before

    def _note_results(self, called: WholeCall, first: int) -> None:
        """Note the calls that have given something, from the ``first`` on that is not held."""
        for nr in range(first, len(called.results)):
            call, result, like = called.calls[nr], called.results[nr], called.calls[nr].like
            if called.inner:
                self.note_module(called.inner[nr])
            before = self.calls.before(*called.arguments(nr))
            if before is not None and like is not None:
                with torch._C.DisableTorchFunction():
                    self._note_result(call, like, before, result)
            if called.inner:
                self.note_end()

    def _note_result(self, call: Call, like: Heard, before: Given, result: Any) -> None:
        """Note what such a call has given: it stands where it was planned to."""
        tensors, refs, args, kwargs = before
        if type(result) is not torch.Tensor or id(result) in self.identity.refs or not tensors:
            self.calls.note(call.func, like.name, before, result)
            return
        self.calls.note_made(
            call.func, like.name, (refs, args, kwargs), result, call.grad_mode, like.position,
            like.names, like.late, result.grad_fn, call.pair,
        )  # fmt: skip

    def _module_begins(self, module: Any, frame: FrameType) -> bool:
        """Whether it is held."""
        if self._away:
            self.step_over()  # an error has ended it
        try:
            if self.steady.going_on and self.steady.enters(module, frame):
                return True
            self.recorder.catch_up()
            position = self.positions.of(frame)
            number = self.recorder.ids.scope()
            name = self.modules.called(module, frame, number)
            if self.modules.fresh or not self.scopes:
                with torch._C.DisableTorchFunction():
                    self._called(position)
            self._begins(number, "module", position, name, type(module).__name__)
            record = self.recorder.raw[-1]
            self.steady.said.append(Enter(position, weakref.ref(module), record))
            self.positions.enter(position)
        except Exception as error:
            self.fault(error)
        return False

    def _module_ends(self) -> None:
        self.positions.leave()
        if not (self.steady.going_on and self.steady.leaves()):
            self.note_end()

    def note_module(self, event: Enter) -> None:
        """Note the call of a module that was held."""
        number = self.recorder.ids.scope()
        module = event.module()
        if module is not None:
            self.modules.called(module, None, number)
        if not self.scopes:
            self.checks.kept.passes((event.position,))
        _begins, position, kind, _number, name, text = event.record
        self._begins(number, kind, position, name, text)
        self.steady.said.append(event)

    def note_end(self) -> None:
        """Note its end."""
        self.steady.said.append(LEAVE)
        self._ends()

    def _called(self, position: Position) -> None:
        """A model is called: its parameters and buffers are met if they are new."""
        waiting = [each for each in self.modules.fresh if is_lazy(each[1])]
        names = self.calls.records.names
        for path, tensor in self.modules.fresh:
            if is_lazy(tensor):
                continue  # it has no numbers before the end of this call
            ref = self.identity.current(tensor)
            self.identity.note(ref, (names.rebound, ref.id, "module", path))
            if isinstance(tensor, torch.nn.Parameter):
                self.checks.learners.parameters.append(ref)
        self.modules.fresh[:] = waiting
        if not self.scopes:
            self.checks.check_unrun_graphs(position)

    # Optimizers ----------------------------------------------------------------------------
    def _dropping_unheard(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        """How an optimizer drops gradients: without the mode, which would be shown two reads of
        every parameter, and note none."""

        @wraps(plain)
        def zero_grad(optimizer: Any, set_to_none: bool = True) -> None:
            if not set_to_none or is_dynamo_compiling() or self._elsewhere():
                plain(optimizer, set_to_none)
                return
            with Without(self.calls):
                plain(optimizer, set_to_none)

        return zero_grad

    def _stepping_unheard(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        """How an optimizer of PyTorch's takes a step: the mode is off the stack before the hooks
        tell of it, for PyTorch tells its profiler of it before, which the mode would be shown."""

        @wraps(plain)
        def step(optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            if args or kwargs or is_dynamo_compiling() or self._elsewhere():
                return plain(optimizer, *args, **kwargs)
            if not _is_pytorchs(type(optimizer)):
                return plain(optimizer)
            with Without(self.calls):
                try:
                    return plain(optimizer)
                finally:
                    self.step_over()  # if an error has ended it

        return step

    def _take_over(self, kind: type[Any]) -> None:
        """From its next step on optimizers of a class step unheard."""
        owner = next(each for each in kind.__mro__ if "step" in each.__dict__)
        if owner not in self._owners and _is_pytorchs(owner):
            self._owners.add(owner)
            self._handles.append(Replaced(owner, "step", self._stepping_unheard))

    def _step_begins(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if is_dynamo_compiling() or self._elsewhere():
            return
        try:
            with torch._C.DisableTorchFunction():
                position = self._step_position = self.positions.here()
                self._held_step = self.steady.step_begins(optimizer, position)
                if not self._held_step:
                    self.recorder.catch_up()
                    self.steady.unusual |= bool(self.steady.said)
                    self._step_is_noted(optimizer, position)
                    self._take_over(type(optimizer))
                    graded = [each for each in parameters_of(optimizer) if each.grad is not None]
                    self._stepping = given_to(self.identity, graded, {})
                    self.checks.learners.steps(optimizer, self._stepping[1])
                # of a step only the new parameters are told; its closure is the user's, and so
                # is an optimizer that is none of PyTorch's
                given = len(args) > 1 or bool(kwargs)
                closure = given and any(map(callable, (*args[1:], *kwargs.values())))
                if not closure and _is_pytorchs(type(optimizer)):
                    # off the stack: a step makes a hundred calls and more
                    self._away = leave(self.calls)
        except Exception as error:
            self.fault(error)

    def _step_is_noted(self, optimizer: Any, position: Position | None) -> None:
        self._step = self.recorder.ids.scope()
        numbers = "" if self.identity.defers else numbers_of(optimizer)
        self._begins(self._step, "step", position, type(optimizer).__name__, numbers)

    def _step_ends(self, optimizer: Any, _args: Any, _kwargs: Any) -> None:
        if (self._step is None and not self._held_step) or get_ident() != self.thread:
            return
        position = self._step_position
        try:
            with torch._C.DisableTorchFunction():
                if self._held_step and not self.steady.stepped(optimizer, position):
                    # it did something else than the last time: what it wrote has its old identity
                    self._held_step = False
                    self._step_is_noted(optimizer, position)
                    graded = [each for each in parameters_of(optimizer) if each.grad is not None]
                    refs = [self.identity.refs[id(each)] for each in graded]
                    self._stepping = graded, refs, tuple(refs), {}
                if not self._held_step:
                    name = type(optimizer).__name__
                    writes = self.calls.stepped(name, self._stepping, position)
                    self.steady.steps.learn(optimizer, position, writes)
        except Exception as error:
            self.fault(error)
        self.step_over()

    def step_over(self) -> None:
        """The step that went on is over, perhaps by an error of its own."""
        self._held_step = False
        if self._step is not None:
            self._stepping, self._step = ([], [], (), {}), None
            self._ends()
        if self._away:
            self._away = False
            if self.installed and not self.calls.off:
                enter(self.calls)

    def note_step(
        self, name: str, numbers: str, position: Position | None, writes: list[Write]
    ) -> None:
        """Note a step that was held."""
        self._begins(self.recorder.ids.scope(), "step", position, name, numbers)
        self.calls.note_step(name, position, writes)
        self._ends()

    # Scopes --------------------------------------------------------------------------------
    def _begins(
        self, number: int, kind: str, position: Position | None, name: str, text: str
    ) -> None:
        self.scopes.append(number)
        self.recorder.raw.append((BEGINS, position, kind, number, name, text))

    def _ends(self) -> None:
        if self.scopes:  # else it began before we came
            self.recorder.raw.append((ENDS, self.scopes.pop()))


def _is_pytorchs(kind: type[Any]) -> bool:
    """Whether a class is PyTorch's own."""
    return not_the_users(_file_of(kind.__module__))


@cache
def _file_of(module: str) -> str:
    return getattr(sys.modules.get(module), "__file__", None) or ""
