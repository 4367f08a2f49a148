"""``RemovableHandle``: handles of hooks, by which they are removed."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

_ids = itertools.count()


class RemovableHandle:
    """Removes a hook: ``handle.remove()``, any number of times, or as a context manager."""

    def __init__(
        self,
        hooks: dict[int, Callable[..., Any]],
        hook: Callable[..., Any],
        flags: tuple[dict[int, bool], ...] = (),
    ) -> None:
        self.id = next(_ids)
        hooks[self.id] = hook
        for each in flags:
            each[self.id] = True
        self._within: tuple[dict[int, Any], ...] = (hooks, *flags)

    def remove(self) -> None:
        """Remove the hook; does nothing the second time."""
        for each in self._within:
            each.pop(self.id, None)

    def __reduce__(self) -> tuple[Any, ...]:
        return restore_handle, (self.id, self._within)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def restore_handle(number: int, within: tuple[dict[int, Any], ...]) -> RemovableHandle:
    """A handle out of a pickle, or a copy; new ones get higher numbers."""
    global _ids
    made = RemovableHandle.__new__(RemovableHandle)
    made.id, made._within = number, within
    _ids = itertools.count(max(number + 1, next(_ids)))
    return made


RemovableHandle.__module__ = "torch.utils.hooks"
