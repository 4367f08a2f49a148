"""The course: ``check`` answers its questions, ``copy`` puts its notebooks into a folder.

Both speak the language of the reader's locale; those of ``graphwidget.tutorial.zh`` speak Chinese.
The answers are kept as salted hashes, so that reading this package does not spoil a question.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from .answers import ANSWERS
from .compare import Unfit, matches, plain
from .texts import reader_texts

__all__ = ["check", "copy"]


def check(question: str, answer: object) -> None:
    """Print whether an answer is right, and a hint if it is wrong.

    Numbers, tensors, lists of them, True and False, and short texts are answers; numbers may
    be off by 0.001. ``...`` says that there is no answer yet. Nothing is raised and nothing is
    sent anywhere.
    """
    print(reply(question, answer, reader_texts()))


def reply(question: object, answer: object, texts: dict[str, str]) -> str:
    """Return the sentence that ``check`` prints."""
    expected = ANSWERS.get(question) if isinstance(question, str) else None
    if not isinstance(question, str) or expected is None:
        return texts["unknown"].format(question=_short(question), example="04.1")
    if answer is ...:
        return texts["empty"]
    try:
        if matches(question, expected, plain(answer)):
            return texts["right"]
    except Unfit as reason:
        return texts[str(reason)].format(answer=_short(answer))
    return texts["wrong"].format(hint=texts[f"hint {question}"])


def _short(value: object) -> str:
    """Return a value as it can stand in a sentence."""
    try:
        shown = " ".join(repr(value).split())
    except Exception:  # a repr of the user's
        shown = type(value).__name__
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def copy(folder: str | Path = "graphwidget-course") -> None:
    """Copy the notebooks of the course into a new folder, to be run and changed there."""
    print(copied(folder, reader_texts()))


def copied(folder: str | Path, texts: dict[str, str]) -> str:
    """Copy the notebooks, and return the sentence that ``copy`` prints."""
    target = Path(folder).expanduser()
    try:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            return texts["not empty"].format(folder=target)
        shutil.copytree(
            _source(),
            target,
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("*.cfg", ".ipynb_checkpoints"),
        )
    except OSError as error:
        return texts["not copied"].format(folder=target, reason=error.strerror or error)
    return texts["copied"].format(folder=target, first=target / texts["first"])


def _source() -> Path:
    """Return the folder of notebooks: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).parents[1]
    installed = package / "course"
    return installed if installed.is_dir() else package.parent / "notebooks"
