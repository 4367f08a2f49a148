"""Modules that are heard as a whole in turns that are held (``steady_turns.py``).

A module of PyTorch's own that made one call of the tensor that it was given makes it again as long
as its attributes are the same: what it calls need not be heard, and what it gives is what the call
made. A ``Sequential`` of such modules makes their calls one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from operator import is_, itemgetter
from typing import Any

from torch.nn import Sequential
from torch.nn.modules import module as of_torch

from ...recording.sites import Site
from .planned_arguments import PlannedArguments
from .steady_plan import (
    ANY,
    EACH,
    INPUT,
    LEAVE,
    MADE,
    PLAINLY,
    SAME,
    Call,
    Enter,
    Plan,
    Source,
    Whole,
    is_plain,
)  # fmt: skip

HOOKS = "_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks"
_hooks_of: Callable[[Any], tuple[Any, ...]] = itemgetter(*HOOKS)
_hooks_of_all = [getattr(of_torch, f"_global{each}", {"unknown": None}) for each in HOOKS]


@dataclass(slots=True)
class WholeModule:
    """A module of a ``kind`` that makes one call in its ``forward``; ``attributes`` are those that
    this may depend on, which have these ``values``; ``missing`` are the parameters that it could
    have and has not; ``arguments`` are the call's: the ``INPUT``, which comes from the ``source``,
    parameters, or what is no tensor."""

    calls: tuple[Call, ...]
    kind: type[Any]
    forward: Any
    attributes: list[str]
    values: list[Any]
    missing: list[str]
    arguments: list[Any]
    places: tuple[int, ...]
    source: Source
    site: Site | None
    inner: tuple[Enter, ...] = ()
    events: int = 2

    def given(self, module: Any, value: Any, turns: PlannedArguments) -> list[list[Any]] | None:
        """What its call will be given (``Whole``)."""
        given = None if any(_hooks_of_all) else self.given_by(module, value, turns)
        return None if given is None else [given]

    def given_by(self, module: Any, value: Any, turns: PlannedArguments) -> list[Any] | None:
        """The same, where no hook hears all modules."""
        # The hot path: every such module of every turn that is held.
        # Attributes are to be the very same: what the user puts there may not be comparable.
        own = module.__dict__
        parameters: dict[str, Any] = own["_parameters"]
        met = turns.identity.refs.get
        if (
            type(module) is not self.kind or not _calls(module, own, self.forward)
            or not all(map(is_, map(own.get, self.attributes), self.values))
        ):  # fmt: skip
            return None
        if self.missing and any(parameters.get(x) is not None for x in self.missing):
            return None
        given: list[Any] = []
        for each in self.arguments:
            if type(each) is Parameter:
                tensor = parameters.get(each.name)
                taken = met(id(tensor))
                if tensor is None or taken is None or taken.facts.number != each.number:
                    return None
                if taken.version != tensor._version or taken() is not tensor:
                    return None
                given.append(taken)
            elif each is not INPUT or value is INPUT:
                given.append(each)
            else:
                found = turns.taken((value,), (self.source,))
                if found is None:
                    return None
                given += found
        return given


@dataclass(slots=True)
class WholeSequence:
    """A ``Sequential`` of such modules, which are its ``parts``."""

    calls: tuple[Call, ...]
    inner: tuple[Enter, ...]
    places: tuple[int, ...]
    parts: tuple[WholeModule, ...]
    site: Site | None
    events: int

    def given(self, module: Any, value: Any, turns: PlannedArguments) -> list[list[Any]] | None:
        """What each of its calls will be given (``Whole``)."""
        own = module.__dict__
        modules: Mapping[str, Any] = own["_modules"]
        if (
            len(modules) != len(self.parts) or type(module).__iter__ is not Sequential.__iter__
            or not _calls(module, own, FORWARD) or any(_hooks_of_all)
        ):  # fmt: skip
            return None
        found: list[list[Any]] = []
        for each, enter, part in zip(modules.values(), self.inner, self.parts, strict=True):
            given = part.given_by(each, value, turns) if enter.module() is each else None
            if given is None:
                return None
            found.append(given)
            value = INPUT
        return found


FORWARD = Sequential.forward


def _calls(module: Any, own: Mapping[str, Any], forward: Any) -> bool:
    """Whether a call of a module with its ``own`` attributes is one of ``forward`` alone."""
    plainly = type(module).forward is forward and "forward" not in own
    return plainly and not any(_hooks_of(own)) and own.get("_compiled_call_impl") is None


@dataclass(slots=True)
class Parameter:
    """An argument that is a parameter of the module, with its name there and its number."""

    name: str
    number: int


def with_wholes(plan: Plan) -> Plan:
    """A plan, with those of its modules that are heard as a whole."""
    events = plan.events
    found: dict[int, WholeModule] = {}
    for at, (enter, call, leave) in enumerate(zip(events, events[1:], events[2:], strict=False)):
        if isinstance(enter, Enter) and isinstance(call, Call) and leave is LEAVE:
            whole = _whole(enter, call)
            if whole is not None:
                found[at] = whole
    wholes: dict[int, Whole] = {**found}
    for at, each in enumerate(events):
        sequence = _sequence(plan, at, found) if isinstance(each, Enter) else None
        if sequence is not None:
            wholes[at] = sequence
    return replace(plan, wholes=wholes)


def _whole(enter: Enter, call: Call) -> WholeModule | None:
    module = enter.module()
    if module is None or call.like is None or call.pair or module._buffers:
        return None
    if not type(module).__module__.startswith("torch.nn.modules."):
        return None
    names = {id(each): name for name, each in module._parameters.items() if each is not None}
    arguments: list[Any] = []
    for ref, (whence, what) in zip(
        (*call.like.args, *call.like.kwargs.values()), call.sources, strict=True
    ):
        if whence is EACH:
            return None
        name = names.get(id(ref())) if whence is SAME or whence is ANY else None
        if name is not None:
            arguments.append(Parameter(name, what))
        else:
            arguments.append(what if whence is PLAINLY else INPUT)
    attributes = sorted(word for word in module.__dict__ if not word.startswith("_"))
    values = [module.__dict__[word] for word in attributes]
    if arguments.count(INPUT) != 1 or not all(map(is_plain, values)):
        return None
    missing = [name for name, each in module._parameters.items() if each is None]
    place = next(nr for nr, each in enumerate(arguments) if each is INPUT)
    kind, site = type(module), None if call.position is None else call.position.site
    return WholeModule(
        (call,), kind, kind.forward, attributes, values, missing, arguments, (place,),
        call.sources[place], site,
    )  # fmt: skip


def _sequence(plan: Plan, at: int, found: Mapping[int, WholeModule]) -> WholeSequence | None:
    """The ``Sequential`` that is entered there, if each of its modules is heard as a whole and is
    given what the one before has made."""
    module = plan.events[at].module()
    if not isinstance(module, Sequential) or not module._modules:
        return None
    places = range(at + 1, at + 1 + 3 * len(module._modules), 3)
    wholes = [found[place] for place in places if place in found]
    enters = tuple([plan.events[place] for place in places if place in found])
    called = [enter.module() for enter in enters]
    if called != list(module._modules.values()) or plan.events[places.stop] is not LEAVE:
        return None  # modules are equal if they are the same
    calls = tuple([each.calls[0] for each in wholes])
    for before, each in zip(calls, wholes[1:], strict=False):
        made = MADE, plan.calls.index(before)
        if each.source != made or each.calls[0].grad_mode is not before.grad_mode:
            return None
    inputs = tuple([each.places[0] for each in wholes])
    # each part is entered, makes its call and is left, and at last all of it
    events = 3 * len(wholes) + 1
    return WholeSequence(calls, enters, inputs, tuple(wholes), wholes[-1].site, events)
