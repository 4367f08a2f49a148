"""Silences numpy's warnings about nan and inf, of which PyTorch says nothing.

A filter of warnings silences them (``graphwidget/__init__``), until a user sets filters of his own:
``-W error``, pytest, ``catch_warnings``. Ops that make nan or inf of usual numbers therefore tell
numpy to be quiet while they compute. numpy keeps that in a context variable; to set and reset it
takes a tenth of the time of ``np.errstate``. The smallest ops, which overflow at most, do without.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache, wraps
from typing import Any, TypeVar

from ..optable import TABLE

Call = TypeVar("Call", bound=Callable[..., Any])

QUIET: Any = None
ignore_errors: Any = id  # does nothing: of another numpy, where the filter has to do
restore_errors: Any = id
with suppress(ImportError):
    from numpy._core.umath import _extobj_contextvar, _make_extobj

    QUIET = _make_extobj(all="ignore")
    ignore_errors, restore_errors = _extobj_contextvar.set, _extobj_contextvar.reset


def quiet_lines(lines: list[str], indent: str) -> list[str]:
    """Lines of written code, within which numpy is quiet."""
    return [
        f"{indent}numpy_state = ignore_errors(QUIET)", f"{indent}try:",
        *("    " + line for line in lines),
        f"{indent}finally: restore_errors(numpy_state)",
    ]  # fmt: skip


def quiet_function(function: Call) -> Call:
    """The function, within which numpy is quiet."""

    @wraps(function)
    def run(*args: Any, **params: Any) -> Any:
        state = ignore_errors(QUIET)
        try:
            return function(*args, **params)
        finally:
            restore_errors(state)

    return run  # type: ignore[return-value]


@cache
def quiet_kernel(key: str) -> Callable[..., Any]:
    """An op's kernel, within which numpy is quiet."""
    op = TABLE[key]
    return quiet_function(op.kernel) if op.warns else op.kernel
