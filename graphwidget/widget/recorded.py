"""Recorded: a log that is complete, shown and replayed without asking a kernel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import traitlets

from ..exporters import html
from ..recording.events import PROTOCOL, Event
from ..recording.fold import Model
from ..recording.language import say
from ..recording.log import Log
from . import display
from .front_end import FrontEnd
from .ipython_kernel import kernel

WHOLE = "This is a recording: run the cell again to step live."


class Recorded(FrontEnd):
    """A recording that is over.

    ``log`` is what is shown, ``beside`` a second one that is shown on its right, moved by the same
    player. ``words`` say in a line what it is, the same in every session; ``picture`` draws what
    stands in its place where there are no widgets, as HTML.
    """

    shown = 0
    """Number of recordings displayed in this process."""

    beside = traitlets.Bytes(b"").tag(sync=True)

    @traitlets.default("past")
    def _why_past(self) -> str:
        return say(WHOLE)

    def __init__(
        self, log: Log, words: str, picture: Callable[[], str | None], beside: Log | None = None
    ) -> None:
        self._log = log
        self._words, self._picture = words, picture
        super().__init__(
            count=log.count, packed=log.pack(), beside=b"" if beside is None else beside.pack()
        )

    @property
    def model(self) -> Model:
        """The state that the events fold to (of the left one of two)."""
        return self._log.model()

    @property
    def events(self) -> list[Event]:
        """The events (of the left one of two)."""
        return self._log.since(0)[1]

    def to_html(self, path: str | Path, title: str = "graphwidget") -> Path:
        """Write one self-contained page that replays it offline.

        Raises:
            FileNotFoundError: the front end has not been built.
        """
        return html.write(path, html.page(self.packed, self.count, PROTOCOL, title, self.beside))

    def __repr__(self) -> str:
        return self._words

    def show(self) -> None:
        """Display it here and now."""
        Recorded.shown += 1
        bundle = super()._repr_mimebundle_()
        display.show(*(bundle if isinstance(bundle, tuple) else (bundle or {}, {})))
        if kernel() is not None:  # in a terminal it would be the same line again
            display.show(display.still_of(self._picture(), self._words))

    def _ipython_display_(self) -> None:
        self.show()
