"""GraphWidget: the log of a recording, shown by the front end while it grows and afterwards."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import anywidget
import traitlets

from ..adapters.names import named
from ..adapters.native import NativeAdapter
from ..exporters import html
from ..graph.tensor import Tensor
from ..recording.controls import Command, Controls
from ..recording.events import PROTOCOL, Event
from ..recording.fold import Model, fold
from ..recording.recorder import Recorder
from . import display
from .stepping import Stepper, Steppers

CHUNK = 2_000
"""Events in one message to the page."""

SAVE_AFTER = 1.0
"""Seconds from a command to the saved state that contains what it did."""

NOT_BUILT = """
export default {{ render({{ el }}) {{ el.textContent = {text!r}; }} }};
"""


def _front_end() -> tuple[str, str]:
    try:
        return html.bundle()
    except FileNotFoundError as error:
        return NOT_BUILT.format(text=str(error)), ""


class GraphWidget(anywidget.AnyWidget):
    """The graph of what runs while it records.

    It records from ``start`` (``watch()`` calls it) to ``stop``; as a context manager it stops
    at the end of the block. ``model`` is the state that the events so far fold to, ``events``
    the events themselves, as far as they are still told one by one.
    """

    _esm, _css = _front_end()

    count = traitlets.Int(0).tag(sync=True)
    protocol = traitlets.Int(PROTOCOL).tag(sync=True)
    view = traitlets.Dict().tag(sync=True)
    packed = traitlets.Bytes(b"").tag(sync=True)

    def __init__(self, adapter: NativeAdapter | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.adapter = NativeAdapter(Recorder()) if adapter is None else adapter
        self.adapter.on_pulse = self._pulse
        self.recorder = self.adapter.recorder
        self.frozen: str | None = None
        """Why commands are refused, when this widget shows the past only."""
        self.namespace: dict[str, Any] | None = None
        self.answered = False  # whether a page has ever spoken to this widget
        self._steppers = Steppers(self.adapter)
        self._controls = Controls(self._execute, self._reject, self._wake)
        self._sent = self.recorder.log.first
        self._model = Model()
        self._cleanup: list[Any] = []
        self._handle: Any = None
        self._saving = False
        self._sending = threading.RLock()
        self._later: threading.Timer | None = None
        self.on_msg(self._message)

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

    # What was recorded ---------------------------------------------------------------------
    @property
    def model(self) -> Model:
        """The state that all events so far fold to. It is this widget's own: do not change it."""
        self.adapter.drain()
        log = self.recorder.log
        with log.lock:
            start, events = log.since(self._model.time)
            if start != self._model.time:  # the log was compacted beyond us
                self._model, (_, events) = Model(), log.since(0)
            fold(events, self._model)
        return self._model

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
        stepper.moved = self.flush
        self.flush()
        return stepper

    # To and from the page ------------------------------------------------------------------
    def flush(self, final: bool = False) -> None:
        """Send the page what happened since the last time. ``final`` brings the saved state (the
        packed log) up to date as well, as after each cell."""
        if self.namespace is not None:
            self.bind(named(self.namespace))
        if final:
            self.adapter.settle()
        self._send_new(final)

    def _send_new(self, final: bool = False) -> None:
        with self._sending:
            self._send_since(final)

    def _send_since(self, final: bool) -> None:
        self.adapter.drain()
        log = self.recorder.log
        with log.lock:
            start, rows = log.rows_since(self._sent)
            self._sent = log.count
            packed = log.pack() if final else None
        self._send_rows(start, rows)
        self.count = self._sent
        if packed is not None:
            self.packed = packed

    def bind(self, names: Iterable[tuple[str, str, Tensor]]) -> None:
        """Record that variables are bound: (scope, name, tensor) each."""
        self.adapter.bind(names)

    def _send_rows(self, start: int, rows: list[Sequence[Any]]) -> None:
        for at in range(0, len(rows), CHUNK):
            part = rows[at : at + CHUNK]
            self.send({"type": "events", "from": start + at, "events": part})

    def _pulse(self, wait: float) -> None:
        """Ops run. Send them at once, or after ``wait`` seconds if nothing else does."""
        if threading.current_thread() is not threading.main_thread():
            return
        if not wait:
            self.flush()
        elif self._later is None and display.kernel() is not None:
            context = contextvars.copy_context()  # tells the kernel which cell this belongs to
            self._later = threading.Timer(wait, context.run, (self._trail,))
            self._later.daemon = True
            self._later.start()

    def _trail(self) -> None:
        """Send what would wait for the next op, perhaps long. On its own thread: it only sends."""
        self._later = None
        if self.recorder.raw:
            self._send_new()

    def _message(self, _widget: Any, content: Any, _buffers: Any) -> None:
        """A message from the page, on any thread."""
        self.answered = True
        if isinstance(content, dict) and content.get("type") == "need":
            start = content.get("from")
            first = start if isinstance(start, int) and start >= 0 else 0
            self._send_rows(*self.recorder.log.rows_since(first))
        elif self.frozen is not None:
            self._reject(content, self.frozen)
        else:
            self._controls.put(content)

    def _execute(self, command: Command) -> None:
        try:
            with self.adapter.observing(commanded=True):
                self._steppers.execute(command)
        finally:
            self.flush()
            self._save()

    def _save(self) -> None:
        """Bring the saved state up to date when no command came for a while."""
        if not self._saving:
            self._saving = True
            display.later(SAVE_AFTER, self._saved)

    def _saved(self) -> None:
        self._saving = False
        self.flush(final=True)

    def _reject(self, message: Any, why: str) -> None:
        self.send({"type": "reject", "re": message, "why": why})

    def _wake(self) -> None:
        display.on_main_thread(self._controls.run)

    # Looks ---------------------------------------------------------------------------------
    def __repr__(self) -> str:
        return display.sentence(self.model, self.recorder.log.lost)

    def show(self, still: bool) -> None:
        """Display the widget here and now, also in the middle of a cell (then without the
        ``still`` picture, which takes its time and would show the beginning)."""
        self.flush(final=True)
        self._handle = display.show(self._bundle(still))

    def refresh_still(self) -> None:
        """Add the still picture to a display in the middle of a cell, where no page looks on: to
        the page it would be a new view."""
        if self._handle is not None and not self.answered:
            self._handle.update(self._bundle(True), raw=True)

    def _bundle(self, still: bool) -> dict[str, Any]:
        bundle = super()._repr_mimebundle_()
        data: dict[str, Any] = dict((bundle[0] if isinstance(bundle, tuple) else bundle) or {})
        return data | (display.still(self.model) if still else {})

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        self.flush(final=True)
        return self._bundle(True), {}
