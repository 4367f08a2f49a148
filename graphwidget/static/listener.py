"""The listener to static graphs as they are built and run, of which there is one at most.

Off, it costs one test for None. While somebody listens sessions run operation by operation and not
compiled, so that every value is heard of when it is there.
"""

from __future__ import annotations

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
