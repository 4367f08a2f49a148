"""LogWidget: a widget with a log, which it sends to pages and saves."""

from __future__ import annotations

import contextvars
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import Any

import traitlets

from ..adapters.composite import Adapter
from ..adapters.names import named
from ..graph.tensor import Tensor
from ..recording.recorder import Recorder
from . import subshell
from .front_end import FrontEnd
from .ipython_kernel import kernel

CHUNK = 2_000
"""Events in one message to the page."""

FOLLOW = 0.2
"""Seconds between two messages while the program runs: the picture changes five times a second."""

SENT_AT_ONCE = 2_000
"""Events that are sent at once to a page that has no way to ask while a cell runs."""


def weak(method: Callable[..., Any]) -> Callable[..., None]:
    """Return a function that calls a method as long as its object is alive."""
    of = weakref.WeakMethod(method)

    def call(*args: Any) -> None:
        __tracebackhide__ = True
        found = of()
        if found is not None:
            found(*args)

    return call


class WhenRead(traitlets.TraitType[Any, Any]):
    """A trait that is updated when it is read, where that was put off until then."""

    def get(self, obj: Any, cls: Any = None) -> Any:
        """Return the trait's current value."""
        obj.pack_now()
        return super().get(obj, cls)


class Packed(WhenRead, traitlets.Bytes):
    """The packed log of a graph."""


class Count(WhenRead, traitlets.Int[int, int]):
    """The number of its events."""


class LogWidget(FrontEnd):
    """The log of an adapter, as pages and saved notebooks get it."""

    packed = Packed(b"").tag(sync=True)
    count = Count(0).tag(sync=True)

    adapter: Adapter
    recorder: Recorder

    _displayed = False  # whether a page may know of it; before that nothing is sent
    _put_off = False  # whether ``packed`` is to be made when it is read
    _packed_until = -1  # the time after the last event in it

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.namespace: dict[str, Any] | None = None
        self.answered = False  # whether a page has ever spoken to this widget
        self._reachable = False  # whether its messages arrive while a cell runs
        self._sent = 0  # the time after the last event that was sent
        self._sending = threading.RLock()
        self._next = 0.0  # when the page may get events again while the program runs
        self._timer: threading.Timer | None = None

    def _show_log_of(self, adapter: Adapter) -> None:
        self.adapter, self.recorder = adapter, adapter.recorder
        self._sent, self._packed_until = self.recorder.log.first, -1
        adapter.on_pulse, adapter.on_asked = weak(self._pulse), weak(self._bind_variables)

    def open(self) -> None:
        """Open the way to the page, when the widget is displayed."""
        if self._displayed and self.comm is None:
            super().open()
            self._reachable = subshell.route(self.comm)

    @property
    def model_id(self) -> str:
        """The id by which pages know this widget, which is displayed from now on."""
        self._displayed = True
        self.open()
        return str(self.comm.comm_id)

    def flush(self, final: bool = False) -> None:
        """Send the page what happened since the last time. ``final`` brings the saved state (the
        packed log) up to date as well, as after each cell; outside a notebook it may never be
        read, and it is made when it is."""
        self._bind_variables()
        if final:
            self.adapter.settle()
        self._send_new(final)

    def bind(self, names: Iterable[tuple[str, str, Tensor]]) -> None:
        """Record that variables are bound: (scope, name, tensor) each."""
        self.adapter.bind(names)

    def _bind_variables(self) -> None:
        if self.namespace is not None and not self.past:
            self.bind(named(self.namespace))

    def _send_new(self, final: bool = False) -> None:
        """Send what is new, if a page has asked for it."""
        with self._sending:
            if final and not (self.past or self._displayed or self.answered or kernel()):
                self._put_off = True  # outside a notebook it may never be read
                return
            if not self.past:
                self.adapter.drain(live=not final)
            wanted, count = self._wanted, self._end
            if wanted:  # else it is not read
                start, rows, count = self._rows_since(self._sent)
            if wanted:
                self._sent = count
                self._send_rows(start, rows)
            if wanted or final:
                self.count = count
            if final and not self.past:
                self._put_off = self._put_off or self._packed_until != self.recorder.log.count
                if self._displayed or kernel() is not None:
                    self.pack_now()

    def pack_now(self) -> None:
        """Make the packed log, if that was put off."""
        if not self._put_off:  # hosts read it while the widget is being made
            return
        with self._sending:
            self._put_off = False
            if not self.past:
                self.adapter.drain()
            log = self.recorder.log
            log.model()  # while the events are at hand: packed, they are parsed
            self._packed_until = self.count = log.count
            self.packed = log.pack()

    def _rows_since(self, start: int) -> tuple[int, list[Sequence[Any]], int]:
        """The events from a time on, the time of the first of them and the one after the last. The
        past is sent as its cell left it, whatever has died since."""
        if not self.past:
            self.adapter.drain(live=True)
        log = self.recorder.log
        with log.lock:
            first, rows = log.rows_since(start)
            count = self._end
        return first, rows[: max(0, count - first)], count

    @property
    def _end(self) -> int:
        """The time after the last event."""
        return self.count if self.past else self.recorder.log.count

    @property
    def _wanted(self) -> bool:
        """True if a page has asked for events, or would if it had a way to."""
        if self.answered or self._reachable or not self._displayed or self.comm is None:
            return self.answered
        return self.recorder.log.count - self._sent < SENT_AT_ONCE

    def _send_rows(self, start: int, rows: list[Sequence[Any]]) -> None:
        for at in range(0, len(rows), CHUNK):
            part = rows[at : at + CHUNK]
            self.send({"type": "events", "from": start + at, "events": part})

    def _answer(self, start: Any) -> None:
        """Send a page what it has not seen; from now on it gets what is new."""
        first = start if isinstance(start, int) and start >= 0 else 0
        with self._sending:
            self.answered = True
            start, rows, self._sent = self._rows_since(first)
            self._send_rows(start, rows)

    # While the program runs ----------------------------------------------------------------
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
