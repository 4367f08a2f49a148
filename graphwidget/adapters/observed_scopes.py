"""Observes the scopes that a program enters, as modules and steps, and where its calls stand."""

from __future__ import annotations

from collections.abc import Sequence
from sys import _getframe
from types import FrameType
from typing import Any

from ..graph.base import TensorBase
from ..recording.looking import is_a
from ..recording.positions import Position
from ..recording.recorder import Recorder
from ..recording.sites import Names, Path
from ..recording.summary import capture
from .backward_runs import BackwardRuns
from .module_paths import numbers_of
from .position_finder import PositionFinder, unobserved
from .sorting import BEGINS, ENDS, TICK


class ObservedScopes(BackwardRuns):
    """The part of the native adapter that knows where the program is."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(recorder)
        self.positions = PositionFinder(recorder.sites)
        self._found, self._reads = self.calls.found, self.calls.read
        self._commanded = False
        self._scopes: list[int | None] = []
        self._step: Position | None = None  # where what an optimizer's step does stands

    def scope(self, kind: str, of: Any, open: bool) -> None:
        """Record that the program enters a scope, or leaves it."""
        try:
            if open:
                self._begins(kind, of, unobserved(_getframe(1)))
            else:
                self._ends(kind)
        except Exception as error:
            self.fault(error)

    def _begins(self, kind: str, of: Any, frame: FrameType) -> None:
        above = frame.f_back
        position = None if above is None or self._commanded else self.positions.at(above)
        if position is not None and position.uncounted and above is not None:
            position = self.positions.counting(position, above)
        if position is not None and position.initial:
            self._scopes.append(None)
            return
        if position is not None and above is not None:
            if position.outer:
                self._tick(position, above)
            if self.positions.asks is not None:
                self._read_result(position, above)
        number, name, text = self.recorder.ids.scope(), kind, ""
        self._scopes.append(number)
        if kind == "module":
            name, text = self.modules.called(of, frame, number), type(of).__name__
            if self.modules.fresh:
                for path, tensor in self.modules.fresh:
                    ref = self.identity.current(tensor)
                    self.raw.append((self.calls.rebound, ref.id, "module", path))
                self.modules.fresh.clear()
            if position is not None and above is not None and position.reads:
                given = [x for _text, x in self.positions.read_at(position, above)]
                own = [x for x in given if is_a(x, TensorBase)]
                self._read(position, above, own, [self.identity.current(x) for x in own])
            self.positions.calling = frame.f_code
            self.positions.enter(position)
        elif kind == "step":
            name, text = type(of).__name__, numbers_of(of)
            self._step = None if position is None else position.inside
        self.raw.append((BEGINS, position, kind, number, name, text))

    def _ends(self, kind: str) -> None:
        """Record that the innermost scope ends."""
        number = self._scopes.pop() if self._scopes else None
        if number is not None:  # else it began before we came
            if kind == "module":
                self.positions.leave()
            elif kind == "step":
                self._step = None
            self.raw.append((ENDS, number))

    # Where and when ------------------------------------------------------------------------
    def position(self, frame: FrameType | None = None) -> Position | None:
        """Return where the user's program stands, or stood when it came to ``frame``."""
        if self._commanded:
            return None
        if frame is None:
            frame = _getframe(1)
        position = self.positions.at(frame)
        if position.outer:
            self._tick(position, frame)
        return position

    def _tick(self, position: Position, frame: FrameType) -> None:
        """Record the iterations of outer loops when they have changed."""
        ticks = self.positions.ticked(position, frame)
        if ticks is not None:
            self.raw.append((TICK, ticks))

    def _position(self, frame: FrameType, path: Path = ()) -> tuple[Position | None, Names]:
        """Return where the user's program stands that makes the call which ``frame`` is making; and
        the names that the part ``path`` of the result gets, see ``PositionFinder.names``."""
        if self._commanded:
            return None, ()
        position = self.positions.at(frame)
        if position.outer:
            self._tick(position, frame)
        positions = self.positions
        if positions.asks is not None:
            self._read_result(position, frame)
        if not path and position.result is not None:
            if position.asks is not None:
                positions.asks = positions.asks or position
            return position.result
        if position.site is None:
            return None, ()
        return position, positions.names(position, frame, path)

    def _read(
        self, position: Position, frame: FrameType, tensors: Sequence[Any], refs: Sequence[Any]
    ) -> None:
        """Record what the program writes for the arguments of a call, of those without a name."""
        waiting = [pair for pair in zip(tensors, refs, strict=True) if not pair[1].named]
        # The hot path: what is written belongs to those that have a name, others are computed.
        known = sum([ref.named and ref.storage is not None for ref in refs]) if waiting else 0
        if not waiting or len(position.reads) <= known:
            return
        for text, value in self.positions.read_at(position, frame):
            for tensor, ref in waiting:
                if tensor is value and not ref.named:
                    ref.named = True
                    assert position.site is not None
                    scope = position.site.scope_of(text)
                    self.raw.append((self._reads, None, ref.id, scope, text))

    def _name_root(self, position: Position, root: TensorBase | None) -> None:
        """The root of a run is called what the program writes before ``.backward()``."""
        site = position.site
        if root is None or root._rec is None or site is None or not position.reads:
            return
        for text, value in self.positions.read_at(position, _getframe(2)):
            if value is root and text == site.spelling.receiver:
                names = ((site.scope_of(text), text),)
                self.raw.append((self.calls.gave, None, root._rec, names, capture(root._data)))

    def _read_result(self, position: Position, frame: FrameType) -> None:
        """Record what the result of a user's call was bound to, if that is over."""
        for scope, name, value in self.positions.result_at(position, frame):
            ref = value._rec if is_a(value, TensorBase) else None
            if ref is not None and ref.id in self.values:
                self.raw.append((self._found, None, ref.id, scope, name, capture(value._data)))
