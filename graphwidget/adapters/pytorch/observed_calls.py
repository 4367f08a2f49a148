"""Observes every call of PyTorch's API, through one function mode.

A function mode and not a dispatch mode: an active dispatch mode keeps fused in-place functions from
raising versions, so that wrong programs would no longer fail. What calls did is recorded by
``call_facts.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from sys import _getframe
from types import FrameType
from typing import Any

import torch
from torch._C import _get_tracing_state
from torch.compiler import is_dynamo_compiling
from torch.overrides import TorchFunctionMode

from ...recording import events as ev
from ...recording.findings import Finding
from ...recording.looking import add_note, is_a, message_of
from ...recording.positions import Position
from ...recording.recorder import Recorder, Ref
from .arguments import Given, any_unseen, given_back, given_to, given_to_run
from .call_facts import MAX_KEPT, CallFacts, Where, keep_site
from .call_recorder import CallRecorder
from .fix_trials import tried
from .identity import Identity
from .observed_functions import FLAGS, HOOKING, PLAIN_TYPES, SWITCH, looked_at
from .own_backwards import hook_of
from .positions import draws_indices, not_the_users
from .refused_calls import (
    INFERENCE,
    LEAF,
    Written,
    inference,
    is_explained,
    leaf_written,
    view_written,
)
from .replaced import COMPILED, original
from .tape import Call
from .tensor_facts import asked, traced

STILL, OFTEN = 500, 50
"""After ``STILL`` calls in a row that touched no gradient, calls of a line that made ``OFTEN`` of
them are not recorded any more."""


class ObservedCalls(CallFacts, TorchFunctionMode):
    """The function mode."""

    def __init__(
        self,
        recorder: Recorder,
        identity: Identity,
        records: CallRecorder,
        position: Where,
        fault: Callable[[BaseException], None],
    ) -> None:
        super().__init__(recorder, identity, records, position)
        self.fault = fault
        self.found: Callable[[Finding], None] = lambda finding: None
        self.errs: Callable[..., None] = lambda *record: None
        """Emits an error, while draining."""
        self.off = False
        self._often: dict[tuple[int, int], int] = {}

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type[Any]],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        # The hot path: each call comes through here.
        kwargs = kwargs or {}
        if is_dynamo_compiling():  # Dynamo reads this function, and is to see no more of it
            return func(*args, **kwargs)
        if type(func) not in COMPILED:
            own = original(func, _getframe(1))
            if own is None:
                return func(*args, **kwargs)
            func = own
        func, name, quiet, noted = looked_at(func)
        if (quiet and not noted) or self.off or _get_tracing_state() is not None:
            return func(*args, **kwargs)
        if noted:
            if name == "grad":
                func(*args, **kwargs)
                self._gradient_assigned(*args)
                return None
            self._record_fact(name, args)
        if quiet or draws_indices(_getframe(1)):
            return func(*args, **kwargs)
        identity = self.identity
        plain = types in PLAIN_TYPES
        before: Given | None = None
        if self.still >= STILL and identity.defers and self._negligible(name, args, kwargs):
            return func(*args, **kwargs)
        if plain:
            try:
                before = given_to(identity, args, kwargs)
            except Exception as error:
                self.fault(error)
        else:
            before = self.before(args, kwargs)
        try:
            result = func(*args, **kwargs)
        except Exception as error:
            if isinstance(error, RuntimeError):
                self.failed(error, before, func, name)
            raise
        if before is not None:
            try:
                if not plain or not self.record_usual(func, name, before, result, _getframe(1)):
                    with torch._C.DisableTorchFunction():
                        self.record(func, name, before, result)
            except Exception as error:
                self.fault(error)
        return result

    def _negligible(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Return whether no gradient can depend on this call's record, and its line has made many
        calls since one was touched, as code that makes data does. These calls are counted."""
        if self.still == STILL:
            self._often.clear()
            self.still += 1
        try:
            frame = _users_frame()
            line = (0, 0) if frame is None else (id(frame.f_code), frame.f_lasti)
            count = self._often[line] = self._often.get(line, 0) + 1
            return count > OFTEN and name not in FLAGS and any_unseen(self.identity, args, kwargs)
        except Exception as error:
            self.fault(error)
            return False

    def applied(
        self,
        function: type[Any],
        apply: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> Any:
        """Record the call of a custom Function, which no mode sees, as one call of the program."""
        if traced() or self.off or function.__module__.startswith("torch."):
            # the calls inside are observed
            return apply(*args, **kwargs)
        before = self.before(args, kwargs)
        with self.silenced():
            result = apply(*args, **kwargs)
        if before is not None:
            try:
                with torch._C.DisableTorchFunction():
                    self.record(None, function.__name__, before, result)
            except Exception as error:
                self.fault(error)
        return result

    def failed(
        self, error: RuntimeError, before: Given | None, func: Callable[..., Any], name: str
    ) -> None:
        """A call of the program's raised: what PyTorch does not allow is explained."""
        if before is None or not is_explained(message_of(error)):
            return
        try:
            with torch._C.DisableTorchFunction():
                position, _names = self.position()
                _tensors, known, args, kwargs = before
                finding = self._refused(message_of(error), position, before)
                refs, enabled = tuple(known), torch.is_grad_enabled()
                self.tape.append(
                    Call(position, func, name, args, kwargs, None, refs, (), (), enabled)
                )
                finding = tried(finding, self.tape)
                self.found(finding)
                for line in finding.lines():
                    add_note(error, line)
                kind = "leaf" if finding.kind == "leaf" else "other"
                event = ev.Error(
                    kind, type(error).__name__, message_of(error), (), None, None, None,
                    refs[0].id if refs else None, None, None, (), None, None, (), None,
                    finding.as_json(),
                )  # fmt: skip
                record = (self.errs, None, event, position)
                if refs:
                    self.identity.record(refs[0], record)
                else:
                    self.recorder.raw.append(record)
        except Exception as fault:
            self.fault(fault)

    def _refused(self, error: str, position: Position | None, before: Given) -> Finding:
        site = None if position is None else position.site
        if INFERENCE not in error:
            if LEAF not in error:
                return view_written(error, site)
            return leaf_written(error, site, self._written(before))
        self.recorder.drain()
        given = zip(before[0], before[1], strict=True)
        made = [ref.id for tensor, ref in given if tensor.is_inference()]
        return inference(self.recorder.log.model(), made, self.origins, site)

    def _written(self, before: Given) -> Written:
        """Describe the tensor that a call was to write: the first that it was given."""
        tensors, refs = before[:2]
        first = tensors[0]._base if tensors[0]._base is not None else tensors[0]
        history = any(asked(each, "requires_grad") for each in tensors[1:])
        number = self.identity.current(first).facts.number
        used = False
        for call in reversed(self.tape.calls):
            if call.run or used:
                break
            used = any(ref.facts.number == number for ref in call.given) and any(
                ref.facts.requires_grad and ref.facts.number != number
                and ref.facts.address != refs[0].facts.address
                for ref in call.made
            )  # fmt: skip
        return Written(isinstance(first, torch.nn.Parameter), history, used)

    def _record_fact(self, name: str, args: Sequence[Any]) -> None:
        """Gradients are switched off, a hook is registered, or a tensor with a history becomes a
        number or an array."""
        try:
            if name in HOOKING:
                self._hook(args[1])
                return
            if name == SWITCH:
                frame = None if args[0] or not torch.is_grad_enabled() else _users_frame()
                if frame is not None:
                    self.switch = frame.f_code, frame.f_lasti
                return
            with torch._C.DisableTorchFunction():
                tensor = args[0] if args else None
                if not is_a(tensor, torch.Tensor):
                    return
                alias = self.identity.aliases.get(id(tensor))
                cut = alias is not None and alias.tensor() is tensor
                if cut or asked(tensor, "requires_grad"):
                    position, _names = self.position()
                    site = None if position is None else position.site
                    if site is not None:
                        ref = self.identity.known(tensor)
                        keep_site(self.became_numbers, 0 if ref is None else ref.id, site)
        except Exception as fault:
            self.fault(fault)

    def _gradient_assigned(self, tensor: torch.Tensor, grad: torch.Tensor | None) -> None:
        """``tensor.grad = grad`` has run."""
        try:
            with torch._C.DisableTorchFunction():
                self.writes.gradient_set(tensor, grad)
        except Exception as fault:
            self.fault(fault)

    def _hook(self, hook: Any) -> None:
        frame = _users_frame()
        site = None if frame is None else self.recorder.sites.at(frame.f_code, frame.f_lasti)
        known = hook_of(hook, site)
        if known is not None and len(self.hooks) < MAX_KEPT:
            self.hooks[id(known.code)] = known

    def before(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Given | None:
        """Return the arguments of a call, before it; None if that fails."""
        try:
            with torch._C.DisableTorchFunction():
                return given_to(self.identity, args, kwargs)
        except Exception as error:
            self.fault(error)
            return None

    def run(
        self, position: Position | None, entry: Callable[..., Any], args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> None:  # fmt: skip
        """A backward run begins: ``entry`` is PyTorch's to its engine."""
        self.still = 0
        refs: list[Ref] = []
        given = given_to_run(self.identity, args, refs)
        enabled = torch.is_grad_enabled()
        self.tape.append(
            Call(position, entry, "", given, kwargs, None, tuple(refs), (), (), enabled, run=True)
        )

    def returned(self, result: Any) -> None:
        """The run is over."""
        self.tape.returned(given_back(self.identity, result) if result else None)

    @contextmanager
    def silenced(self) -> Iterator[None]:
        """Suspend recording within the block, whose calls are not the user's."""
        self.off, before = True, self.off
        try:
            yield
        finally:
            self.off = before


def _users_frame() -> FrameType | None:
    """The innermost frame of the user's."""
    frame: FrameType | None = _getframe(1)
    while frame is not None and not_the_users(frame.f_code.co_filename):
        frame = frame.f_back
    return frame
