"""Pages without a kernel: what a program tells while it runs, to be replayed."""

from __future__ import annotations

import json
import linecache
import warnings
from collections.abc import Callable
from typing import Any

import graphwidget
from graphwidget.exporters import html
from graphwidget.recording.events import PROTOCOL
from tests.browser.picture import Picture

Show = Callable[..., Picture]
Event = list[Any]


def record(program: Callable[[], object], namespace: dict[str, Any] | None = None) -> list[Event]:
    """Return the events of a program, in the wire format; its variables are in ``namespace``."""
    graph = graphwidget.watch()
    graph.namespace = namespace
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program()
    except RuntimeError as error:
        graph.adapter.raised(error)  # an error of the program is part of what is shown
    finally:
        graph.stop()
    events: list[Event] = json.loads(graph.packed)["events"]
    return events


def replayed(show: Show, *cells: str, library: Any = graphwidget) -> Picture:
    """The picture of cells that may end in an error."""
    names: dict[str, Any] = {"torch": library}

    def program() -> None:
        for number, cell in enumerate(cells):
            file = f"<cell {number} of {hash(cells)}>"
            linecache.cache[file] = (len(cell), None, cell.splitlines(True), file)
            exec(compile(cell, file, "exec"), names)

    return show(record(program, names))


def page_of(events: list[Event], first: int = 0) -> str:
    """The page that replays events, of which so many came before the first. The graph is as high
    in it as in a notebook; on a page of its own it would have the whole window."""
    packed = json.dumps({"protocol": PROTOCOL, "first": first, "events": events})
    page = html.page(packed.encode(), first + len(events), PROTOCOL)
    style = "#graph .gw { height: auto; --gw-place: initial; }"
    return page.replace("</head>", f"<style>{style}</style></head>", 1)
