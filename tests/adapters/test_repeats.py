"""Turns that repeat one another are told as if each had been looked at by itself."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import graphwidget
from graphwidget.adapters import sorting
from graphwidget.adapters.repeats import Pattern
from graphwidget.adapters.scopes import Scopes
from graphwidget.recording import events as ev
from graphwidget.recording import positions
from graphwidget.recording.loops import Flow

from .recorded import Recorded, record

MODEL = """
torch.manual_seed(0)
x, y = torch.randn(4, 2), torch.randn(4, 1)
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
def step(scale):
    optimizer.zero_grad()
    loss = scale * ((net(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    return loss
"""
PROGRAMS = {
    "training": MODEL + "for n in range(9):\n    loss = step(1.0)\n",
    "a branch now and then": MODEL
    + "for n in range(20):\n    loss = step(1.0)\n    if n % 6 == 5:\n        total = loss * 2\n",
    "an end in the middle": MODEL
    + "for n in range(30):\n    a = x * 2\n    if n == 11:\n        break\n    b = a + 1\n",
    "loops in loops": MODEL
    + "for epoch in range(3):\n    for n in range(7):\n        loss = step(0.5)\n"
    + "    with torch.no_grad():\n        error = (net(x) - y).abs().mean()\n",
    "two calls of one function": MODEL
    + "for n in range(9):\n    loss = step(1.0)\n    other = step(2.0)\n",
    "a while": MODEL + "n = torch.zeros(())\nwhile n < 12:\n    n += 1\n    loss = step(1.0)\n",
    "a comprehension": MODEL
    + "for n in range(9):\n    parts = [x * k for k in range(3)]\n    whole = sum(parts)\n",
    "a graph that goes on": MODEL
    + "h = torch.zeros(4, 1)\nfor n in range(12):\n    h = torch.tanh(net(x) + h)\n"
    + "h.sum().backward()\n",
    "a chain": "x = torch.ones(2, requires_grad=True)\ny = x\nfor n in range(40):\n    y = y * x\n"
    "y.sum().backward()\n",
    "a failure": MODEL
    + "for n in range(9):\n    loss = step(1.0)\n    a = net.weight * 1\n    b = a.exp()\n"
    + "    if n == 7:\n        b += 1\n    b.sum().backward()\n",
}


def told(source: str, recognised: bool, monkeypatch: pytest.MonkeyPatch) -> Recorded:
    """What is told of a program whose records are put in order every now and then."""
    with monkeypatch.context() as patch:
        patch.setattr(sorting, "SIFT", 25)
        patch.setattr("graphwidget.adapters.native.BETWEEN", 0)
        if not recognised:
            patch.setattr(Pattern, "repeats", lambda *_: 0)
        return record(source)


def place(recorded: Recorded, scope: int | None) -> tuple[Any, ...]:
    """The scopes around something, the outermost first."""
    found: list[Any] = []
    while scope is not None:
        row = recorded.model.scopes[scope]
        found.append((row["kind"], row["name"], row["text"]))
        scope = row["parent"]
    return tuple(found[::-1])


def story(recorded: Recorded, start: int = 0) -> list[Any]:
    """What happened from some event on, without the ids, which are new ones in each recording."""
    found: list[Any] = []
    lines = {event.source: event.line for event in recorded.of(ev.Source)}
    for event in recorded.events[start:]:
        if isinstance(event, ev.Op):
            line = None if event.source is None else lines[event.source]
            found.append((event.op, line, place(recorded, event.scope)))
        elif isinstance(event, ev.Scope):
            around = place(recorded, event.scope) if event.open else ()
            found.append((event.kind, event.open, event.name, around))
        elif isinstance(event, ev.Name):
            found.append((event.name, event.scope))
        elif isinstance(event, ev.Curve):
            found.append(event.rows)
        elif isinstance(event, ev.Value | ev.Grad):
            found.append((type(event).__name__, event.summary))
        elif isinstance(event, ev.Start | ev.Finish):
            found.append((type(event).__name__, event[2]))
        elif not isinstance(event, ev.Dead | ev.Free):  # what turns that are held made dies later
            found.append(type(event).__name__)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_is_told_as_if_no_turn_was_recognised(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphwidget.adapters.ring.BUDGET", 100_000)
    monkeypatch.setattr(sorting, "BUDGET", 100_000)
    one, other = (told(PROGRAMS[name], each, monkeypatch) for each in (True, False))
    assert story(one) == story(other)
    for kind in (ev.Dead, ev.Free):
        assert len(one.of(kind)) == len(other.of(kind))


@pytest.mark.parametrize("name", PROGRAMS)
def test_of_what_is_let_go_of_all_scalars_are_told(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sorting, "BUDGET", 40)
    monkeypatch.setattr("graphwidget.adapters.ring.BUDGET", 40)
    one, other = (told(PROGRAMS[name], each, monkeypatch) for each in (True, False))
    loops = [
        [(loop["count"], loop["curves"]) for loop in each.model.loops.values()]
        for each in (one, other)
    ]
    assert loops[0] == loops[1]
    for call in one.model.calls.values():
        for value in (*call["inputs"], *call["outputs"]):
            assert isinstance(value, str) or value in one.model.values


@pytest.mark.parametrize("name", PROGRAMS)
def test_loops_are_the_same_when_their_code_was_forgotten(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = record(PROGRAMS[name])
    monkeypatch.setattr(positions, "flow", Flow)  # of many codes the first are looked at again
    assert story(record(PROGRAMS[name])) == story(known)


def test_turns_that_repeat_are_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[int] = []
    repeats, passed = Pattern.repeats, Scopes.pass_over

    def counted(self: Pattern, records: Any, at: int) -> int:
        found.append(repeats(self, records, at))
        return found[-1]

    def counted_in_whole(self: Scopes, loop: Any, turns: Any, *more: Any) -> None:
        turns = list(turns)
        found.append(len(turns))
        passed(self, loop, turns, *more)

    monkeypatch.setattr(Pattern, "repeats", counted)
    monkeypatch.setattr(Scopes, "pass_over", counted_in_whole)
    record(PROGRAMS["training"].replace("range(9)", "range(100)"))
    assert sum(found) > 90


def test_turns_on_the_real_pytorch_are_recognised_whenever_one_looks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # a look lets go of records, and with them of the gradients that these hold
    followed: list[int] = []
    follow = sorting.Sorter._follow

    def counted(self: sorting.Sorter, batch: list[Any], at: int, learn: bool = True) -> int:
        end = follow(self, batch, at, learn)
        followed.append(end - at)
        return end

    monkeypatch.setattr(sorting.Sorter, "_follow", counted)
    monkeypatch.setattr(sorting, "SIFT", 200)
    loop = MODEL.replace("scale", "1.0").replace("def step(1.0)", "def step()")
    loop += "for n in range(TURNS):\n    loss = step()\n"
    counts = []
    for turns in (30, 90):
        followed.clear()
        names = {"torch": torch, "TURNS": turns}
        with graphwidget.watch():
            exec(compile(loop, f"<{turns} turns>", "exec"), names)
        counts.append(sum(followed))
    assert counts[1] < 1.5 * counts[0]  # those of the first turns and of the last ones
