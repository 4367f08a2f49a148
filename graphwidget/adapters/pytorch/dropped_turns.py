"""What remains of held turns that were let go of: their count, and the numbers with names.

The curves of the loop are drawn from these numbers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np
import torch

from ...recording.summary import capture
from ..scope_marks import Given
from ..sorting import PASSED
from .held_stretches import HeldCall, Stretch
from .steady_plan import Plan
from .tensor_facts import content_of, copyable, dtype_name

MAX_ROWS = 10_000
"""Stretches whose numbers are kept. Where there is a picture all is noted when there are so many;
else the oldest are only counted."""

NOT_ONE_NUMBER: Any = (np.dtype("float64"), (), b"")
"""Stands for what nobody can look at."""

Row = tuple[list[Given], list[int]]


class DroppedStretch(NamedTuple):
    """What remains of a stretch: the numbers that got names, whether it begins a turn of the loop
    or goes on with one, and the numbers that a turn has left in variables."""

    plan: Plan
    numbers: list[Any]
    begins: bool
    ended: Sequence[tuple[str, Any]]


class DroppedTurns:
    """The turns of one loop that were let go of since something was noted."""

    def __init__(self) -> None:
        self._count = 0  # turns of the loop: one may have several runs
        self._rows: deque[DroppedStretch] = deque(maxlen=MAX_ROWS)

    def are_of_another_loop(self, plan: Plan) -> bool:
        """Whether a turn that begins is of another loop than these."""
        return bool(self._rows) and self._rows[-1].plan.loop != plan.loop

    @property
    def full(self) -> bool:
        """Whether with the next one the numbers of the oldest are lost."""
        return len(self._rows) == MAX_ROWS

    def let_go(self, stretch: Stretch, ended: Sequence[tuple[str, Any]]) -> None:
        """A stretch is let go of; ``ended`` are the numbers that a turn has left in variables."""
        plan, made = stretch.plan, stretch.made
        begins = stretch.starts or plan.crosses is not None
        self._count += begins
        numbers = [_number(made[nr], _dtype(plan, nr)) for nr in plan.named]
        if plan.outside:  # it may have been written since
            calls = [each for each in stretch.records if type(each) is HeldCall]
            for at, nr in enumerate(plan.named):
                then, usual = calls[nr].then, made[nr].dtype is _dtype(plan, nr)
                if then is not None:
                    numbers[at] = _the_only(then.content) if usual else None
        self._rows.append(DroppedStretch(plan, numbers, begins, ended))

    def note(self, raw: list[Any], goes_on: bool) -> None:
        """Note them, and begin anew. What is noted next may belong to the newest of them
        (``goes_on``)."""
        count, rows = self._count, self._rows
        self._count, self._rows = 0, deque(maxlen=MAX_ROWS)
        if rows:
            lost = count - sum([each.begins for each in rows])
            turns = chain(repeat(([], []), lost - 1), _turns(rows))
            raw.append((PASSED, turns, not lost, goes_on))


def _turns(rows: Iterable[DroppedStretch]) -> Iterator[Row]:
    """What remains of turns of the loop; the first completes the turn that was noted last or, if
    rows were lost, the last of the lost turns. Made when somebody wants it."""
    numbers: list[Given] = []
    roots: list[int] = []
    calls = 0  # of the stretches before
    for plan, found, begins, ended in rows:
        given, late = _given(plan, found, calls), plan.crosses or 0
        left: list[Given] = [(0, (("", name),), _content(number)) for name, number in ended]
        if begins:
            yield [*numbers, *filter(None, given[:late]), *left], roots
            numbers, roots, given, left = [], [], given[late:], []
        numbers += [*left, *filter(None, given)]
        roots.append(-1 - calls - plan.root)
        calls += len(plan.calls)
    yield numbers, roots


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


@cache
def _in_numpy(kind: str) -> np.dtype[Any]:
    """numpy's type for numbers of one of PyTorch's, which it may not have."""
    try:
        return np.dtype(kind)
    except TypeError:
        return np.dtype("float32")


def _the_only(seen: Any) -> Any:
    """The only number of what was seen of a tensor: captured, or in lists."""
    if isinstance(seen, tuple):
        dtype, _shape, data = _content(seen)
        return np.frombuffer(data, dtype)[0].item() if len(data) == dtype.itemsize else None
    while isinstance(seen, list):
        seen = seen[0] if len(seen) == 1 else None
    return seen


def _content(captured: Any) -> Any:
    """What was captured as ``recording.summary`` captures arrays."""
    found = content_of(captured) if isinstance(captured[0], str) else captured
    return NOT_ONE_NUMBER if found is None or type(found[2]) is not bytes else found


def _given(plan: Plan, numbers: Sequence[Any], calls: int) -> list[Given | None]:
    """The numbers that a stretch gave names to, after so many ``calls``; None for what is no number
    now. The place of a call stands for the id of its result, as nobody knows that."""
    found: list[Given | None] = []
    for nr, number in zip(plan.named, numbers, strict=True):
        if number is None:
            found.append(None)
        else:
            like = plan.calls[nr].like
            assert like is not None
            content = capture(np.asarray(number, _in_numpy(dtype_name(_dtype(plan, nr)))))
            found.append((-1 - calls - nr, like.names or like.late, content))
    return found
