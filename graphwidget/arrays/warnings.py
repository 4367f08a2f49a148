"""Warnings that point at the line of the user's program."""

from __future__ import annotations

import sys
import warnings

from .call_sites import PACKAGE

_given: set[str] = set()

always = False
"""True if warnings that are given once in a process are given each time."""


def warn(text: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn at the first line that is not this package's own."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith((PACKAGE, "<graphwidget")):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def warn_once(text: str, key: str = "") -> None:
    """Warn, unless it was said before in this process (as PyTorch gives some); with a key, unless
    anything was said under it. ``set_warn_always`` has them given each time."""
    key = key or text
    if always or key not in _given:
        _given.add(key)
        warn(text)
