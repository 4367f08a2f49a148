"""The pause in a running cell: a backward run waits for the page while the cell is busy."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

from ..recording.commands import Abandon, CommandQueue, Step, Until
from ..recording.language import say
from .stepping import Stepper

PATIENCE, SILENCE = 3.0, 6.0
"""Seconds until a run goes through because no page has answered, or because the one that did has
been silent."""

PING = 1.0
"""Seconds between two messages that say where the run waits. A page that came late learns it from
them, and one that misses them knows that the kernel is gone."""

TICK = 0.05
"""The main thread never waits longer at a time, so that interrupting the kernel works."""

ALONE = "graphwidget: {why}, so backward ran through without a pause."
NO_PAGE = "no picture of this graph can answer while the cell runs"
ABANDONED = "backward was stopped in the picture"


class Pause:
    """Pauses runs between their nodes for the page of one widget.

    ``number`` counts the moments at which a run waited: a command names the one that it answers,
    and one that answers an earlier moment, as a second click does, is dropped; but a run is
    abandoned whenever that is asked.
    """

    def __init__(
        self, commands: CommandQueue, announce: Callable[[], None], reachable: Callable[[], bool]
    ) -> None:
        self.number = 0
        self.stepper: Stepper | None = None  # the one that waits
        self._commands = commands
        self._tell = announce
        self._reachable = reachable  # whether messages can come while a cell runs
        self._heard = 0.0
        self._alone = False  # no page answered the last time, nor sent a message since

    @property
    def state(self) -> list[int] | None:
        """State sent to the page: the number, and the run that waits."""
        return None if self.stepper is None else [self.number, self.stepper.run._rec]

    def page_answered(self) -> None:
        """The page spoke. Any thread."""
        self._heard = monotonic()
        self._alone = False

    def possible(self) -> bool:
        """Return whether a run of this thread can pause now; if no page will answer, say
        so."""
        if self.stepper is not None or threading.current_thread() is not threading.main_thread():
            return False
        if self._alone or not self._reachable():
            self._say_alone()
            return False
        return True

    def hold(self, stepper: Stepper) -> None:
        """Let the page take the run's steps until it is over, or until no page answers any more.

        Raises:
            KeyboardInterrupt: the run was abandoned, in the picture or by interrupting the kernel.
            RuntimeError: what a step raised.
        """
        __tracebackhide__ = True
        if not self.possible():
            return
        self.stepper = stepper
        try:
            self._wait(stepper)
        except KeyboardInterrupt:
            stepper.abandon()
            raise
        finally:
            self.stepper = None
            self._tell()
        if stepper.status == "abandoned":
            raise KeyboardInterrupt(ABANDONED)

    def _wait(self, stepper: Stepper) -> None:
        __tracebackhide__ = True
        began = monotonic()
        announced = 0.0
        while not stepper.over:
            now = monotonic()
            answered = self._heard > began
            if now - max(began, self._heard) > (SILENCE if answered else PATIENCE):
                self._say_alone()
                return
            if now - announced > (PING if answered else PING / 4):
                announced = now
                self._tell()
            taken = self._commands.take(TICK)
            if taken is not None and self._obey(stepper, *taken):
                announced = 0.0

    def _obey(self, stepper: Stepper, message: Any, command: Any) -> bool:
        """Execute a command; whether the run moved."""
        __tracebackhide__ = True
        ours = isinstance(command, (Step, Until, Abandon)) and command.run == stepper.run._rec
        if not ours:
            self._commands.execute(message, command)
        elif isinstance(command, Abandon) or message.get("pause") == self.number:
            self.number += 1
            stepper.obey(command)
            return True
        return False

    def _say_alone(self) -> None:
        if not self._alone:
            print(say(ALONE, why=say(NO_PAGE)))
        self._alone = True
