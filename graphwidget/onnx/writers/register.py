"""``writes`` registers the functions that write ops as ONNX, by the ops' keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""Writer of each op, by its key in the table."""


def writes(*keys: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a function write the ops of these keys."""

    def keep(function: Callable[..., Any]) -> Callable[..., Any]:
        for key in keys:
            if key in FUNCTIONS:
                raise ValueError(f"{key} is written twice")
            FUNCTIONS[key] = function
        return function

    return keep
