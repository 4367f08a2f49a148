"""Assertions that stand in graphs: Python's own statement cannot be recorded."""

from __future__ import annotations

from typing import Any

from ..dispatch.overriding import any_override, dispatch
from .names import PACKAGE


def _assert(condition: Any, message: str) -> Any:
    """`torch._assert`: raise an AssertionError unless the condition holds."""
    if any_override((condition,)):
        return dispatch("torch._assert", _assert, (condition,), (condition, message), {})
    assert condition, message
    return None


_assert.__module__ = PACKAGE


def _assert_is_none(value: Any, msg: str) -> None:
    """Raise an AssertionError unless the value is None."""
    if value is not None:
        raise AssertionError(msg)
