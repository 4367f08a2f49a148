"""The course: ``check`` answers its questions, ``copy`` puts its notebooks into a folder.

The answers are kept as salted hashes, so that reading this package does not spoil a question.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from .answers import ANSWERS
from .compare import Unfit, matches, plain
from .texts import text

__all__ = ["check", "copy"]


def check(question: str, answer: object) -> None:
    """Print whether an answer is right, and a hint if it is wrong.

    Numbers, tensors, lists of them, True and False, and short texts are answers; numbers may
    be off by 0.001. ``...`` says that there is no answer yet. Nothing is raised and nothing is
    sent anywhere.
    """
    print(_reply(question, answer))


def _reply(question: object, answer: object) -> str:
    """Return the sentence that ``check`` prints."""
    expected = ANSWERS.get(question) if isinstance(question, str) else None
    if not isinstance(question, str) or expected is None:
        return text("unknown", question=_short(question), example="04.1")
    if answer is ...:
        return text("empty")
    try:
        if matches(question, expected, plain(answer)):
            return text("right")
    except Unfit as reason:
        return text(str(reason), answer=_short(answer))
    return text("wrong", hint=text(f"hint {question}"))


def _short(value: object) -> str:
    """Return a value as it can stand in a sentence."""
    try:
        shown = " ".join(repr(value).split())
    except Exception:  # a repr of the user's
        shown = type(value).__name__
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def copy(folder: str | Path = "graphwidget-course") -> None:
    """Copy the notebooks of the course into a new folder, to be run and changed there."""
    target = Path(folder).expanduser()
    try:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            print(text("not empty", folder=target))
            return
        shutil.copytree(
            _source(),
            target,
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("*.cfg", ".ipynb_checkpoints"),
        )
    except OSError as error:
        print(text("not copied", folder=target, reason=error.strerror or error))
        return
    print(text("copied", folder=target, first=target / "00_start_here.ipynb"))


def _source() -> Path:
    """Return the folder of notebooks: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).parents[1]
    installed = package / "course"
    return installed if installed.is_dir() else package.parent / "notebooks"
