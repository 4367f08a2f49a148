"""What remains of held turns that were let go of: their count, and the numbers with names.

Of these there are curves of the loop; they are kept of the newest turns (``held_turns.py``).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import chain, repeat
from typing import Any

import numpy as np
import torch

from ...recording.summary import capture
from ..scope_marks import Given
from ..sorting import PASSED
from .steady_plan import Plan
from .tensor_facts import copyable, dtype_name

MAX_ROWS = 10_000
"""Turns whose numbers are kept; older ones are only counted."""

Row = tuple[list[Given], list[int]]


class PassedTurns:
    """The turns of one loop that were let go of since something was noted."""

    def __init__(self) -> None:
        self._count = 0  # turns of the loop: one may have several runs
        self._rows: deque[tuple[Plan, list[Any], bool]] = deque(maxlen=MAX_ROWS)

    def are_of_another_loop(self, plan: Plan) -> bool:
        """Whether a turn that begins is of another loop than these."""
        return bool(self._rows) and self._rows[-1][0].loop != plan.loop

    def let_go(self, plan: Plan, begins: bool, made: Sequence[torch.Tensor]) -> None:
        """A turn is let go of, in which these were made; whether it ``begins`` a turn of the loop
        or goes on with one."""
        begins = begins or plan.crosses is not None
        self._count += begins
        numbers = [_number(made[nr], _dtype(plan, nr)) for nr in plan.named]
        self._rows.append((plan, numbers, begins))

    def note(self, raw: list[Any], goes_on: bool) -> None:
        """Note them, and begin anew. What is noted next may belong to the newest of them
        (``goes_on``)."""
        count, rows = self._count, self._rows
        self._count, self._rows = 0, deque(maxlen=MAX_ROWS)
        told: list[Row] = [([], [])]  # the first is of the turn that was noted last
        for plan, numbers, begins in rows:
            given, late = _given(plan, numbers), plan.crosses or 0
            if begins:
                told[-1][0].extend(filter(None, given[:late]))
                told.append(([], []))
                given = given[late:]
            told[-1][0].extend(filter(None, given))
            told[-1][1].append(-1 - plan.root)
        first = told.pop(0)[0] if count < len(told) else []
        told = told[-count:] if count else []
        if rows:
            turns = chain(repeat(([], []), count - len(told)), told)
            raw.append((PASSED, first, turns, goes_on))


def _dtype(plan: Plan, nr: int) -> torch.dtype:
    like = plan.calls[nr].like
    assert like is not None
    dtype: torch.dtype = like.made[0].facts.dtype
    return dtype


def _number(tensor: torch.Tensor, dtype: torch.dtype) -> Any:
    """The only number of a tensor; None if it has more of them than in the planned turn or another
    type, or is not near."""
    usual = tensor.numel() == 1 and tensor.dtype is dtype
    return tensor.item() if usual and copyable(tensor) else None


def _given(plan: Plan, numbers: Sequence[Any]) -> list[Given | None]:
    """The numbers that a turn gave names to; None for what is no number now. The place of a call
    stands for the id of its result, as nobody knows that."""
    found: list[Given | None] = []
    for nr, number in zip(plan.named, numbers, strict=True):
        if number is None:
            found.append(None)
        else:
            like = plan.calls[nr].like
            assert like is not None
            kind = dtype_name(_dtype(plan, nr))
            content = capture(np.asarray(number, "float32" if kind == "bfloat16" else kind))
            found.append((-1 - nr, like.names or like.late, content))
    return found
