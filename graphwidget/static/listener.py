"""The listener to static graphs (at most one), and the default session of a thread.

Without a listener, it costs one test for None. While there is one, sessions run operation by
operation and not compiled, so that every value is observed when it is there.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any


class Listener:
    """Interface of a listener; each method does nothing here."""

    def added(self, operation: Any) -> None:
        """An operation was added to a graph."""

    def begins(self, operations: Sequence[Any], fed: Sequence[tuple[Any, Any]]) -> None:
        """A session begins to run these operations; (symbol, array) of what is fed."""

    def computed(self, operation: Any, values: Sequence[Any]) -> None:
        """An operation has run, and gave these."""

    def entered(self, region: Any, values: Sequence[Any]) -> None:
        """A region begins, a loop's once more, with these inputs."""

    def ends(self, error: BaseException | None) -> None:
        """The run is over."""


class Current:
    """The listener in force."""

    listener: Listener | None = None


current = Current()


# The default session -----------------------------------------------------------------------------


class Sessions(threading.local):
    """The default sessions of a thread, the innermost last."""

    def __init__(self) -> None:
        self.stack: list[Any] = []


sessions = Sessions()


def default_session() -> Any:
    """The innermost default session; None without one."""
    return sessions.stack[-1] if sessions.stack else None
