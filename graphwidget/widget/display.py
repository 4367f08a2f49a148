"""Display of graphs and tensors as outputs."""

from __future__ import annotations

import base64
import re
from collections.abc import Container
from html import escape
from subprocess import CalledProcessError
from typing import TYPE_CHECKING, Any

from ..adapters.composite import model_of
from ..exporters.dot import has_dot
from ..exporters.graphviz import digraph
from ..exporters.labels import plain
from ..graph.listeners import get_observer
from ..graph.tensor import Tensor
from ..recording.fold import Model
from ..recording.language import say
from .ipython_kernel import kernel

if TYPE_CHECKING:
    from graphviz import Digraph

MAX_CALLS = 20_000
"""Graphs with more calls get no still picture: folding them would hold up the cell's end."""

MAX_BOXES = 150
"""Pictures with more boxes are not drawn: that takes seconds and shows nothing."""

LIVE = (
    "Run the notebook for the live graph; to keep it in the file: "
    "Settings &gt; Save Widget State Automatically."
)
STILL = "A still picture."

# The still picture gives way to the widget above it, or stands in for one that is not there: then
# the widget's text is hidden, in JupyterLab ("model not found") and in nbconvert's pages.
HIDDEN = (
    ".jp-OutputArea-child:has(.gw) + .jp-OutputArea-child:has(.graphwidget-still), "
    ".jp-OutputArea-child:has(+ .jp-OutputArea-child .graphwidget-still) "
    "> .jp-OutputArea-output:is(:not(:has(*)), [data-mime-type='text/plain']), "
    ".output_area:has(+ .output_area .graphwidget-still) > .output_text { display: none } "
    ".graphwidget-still p { font-size: 85%; opacity: 0.7 }"
)

UNSEEN = rb"(?s)<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<title>.*?</title>|(?<=>)\s+(?=<)"
UNSEEN += rb'| (?:id|class|xmlns:xlink)="[^"]*"'
STYLE = re.compile(rb' (text-anchor|font-[a-z]+|fill|stroke(?:-[a-z]+)?)="([^"]*)"')

WORDS = {"ok": "done", "failed": "failed", "running": "running", "abandoned": "stopped"}


def sentence(model: Model, lost: int) -> str:
    """A graph in one line that says the same in every session."""
    parts = [_many(len(model.calls), "op"), _many(len(model.nodes), "node")]
    loop = max(model.loops.values(), key=lambda loop: loop["count"], default=None)
    if loop is not None and 0 < len(loop["iterations"]) < loop["count"]:
        parts.append(f"{len(loop['iterations'])} of {loop['count']} iterations")
    if model.runs:
        status = list(model.runs.values())[-1]["status"]
        parts.append(f"backward {WORDS[status]}")
    if lost:
        parts.append(f"{lost} older events dropped")
    return f"<GraphWidget {', '.join(parts)}>"


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def still(model: Model, words: str) -> dict[str, str]:
    """A picture in an output of its own below the widget's, for places without widgets: a web page
    made of the notebook, a reopened notebook whose widget state was not saved. ``words`` say
    what it shows.

    There is only a line of words when there is nothing to draw, too much, or no ``dot``.
    """
    roots = _newest(model) if len(model.calls) <= MAX_CALLS else None
    return still_of(image(model, words, roots), words)


def still_of(picture: str | None, words: str) -> dict[str, str]:
    """Like ``still``, of a picture that is HTML already; None where there is none."""
    line = f"{say(STILL) if picture else escape(words)} {say(LIVE)}"
    inside = f"{picture or ''}<p>{line}</p>"
    html = f'<div class="graphwidget-still"><style>{HIDDEN}</style>{inside}</div>'
    return {"text/plain": words, "text/html": html}


def image(model: Model, words: str, roots: set[int] | None = None) -> str | None:
    """A model's picture as an HTML image; None where it cannot be drawn, or is too large."""
    if not 0 < len(model.calls) <= MAX_CALLS or not has_dot():
        return None
    try:
        picture = digraph(model, roots)
        if sum(picture.counts) > MAX_BOXES:
            return None
        data = base64.b64encode(_svg(picture)).decode()
    except Exception:
        return None  # a picture that cannot be drawn is no reason to lose the widget
    return f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(words)}">'


def _svg(picture: Digraph) -> bytes:
    """The picture as SVG: sharp on every screen, and half the work of a PNG for ``dot``. Its points
    become pixels, in which a page's text is measured."""
    data = picture.pipe(format="svg")
    return _shorter(re.sub(rb'(width|height)="(\d+)pt"', rb'\1="\2px"', data, count=2))


def _shorter(svg: bytes) -> bytes:
    """An SVG of ``dot`` that looks the same in half the size: a notebook stores many of them."""
    rules: dict[bytes, bytes] = {}

    def classed(match: re.Match[bytes]) -> bytes:
        shape, styles = match[1], []
        for name, value in STYLE.findall(match[2]):
            unit = b"px" if name == b"font-size" else b""
            styles.append(name + b":" + value.removesuffix(b".00") + unit)
        rule = rules.setdefault(b";".join(styles), b"s%d" % len(rules))
        return b"<" + shape + b' class="' + rule + b'"' + STYLE.sub(b"", match[2])

    svg = re.sub(rb"<(text|path|polygon|polyline)( [^>]*)", classed, re.sub(UNSEEN, b"", svg))
    svg = re.sub(rb'(?<= d=")M([^C"]+)C([^"]+)', _straightened, svg)
    sheet = b"".join(b".%s{%s}" % (name, styles) for styles, name in rules.items())
    return re.sub(rb"(<svg[^>]*>)", rb"\1<style>" + sheet + b"</style>", svg, count=1)


def _straightened(match: re.Match[bytes]) -> bytes:
    """A path of curves, with lines for those that are straight: the edges of rounded boxes."""
    at, path, points = match[1], [b"M" + match[1]], match[2].split()
    for a, b, end in zip(points[::3], points[1::3], points[2::3], strict=True):
        path.append(b"L" + end if (a, b) == (at, end) else b"C%s %s %s" % (a, b, end))
        at = end
    return b"".join(path)


def _png(picture: Digraph) -> bytes:
    """The picture with a palette, where ``dot`` can make one: a third of the bytes."""
    try:
        data: bytes = picture.pipe(format="png", renderer="cairo", formatter="gd")
    except CalledProcessError:
        data = picture.pipe(format="png")
    return data


def _newest(model: Model) -> set[int] | None:
    """The values that the newest cell which did anything computed or ran backward from, as in the
    widget; None where no cell is known."""
    made = [(call["source"], call["outputs"]) for call in model.calls.values()]
    made += [(run["source"], [value for value, _ in run["roots"]]) for run in model.runs.values()]
    living = {key for key, value in model.values.items() if value["alive"]}
    by_cell: dict[int, set[int]] = {}
    for source, values in made:
        cell = (model.sources.get(source) or {}).get("cell")
        if cell is not None:
            by_cell.setdefault(cell, set()).update(set(values) & living)
    return (by_cell[max(by_cell)] or None) if by_cell else None


def tensor_mimebundle(
    tensor: Tensor, include: Container[str] | None = None, exclude: Container[str] | None = None
) -> dict[str, str]:
    """A tensor's rich display: its text, and a picture of its graph if it has one that is not drawn
    anyway. The picture contains the text, because it is shown in its place."""
    data = {"text/plain": repr(tensor)}
    wanted = exclude is None or "image/png" not in exclude
    if wanted and tensor._node is not None and get_observer() is None and kernel() is not None:
        data |= _tensor_picture(tensor, data["text/plain"])
    return data


def _tensor_picture(tensor: Tensor, text: str) -> dict[str, str]:
    if not has_dot():
        return {}
    try:
        model, value = model_of(tensor)
        if len(model.calls) > MAX_CALLS:
            return {}
        picture = digraph(model, {value})
        if sum(picture.counts) > MAX_BOXES:
            return {}
        picture.attr(label=plain(text), labelloc="t", labeljust="l", fontname="monospace")
        return {"image/png": base64.b64encode(_png(picture)).decode()}
    except Exception:
        return {}


def show(bundle: dict[str, Any], metadata: Any = None, of: Any = None) -> Any:
    """Display a MIME bundle, as one more of those ``of`` a handle; returns the handle that can
    update them."""
    from IPython.display import DisplayHandle

    handle = DisplayHandle() if of is None else of  # type: ignore[no-untyped-call]
    handle.display(bundle, metadata=metadata or {}, raw=True)
    return handle
