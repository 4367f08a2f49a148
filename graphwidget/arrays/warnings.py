"""Warnings, and the line of the user's program that is running."""

from __future__ import annotations

import os
import sys
import warnings
from types import CodeType, FrameType
from typing import NamedTuple

PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
"""The folder of the package: code in it is not the user's."""


class CallSite(NamedTuple):
    """A place in the user's program: a code object and the instruction in it."""

    code: CodeType
    lasti: int

    @property
    def line(self) -> int:
        """The line number."""
        for start, end, line in self.code.co_lines():
            if start <= self.lasti < end and line is not None:
                return line
        return self.code.co_firstlineno


_inside: dict[str, bool] = {}
"""True if code of a file name is this package's; asked for every frame of every write."""


def user_frame(depth: int = 1) -> FrameType | None:
    """The innermost frame outside this package, looked for ``depth`` frames from here: where the
    user's program stands."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        name = frame.f_code.co_filename
        inside = _inside.get(name)
        if inside is None:
            inside = _inside[name] = name.startswith((PACKAGE, "<graphwidget"))
        if not inside:
            break
        frame = frame.f_back
    return frame


def call_site() -> CallSite | None:
    """Return where the user's program stands, as a CallSite."""
    frame = user_frame()
    return None if frame is None else CallSite(frame.f_code, frame.f_lasti)


_given: set[str] = set()


def warn(text: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn at the first line that is not this package's own."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith((PACKAGE, "<graphwidget")):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def warn_once(text: str, key: str = "") -> None:
    """Warn, unless it was said before in this process (as PyTorch gives some); with a key, unless
    anything was said under it."""
    key = key or text
    if key not in _given:
        _given.add(key)
        warn(text)
