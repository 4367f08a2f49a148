"""Functions that stand in graphs whatever is in them: those given to `wrap`, and assertions."""

from __future__ import annotations

import inspect
from typing import Any

from ..dispatch.overriding import any_override, dispatch
from .names import PACKAGE

WRAPPED: dict[tuple[int, str], dict[str, Any]] = {}
"""The functions that programs gave to `wrap`: the names that modules have them by."""


def wrap(fn_or_name: Any) -> Any:
    """Let calls of a function of this module become nodes, whatever is in it.

    To be called where the module defines it, with its name or as a decorator.

    Raises:
        NotImplementedError: it is called inside a function.
        RuntimeError: neither a name nor a function is given.
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError(
            "Unsupported type for global function! Must be either a callable or string name"
        )
    name = fn_or_name.__name__ if callable(fn_or_name) else fn_or_name
    frame = inspect.currentframe()
    caller = frame.f_back if frame is not None else None
    if caller is None or caller.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    WRAPPED[id(caller.f_globals), name] = caller.f_globals
    return fn_or_name


# Assertions that stand in graphs -----------------------------------------------------------------


def _assert(condition: Any, message: str) -> Any:
    """`torch._assert`: raise an AssertionError unless the condition holds."""
    if any_override((condition,)):
        return dispatch("torch._assert", _assert, (condition,), (condition, message), {})
    if not condition:
        raise AssertionError(message)
    return None


_assert.__module__ = PACKAGE


def _assert_is_none(value: Any, msg: str) -> None:
    """Raise an AssertionError unless the value is None."""
    if value is not None:
        raise AssertionError(msg)
