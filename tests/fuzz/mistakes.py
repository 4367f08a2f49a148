"""Statements that are likely wrong: what users do, and PyTorch explains."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.fuzz.writer import Writer

if TYPE_CHECKING:
    Base = Writer
else:
    Base = object

TEXT = Path(__file__).with_name("mistakes.txt").read_text("utf-8").partition("\n")[2]
ALONE, PAIRS = (part.splitlines() for part in TEXT.split("\n\n"))


class Mistakes(Base):
    """The statement kinds that provoke errors."""

    def mistake(self) -> str:
        text = self.some(ALONE if self.chance(0.65) else PAIRS)
        first = self.pick()
        second = self.pick()
        if self.undefined(first, second):
            second = first
        if "register_hook" in text and self.get(first)._is_view():
            return "pass"  # PyTorch crashes when the view gets a new history (see ``plain``)
        if ".data = " in text:
            shape = self.get(second).shape if "{b}" in text else (7,)
            if self.get(first).shape != shape:
                return "pass"  # its gradients are right here, or refused
        return str(text).format(
            a=first, b=second, n=self.random.randint(-4, 4), m=self.random.randint(-3, 3)
        )
