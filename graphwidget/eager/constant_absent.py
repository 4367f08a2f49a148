"""Stand-ins for tensors among an op's operands: a Python number, or a missing input."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.tensor import Tensor


class Constant(Tensor):
    """A Python number in a tensor's place: it never raises a type within its category."""

    __slots__ = ("number",)
    _number = True
    number: bool | int | float

    def as_saved(self) -> Tensor:
        """Return a tensor of the number's own type, as users find it in a saved slot."""
        return Tensor._wrap(np.asarray(self.number))


class Absent(Constant):
    """Stands for a tensor that was left out (``bias=None``): its array is None."""

    __slots__ = ()

    def as_saved(self) -> Any:
        """Return a tensor of the number's own type, as users find it in a saved slot."""
        return None


ABSENT: Absent = Absent._wrap(np.zeros(()))
"""The only one there is."""
ABSENT._data = None  # type: ignore[assignment]
