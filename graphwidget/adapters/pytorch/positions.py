"""Positions of the user's program when it calls PyTorch, or a module that does."""

from __future__ import annotations

import os
from sys import _getframe
from types import FrameType
from typing import Any

import torch
from torch.utils.data import DataLoader, Sampler

from ...arrays.warnings import PACKAGE
from ...recording.libraries import is_librarys
from ...recording.looking import is_a
from ...recording.positions import Position
from ...recording.recorder import Recorder
from ...recording.sites import Names
from ...recording.summary import Captured
from ..bindings import Bindings
from ..position_finder import PositionFinder
from ..sorting import TICK
from .call_recorder import NOT_ONE_NUMBER
from .identity import Identity
from .tensor_facts import content_of

TORCH = os.path.dirname(torch.__file__) + os.sep
CALLING = torch.nn.Module._call_impl.__code__
"""The code that calls modules."""
HANDED_OVER = torch.overrides.handle_torch_function.__code__
"""The code with which PyTorch's Python functions hand a call over to a mode."""
BEFORE = 3
"""Frames of ours, at least, between the wanted position and the observed call."""

Named = tuple[Position | None, Names]
"""Position of the user's program, and the names that its call's result will get."""


class Positions(PositionFinder):
    """Finds the positions of a program that uses PyTorch."""

    def __init__(self, recorder: Recorder, identity: Identity) -> None:
        super().__init__(recorder.sites, not_the_users, torch.nn.init.__file__)
        self.calling = CALLING
        self.recorder = recorder
        self.identity = identity
        self.bindings: Bindings | None = None
        self.commanded = False
        """True if what happens is the page's wish, and stands on no line of the program."""

    def here(self, trains: bool = False) -> Position | None:
        """Return where the user's program stands; ``trains`` as of ``of``."""
        return None if self.commanded else self.of(_outside(_getframe(1)), trains)

    def here_and_names(self, frame: FrameType | None = None, /) -> Named:
        """Like ``here``, and the names that its call's result is about to get, where ``frame`` may
        be known to make that."""
        if self.commanded:
            return None, ()
        if frame is None or _ours[frame.f_code.co_filename]:
            frame = _outside(frame or _getframe(BEFORE))
        position = self.of(frame)
        if position.result is not None:
            if position.asks is not None:
                self.asks = self.asks or position
            return position.result
        if position.site is None:
            return None, ()
        return position, self.names(position, frame)

    def names_of_part(self, nr: int) -> Names:
        """The names that one of the results of the call that was observed is about to get."""
        frame = _outside(_getframe(1))
        if frame.f_code is HANDED_OVER and frame.f_back is not None:
            frame = frame.f_back.f_back or frame  # the function that the user calls returns it
        position = self.at(frame)
        if self.commanded or position.site is None:
            return ()
        return self.names(position, frame, (nr,))

    def of(self, frame: FrameType, trains: bool = False) -> Position:
        """The position of the call that ``frame`` is making, with the iterations of the loops
        around it. If it ``trains`` or calls a model, see ``counting``."""
        position = self.at(frame)
        if trains and position.uncounted:
            position = self.counting(position, frame)
        if self.asks is not None:
            self._read_result(position, frame)
        if position.outer and not self.identity.defers:  # no finding tells such iterations apart
            ticks = self.ticked(position, frame)
            if ticks is not None:
                self.recorder.raw.append((TICK, ticks))
        return position

    def _read_result(self, position: Position, frame: FrameType) -> None:
        """Record what the result of a user's call was bound to, if that is over."""
        found, names = self.result_at(position, frame), self.bindings
        for scope, name, value in found:
            ref = self.identity.known(value) if is_a(value, torch.Tensor) else None
            if ref is not None and names is not None:
                content = self.number(value) or NOT_ONE_NUMBER
                record = (names.found, None, ref.id, scope, name, content)
                self.identity.record(ref, record)

    def number(self, value: Any) -> Captured | None:
        if not is_a(value, torch.Tensor):
            return super().number(value)
        with torch._C.DisableTorchFunction():
            content: Captured | None = content_of(self.identity.captured(value))
            return content if value.numel() == 1 else None


def _outside(frame: FrameType | None) -> FrameType:
    """The innermost frame that is not ours."""
    assert frame is not None
    while _ours[frame.f_code.co_filename] and frame.f_back is not None:
        frame = frame.f_back
    return frame


class _Files(dict[str, bool]):
    """True if the names of files begin so, found once of each."""

    def __init__(self, *starts: str) -> None:
        super().__init__()
        self.starts = starts

    def __missing__(self, filename: str) -> bool:
        found = self[filename] = filename.startswith(self.starts)
        return found


_ours = _Files(PACKAGE)
_not_the_users = _Files(TORCH, PACKAGE, "<graphwidget", "<eval_with_key")


_draws: dict[str, bool] = {}


def draws_indices(frame: FrameType) -> bool:
    """Return whether a frame runs a library's sampler or loader, which draws the indices of
    batches: nothing that the program computes."""
    file = frame.f_code.co_filename
    found = _draws.get(file)
    if found is None:
        name = frame.f_globals.get("__name__")
        kinds = [x for x in list(frame.f_globals.values()) if is_a(x, type)]
        found = is_librarys(frame) and any(
            kind.__module__ == name and issubclass(kind, (Sampler, DataLoader)) for kind in kinds
        )
        _draws[file] = found
    return found


def not_the_users(filename: str) -> bool:
    """Return whether a file is ours or PyTorch's."""
    return _not_the_users[filename]
