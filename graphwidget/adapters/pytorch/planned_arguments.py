"""Compares what calls are given with where the plan of a stretch says that it comes from.

What is compared is kept, with references in the place of tensors that no held call made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ...recording.recorder import Ref
from .arguments import TENSORS
from .held_turns import HeldTurns
from .steady_plan import ANY, EACH, LAST, MADE, PLAINLY, SAME, Source, is_like


class PlannedArguments(HeldTurns):
    """Keeps the arguments of calls that are as planned."""

    said_last: dict[int, int]
    """What the calls before the last run made that was noted."""

    def taken(self, args: Sequence[Any], sources: Sequence[Source]) -> list[Any] | None:
        """A call's arguments, to be kept; None if one does not come from where it is to come."""
        # The hot path: every argument of every call of a turn that is held.
        if len(args) != len(sources):
            return None
        made: list[Any] = [] if self.now is None else self.now.made
        met: Callable[[int], Any] = self.identity.refs.get
        given: list[Any] = []
        for each, (whence, what) in zip(args, sources, strict=True):
            taken = each
            if whence is MADE:
                if made[what] is not each:
                    return None
            elif whence is SAME or whence is ANY:
                taken = met(id(each))
                if (
                    taken is None or taken.facts.number != what or taken() is not each
                    or taken.version != each._version
                ):  # fmt: skip
                    taken = None if whence is SAME else self._met(each)
                    if taken is None:
                        return None
            elif whence is PLAINLY:
                if each is not what and not is_like(each, what):
                    return None
            else:
                taken = self._taken_specially(each, whence, what)
                if taken is None:
                    return None
            given.append(taken)
        return given

    def _taken_specially(self, value: Any, whence: str, what: Any) -> Any:
        if whence is LAST:
            return self._of_last_turn(value, what)
        if whence is EACH:
            kind, sources = what
            taken = self.taken(value, sources) if type(value) is kind else None
            return None if taken is None else kind(taken)
        return self._met(value)

    def _of_last_turn(self, tensor: Any, nr: int) -> torch.Tensor | Ref | None:
        """The result of the last turn's call with that number, if the tensor is that: itself if it
        is held, else its identity."""
        if self.last:
            made = self.last[-1].made
            return tensor if nr < len(made) and made[nr] is tensor else None
        known = self.identity.known(tensor)
        if known is None or self.said_last.get(known.facts.number) != nr:
            return None
        return known if known.version == tensor._version else None

    def _met(self, tensor: Any) -> Ref | None:
        """The identity of a tensor that this turn was given from outside and no gradient goes to;
        None of another one."""
        if type(tensor) not in TENSORS or tensor.requires_grad:
            return None
        known = self.identity.known(tensor)
        if known is not None:
            return known if known.version == tensor._version else None
        held = [stretch.made for stretch in self.last]
        if self.now is not None:
            held.append(self.now.made)
        if tensor._is_view() or any(each is tensor for made in held for each in made):
            return None
        ref = self.identity.fresh(tensor)
        if self.now is not None and not self.identity.defers:
            self.now.met.append((ref, self.identity.captured(tensor)))
        return ref
