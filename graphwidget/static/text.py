"""The text of a function that is being written, and what the names in it mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .passes import Step
from .runner import Ref
from .symbol import Symbol


class Text:
    """A function as its text grows: its lines, and what the names in them mean."""

    def __init__(self, given: Sequence[Symbol]) -> None:
        self.names: dict[Symbol, str] = {}
        self.scope: dict[str, Any] = {
            "asarray": np.asarray, "empty": np.empty, "Ref": Ref, "add_all": np.add.reduce,
            "array": np.array, "add": np.add, "subtract": np.subtract,
        }  # fmt: skip
        self.lines: list[str] = []
        self.steps: dict[int, Step] = {}
        """The step to which a line belongs, by its number."""
        self.constants: dict[Symbol, np.ndarray] = {}
        self.numbers: set[Symbol] = set()
        """What certainly is a numpy scalar, and no array without dims."""
        self.depth = 1
        self.prints = False
        names = [self.name(each) for each in given]
        self.lines.append(f"def run({', '.join(['state', *names])}):")

    def name(self, symbol: Symbol) -> str:
        """The variable of a symbol; a constant's is a global."""
        found = self.names.get(symbol)
        if found is None:
            found = self.names[symbol] = f"v{len(self.names)}"
            value = self.constants.get(symbol)
            if value is not None:
                self.scope[found] = value if value.ndim else value[()]
                if not value.ndim:
                    self.numbers.add(symbol)
        return found

    def number(self, symbol: Symbol) -> str:
        """The variable of a symbol without dims, as a numpy scalar."""
        name = self.name(symbol)
        return name if symbol in self.numbers else f"{name}[()]"

    def global_name(self, value: Any) -> str:
        """A global for a value that has no literal."""
        label = f"p{len(self.scope)}"
        self.scope[label] = value
        return label

    def line(self, text: str, step: Step | None = None) -> None:
        """One line, of a step."""
        self.lines.append("    " * self.depth + text)
        if step is not None:
            self.steps[len(self.lines)] = step
