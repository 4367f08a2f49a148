"""Commands are checked, queued on any thread and run where they are called for."""

from __future__ import annotations

from typing import Any

import pytest

from graphwidget.recording.commands import Command, CommandQueue, Rejected, RetainGrad, Step, parse


@pytest.mark.parametrize(
    "message",
    [
        None, 3, [], {}, {"type": "explode"}, {"type": ["step"]}, {"type": "step"},
        {"type": "step", "run": "1", "count": 1}, {"type": "step", "run": 1, "count": 0},
        {"type": "step", "run": True, "count": 1}, {"type": "step", "run": 1, "count": 10**9},
        {"type": "retain_grad", "value": 1, "on": 1}, {"type": "peek", "value": -1},
    ],
)  # fmt: skip
def test_nonsense_is_refused(message: Any) -> None:
    with pytest.raises(Rejected):
        parse(message)


def test_commands_are_read() -> None:
    assert parse({"type": "step", "run": 1, "count": 2}) == Step(1, 2)
    assert parse({"type": "retain_grad", "value": 1, "on": False}) == RetainGrad(1, False)


class Page:
    """Stands for both ends of the queue."""

    def __init__(self) -> None:
        self.done: list[Command] = []
        self.rejected: list[str] = []
        self.woken = 0
        self.commands = CommandQueue(
            self.execute, lambda _, why: self.rejected.append(why), self.wake
        )

    def execute(self, command: Command) -> None:
        if isinstance(command, Step) and command.run == 13:
            raise RuntimeError("no luck")
        self.done.append(command)

    def wake(self) -> None:
        self.woken += 1


def test_nothing_runs_before_its_time() -> None:
    page = Page()
    page.commands.put({"type": "step", "run": 1, "count": 1})
    assert (page.done, page.woken) == ([], 1)
    page.commands.run()
    assert page.done == [Step(1, 1)]


def test_what_fails_is_said_and_the_next_runs() -> None:
    page = Page()
    for run in (13, 1):
        page.commands.put({"type": "step", "run": run, "count": 1})
    page.commands.put("nonsense")
    page.commands.run()
    assert page.done == [Step(1, 1)]
    assert page.rejected == ["unknown command 'None'", "RuntimeError: no luck"]
