"""``to_html``: a recording, or the graph of one tensor, as a page that replays without Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..adapters import composite
from ..adapters.error_words import full_name
from ..adapters.imported_torch import is_real
from ..exporters import html
from ..graph.tensor import Tensor
from ..recording.events import PROTOCOL
from .graph import GraphWidget
from .recorded import Recorded

NOTHING = (
    "nothing has been recorded: load the extension, use graphwidget.watch(), or name a tensor, "
    'as in graphwidget.to_html("graph.html", loss)'
)


def to_html(path: str | Path, what: Any = None, title: str = "graphwidget") -> Path:
    """Write one page that shows and replays what was recorded last; or a GraphWidget's recording;
    or, of a tensor of graphwidget's or of the real PyTorch's, the newest recording that knows it,
    all of it, and where none does the graph that led to it.

    Raises:
        ValueError: nothing was recorded, and nothing is given.
        FileNotFoundError: the front end has not been built.
        TypeError: ``what`` is neither a tensor nor a GraphWidget.
    """
    if isinstance(what, GraphWidget | Recorded):
        return what.to_html(path, title)
    if what is not None and not (isinstance(what, Tensor) or is_real(what)):
        name = full_name(type(what))
        raise TypeError(f"to_html(path, what) writes a Tensor or a GraphWidget, not {name}")
    adapter = composite.newest() if what is None else composite.recording_of(what)[0]
    if adapter is None:
        raise ValueError(NOTHING)
    return write(adapter, path, title)


def write(adapter: composite.Adapter, path: str | Path, title: str) -> Path:
    """Write the page of a recording, which may go on.

    Raises:
        FileNotFoundError: the front end has not been built.
    """
    if adapter.on_asked is not None:
        adapter.on_asked()
    adapter.settle()
    adapter.drain()
    log = adapter.recorder.latest_log()
    return html.write(path, html.page(log.pack(), log.count, PROTOCOL, title))
