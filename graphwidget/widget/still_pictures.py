"""Pictures of passes, and of two graphs side by side, for where recorded widgets cannot run."""

from __future__ import annotations

from html import escape

from ..recording.events import Pass
from ..recording.fold import Model, Row, fold
from ..recording.log import Log
from .display import image

SIDES = "display: inline-block; vertical-align: top; margin: 0 24px 8px 0"
HEAD = "font-weight: 600; margin: 0 0 4px"


def passes_in_words(model: Model) -> str:
    """``<Passes: 9 → 4 operations, 3363200 → 481600 bytes>``: no times, which differ."""
    first, last = model.passes[0], model.passes[-1]
    parts = [f"{first['nodes']} → {last['nodes']} operations"]
    if last["bytes"] is not None:
        parts.append(f"{first['bytes']} → {last['bytes']} bytes")
    return f"<Passes: {', '.join(parts)}>"


def passes_picture(log: Log) -> str | None:
    """The program before all passes and after them, and what each left; None without pictures."""
    events = log.since(0)[1]
    built = next(place for place, event in enumerate(events) if isinstance(event, Pass))
    named = next(
        (place for place, event in enumerate(events[built + 1 :], built + 1)
         if type(event).__name__ != "Name"), len(events),
    )  # fmt: skip
    pictures = [
        image(model, passes_in_words(model), set(model.passes[-1]["wanted"]))
        for model in (fold(events[:named]), fold(events))
    ]
    before, after = pictures
    if before is None:
        return None
    return (
        side("as it was built", before)
        + side("after all passes", after or "")
        + table(fold(events))
    )


def table(model: Model) -> str:
    """Return the HTML table of what each pass left."""
    rows: list[tuple[str, list[str]]] = [
        ("operations", [str(row["nodes"]) for row in model.passes]),
        ("bytes", [number(row, "bytes") for row in model.passes]),
        ("µs", [number(row, "microseconds") for row in model.passes]),
    ]
    heads = "".join(f"<th>{escape(row['name'])}</th>" for row in model.passes)
    body = "".join(
        f"<tr><th>{name}</th>{''.join(f'<td>{each}</td>' for each in cells)}</tr>"
        for name, cells in rows if any(each != "–" for each in cells)
    )  # fmt: skip
    return f"<table><tr><td></td>{heads}</tr>{body}</table>"


def number(row: Row, name: str) -> str:
    """A figure as people write it."""
    found = row[name]
    if found is None:
        return "–"
    return f"{found:,}" if isinstance(found, int) else f"{found:,.1f}"


def twins_picture(left: Log, right: Log) -> str | None:
    """The dynamic graph and the static one beside each other; None without pictures."""
    pictures = [image(log.model(), "a graph") for log in (left, right)]
    if None in pictures:
        return None
    return side("dynamic", pictures[0] or "") + side("static", pictures[1] or "")


def side(title: str, inside: str) -> str:
    """One of two things that stand beside each other where there is room."""
    return f'<div style="{SIDES}"><p style="{HEAD}">{escape(title)}</p>{inside}</div>'
