"""Labels of a Graphviz picture, in the colours of the widget on a light page."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

COLOURS = {
    "bg": "#ffffff", "text": "#1a1d21", "dim": "#59636f", "wire": "#8a9bb0", "node": "#6b7c93",
    "pill": "#eef2f6", "leaf": "#007a59", "leaf-fill": "#f1faf6", "parameter": "#005f96",
    "parameter-fill": "#eff7fd", "constant": "#6a6f76", "constant-fill": "#f6f6f5",
    "grad": "#ac4a00", "grad-line": "#dd6b1c", "error": "#b8003a", "error-fill": "#fdeef2",
    "tick": "#007a59",
}  # fmt: skip
"""As in the widget's style sheet, by the same names."""

Line = tuple[str, str]
"""A text and how it is written: one of ``_FACES``."""

_FACES = {
    "name": ("<B>", "</B>"),
    "dim": (f'<FONT POINT-SIZE="9" COLOR="{COLOURS["dim"]}">', "</FONT>"),
    "numbers": ('<FONT FACE="Courier">', "</FONT>"),
    "grad": (f'<FONT FACE="Courier" COLOR="{COLOURS["grad"]}">', "</FONT>"),
    "tick": (f'<FONT POINT-SIZE="9" COLOR="{COLOURS["tick"]}">', "</FONT>"),
}


def label(lines: Iterable[Line]) -> str:
    """Lines of a box, as Graphviz's own kind of HTML."""
    drawn = []
    for text, face in lines:
        begin, end = _FACES[face]
        if text:
            drawn.append(begin + _text(text) + end)
    return f"<{'<BR/>'.join(drawn)}>"


def plain(text: str) -> str:
    """A text as a label: what the user wrote is text, whatever it looks like."""
    import graphviz

    quoted: str = graphviz.nohtml(text.replace("\\", "\\\\").replace("\n", "\\n"))
    return quoted


def _text(text: str) -> str:
    """Text within HTML, where blanks at the beginning count and control characters may not be."""
    inner = text.lstrip(" ")
    printable = "".join(each if each.isprintable() else "\ufffd" for each in inner)
    return "&#160;" * (len(text) - len(inner)) + escape(printable)
