"""State that all backward runs share, and functions that emit their records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ...recording import events as ev
from ...recording.positions import Position
from ...recording.recorder import NodeRef, Recorder
from .identity import Identity
from .observed_calls import ObservedCalls
from .reachable_nodes import RanNodes
from .run_checks import RunChecks
from .tensor_facts import Captured, summarized

Grads: TypeAlias = Sequence[Captured | None]


class RunContext:
    """Context of a backward run. Methods of it that a record names run while draining."""

    def __init__(
        self,
        recorder: Recorder,
        identity: Identity,
        calls: ObservedCalls,
        position: Callable[[], Position | None],
        fault: Callable[[BaseException], None],
    ) -> None:
        self.recorder = recorder
        self.identity = identity
        self.calls = calls
        self.position = position
        self.fault = fault
        self.checks = RunChecks(recorder, identity, calls)
        self.ran_nodes = RanNodes()
        self.going_on: list[Any] = []
        """Runs that are emitted when they fail."""
        self.about_to_run: Callable[[], None] = lambda: None
        """Called before a run of the program's begins."""
        self.elsewhere: Callable[[], bool] = lambda: False
        """True if this is another thread than the one that is watched."""
        self.is_over: Callable[[], None] = lambda: None
        """Called when a run is over."""
        self.begins, self.starts, self.ran = self._begin, self._start, self._has_run
        self.accumulates, self.errs = self._accumulated, self._error

    def _begin(
        self, position: Position | None, _what: str, event: ev.Backward, grads: Grads
    ) -> None:
        """A run begins with these gradients: the 1 of a single number needs no word."""
        names = self.calls.records.names
        if self.recorder.lost:
            names.recall(value for value, _node in event.roots)
        source = None if position is None else self.recorder.source(position.site)
        given = _summaries(grads)
        one = given[0] is None or (given[0].shape == () and given[0].values in ((1,), None))
        seeds = None if len(given) == 1 and one else given
        self.recorder.emit(event._replace(source=source, grads=seeds))

    def _start(self, run: int, node: NodeRef, grads: Grads) -> None:
        self.recorder.emit(ev.Start(run, node.id, _summaries(grads)))

    def _has_run(
        self, run: int, node: NodeRef, freed: bool, leaf: int | None, grad: Captured | None,
        added: Captured | None, count: int, *contents: Captured | None,
    ) -> None:  # fmt: skip
        """A node was given a ``count`` of gradients and gave others, whose ``contents`` follow; or
        accumulated that of a leaf, where it was ``added`` to the one before."""
        self._start(run, node, contents[:count])
        if leaf is not None and grad is not None:
            self._accumulated("accumulated", leaf, grad, run, added)
        self.recorder.emit(ev.Finish(run, node.id, _summaries(contents[count:]), None))
        if freed:
            self.recorder.free(node.id)

    def _accumulated(
        self, how: str, value: int, grad: Captured | None, run: int | None,
        added: Captured | None = None,
    ) -> None:  # fmt: skip
        if self.recorder.lost:
            self.calls.records.names.recall((value,))
        content, more = _summaries((grad, added))
        self.recorder.emit(ev.Grad(value, how, content, more, run, None))

    def _error(self, _: None, event: ev.Error, position: Position | None) -> None:
        source = None if position is None else self.recorder.source(position.site)
        self.recorder.emit(event._replace(source=source))


def _summaries(grads: Grads) -> tuple[ev.Summary | None, ...]:
    return tuple([None if each is None else summarized(each) for each in grads])
