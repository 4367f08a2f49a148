"""``check`` and ``copy`` in Chinese in any locale; the Chinese notebooks import from here."""

from __future__ import annotations

from pathlib import Path

from . import copied, reply
from .texts.zh import TEXTS

__all__ = ["check", "copy"]


def check(question: str, answer: object) -> None:
    """Print in Chinese whether an answer is right, and a hint if it is wrong."""
    print(reply(question, answer, TEXTS))


def copy(folder: str | Path = "graphwidget-course") -> None:
    """Copy the notebooks of the course into a new folder, and say so in Chinese."""
    print(copied(folder, TEXTS))
