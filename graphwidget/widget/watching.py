"""``watch()``: record from here on, and follow the cells of a notebook where there are any."""

from __future__ import annotations

import sys
import weakref
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any

from ..adapters.composite import Adapter
from .graph import GraphWidget

_current: weakref.ref[Watch] | None = None


def current() -> Watch | None:
    """The graph of the newest ``watch()`` that is not over, as long as it is referred to."""
    return None if _current is None else _current()


class Watch(GraphWidget):
    """The widget that ``watch`` returns: it follows the cells of the notebook, and at the end of
    a ``with`` block the one that recorded before goes on."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._before: weakref.ref[Watch] | None = None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        global _current
        super().__exit__(kind, error, traceback)
        if current() is self:
            _current = self._before
            outer = current()
            if outer is not None:
                outer.start()


def watch() -> GraphWidget:
    """Record what runs from here on, and return the widget that shows it.

    As a call it records until the next ``watch()`` or ``graph.stop()``, or until the graph is
    neither referred to nor displayed; as a context manager, ``with graphwidget.watch() as graph:``,
    until the end of the block.
    """
    global _current
    frame = sys._getframe(1)
    graph = Watch()
    before = current()
    if before is not None and before.recording:
        before.flush(final=True)  # it may be its last word
        graph._before = _current
    _current = weakref.ref(graph)
    shell = _shell()
    if shell is None:
        graph.namespace = frame.f_globals if frame.f_code.co_name == "<module>" else None
    else:
        graph.namespace = shell.user_ns
        graph._cleanup.append(follow_cells(shell, graph))
        inputs = shell.history_manager.input_hist_raw
        graph.recorder.cell(len(inputs) - 1, str(inputs[-1]))
    graph.start()
    return graph


def _shell() -> Any:
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def is_cell(info: Any) -> bool:
    """Return whether what is about to run is a cell of the user's, and not an inspector's question.
    (Cells without history count too: nbval runs a notebook's cells so.)"""
    return not getattr(info, "silent", False)


def next_cell(shell: Any) -> int:
    """The execution count of the cell that is about to run. (``shell.execution_count`` is already
    one ahead in IPython 9, and is not in 8.)"""
    return len(shell.history_manager.input_hist_raw)


def running_cell(shell: Any) -> tuple[int, str] | None:
    """The execution count and the text of the cell that is running; None between cells."""
    frame: FrameType | None = sys._getframe(1)
    code = getattr(type(shell).run_cell_async, "__code__", None)
    while frame is not None:
        if frame.f_code is code:
            space = frame.f_locals
            if space.get("silent"):
                return None
            stored = int(bool(space.get("store_history")))
            return next_cell(shell) - stored, str(space.get("raw_cell") or "")
        frame = frame.f_back
    return None


def tell_error(adapter: Adapter, result: Any) -> None:
    """Let the graph show which call raised the error that ended a cell."""
    error = getattr(result, "error_in_exec", None)
    raised = getattr(adapter, "raised", None)
    if isinstance(error, Exception) and raised is not None:  # an interrupt is no error
        raised(error)


def follow_cells(shell: Any, graph: GraphWidget) -> Any:
    """Record where cells begin, and bring the widget up to date after each; returns what undoes
    it. The shell does not keep the widget alive."""
    reference = weakref.ref(graph)

    def begins(info: Any) -> None:
        graph = reference()
        if graph is not None and graph.recording and is_cell(info):
            graph.recorder.cell(next_cell(shell), info.raw_cell or "")

    def ends(result: Any) -> None:
        graph = reference()
        if graph is not None and graph.recording:
            tell_error(graph.adapter, result)
            graph.end_cell()

    shell.events.register("pre_run_cell", begins)
    shell.events.register("post_run_cell", ends)

    def undo() -> None:
        for name, callback in (("pre_run_cell", begins), ("post_run_cell", ends)):
            with suppress(ValueError):  # other code reset the events
                shell.events.unregister(name, callback)

    weakref.finalize(graph, undo)
    return undo
