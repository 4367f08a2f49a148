"""Which of the values that a library's function computes is its result, and gets the user's name.

The user writes ``norm = clip_grad_norm_(...)``; what is heard are the ops inside. Of the values
that they make it is the newest that still lives when the function has returned. What they wrote in
place is the result only where there is no other.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any, Generic, TypeVar

from ..recording.sites import Site
from .raw_records import CALLED_AT, CONTENT, FRESH, NAMES, RESULT
from .scope_marks import Given

Key = TypeVar("Key")


def named_by_call(record: Any) -> Sequence[Given]:
    """What a record of a value that may be a call's result gives names to."""
    return ((record[RESULT].id, record[NAMES], record[CONTENT]),)


class LibraryResult(Generic[Key]):
    """The result of the call that goes on, as far as it is known. Values are told with keys."""

    def __init__(self) -> None:
        self.site: Site | None = None
        """Where in the user's program the call stands; None if none goes on."""
        self._found: list[tuple[int, bool, Key]] = []

    def computed(self, record: Any, key: Key) -> None:
        """A value was computed in a call."""
        site = record[CALLED_AT].site
        if site is not self.site:
            self.site, self._found = site, []
        self._found.append((record[RESULT].id, record[FRESH], key))

    def died(self, value: int) -> bool:
        """A value has died: whether the result may be another one now."""
        left = [each for each in self._found if each[0] != value]
        if not left or len(left) == len(self._found):
            return False
        self._found = left
        return True

    def keep(self, living: Container[int]) -> None:
        """Of what was computed only these values still live."""
        self._found = [each for each in self._found if each[0] in living] or self._found[-1:]

    def pick(self) -> Key:
        """The key of the result, of the values that were told."""
        fresh = [key for _value, fresh, key in self._found if fresh]
        return fresh[-1] if fresh else self._found[-1][2]

    def over(self) -> None:
        """The program is at another call."""
        self.site, self._found = None, []
