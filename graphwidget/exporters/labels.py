"""Texts of a still picture: labels, arrays, signs of ops and titles of values, as on the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from ..recording.events import Number
from ..recording.fold import Model, Row

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


# Arrays as text in a picture ---------------------------------------------------------------------

MAX_ITEMS = 4
"""On a line; a card has room for more."""


UNSEEN = "not recorded"


def size_in_words(shape: Sequence[int]) -> str:
    """``(2, 3)``; a size that is no number, which is -1, is a question mark."""
    sizes = ["?" if each < 0 else str(each) for each in shape]
    return "(" + ", ".join(sizes) + ("," if len(sizes) == 1 else "") + ")"


def in_a_line(summary: Any) -> str:
    """A few numbers in brackets as PyTorch prints them, or what is known of many, in a line."""
    shape, dtype, values, stats, _histogram = summary
    if values is not None and len(values) <= MAX_ITEMS:
        return "\n".join(_rows(shape, dtype, values)).replace("\n", " ")
    size = size_in_words(shape)
    if values is not None:
        finite = [value for value in values if not isinstance(value, str)]
        if len(finite) < len(values):
            return f"⚠ {len(values) - len(finite)} not finite"
        return "all 0" if not any(finite) else f"{size}, mean {_number(sum(finite) / len(finite))}"
    if stats is None:  # computed before the recording
        return size if dtype else UNSEEN
    low, high, mean, nonfinite = stats
    if low == high == 0 and not nonfinite:
        return "all 0"
    span = f"{_number(low)} … {_number(high)}, mean {_number(mean)}"
    return f"⚠ {nonfinite} not finite, {span}" if nonfinite else span


def in_rows(summary: Any) -> list[str]:
    """The numbers of a card."""
    shape, dtype, values, _stats, _histogram = summary
    return _rows(shape, dtype, values) if values is not None else [in_a_line(summary)]


def _rows(shape: Sequence[int], dtype: str, values: Sequence[Number]) -> list[str]:
    """At most three rows of at most four numbers, within brackets that show what was left out."""
    if not values:
        return ["empty"]
    texts = [_number(value, "float" in dtype) for value in values]
    mark = "⚠ " if any(isinstance(value, str) for value in values) else ""
    if not shape:
        return [mark + texts[0]]
    columns, outer = shape[-1], len(shape) - 1
    rows = [texts[i : i + columns] for i in range(0, len(texts), columns)]
    text = [", ".join([*row[:4], "…"] if columns > 4 else row) for row in rows[:3]]
    lines = [("[" * outer if nr == 0 else " " * outer) + f"[{row}]" for nr, row in enumerate(text)]
    last = len(rows) - 1
    lines = [line if nr == last else f"{line}," for nr, line in enumerate(lines)]
    lines[-1] += "]" * outer if len(rows) <= 3 else ""
    return [mark + lines[0], *lines[1:], *(["⋮"] if len(rows) > 3 else [])]


def _number(value: Number, floating: bool = False) -> str:
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.4g}"
    return f"{text}." if floating and text.lstrip("-").isdigit() else text


# The sign of an op (×, ^ 2) and the title of a value without a name, as on the pa ----------------

LONGEST_SIGN = 16
LONGEST_TITLE = 24


def sign(model: Model, call: Row) -> str:
    """The op's sign with the plain numbers of the call: ``+ 1``, ``× 3``, ``[0] = 0``."""
    op = model.ops.get(call["op"])
    own = (op["sign"] if op else "") or call["op"]
    numbers = [_plain(each) for each in call["inputs"] if isinstance(each, str)]
    if call["inplace"]:
        index = call["params"].get("index")
        verb = "=" if index is not None else f"{own}_" if own[0].isalnum() else f"{own}="
        place = [] if index is None else [f"[{index}]"]
        return " ".join([*place, verb, *numbers])[:LONGEST_SIGN]
    tensors = [nr for nr, each in enumerate(call["inputs"]) if not isinstance(each, str)]
    if op and len(tensors) == 1 and tensors[0] < len(op["inputs"]):
        # One tensor among numbers: the formula without it says all ("{self} + {other}" -> "+ 1"),
        # if it stands there once.
        texts = [_plain(str(each)) for each in call["inputs"]]
        tensor = "{" + op["inputs"][tensors[0]] + "}"
        formula = op["text"].replace(tensor, "")
        text = _filled(formula, op, call, texts).strip()
        whole = op["text"].count(tensor) == 1 and not op["text"].startswith(f"{own}(")
        if whole and 0 < len(text) <= 12 and not re.search(r"[A-Za-z]\(", text):
            return text
    return own[:LONGEST_SIGN]


def title(model: Model, value: Row, longest: int = LONGEST_TITLE) -> str:
    """A value's name, or the expression that made it, if that is short; else nothing."""
    if value["names"]:
        return str(value["names"][-1][1])
    call = model.calls.get(value["call"])
    op = None if call is None else model.ops.get(call["op"])
    if call is None or op is None or not op["text"] or call["inplace"] or longest < 4:
        return ""
    texts = []
    for each in call["inputs"]:
        known = each if isinstance(each, str) else model.values.get(each)
        text = title(model, known, longest - 4) if isinstance(known, dict) else _plain(str(known))
        if not text:
            return ""
        texts.append(f"({text})" if " " in text else text)
    made = _filled(op["text"], op, call, texts)
    return made if len(made) <= longest else ""


def _filled(formula: str, op: Row, call: Row, texts: list[str]) -> str:
    """A formula with what stands for its inputs and parameters."""
    own: dict[str, str] = dict(call["params"])
    for nr, name in enumerate(op["inputs"]):
        own[name.strip("*")] = ", ".join(texts[nr:]) if name[0] == "*" else "".join(texts[nr:][:1])
    text = re.sub(r"\{\*?(\w+)\}", lambda found: own.get(found[1], found[1]), formula)
    return re.sub(r" with dims \(?1, 0\)?$", "ᵀ", text.removesuffix(" + None"))


def _plain(text: str) -> str:
    """A number as a person would write it: 0.1, not 0.10000000149."""
    return f"{float(text):.4g}" if re.match(r"-?\d+\.\d{4,}$", text) else text
