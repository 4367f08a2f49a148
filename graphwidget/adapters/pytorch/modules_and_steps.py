"""Observes calls of modules and steps of optimizers.

PyTorch's global hooks report steps. Its hooks of modules would double the cost of each call of one:
``Module.__call__`` itself is wrapped.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
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
from torch.optim import LBFGS, Optimizer
from torch.optim import optimizer as optimizers

from ...recording.containers import parts
from ...recording.looking import is_a
from ...recording.positions import Position
from ...recording.recorder import Recorder
from ...recording.sites import Site
from ..module_paths import ModuleNames, numbers_of
from ..sorting import BEGINS, ENDS
from .arguments import TENSORS, Given, given_to
from .call_recorder import NOT_ONE_NUMBER, number_of
from .mode_stack import Replaced, Without, enter, leave
from .observed_calls import ObservedCalls
from .ops import tensors_in
from .positions import Positions, not_the_users
from .run_checks import RunChecks


class ModulesAndSteps:
    """The hooks, while they are installed; the scopes that they have seen begin and not end."""

    def __init__(
        self,
        recorder: Recorder,
        calls: ObservedCalls,
        checks: RunChecks,
        positions: Positions,
        fault: Callable[[BaseException], None],
    ) -> None:
        self.recorder = recorder
        self.calls = calls
        self.identity = calls.identity
        self.names = calls.records.names
        self.checks = checks
        self.positions = positions
        self.fault = fault
        self.modules = ModuleNames(not_the_users)
        self.scopes: list[int] = []
        self.thread = 0
        """The thread whose program is observed."""
        self._handles: list[Any] = []
        self._owners: set[type[Any]] = set()  # the classes whose steps are taken over
        self._stepping: Given = [], [], (), {}  # the parameters of the step that goes on
        self._step: int | None = None  # the scope of the step that goes on
        self._step_position: Position | None = None
        self._step_emitted = True  # whether its scope has begun
        self._within = False  # whether the program is in a trainer's closure
        self._away = False  # whether the mode is off the stack for a step

    # Switching on and off ------------------------------------------------------------------
    @property
    def installed(self) -> bool:
        """True if modules and optimizers are observed."""
        return bool(self._handles)

    def install(self) -> None:
        """Observe them from now on, in this thread."""
        self._away, self._step, self._within = False, None, False
        self.thread = get_ident()
        self._handles = [
            Replaced(Module, "__call__", self._observing_module),
            Replaced(Optimizer, "zero_grad", self._dropping_unobserved),
            optimizers.register_optimizer_step_pre_hook(self._step_begins),
            optimizers.register_optimizer_step_post_hook(self._step_ends),
        ]

    def remove(self) -> None:
        """Stop observing them."""
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self._owners.clear()

    def resume(self) -> None:
        """The program goes on: if an error has ended a step, that is over."""
        if self._away and get_ident() == self.thread:
            self.step_over()

    def _elsewhere(self) -> bool:
        """Return whether this is not the program's own doing, or another thread's."""
        return (
            self.calls.off or get_ident() != self.thread or _get_tracing_state() is not None
        )  # fmt: skip

    # Modules -------------------------------------------------------------------------------
    def _observing_module(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        """Return the observed call of a module."""

        @wraps(plain)
        def observing(module: Any, /, *args: Any, **kwargs: Any) -> Any:
            # The hot path: each module of each iteration.
            # what Dynamo traces is no call of the program's: it must not see the rest
            if is_dynamo_compiling() or self._elsewhere():
                return plain(module, *args, **kwargs)
            site = self._module_begins(module, _getframe(1))
            if site is not None:
                self._reads(site, args, kwargs)
            compiled = _is_compiled(type(module))
            given = self._given_to_compiled(args, kwargs) if compiled else None
            try:
                result = plain(module, *args, **kwargs)
                if given is not None:
                    self._compiled(given, result)
            finally:
                if self._handles and self.scopes:
                    self.positions.leave()
                    self._ends()
            if site is not None and type(result) not in TENSORS:
                self._gives(site, result)
            return result

        return observing

    def _module_begins(self, module: Any, frame: FrameType) -> Site | None:
        """A call of a module begins: where it stands if the user's own code makes it."""
        if self._away:
            self.step_over()  # an error has ended it
        try:
            position = self.positions.of(frame, trains=True)
            number = self.recorder.ids.scope()
            name = self.modules.called(module, frame, number)
            if self.modules.fresh or not self.scopes:
                with torch._C.DisableTorchFunction():
                    self._called(position)
            self._begins(number, "module", position, name, _class_of(module))
            self.positions.enter(position)
        except Exception as error:
            self.fault(error)
            return None
        return position.site if position.by_user and not self.identity.defers else None

    def _given_to_compiled(self, args: Any, kwargs: Any) -> Given | None:
        """Return the arguments of a compiled module, whose operations are hidden."""
        try:
            with torch._C.DisableTorchFunction():
                return given_to(self.identity, args, kwargs)
        except Exception as error:
            self.fault(error)
            return None

    def _compiled(self, given: Given, result: Any) -> None:
        """Record the unknown tensors in a compiled module's result as results of one operation."""
        try:
            with torch._C.DisableTorchFunction():
                made = [each for each in tensors_in(result) if self.identity.known(each) is None]
                if made:
                    self.calls.record(None, "compiled", given, result)
        except Exception as error:
            self.fault(error)

    def _reads(self, site: Site, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Name a module's arguments as the program writes them in the call."""
        if site.spelling.empty:
            return
        try:
            with torch._C.DisableTorchFunction():
                given: list[tuple[int | str, Any]] = [*enumerate(args), *kwargs.items()]
                for place, each in given:
                    text = site.spelling.of(place) if type(each) in TENSORS else None
                    if text is not None and type(each) is not torch.nn.Parameter:
                        ref = self.identity.current(each)
                        if ref.id not in self.names.named:
                            scope = site.scope_of(text)
                            record = self.names.read, None, ref.id, scope, text
                            self.identity.record(ref, record)
        except Exception as error:
            self.fault(error)

    def _gives(self, site: Site, result: Any) -> None:
        """Name the tensors in a container that a module returns by its variable, or by the
        variables that the program unpacks it into."""
        try:
            with torch._C.DisableTorchFunction():
                whole = site.binding(()).names
                for suffix, path, each in parts(result, lambda x: is_a(x, torch.Tensor)):
                    own = site.binding(path).names
                    names = own or tuple([(scope, name + suffix) for scope, name in whole])
                    ref = self.identity.known(each) if names else None
                    if ref is not None:
                        # a variable's number is one of the iteration's, an item's is not
                        content = number_of(self.identity.content(ref)) if own else NOT_ONE_NUMBER
                        self.identity.record(ref, (self.names.gave, None, ref, names, content))
        except Exception as error:
            self.fault(error)

    def _called(self, position: Position) -> None:
        """Register the parameters and buffers of a model that is called, if they are new."""
        waiting = [each for each in self.modules.fresh if is_lazy(each[1])]
        names = self.calls.records.names
        for path, tensor in self.modules.fresh:
            if is_lazy(tensor):
                continue  # it has no numbers before the end of this call
            ref = self.identity.current(tensor)
            self.identity.record(ref, (names.rebound, ref.id, "module", path))
            if isinstance(tensor, torch.nn.Parameter):
                self.checks.learners.parameters.append(ref)
        self.modules.fresh[:] = waiting
        if not self.scopes:
            self.checks.check_unrun_graphs(position)

    # Optimizers ----------------------------------------------------------------------------
    def _dropping_unobserved(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        """Return how an optimizer drops gradients: without the mode, which would be shown two reads
        of every parameter, and note none."""

        @wraps(plain)
        def zero_grad(optimizer: Any, set_to_none: bool = True) -> None:
            if not set_to_none or is_dynamo_compiling() or self._elsewhere():
                plain(optimizer, set_to_none)
                return
            groups = [] if self.identity.defers else optimizer.param_groups
            with Without(self.calls):
                dropped = [p for x in groups for p in x["params"] if p.grad is not None]
                plain(optimizer, set_to_none)
                for parameter in dropped:
                    self.calls.writes.gradient_set(parameter, None)

        return zero_grad

    def _stepping_unobserved(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        """Return how an optimizer of PyTorch's takes a step: the mode is off the stack before the
        hooks report it, as PyTorch reports it to its profiler before, which the mode would be
        shown."""

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
        """Observe no more steps of optimizers of a class from the next one on."""
        owner = next(each for each in kind.__mro__ if "step" in each.__dict__)
        if owner not in self._owners and _is_pytorchs(owner):
            self._owners.add(owner)
            self._handles.append(Replaced(owner, "step", self._stepping_unobserved))

    def _step_begins(self, optimizer: Any, args: Any, kwargs: Any) -> Any:
        if is_dynamo_compiling() or self._elsewhere():
            return None
        try:
            with torch._C.DisableTorchFunction():
                position = self._step_position = self.positions.here(trains=True)
                self._step = self.recorder.ids.scope()
                given = len(args) > 1 or bool(kwargs)
                closure = given and any(map(callable, (*args[1:], *kwargs.values())))
                # a trainer's closure is all that an iteration does: its step is what comes after
                of_trainer = closure and position is not None and position.by_library
                self._step_emitted = not (of_trainer and not isinstance(optimizer, LBFGS))
                if not self._step_emitted:
                    return self._with_closure(optimizer, args, kwargs)
                self._emit_step(optimizer)
                self._takes_over(optimizer, closure)
        except Exception as error:
            self.fault(error)
        return None

    def _takes_over(self, optimizer: Any, closure: bool) -> None:
        """Off the stack: a step makes a hundred calls and more, of which only the new parameters
        are emitted. Its closure is the user's, and so is an optimizer that is none of PyTorch's."""
        self._take_over(type(optimizer))
        groups = optimizer.param_groups
        graded = [x for group in groups for x in group["params"] if x.grad is not None]
        self._stepping = given_to(self.identity, graded, {})
        position = None if closure else self._step_position
        self.checks.steps(optimizer, self._stepping[1], position, graded)
        if not closure and _is_pytorchs(type(optimizer)):
            self._away = leave(self.calls)

    def _with_closure(self, optimizer: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        """The arguments of a step, with a closure after which what the step does is off the
        stack."""

        def after(closure: Any) -> Any:
            if not callable(closure):
                return closure

            def run() -> Any:
                self._within = True
                try:
                    result = closure()
                finally:
                    self._within = False
                try:
                    with torch._C.DisableTorchFunction():
                        self._takes_over(optimizer, closure=False)
                except Exception as error:
                    self.fault(error)
                return result

            return run

        new = tuple([after(value) for value in args[1:]])
        return (args[0], *new), {name: after(value) for name, value in kwargs.items()}

    def _emit_step(self, optimizer: Any) -> None:
        assert self._step is not None
        numbers = "" if self.identity.defers else numbers_of(optimizer)
        self._begins(self._step, "step", self._step_position, type(optimizer).__name__, numbers)

    def _step_ends(self, optimizer: Any, _args: Any, _kwargs: Any) -> None:
        if self._step is None or get_ident() != self.thread:
            return
        try:
            with torch._C.DisableTorchFunction():
                if not self._step_emitted:
                    self._step_emitted, self._step_position = True, self.positions.here()
                    self._emit_step(optimizer)
                name = type(optimizer).__name__
                position = self._step_position
                at = None if position is None else position.outside
                self.calls.stepped(name, self._stepping, at, observed=not self._away)
        except Exception as error:
            self.fault(error)
        self.step_over()

    def step_over(self) -> None:
        """The step that went on is over, perhaps by an error of its own."""
        if self._within:
            return
        if self._step is not None:
            self._stepping, self._step = ([], [], (), {}), None
            if self._step_emitted:
                self._ends()
        if self._away:
            self._away = False
            if self.installed and not self.calls.off:
                enter(self.calls)

    # Scopes --------------------------------------------------------------------------------
    def _begins(
        self, number: int, kind: str, position: Position | None, name: str, text: str
    ) -> None:
        self.scopes.append(number)
        self.recorder.raw.append((BEGINS, position, kind, number, name, text))

    def _ends(self) -> None:
        if self.scopes:  # else it began before we came
            self.recorder.raw.append((ENDS, self.scopes.pop()))


def _is_compiled(kind: type[Any]) -> bool:
    """Return whether ``torch.compile`` makes such modules. (Their class costs seconds to
    import.)"""
    return kind.__name__ == "OptimizedModule" and kind.__module__ == "torch._dynamo.eval_frame"


def _class_of(module: Any) -> str:
    """The class of a module; of a compiled one that of what was compiled."""
    if not _is_compiled(type(module)):
        return type(module).__name__
    return f"{type(module._modules['_orig_mod']).__name__}, compiled"


def _is_pytorchs(kind: type[Any]) -> bool:
    """Return whether a class is PyTorch's own."""
    return not_the_users(_file_of(kind.__module__))


@cache
def _file_of(module: str) -> str:
    return getattr(sys.modules.get(module), "__file__", None) or ""
