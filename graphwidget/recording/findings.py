"""Findings: what went wrong in a program, with the two lines that it takes to understand it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from . import events as ev
from .language import say

HEADLINES = {
    "stale": "Saved value overwritten",
    "freed": "Graph already freed",
    "leaf": "Leaf written in place",
    "view": "View written in place",
    "no_grad": "No graph to run back through",
    "unused": "Gradient missing or not used",
    "nan": "NaN or infinity",
    "leak": "Graphs pile up",
    "custom": "Own backward code is wrong",
    "scalar": "Backward from many numbers",
    "loss": "Loss given an input of another kind",
    "summed": "Gradients never reset",
    "call": "Call failed",
    "refused": "Refused by PyTorch",
}
"""Title of each kind of finding, as people read it."""


CAUSED, NEEDED = "caused by", "needed by"
"""Words before the two lines of a finding."""

NOT_TRIED = "This fix was not tried: read it before you use it."
"""Verdict on a fix that could not be run again."""


def has_finding(error: BaseException) -> bool:
    """Return whether a finding is among the notes of an error."""
    heads = tuple(f"{say(each)}: " for each in HEADLINES.values())
    return any(note.startswith(heads) for note in getattr(error, "__notes__", ()))


class Place(NamedTuple):
    """A site of the program as people read it; ``file`` is ``cell 3`` for a notebook's cell."""

    file: str
    line: int
    text: str
    function: str

    def as_json(self) -> ev.Place:
        """The place as plain data."""
        return {
            "file": self.file,
            "line": self.line,
            "text": self.text,
            "function": self.function,
        }

    def __str__(self) -> str:
        return f"{self.where}: {self.text}"

    @property
    def where(self) -> str:
        """The file and the line, as people read them."""
        return say("{file}, line {line}", file=os.path.basename(self.file), line=self.line)


class Finding(NamedTuple):
    """One thing that is wrong.

    ``kind`` is ``stale``, ``freed``, ``leaf``, ``view``, ``no_grad``, ``unused``, ``nan``,
    ``leak``, ``custom``, ``scalar``, ``loss``, ``summed``, ``call`` or ``refused``; ``reader`` the
    call that needs a value, ``culprit`` the line that took it away, each None where unknown;
    ``fix`` is code to replace it with, perhaps empty, and what of it stands elsewhere says where
    (``# line 8``, ``# after line 13``, ``# before line 8``); ``text`` says it in sentences.
    ``tried`` says what came of the fix if it was tried."""

    kind: str
    reader: Place | None
    culprit: Place | None
    fix: str
    text: str
    tried: str = ""

    @property
    def headline(self) -> str:
        """Its kind, in words."""
        return say(HEADLINES.get(self.kind, self.kind))

    @property
    def verdict(self) -> str:
        """Result of trying the fix, or a note that it was not tried; empty without a fix."""
        return self.tried or (say(NOT_TRIED) if self.fix else "")

    def as_json(self) -> ev.Finding:
        """The finding as plain data."""
        return {
            "kind": self.kind,
            "reader": None if self.reader is None else self.reader.as_json(),
            "culprit": None if self.culprit is None else self.culprit.as_json(),
            "fix": self.fix,
            "text": self.text,
            "tried": self.verdict,
        }

    def lines(self, bold: str = "", plain: str = "", code: str = "") -> Iterator[str]:
        """The finding as text for a terminal; ``bold``, ``plain`` and ``code`` switch its look."""
        yield f"{bold}{self.headline}{plain}: {self.text}"
        if self.culprit is not None:
            yield f"  {bold}{say(CAUSED)}  {self.culprit}{plain}"
        if self.reader is not None and self.reader != self.culprit:
            yield f"  {say(NEEDED)}  {self.reader}"
        for number, line in enumerate(self.fix.splitlines()):
            yield f"  {'' if number else say('try')}".ljust(13) + f"{code}{line}{plain}"
        if self.verdict:
            yield f"  {self.verdict}"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        places = (
            (CAUSED, self.culprit),
            (NEEDED, None if self.reader == self.culprit else self.reader),
        )
        rows = [
            f"<div>{escape(say(what))} <code>{escape(place.text)}</code> "
            f"<small>({escape(place.where)})</small></div>"
            for what, place in places
            if place is not None
        ]
        fix = f"<pre>{escape(self.fix)}</pre>" if self.fix else ""
        text = escape(self.text)
        fix += f"<small>{escape(self.verdict)}</small>" if self.verdict else ""
        return f"<div><b>{escape(self.headline)}</b>: {text}{''.join(rows)}{fix}</div>"


class Findings(list[Finding]):
    """Findings, the newest first."""

    nothing = "Nothing was found."
    """Text shown if there are no findings."""

    def __repr__(self) -> str:
        return "\n\n".join(map(str, self)) or say(self.nothing)

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return "<hr>".join(each._repr_html_() for each in self) or escape(say(self.nothing))
