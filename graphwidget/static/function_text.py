"""The source of a generated function: its lines, and the names of its objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..optable.declare import ARRAYS
from .inference import symbolic
from .passes import Step
from .runner import Ref
from .symbol import Symbol


class Text:
    """A function as its text grows: its lines, and what the names in them mean."""

    def __init__(self, given: Sequence[Symbol]) -> None:
        self.names: dict[Symbol, str] = {}
        self.scope: dict[str, Any] = {
            "asarray": np.asarray, "empty": np.empty, "Ref": Ref, "add_all": np.add.reduce,
            "array": np.array, "sum_to": ARRAYS.sum_to_size, "add": np.add, "subtract": np.subtract,
        }  # fmt: skip
        self.lines: list[str] = []
        self.steps: dict[int, Step] = {}
        """The step to which a line belongs, by its number."""
        self.constants: dict[Symbol, np.ndarray] = {}
        self.numbers: set[Symbol] = set()
        """Values that are certainly numpy scalars, not arrays without dims."""
        self.leaves = False
        """True if it prints, or calls a function that may be the user's."""
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

    def array(self, symbol: Symbol) -> str:
        """The variable of a symbol for a kernel that takes no numpy scalars."""
        name = self.name(symbol)
        return name if symbol.sizes else f"asarray({name})"

    def param(self, value: Any) -> str:
        """Return the text of an op's metadata: symbolic sizes by their computed values."""
        if isinstance(value, Symbol):
            number = value.dtype.numpy.kind in "iub"
            return f"{self.name(value)}.tolist()" if number else self.array(value)
        if isinstance(value, tuple) and symbolic(value):
            return f"({', '.join(map(self.param, value))},)"
        if value.__class__ in (int, bool, type(None), str):
            return repr(value)
        return self.global_name(value)

    def params(self, given: Mapping[str, Any]) -> list[str]:
        """Like ``param``, for all of an op's metadata; indices are arrays."""
        return [
            f"({', '.join('None' if each is None else self.array(each) for each in value)},)"
            if name == "indices" and symbolic(value) else self.param(value)
            for name, value in given.items()
        ]  # fmt: skip

    def line(self, text: str, step: Step | None = None) -> None:
        """One line, of a step."""
        self.lines.append(f"    {text}")
        if step is not None:
            self.steps[len(self.lines)] = step


def writable(value: Any) -> bool:
    """Return whether symbols stand in metadata so that ``Text.param`` knows what to write: as one
    number, or as one among sizes."""
    if isinstance(value, Symbol):
        return value.sizes == () and not value.dtype.is_ref
    if isinstance(value, tuple):
        return all(map(writable, value))
    return not symbolic(value)
