"""Finds the call of PyTorch's API that raised, and its arguments, by the frames of the error."""

from __future__ import annotations

from collections.abc import Callable

from ...recording import events as ev
from ...recording.findings import Finding, has_finding
from ...recording.looking import message_of
from ...recording.positions import Position
from ...recording.recorder import Ref
from ..module_paths import ModuleNames
from ..raised_calls import MAX_INPUTS, entries_of, module_of, position_of
from . import ops
from .failed_calls import failed_call
from .lines import place_of
from .observed_calls import ObservedCalls
from .refused_calls import is_explained

OBSERVER = ObservedCalls.__torch_function__.__code__
"""The code of the function that knows what a call was given ``before`` it and its ``name``."""


def raised(
    error: BaseException, calls: ObservedCalls, modules: ModuleNames, ours: Callable[[str], bool],
    known: Finding | None = None,
) -> Finding | None:  # fmt: skip
    """After an error that ended a cell, emit the call of the program that raised it, unless the
    error is in the log; and the cause, unless that is ``known``."""
    if is_explained(message_of(error)) or has_finding(error):
        return None
    entries = entries_of(error)
    users = [n for n, each in enumerate(entries) if not ours(each.tb_frame.f_code.co_filename)]
    if not users:
        return None
    way, module = entries[: users[-1] + 1], module_of(entries)
    for entry in reversed(entries[users[-1] :]):
        seen = entry.tb_frame.f_locals if entry.tb_frame.f_code is OBSERVER else {}
        before = seen.get("before")
        if before is None or seen.get("quiet"):
            continue
        _tensors, _refs, args, kwargs = before
        call = ops.called(seen["name"], args, kwargs, False)
        inputs = [each.id for each in call.inputs if isinstance(each, Ref)]
        event = ev.Error(
            "call", type(error).__name__, message_of(error), (), None, None, None, None, None, None,
            (), None, call.key, tuple(inputs[:MAX_INPUTS]),
            modules.scope_of(module),
        )  # fmt: skip
        position = position_of(way, module, calls.recorder.sites, ours)
        calls.recorder.drain()
        place = place_of(position.site)
        model, op = calls.recorder.latest(), str(event.op)
        found = known or failed_call(model, op, event.inputs, place, event.message)
        if found is not None:
            event = event._replace(finding=found.as_json())
        calls.recorder.raw.append((_emit, position, event, calls, seen["name"]))
        return found
    return None


def _emit(position: Position, event: ev.Error, calls: ObservedCalls, name: str) -> None:
    """While draining: emit it, after the definition of its op."""
    recorder, key = calls.recorder, str(event.op)
    if recorder.define(key):
        recorder.emit(ops.definition(name, key))
    calls.records.names.recall(event.inputs)
    scope = calls.records.scopes.current if event.scope is None else event.scope
    recorder.emit(event._replace(source=recorder.source(position.site), scope=scope))
