"""What a program with a fault was meant to compute."""

from __future__ import annotations

from typing import NamedTuple


class Meant(NamedTuple):
    """A program as ``broken`` by one line for another; ``same`` is what has to be equal."""

    kind: str
    program: str
    broken: str
    meant: str
    same: str

    @property
    def source(self) -> str:
        """The broken program."""
        return self.program.replace("...", self.broken)

    @property
    def intended(self) -> str:
        """The program as it was meant."""
        return self.program.replace("...", self.meant)
