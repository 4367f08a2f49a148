"""Modules that are heard as a whole in turns that are held (``steady_turns.py``).

A module of PyTorch's own that made one call of the tensor that it was given makes it again as long
as its attributes are the same: what it calls need not be heard, and what it gives is what the call
made.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import is_, itemgetter
from typing import Any, NamedTuple

from torch.nn.modules import module as of_torch

from .steady_plan import ANY, EACH, LEAVE, PLAINLY, SAME, Call, Enter, Plan, Whole, is_plain

HOOKS = "_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks"
_hooks_of: Callable[[Any], tuple[Any, ...]] = itemgetter(*HOOKS)
_any_global_hook: Callable[[], bool] = getattr(of_torch, "_has_any_global_hook", lambda: True)
INPUT = object()
"""Stands for what the module is given among what it gives to its call."""


class WholeModule(NamedTuple):
    """A module that is called and makes one call; ``forward`` is its class's, ``attributes`` are
    those that its calls may depend on, which have these ``values``; ``missing`` are the parameters
    that it could have and has not; ``given`` are the call's arguments: the ``INPUT``, names of
    parameters in a tuple, or what is no tensor."""

    forward: Any
    attributes: list[str]
    values: list[Any]
    missing: list[str]
    given: list[Any]

    def arguments(self, module: Any, args: tuple[Any, ...]) -> list[Any] | None:
        """What its call will be given; None if the module may do something else this time."""
        # The hot path: every such module of every turn that is held.
        # Attributes are to be the very same: what the user puts there may not be comparable.
        own = module.__dict__
        parameters = own["_parameters"]
        if (
            len(args) != 1 or type(module).forward is not self.forward or "forward" in own
            or any(_hooks_of(own)) or _any_global_hook()
            or not all(map(is_, map(own.get, self.attributes), self.values))
            or (self.missing and any(parameters.get(x) is not None for x in self.missing))
        ):  # fmt: skip
            return None
        return [
            args[0] if each is INPUT else parameters.get(each[0]) if type(each) is _Name else each
            for each in self.given
        ]


class _Name(tuple[str]):
    """The name of a parameter."""

    __slots__ = ()


def with_wholes(plan: Plan) -> Plan:
    """A plan, with those of its modules that are heard as a whole."""
    events = plan.events
    found: dict[int, Whole] = {}
    for at, (enter, call, leave) in enumerate(zip(events, events[1:], events[2:], strict=False)):
        if isinstance(enter, Enter) and isinstance(call, Call) and leave is LEAVE:
            whole = _whole(enter, call)
            if whole is not None:
                found[at] = whole
    return plan._replace(wholes=found)


def _whole(enter: Enter, call: Call) -> WholeModule | None:
    module = enter.module()
    if module is None or call.like is None or call.pair or module._buffers:
        return None
    if not type(module).__module__.startswith("torch.nn.modules."):
        return None
    names = {id(each): name for name, each in module._parameters.items() if each is not None}
    given: list[Any] = []
    for ref, (whence, what) in zip(
        (*call.like.args, *call.like.kwargs.values()), call.sources, strict=True
    ):
        if whence is EACH:
            return None
        name = names.get(id(ref())) if whence is SAME or whence is ANY else None
        given.append(what if whence is PLAINLY else INPUT if name is None else _Name((name,)))
    attributes = sorted(word for word in module.__dict__ if not word.startswith("_"))
    values = [module.__dict__[word] for word in attributes]
    if given.count(INPUT) != 1 or not all(map(is_plain, values)):
        return None
    missing = [name for name, each in module._parameters.items() if each is None]
    return WholeModule(type(module).forward, attributes, values, missing, given)
