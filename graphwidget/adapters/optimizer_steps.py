"""Steps of an optimizer, recorded as one call for each parameter that it writes."""

from __future__ import annotations

from ..recording import events as ev
from ..recording.fold import Row


def step_key(optimizer: str) -> str:
    """The op that stands for the writes of a step of an optimizer of this class."""
    return f"{optimizer}_"


def is_step(call: Row | None) -> bool:
    """Return whether a call is that: classes alone begin with a capital."""
    return call is not None and call["op"][:1].isupper() and call["op"].endswith("_")


def step_definition(optimizer: str) -> ev.Define:
    """Return the definition of that op, emitted at its first use."""
    return ev.Define(step_key(optimizer), optimizer, "", (), ())
