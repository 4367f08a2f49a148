"""Makes PyTorch's warnings name the user's line, and not our line that called PyTorch for it.

A warning names a frame by counting outward from where it is raised, and the function mode's own
frame is one of these. So warnings that name a file of ours are all let through to be shown. They
and those that name a frame beyond ours are raised again there for the line that they would have
named without us: it is the program's filters and what it was warned of before that decide what
becomes of them.
"""

from __future__ import annotations

import os
import re
import warnings
from sys import _getframe
from types import FrameType
from typing import Any, TextIO

import torch.overrides

ROOM = os.path.dirname(__file__) + os.sep
OVERRIDES = torch.overrides.__file__


class WarnedLines:
    """Watches over what warnings name, until it is removed."""

    def __init__(self) -> None:
        room = re.compile(re.escape(__name__.rpartition(".")[0]))
        self._filter: Any = ("always", None, Warning, room, 0)
        # Without a word to the filters' version: else all is shown again that was shown before.
        warnings.filters.insert(0, self._filter)  # type: ignore[attr-defined]
        self._before = warnings.showwarning
        self._own = self._show  # one object, to be known again
        self._again = False  # whether what is shown was raised again by us
        warnings.showwarning = self._own

    def remove(self) -> None:
        """Leave warnings as they were."""
        # Not by equality: that of another recording is equal.
        filters: list[Any] = warnings.filters  # type: ignore[assignment]
        filters[:] = [each for each in filters if each is not self._filter]
        if warnings.showwarning is self._own:
            warnings.showwarning = self._before

    def _show(
        self, message: Warning | str, category: type[Warning], filename: str, lineno: int,
        file: TextIO | None = None, line: str | None = None,
    ) -> None:  # fmt: skip
        frame = None
        if file is None and not self._again:
            frame = _meant(_getframe(1), filename, lineno)
        if frame is None:
            self._before(message, category, filename, lineno, file, line)
            return
        meant = frame.f_code.co_filename, frame.f_lineno
        space = frame.f_globals
        registry = space.setdefault("__warningregistry__", {})
        self._again = True
        try:
            warnings.warn_explicit(
                message, category, *meant, space.get("__name__", "<string>"), registry
            )
        finally:
            self._again = False


def _meant(frame: FrameType | None, filename: str, lineno: int) -> FrameType | None:
    """The frame that a warning would name without us, if it names another one."""
    while frame is not None and frame.f_code.co_filename == warnings.__file__:
        frame = frame.f_back
    named = -1
    own: set[int] = set()
    frames: list[FrameType] = []
    while frame is not None:
        if named < 0 and (frame.f_code.co_filename, frame.f_lineno) == (filename, lineno):
            named = len(frames)
        frames.append(frame)
        frame = frame.f_back
    for nr, each in enumerate(frames):
        if each.f_code.co_filename.startswith(ROOM):
            own.add(nr)
            if nr + 1 < len(frames) and frames[nr + 1].f_code.co_filename == OVERRIDES:
                own |= {nr + 1, nr + 2}  # a function in Python, which has asked us instead
    rest = [each for nr, each in enumerate(frames) if nr not in own]
    meant = rest[named] if 0 <= named < len(rest) else None
    return None if named < 0 or meant is frames[named] else meant
