"""For the adapter's tests: run a program and get what was recorded of it."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import graphwidget
from graphwidget.adapters.names import named
from graphwidget.adapters.native import NativeAdapter
from graphwidget.recording import events as ev
from graphwidget.recording.fold import Model, Row, fold
from graphwidget.recording.recorder import Recorder


class Recorded:
    """Recording of a program."""

    def __init__(self, adapter: NativeAdapter) -> None:
        adapter.drain()
        self.adapter = adapter
        self.events: list[ev.Event] = adapter.recorder.log.since(0)[1]
        self.model: Model = fold(self.events)

    def value(self, name: str, scope: str = "") -> Row:
        """The value that a variable is bound to at the end."""
        return self.model.values[self.model.names[f"{scope}\0{name}"]]

    def names(self) -> list[tuple[str, str]]:
        """(scope, name) of all bindings in order."""
        return [(e.scope, e.name) for e in self.events if isinstance(e, ev.Name)]

    def of(self, kind: type[Any]) -> list[Any]:
        """All events of a kind."""
        return [event for event in self.events if isinstance(event, kind)]


def record(source: str, bind: bool = True, **variables: Any) -> Recorded:
    """Run a program of which errors are part, as a file of its own."""
    adapter = NativeAdapter(Recorder())
    filename = f"<program {hash(source)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    namespace: dict[str, Any] = {"torch": graphwidget, **variables}
    try:
        with adapter.observing():
            exec(compile(source, filename, "exec"), namespace)
    except RuntimeError as error:
        namespace["error"] = error
    adapter.settle()
    if bind:
        adapter.bind(named(namespace))
    recorded = Recorded(adapter)
    recorded.namespace = namespace  # type: ignore[attr-defined]  # keeps the tensors alive
    return recorded


def observed(function: Callable[[], Any]) -> Recorded:
    """Return what a call recorded."""
    adapter = NativeAdapter(Recorder())
    with adapter.observing():
        function()
    return Recorded(adapter)
