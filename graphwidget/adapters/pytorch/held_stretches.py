"""What is held of a stretch (``held_turns.py``): its calls as they came, and what these made."""

from __future__ import annotations

from dataclasses import dataclass, field
from sys import getrefcount
from typing import Any, NamedTuple

import torch

from ...recording.recorder import Ref
from ...recording.sites import Site
from .steady_plan import Call, Enter, Plan, Whole
from .tensor_facts import Captured


def _references_of_one() -> int:
    """What ``getrefcount`` tells of an object that only a list has (the number differs between
    versions of Python)."""
    return sum(map(getrefcount, [object()]))


def _references_of_a_base() -> int:
    """How many more it tells of a tensor that another one is a view of (that differs between
    versions of PyTorch)."""
    base = torch.empty(1)
    before = getrefcount(base)
    view = base.view(1)
    found = getrefcount(base) - before
    del view
    return found


IN_A_LIST = _references_of_one()
with torch._C.DisableTorchFunction():
    OF_A_BASE = _references_of_a_base()


class Seen(NamedTuple):
    """What a tensor held, its version and its node, before somebody may have written it."""

    content: Any
    version: int
    node: Any


class HeldCall(NamedTuple):
    """A call that is held: what it was given, with references in the place of tensors that no call
    of these stretches made, and what it made; where that is a view of something else, also what was
    seen of it ``then``."""

    call: Call
    given: list[Any]
    made: torch.Tensor
    then: Seen | None


class BecameNumber(NamedTuple):
    """The result of the stretch's call with that number became a number there."""

    nr: int
    site: Site


class Unpacked(NamedTuple):
    """A result was unpacked to a variable: that of the call with that number, of this stretch or
    the one before (``earlier``), or another value."""

    scope: str
    name: str
    value: int | Ref
    earlier: bool = False


class Stretch:
    """A stretch that is held: its ``records`` in their order, what its calls ``made``, which
    tensors it ``met`` first and what they held, where that is told, and whether it begins another
    turn of the loop around it (``starts``)."""

    __slots__ = "at_crossing", "made", "met", "plan", "records", "starts", "steps"

    def __init__(self, plan: Plan, starts: bool) -> None:
        self.plan, self.starts = plan, starts
        self.at_crossing = False
        """Whether the loop around it is just coming to its next turn."""
        self.records: list[Any] = []
        self.steps: list[Any] = []
        """Those records that are steps of optimizers."""
        self.made: list[torch.Tensor] = []
        self.met: list[tuple[Ref, Captured]] = []

    def is_kept(self, after: Plan) -> bool:
        """Whether the program still has something that was made in it; ``after`` is the plan of the
        stretch that came after it."""
        # each result is in its record too, and the run has its root
        plan, made = self.plan, self.made
        uses = plan.uses + after.uses_of_last + plan.bases * OF_A_BASE
        return sum(map(getrefcount, made)) > (IN_A_LIST + 1) * len(made) + uses + 1


@dataclass(slots=True)
class WholeCall:
    """The call of a module that is heard as a whole, in a ``stretch``: what its calls are ``given``
    and what they gave, as far as they were made."""

    whole: Whole
    given: list[list[Any]]
    stretch: Stretch
    results: list[Any] = field(default_factory=list)

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls that it makes."""
        return self.whole.calls

    @property
    def inner(self) -> tuple[Enter, ...]:
        """The modules that it calls."""
        return self.whole.inner

    @property
    def next_inner(self) -> Any:
        """The one that it calls next; None if it has called all."""
        nr, inner = len(self.results), self.whole.inner
        return inner[nr].module() if nr < len(inner) else None

    def arguments(self, nr: int) -> tuple[list[Any], dict[str, Any]]:
        """What its call with that number is given."""
        given = [each() if isinstance(each, Ref) else each for each in self.given[nr]]
        keywords = self.calls[nr].keywords
        count = len(given) - len(keywords)
        return given[:count], dict(zip(keywords, given[count:], strict=True))
