"""GraphWidget: the log of a recording, shown by the front end while it grows and afterwards."""

from __future__ import annotations

import contextvars
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any

import anywidget
import traitlets

from ..adapters.both import Adapter
from ..adapters.names import named
from ..exporters import html
from ..graph import runtime
from ..graph.base import RunBase
from ..graph.tensor import Tensor
from ..recording.commands import Command, CommandQueue
from ..recording.events import PROTOCOL, Event
from ..recording.fold import Model
from ..recording.recorder import Recorder
from . import display, subshell
from .ipython_kernel import call_later, kernel, on_main_thread
from .pausing import Pause
from .stepping import Stepper, Steppers
from .tracebacks import leave_out_own

CHUNK = 2_000
"""Events in one message to the page."""

SAVE_AFTER = 1.0
"""Seconds from a command to the saved state that contains what it did."""

FOLLOW = 0.2
"""Seconds between two messages while the program runs: the picture changes five times a second."""

SENT_AT_ONCE = 2_000
"""Events that are sent at once to a page that has no way to ask while a cell runs."""

CLOSED = "This graph was closed; nothing of it is kept."

NOT_BUILT = """
export default {{ render({{ el }}) {{ el.textContent = {text!r}; }} }};
"""


def front_end() -> tuple[str, str]:
    """The page's program and its style; one that says what is missing where it was not built."""
    try:
        return html.bundle()
    except FileNotFoundError as error:
        return NOT_BUILT.format(text=str(error)), ""


def weak(method: Callable[..., Any]) -> Callable[..., None]:
    """A function that calls a method as long as somebody else holds its object."""
    of = weakref.WeakMethod(method)

    def call(*args: Any) -> None:
        __tracebackhide__ = True
        found = of()
        if found is not None:
            found(*args)

    return call


class Packed(traitlets.Bytes):
    """The packed log of a graph: made when it is read, where it was put off until then."""

    def get(self, obj: Any, cls: Any = None) -> Any:
        """What the trait holds, brought up to date."""
        obj.pack_now()
        return super().get(obj, cls)


class GraphWidget(anywidget.AnyWidget):
    """The graph of what runs while it records.

    It records from ``start`` (``watch()`` calls it) to ``stop``; as a context manager it stops
    at the end of the block. ``model`` is the state that the events so far fold to, ``events``
    the events themselves, as far as they are still told one by one.
    """

    _esm, _css = front_end()

    count = traitlets.Int(0).tag(sync=True)
    protocol = traitlets.Int(PROTOCOL).tag(sync=True)
    view = traitlets.Dict().tag(sync=True)
    packed = Packed(b"").tag(sync=True)

    past = traitlets.Unicode("").tag(sync=True)
    """Why this widget takes no commands any more: a sentence; empty while it is live."""

    _displayed = False  # whether a page may know of it; before that nothing is sent
    _put_off = False  # whether ``packed`` is to be made when somebody reads it

    def __init__(self, adapter: Adapter | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.namespace: dict[str, Any] | None = None
        self.answered = False  # whether a page has ever spoken to this widget
        self._commands = CommandQueue(self._execute, self._reject, self._wake)
        self._pause = Pause(self._commands, self._tell_state)
        self._still: Any = None  # the display of the still picture
        self._drawn = 0  # events that it shows
        self._saving = False
        self._sending = threading.RLock()
        self._next = 0.0  # when the page may be told again while the program runs
        self._timer: threading.Timer | None = None
        self._cleanup: list[Callable[[], Any]] = []
        self._driver = weak(self._drive)
        self._show_log_of(Adapter(Recorder()) if adapter is None else adapter)
        self.on_msg(self._message)

    def _show_log_of(self, adapter: Adapter) -> None:
        self.adapter, self.recorder = adapter, adapter.recorder
        self._steppers = Steppers(adapter)
        self._sent = self.recorder.log.first
        adapter.on_pulse = weak(self._pulse)
        # Whoever lets go of a graph that was never displayed does not want it recorded.
        self._cleanup.append(weakref.finalize(self, adapter.stop))

    def open(self) -> None:
        """Open the way to the page, when the widget is displayed."""
        if self._displayed and self.comm is None:
            super().open()
            self._pause.reachable = subshell.route(self.comm)

    @property
    def model_id(self) -> str:
        """The id by which pages know this widget, which is displayed from now on."""
        self._displayed = True
        self.open()
        return str(self.comm.comm_id)

    def close(self) -> None:
        """Record no more and forget what was recorded; the picture gives way to a line."""
        self.stop()
        self._show_log_of(Adapter(Recorder()))
        with self.hold_sync():
            self._put_off = False
            self.past, self.count, self.packed = CLOSED, 0, b""
        if self._still is not None:
            self._still.update(display.still(Model(), CLOSED), raw=True)

    def __reduce_ex__(self, _protocol: Any) -> Any:
        raise TypeError(
            "A graph cannot be copied or pickled: it belongs to the program that it watches. "
            "graph.to_html(path) writes what was recorded to a file."
        )

    __copy__ = __deepcopy__ = lambda self, _memo=None: self.__reduce_ex__(None)

    # Recording -----------------------------------------------------------------------------
    def start(self) -> GraphWidget:
        """Record from now on, in place of whoever recorded before."""
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
        """Whether this widget is the one that records."""
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
        self.adapter.drain()
        return self.recorder.log.model()

    @property
    def events(self) -> list[Event]:
        """The events so far; the oldest of a long recording are one ``Snapshot``."""
        self.adapter.drain()
        return self.recorder.log.since(0)[1]

    def to_html(self, path: str | Path, title: str = "graphwidget") -> Path:
        """Write one self-contained page that shows and replays the recording offline.

        Raises:
            FileNotFoundError: the front end has not been built.
        """
        self.flush(final=True)
        target = Path(path)
        text = html.page(self.packed, self.count, PROTOCOL, title)
        target.write_text(text, "utf-8")
        return target

    # Stepping ------------------------------------------------------------------------------
    def step(
        self,
        y: Tensor,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
    ) -> Stepper:
        """Begin a backward run from ``y`` that is held before its first node, and advanced from
        the picture or by the stepper returned. Arguments and errors are ``backward``'s."""
        stepper = self._steppers.begin(y, gradient, retain_graph, create_graph)
        stepper.moved, stepper.hold, stepper.show = self.flush, self._hold, self._show_once
        self.flush()
        return stepper

    def pause(self, on: bool = True) -> None:
        """Hold each backward run that the program begins before its first node, in the middle of
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
    def flush(self, final: bool = False) -> None:
        """Send the page what happened since the last time. ``final`` brings the saved state (the
        packed log) up to date as well, as after each cell; outside a notebook nobody may ever ask
        for that, and it is made when somebody does."""
        self._bind_variables()
        if final:
            self.adapter.settle()
        self._send_new(final)

    def _bind_variables(self) -> None:
        if self.namespace is not None and not self.past:
            self.bind(named(self.namespace))

    def _send_new(self, final: bool = False) -> None:
        """Send what is new, if a page has asked for it."""
        with self._sending:
            if not self.past:
                self.adapter.drain()
            wanted, count = self._wanted, self._end
            if wanted:  # what nobody has asked for is not read
                start, rows, count = self._rows_since(self._sent)
            if wanted:
                self._sent = count
                self._send_rows(start, rows)
            if wanted or final:
                self.count = count
            if final and not self.past:
                self._put_off = True
                if self._displayed or kernel() is not None:
                    self.pack_now()

    def pack_now(self) -> None:
        """Make the packed log, if that was put off."""
        if not self._put_off:  # hosts read it while the widget is being made
            return
        with self._sending:
            self._put_off = False
            log = self.recorder.log
            log.model()  # while the events are at hand: packed, they are parsed
            self.count, self.packed = log.count, log.pack()

    def _rows_since(self, start: int) -> tuple[int, list[Sequence[Any]], int]:
        """The events from a time on, the time of the first of them and the one after the last. The
        past is told as its cell left it, whatever has died since."""
        if not self.past:
            self.adapter.drain()
        log = self.recorder.log
        with log.lock:
            first, rows = log.rows_since(start)
            count = self._end
        return first, rows[: max(0, count - first)], count

    @property
    def _end(self) -> int:
        """The time after the last event that there is to tell."""
        return self.count if self.past else self.recorder.log.count

    @property
    def _wanted(self) -> bool:
        """Whether a page has asked for events, or would if it had a way to."""
        if self.answered or self._pause.reachable or self.comm is None:
            return self.answered
        return self.recorder.log.count - self._sent < SENT_AT_ONCE

    def bind(self, names: Iterable[tuple[str, str, Tensor]]) -> None:
        """Record that variables are bound: (scope, name, tensor) each."""
        self.adapter.bind(names)

    def _send_rows(self, start: int, rows: list[Sequence[Any]]) -> None:
        for at in range(0, len(rows), CHUNK):
            part = rows[at : at + CHUNK]
            self.send({"type": "events", "from": start + at, "events": part})

    def _tell_state(self) -> None:
        """Say that the kernel is there, which run waits in the running cell, if one does, and
        whether commands wait for that cell to end."""
        waiting = self._commands.waiting
        self.send({"type": "state", "pause": self._pause.state, "waiting": waiting})

    def _pulse(self, wait: float) -> None:
        """Ops run. Send them at once, or a little later if nothing else does."""
        if not self._wanted or threading.current_thread() is not threading.main_thread():
            return
        wait = max(wait, self._next - monotonic())
        if wait <= 0:
            self.flush()
            self._next = monotonic() + FOLLOW
        elif self._timer is None and kernel() is not None:
            context = contextvars.copy_context()  # tells the kernel which cell this belongs to
            self._timer = threading.Timer(wait, context.run, (self._trail,))
            self._timer.daemon = True
            self._timer.start()

    def _trail(self) -> None:
        """Send what would wait for the next op, perhaps long. On its own thread: it only sends."""
        self._timer = None
        self._next = monotonic() + FOLLOW
        if self.recorder.raw:
            self._send_new()

    def _message(self, _widget: Any, content: Any, _buffers: Any) -> None:
        """A message from the page, on any thread."""
        self._pause.heard()
        kind = content.get("type") if isinstance(content, dict) else None
        if kind == "need":
            self._answer(content.get("from"))
        elif kind != "here":
            if self.past:
                self._reject(content, self.past)
            else:
                self._commands.put(content)
            self._tell_state()

    def _answer(self, start: Any) -> None:
        """Send a page what it has not seen; from now on it is told what is new."""
        first = start if isinstance(start, int) and start >= 0 else 0
        with self._sending:
            self.answered = True
            start, rows, self._sent = self._rows_since(first)
            self._send_rows(start, rows)
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

    def show(self) -> None:
        """Display the widget here and now, also in the middle of a cell."""
        display.show(*self._repr_mimebundle_())
        if kernel() is not None:  # in a terminal it would be the same line again
            self._still = display.show(display.still(Model(), repr(self)), of=self._still)
            self._drawn = -1

    def _show_once(self) -> bool:
        if not self._displayed:
            self.show()
            return True
        return False

    def end_cell(self) -> None:
        """A cell is over: bring the saved state and the still picture up to date."""
        self.flush(final=True)
        if self.answered:  # somebody looks on: the picture has time
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
