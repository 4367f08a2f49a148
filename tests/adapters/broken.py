"""Programs with one fault each, as people write them, and what must be found of it; and programs
that look as if they had one and are right. They stand in ``broken.txt`` and ``right.txt``."""

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


BROKEN = {title: broken(section) for title, section in sections("broken.txt").items()}
RIGHT = sections("right.txt")
