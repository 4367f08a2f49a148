"""Makes PyTorch's warnings name the user's line, and not our line that called PyTorch for it.

A warning names a frame by counting outward from where it is raised, and the function mode's own
frame is one of these. So warnings that name a file of ours are all let through to be shown, and
raised again there for the line that they would have named without us: it is the program's filters
and what it was warned of before that decide what becomes of them.
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
        frame = _caller(_getframe(1)) if filename.startswith(ROOM) and file is None else None
        if frame is None:
            self._before(message, category, filename, lineno, file, line)
            return
        space = frame.f_globals
        registry = space.setdefault("__warningregistry__", {})
        warnings.warn_explicit(
            message, category, frame.f_code.co_filename, frame.f_lineno,
            space.get("__name__", "<string>"), registry,
        )  # fmt: skip


def _caller(frame: FrameType | None) -> FrameType | None:
    """Who made the call that a frame of ours, the innermost one, makes in its stead."""
    while frame is not None and not frame.f_code.co_filename.startswith(ROOM):
        frame = frame.f_back
    while frame is not None and frame.f_code.co_filename.startswith(ROOM):
        frame = frame.f_back
    if frame is not None and frame.f_code.co_filename == OVERRIDES and frame.f_back is not None:
        return frame.f_back.f_back  # a function in Python, which has asked us instead
    return frame
