"""Observes calls of ``autograd.grad``: results and their names; the nodes are the run's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from sys import _getframe
from typing import Any

from ..graph.base import TensorBase
from ..recording.positions import Position
from ..recording.recorder import Recorder
from ..recording.sites import Names
from ..recording.summary import capture
from .call_events import Made
from .identity import frozen_params, guarded
from .observed_scopes import ObservedScopes
from .position_finder import outside, unobserved


class ObservedGradCalls(ObservedScopes):
    """The part of the native adapter that observes calls of ``autograd.grad``."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(recorder)
        self._gives = self.calls.differentiated

    @guarded
    def differentiated(
        self,
        inputs: Sequence[TensorBase],
        gradients: Sequence[TensorBase | None],
        options: Mapping[str, Any],
    ) -> None:
        """Record the names of the results of ``autograd.grad``, and results that no op made."""
        frame, identity = outside(unobserved(_getframe(2))), self.identity
        refs = [identity.current(each) for each in inputs]
        position: Position | None = None
        made: list[Made] = []
        named: list[tuple[int, Names]] = []
        for nr, tensor in enumerate(gradients):
            if tensor is None:
                continue
            position, names = self._position(frame, (nr,))
            ref = tensor._rec
            if tensor._node is None and (ref is None or ref.id not in self.values):
                ref = identity.renew(tensor)
                self.values.add(ref.id)
                needed = bool(tensor._requires_grad)
                made.append((ref, capture(tensor._data), needed, None, names))
            elif names:  # the ops that made it are emitted
                named.append((identity.current(tensor).id, names))
        if made:
            options = frozen_params(options)
            self.raw.append((self._gives, position, "grad", refs, options, made, None))
        for value, names in named:
            self.raw.append((self.calls.made, position, "gave", value, names))
