"""Tracebacks as they are without this package, so that the picture is not pushed away."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any

from ..arrays.warnings import PACKAGE

_ENGINE = re.compile(r"[\\/]torch[\\/](_tensor|autograd[\\/](__init__|graph))\.py$")


def shorten_tracebacks(shell: Any, before: Callable[[BaseException], None]) -> Any:
    """Show errors of cells without this package's own frames, and do something ``before``; returns
    what undoes it. A handler that the user installed stays in place."""
    if shell.custom_exceptions:
        return lambda: None

    def shown(shell: Any, kind: Any, error: Any, traceback: Any, tb_offset: Any = None) -> None:
        with suppress(Exception):
            before(error)
        shell.showtraceback((kind, error, of_user(traceback, engine=False)), tb_offset=tb_offset)

    def undo() -> None:
        if shell.CustomTB is handler:
            shell.set_custom_exc((), None)

    shell.set_custom_exc((Exception, KeyboardInterrupt), shown)
    handler = shell.CustomTB
    return undo


def of_user(traceback: TracebackType | None, engine: bool = True) -> TracebackType | None:
    """The entries of a traceback that are not this package's, which stay in the error itself; nor
    those by which PyTorch hands a call over to it, to be called once more from there. Without
    ``engine`` nor those by which PyTorch enters its engine."""
    entries: list[TracebackType] = []
    while traceback is not None:
        if not _file(traceback).startswith((PACKAGE, "<graphwidget")):
            entries.append(traceback)
        elif entries and entries[-1].tb_frame.f_code.co_name == "handle_torch_function":
            del entries[-2:]
        traceback = traceback.tb_next
    kept: TracebackType | None = None
    for each in reversed(entries):
        if engine or not _ENGINE.search(_file(each)):
            kept = TracebackType(kept, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return kept


def leave_out_own(error: BaseException) -> None:
    """Take this package's entries, and those that lead to them, out of an error's own traceback."""
    first = error.__traceback__
    while first is not None and _file(first).startswith(PACKAGE):
        first = first.tb_next
    kept = of_user(first)
    if first is not None and kept is not None:
        first.tb_next = kept.tb_next


def _file(traceback: TracebackType) -> str:
    return traceback.tb_frame.f_code.co_filename
