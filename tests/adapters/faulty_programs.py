"""Programs with faults: what must be found of them (``broken.txt``) and what they were meant to be
(``meant.txt``); and programs that look as if they had a fault and are right (``right.txt``)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Broken(NamedTuple):
    kind: str
    culprit: str
    source: str
    reader: str | None = None
    fix: str | None = None
    """Set where the fix alone does not mend the program."""


class Meant(NamedTuple):
    kind: str
    same: str
    """Expressions that are to be equal when the fix is typed in."""
    source: str
    intended: str


def sections(name: str) -> dict[str, str]:
    """Return the sections of a text by their titles."""
    text = Path(__file__).with_name(name).read_text("utf-8")
    titles = (part.partition("\n") for part in text.removeprefix("=== ").split("\n=== "))
    return {title: body for title, _, body in titles}


def broken(section: str) -> Broken:
    """Return a program with its fields, which stand above it."""
    head, _, source = section.partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    return Broken(source=source, **fields)


def meant(section: str) -> Meant:
    """Return a program, its fields and the program as it was meant."""
    head, _, programs = section.partition("\n\n")
    kind, same = (line.split(": ", 1)[1] for line in head.splitlines())
    source, _, intended = programs.partition("\n--- meant\n")
    return Meant(kind, same, source, intended)


BROKEN = {title: broken(section) for title, section in sections("broken.txt").items()}
RIGHT = sections("right.txt")
MEANT = {title: meant(section) for title, section in sections("meant.txt").items()}
