"""The listeners that the engine speaks to: the observer, and modes of the engine's own.

The modes that concern every op while they are on (saved-tensor hooks, anomaly mode, inference mode)
observe the same events, as *listeners*: off, they cost nothing. They get an event after the
observer and, unlike it, may raise and may change what the event is about.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import runtime
from .observer import EVENTS, Observer


class Listeners:
    """The observer and the listeners that are on, as one observer."""

    def __init__(self, members: tuple[Any, ...]) -> None:
        for event in EVENTS:
            handlers = [getattr(each, event) for each in members if hasattr(each, event)]
            setattr(self, event, handlers[0] if len(handlers) == 1 else call_all(handlers))


def call_all(methods: list[Callable[..., Any]]) -> Callable[..., Any]:
    """One method that calls several and returns what the first returned."""

    def call(*args: Any) -> Any:
        results = [method(*args) for method in methods]
        return results[0] if results else None

    return call


HEARD = call_all([]).__code__
"""The code of such methods, for those who look at the frames above them."""

_observer: Observer | None = None
_listeners: dict[Any, int] = {}


def _install() -> None:
    latest = reversed(_listeners)
    members = (_observer, *latest) if _observer is not None else tuple(latest)
    if _listeners:
        runtime.observer = Listeners(members)  # type: ignore[assignment]
    else:
        runtime.observer = _observer


def set_observer(observer: Observer | None) -> None:
    """Install the observer, or remove it with ``None``."""
    global _observer
    with runtime.lock:
        _observer = observer
        _install()


def get_observer() -> Observer | None:
    """The observer in force."""
    return _observer


def switch_listener(listener: Any, on: bool) -> None:
    """Switch a listener on, or off when it was switched off as often as on. It has those of the
    observer's methods that it cares for."""
    with runtime.lock:
        count = _listeners.pop(listener, 0) + (1 if on else -1)
        if count:
            _listeners[listener] = count
        _install()
