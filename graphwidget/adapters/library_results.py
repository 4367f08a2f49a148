"""Result of a library's function among the values it computes: the one to get the user's name.

The user writes ``norm = clip_grad_norm_(...)``; the ops inside are observed. The result is the
newest of their values that is alive when the function has returned. A value written in place is
the result only if there is no other.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any, Generic, TypeVar

from ..recording.sites import Site
from .raw_records import CALLED_AT, CONTENT, FRESH, NAMES, RESULT
from .scope_marks import Given

Key = TypeVar("Key")


def named_by_call(record: Any) -> Sequence[Given]:
    """Return the value that a record of a call's possible result names."""
    return ((record[RESULT].id, record[NAMES], record[CONTENT]),)


class LibraryResult(Generic[Key]):
    """The result of the call that goes on, as far as it is known. Values are emitted with keys."""

    def __init__(self) -> None:
        self.site: Site | None = None
        """Site of the current call in the user's program; None outside of calls."""
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
        """The key of the result, of the values that were emitted."""
        fresh = [key for _value, fresh, key in self._found if fresh]
        return fresh[-1] if fresh else self._found[-1][2]

    def over(self) -> None:
        """The program is at another call."""
        self.site, self._found = None, []
