"""Live runs of the real PyTorch: its own engine, paused between nodes.

The engine works on a thread of its own, which waits in a hook before each node until the program's
thread resumes it. Nothing is computed otherwise than in a plain ``backward()``: its order, its
hooks and its results are the engine's. Two threads never run at once.
"""

from __future__ import annotations

import atexit
import contextvars
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from ...recording.positions import Position

PATIENCE = 2.0
"""Seconds that a paused engine may take to end when the process does."""

_living: weakref.WeakSet[LiveRun] = weakref.WeakSet()
_of_thread: dict[int, Gate] = {}


class Abandoned(BaseException):
    """Raised in a paused engine to end it, when its run is given up."""


class Gate:
    """State that the two threads share."""

    def __init__(self) -> None:
        self.go = threading.Semaphore(0)  # the engine may go on
        self.came = threading.Semaphore(0)  # it waits before a node, or is over
        self.node: Any = None  # before which it waits
        self.over = self.given_up = False
        self.result: Any = None
        self.error: BaseException | None = None
        self.depth = 0  # of runs within the run: only the outer one is paused
        self.number: int | None = None  # of the run
        self.position: Position | None = None  # of the program, when it began the run
        self._program = threading.get_ident()

    def before(self, node: Any) -> None:
        """The engine is about to run a node: wait until it may. On the engine's thread."""
        self.node = node
        self.came.release()
        self.go.acquire()
        if self.given_up:
            raise Abandoned

    def of_this_run(self) -> bool:
        """Return whether a hook was called by the held engine, and not by another run of the same
        graph.

        (Nodes of other devices run on threads of PyTorch's own.)
        """
        number = threading.get_ident()
        return number != self._program and _of_thread.get(number, self) is self

    def work(self, call: Callable[[], Any]) -> None:
        """The engine's thread."""
        number = threading.get_ident()
        _of_thread[number] = self
        try:
            self.result = call()
        except BaseException as error:
            self.error = error
        finally:
            del _of_thread[number]
            self.node, self.over = None, True
            self.came.release()


def gate_of_this_thread() -> Gate | None:
    """Owner of the run that is about to begin in this thread."""
    return _of_thread.get(threading.get_ident())


class LiveRun:
    """A backward run of the real engine, ``call``, paused between its nodes."""

    live = True
    current = None  # the node that runs is known to the engine alone

    def __init__(self, call: Callable[[], Any]) -> None:
        self.status = "ready"
        self._gate = Gate()
        self._call: Callable[[], Any] | None = call

    def begin(self, position: Position | None = None) -> None:
        """Run the engine up to its first node; ``position`` is where the program stands.

        Raises:
            RuntimeError: it refused, as a plain ``backward()`` would have.
        """
        call, self._call = self._call, None
        assert call is not None
        _living.add(self)
        self._gate.position = position
        work = contextvars.copy_context().run
        threading.Thread(
            target=work, args=(self._gate.work, call), name="graphwidget engine", daemon=True
        ).start()
        weakref.finalize(self, _give_up, self._gate).atexit = False
        self._gate.came.acquire()
        self._settle()
        if self._gate.error is not None:
            raise self._gate.error

    @property
    def _rec(self) -> int:
        number = self._gate.number
        assert number is not None, "the run has not begun"
        return number

    @property
    def result(self) -> Any:
        """Result of the engine when it is over."""
        return self._gate.result

    @property
    def pending(self) -> Any:
        """The node that runs next, or None."""
        return self._gate.node

    def steps(self) -> Iterator[Any]:
        """Run one node for each ``next``; yields the node that ran."""
        gate = self._gate
        while not gate.over:
            node = gate.node
            self.status = "running"
            gate.go.release()
            try:
                gate.came.acquire()
            except KeyboardInterrupt:
                gate.came.acquire()  # the node ends first: two threads never run at once
                self.abandon()
                raise
            self._settle()
            if gate.error is not None:
                raise gate.error
            yield node

    def abandon(self) -> None:
        """Give the run up: what was accumulated stays."""
        if not self._gate.over and self._call is None:
            _give_up(self._gate)
        if self.status in ("ready", "running"):
            self.status = "abandoned"

    def _settle(self) -> None:
        if self._gate.over and self.status in ("ready", "running"):
            self.status = "ok" if self._gate.error is None else "failed"


def _give_up(gate: Gate) -> None:
    if not gate.over:
        gate.given_up = True
        gate.go.release()
        gate.came.acquire(timeout=PATIENCE)


@atexit.register
def _end_all() -> None:
    """End paused engines before the interpreter ends: its thread could not end cleanly."""
    for run in list(_living):
        run.abandon()
