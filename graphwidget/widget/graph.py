"""GraphWidget: the log of a recording, shown by the front end while it grows and afterwards."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from ..adapters.composite import Adapter
from ..exporters import html
from ..graph import runtime
from ..graph.base import RunBase
from ..graph.tensor import Tensor
from ..recording.commands import Command, CommandQueue
from ..recording.events import PROTOCOL, Event
from ..recording.fold import Model
from ..recording.language import page_speaks, say
from ..recording.recorder import Recorder
from . import display
from .ipython_kernel import call_later, kernel, on_main_thread
from .log_widget import LogWidget, weak
from .pausing import Pause
from .stepping import Stepper, Steppers
from .tracebacks import leave_out_own

SAVE_AFTER = 1.0
"""Seconds from a command to the saved state that contains what it did."""

CLOSED = "This graph was closed; nothing of it is kept."


class GraphWidget(LogWidget):
    """The graph of what runs while it records.

    It records from ``start`` (``watch()`` calls it) to ``stop``; as a context manager it stops
    at the end of the block. ``model`` is the state that the events so far fold to, ``events``
    the events themselves, as far as they are still kept one by one.
    """

    def __init__(self, adapter: Adapter | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._commands = CommandQueue(self._execute, self._reject, self._wake)
        self._pause = Pause(self._commands, self._tell_state, lambda: self._reachable)
        self._still: Any = None  # the display of the still picture
        self._drawn = 0  # events that it shows
        self._saving = False
        self._cleanup: list[Callable[[], Any]] = []
        self._driver = weak(self._drive)
        self._show_log_of(Adapter(Recorder()) if adapter is None else adapter)
        self.on_msg(self._message)

    def _show_log_of(self, adapter: Adapter) -> None:
        super()._show_log_of(adapter)
        self._steppers = Steppers(adapter)
        # A graph that was dropped before it was displayed need not be recorded.
        self._cleanup.append(weakref.finalize(self, adapter.stop))

    def close(self) -> None:
        """Record no more and forget what was recorded; the picture gives way to a line."""
        self.stop()
        self._show_log_of(Adapter(Recorder()))
        with self.hold_sync():
            self._put_off = False
            self.past, self.count, self.packed = say(CLOSED), 0, b""
        if self._still is not None:
            self._still.update(display.still(Model(), say(CLOSED)), raw=True)

    def __del__(self) -> None:
        if not sys.is_finalizing():  # else there is no page any more, and half of Python is gone
            super().__del__()

    def __reduce_ex__(self, _protocol: Any) -> Any:
        raise TypeError(
            "A graph cannot be copied or pickled: it belongs to the program that it watches. "
            "graph.to_html(path) writes what was recorded to a file."
        )

    __copy__ = __deepcopy__ = lambda self, _memo=None: self.__reduce_ex__(None)

    # Recording -----------------------------------------------------------------------------
    def start(self) -> GraphWidget:
        """Record from now on, in place of an earlier recording."""
        self.adapter.start()
        return self

    def stop(self) -> None:
        """Record no more. What was recorded stays, and live runs can still be stepped."""
        self.adapter.stop()
        while self._cleanup:
            self._cleanup.pop()()
        self.flush(final=True)

    @property
    def recording(self) -> bool:
        """True if this widget is the one that records."""
        return self.adapter.active

    def __enter__(self) -> GraphWidget:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()
        if error is not None:
            leave_out_own(error)

    # What was recorded ---------------------------------------------------------------------
    @property
    def model(self) -> Model:
        """The state that all events so far fold to. It belongs to the log: do not change it."""
        self._hear()
        return self.recorder.log.model()

    @property
    def events(self) -> list[Event]:
        """The events so far; the oldest of a long recording are one ``Snapshot``."""
        self._hear()
        return self.recorder.log.since(0)[1]

    def _hear(self) -> None:
        """Emit what happened and the present bindings of variables."""
        if self.recording:
            self._bind_variables()
        self.adapter.drain()

    def to_html(self, path: str | Path, title: str = "graphwidget", *, guess: bool = False) -> Path:
        """Write one self-contained page that shows and replays the recording offline.

        Args:
            path: the file to write.
            title: the title of the page.
            guess: begin before the first step, and ask for each step before showing it.

        Raises:
            FileNotFoundError: the front end has not been built.
        """
        self.flush(final=True)
        return html.write(path, html.page(self.packed, self.count, PROTOCOL, title, guess=guess))

    # Stepping ------------------------------------------------------------------------------
    def step(
        self,
        y: Tensor,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
    ) -> Stepper:
        """Begin a backward run from ``y`` that pauses before its first node, and is advanced from
        the picture or by the stepper returned. Arguments and errors are ``backward``'s."""
        stepper = self._steppers.begin(y, gradient, retain_graph, create_graph)
        stepper.moved, stepper.hold, stepper.show = self.flush, self._hold, self._show_once
        self.flush()
        return stepper

    def pause(self, on: bool = True) -> None:
        """Pause each backward run that the program begins before its first node, in the middle of
        its cell: the picture's buttons take the steps, and the cell goes on when the run is over.
        Where no picture can answer it runs through, and a line says so."""
        if on:
            runtime.drive = self._driver
            self._cleanup.append(partial(self.pause, False))
        elif runtime.drive is self._driver:
            runtime.drive = None

    def _drive(self, run: RunBase) -> None:
        """The program begins a backward run. On its thread."""
        if self.recording:
            self.hold(run)

    def hold(self, run: Any) -> None:
        """Let the page take the steps of a run that is about to begin.

        Raises:
            KeyboardInterrupt: it was abandoned, in the picture or by interrupting the kernel.
            RuntimeError: what a step raised.
        """
        __tracebackhide__ = True
        if self._pause.possible():
            self._hold(self._steppers.adopt(run))

    def _hold(self, stepper: Stepper) -> None:
        __tracebackhide__ = True
        stepper.moved = self.flush
        self.flush()
        self._pause.hold(stepper)

    # To and from the page ------------------------------------------------------------------
    def _tell_state(self) -> None:
        """Say that the kernel is there, which run waits in the running cell, if one does, and
        whether commands wait for that cell to end."""
        waiting = self._commands.waiting
        self.send({"type": "state", "pause": self._pause.state, "waiting": waiting})

    def _message(self, _widget: Any, content: Any, _buffers: Any) -> None:
        """A message from the page, on any thread."""
        self._pause.page_answered()
        kind = content.get("type") if isinstance(content, dict) else None
        if kind == "here":
            return
        if kind == "need":
            page_speaks(content.get("language"))
            self._answer(content.get("from"))
        elif self.past:
            self._reject(content, self.past)
        else:
            self._commands.put(content)
        self._tell_state()

    def _execute(self, command: Command) -> None:
        try:
            with self.adapter.observing(commanded=True):
                self._steppers.execute(command)
        finally:
            self.flush()
            self._tell_state()
            self._save()

    def _save(self) -> None:
        """Bring the saved state up to date when no command came for a while."""
        if not self._saving:
            self._saving = True
            call_later(SAVE_AFTER, self._saved)

    def _saved(self) -> None:
        self._saving = False
        self.flush(final=True)
        self._draw_still()

    def _reject(self, message: Any, why: str) -> None:
        self.send({"type": "reject", "re": message, "why": why})

    def _wake(self) -> None:
        on_main_thread(self._commands.run)

    # Looks ---------------------------------------------------------------------------------
    def __repr__(self) -> str:
        return display.sentence(self.model, self.recorder.log.lost)

    def show(self, over: bool = False) -> None:
        """Display the widget here and now, also in the middle of a cell; or when that is ``over``,
        and the still picture can be drawn at once."""
        display.show(*self._repr_mimebundle_())
        if kernel() is not None:  # in a terminal it would be the same line again
            model = self.model if over else Model()
            self._drawn = self.count if over else -1
            self._still = display.show(display.still(model, repr(self)), of=self._still)

    def _show_once(self) -> bool:
        if not self._displayed:
            self.show()
            return True
        return False

    def end_cell(self) -> None:
        """A cell is over: bring the saved state and the still picture up to date."""
        self.flush(final=True)
        if self.answered:  # a page is open: the picture has time
            self._save()
        else:
            self._draw_still()

    def _draw_still(self) -> None:
        if self._still is not None and self._drawn != self.count:
            self._drawn = self.count
            self._still.update(display.still(self.model, repr(self)), raw=True)

    def _ipython_display_(self) -> None:
        self.show()

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        # As a final flush; but the program may be in the middle of a loop, and stays there.
        self._bind_variables()
        self._send_new(final=True)
        self.pack_now()
        bundle = super()._repr_mimebundle_(**kwargs)
        return bundle if isinstance(bundle, tuple) else (bundle or {}, {})
