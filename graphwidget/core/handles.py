"""Handles of hooks, by which they are removed."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

_ids = itertools.count()


class RemovableHandle:
    """Removes a hook: ``handle.remove()``, any number of times, or as a context manager."""

    def __init__(self, hooks: dict[int, Callable[..., Any]], hook: Callable[..., Any]) -> None:
        self.id = next(_ids)
        hooks[self.id] = hook
        self._hooks = hooks

    def remove(self) -> None:
        """Remove the hook; does nothing the second time."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


RemovableHandle.__module__ = "torch.utils.hooks"
