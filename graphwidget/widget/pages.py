"""``to_html``: a recording, or the graph of one tensor, as a page that replays without Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..adapters import both
from .graph import GraphWidget

NOTHING = (
    "nothing has been recorded: load the extension, use graphwidget.watch(), or name a tensor, "
    'as in graphwidget.to_html("graph.html", loss)'
)


def to_html(path: str | Path, tensor: Any = None, title: str = "graphwidget") -> Path:
    """Write one page that shows and replays what was recorded last; with ``tensor``, the graph that
    led to it, recorded or not. It is one of graphwidget's or of the real PyTorch's.

    Raises:
        ValueError: nothing was recorded, and no tensor is given.
        FileNotFoundError: the front end has not been built.
    """
    adapter = both.newest() if tensor is None else both.adapter_of(tensor)
    if adapter is None:
        raise ValueError(NOTHING)
    return GraphWidget(adapter).to_html(path, title)
