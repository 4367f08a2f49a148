"""Turns that are held as they are heard, beside other threads that run, write or look."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

import pytest

import graphwidget
from graphwidget.adapters.held_turns import HeldTurns
from graphwidget.adapters.native import NativeAdapter
from graphwidget.adapters.steady_turns import SteadyTurns
from graphwidget.recording.recorder import Recorder

from .recorded import Recorded
from .test_steady_turns import AT, BODY, LOOP, MODEL, TURNS


def test_what_other_threads_do_is_told() -> None:
    adapter = NativeAdapter(Recorder())
    space: dict[str, Any] = {"torch": graphwidget}
    found: list[Any] = []
    with adapter.observing():
        exec(MODEL.replace("OPTIMIZER", "SGD") + "net(x)\n", space)
        exec(compile(LOOP + BODY, "<with a thread>", "exec"), space)
        assert adapter.steady.on
        thread = threading.Thread(target=lambda: found.append(space["w"].exp()))
        thread.start()
        thread.join()
        space["net"](space["x"])
    model = Recorded(adapter).model
    assert not adapter.faults
    assert [call["op"] for call in model.calls.values()].count("exp") == 1
    # pytest has loops too
    assert TURNS in [loop["count"] for loop in model.loops.values()]


def test_what_another_thread_notes_is_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = NativeAdapter(Recorder())
    noted, note_one = threading.Event(), HeldTurns._note_one

    def slowly(self: HeldTurns, *args: Any) -> None:
        time.sleep(0.001)  # the loop goes on meanwhile, if it can
        note_one(self, *args)
        noted.set()

    monkeypatch.setattr(HeldTurns, "_note_one", slowly)
    space: dict[str, Any] = {"w": graphwidget.ones(2)}
    looks = threading.Thread(target=adapter.drain)
    space |= {"steady": adapter.steady, "looks": looks, "noted": noted}
    source = (
        "n = 0\nwhile n < 20_000 and (not noted.is_set() or n % 100):\n"
        "    n += 1\n    z = w.detach() * 2\n"
        "    if len(steady._heard) > 8 and not looks.ident:\n        looks.start()\n"
    )
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # the threads take turns often
    try:
        with adapter.observing():
            exec(compile(source, "<looked at>", "exec"), space)
            looks.join()
    finally:
        sys.setswitchinterval(interval)
    recorded = Recorded(adapter)
    assert not adapter.faults
    assert noted.is_set()
    # pytest has loops too
    assert space["n"] == max(loop["count"] for loop in recorded.model.loops.values())


OF_ANOTHER_THREAD = {
    "a gradient dropped": "v.grad = None",
    "a backward": "(v * v).sum().backward()",
    "a write": "y.mul_(2)",
    "a step": "other.step()",
}


@pytest.mark.parametrize("name", OF_ANOTHER_THREAD)
@pytest.mark.parametrize("place", range(len(BODY.splitlines()) + 1))
def test_another_thread_comes_after_the_turns_before_it(name: str, place: int) -> None:
    lines = BODY.splitlines(keepends=True)
    lines.insert(place, f"    if n == {AT}:\n        elsewhere()\n")
    source = MODEL.replace("OPTIMIZER", "SGD") + (
        "v = torch.ones(2, requires_grad=True)\nv.grad = torch.ones(2)\n"
        "other = torch.optim.SGD([v], lr=0.1)\n" + LOOP + "".join(lines)
    )
    errors: list[BaseException] = []

    def elsewhere() -> None:
        def run() -> None:
            try:
                exec(OF_ANOTHER_THREAD[name], space)
            except BaseException as error:
                errors.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()

    counts = []
    for steady in (True, False):
        space: dict[str, Any] = {"torch": graphwidget, "elsewhere": elsewhere}
        adapter = NativeAdapter(Recorder())
        with pytest.MonkeyPatch.context() as patch, adapter.observing():
            if not steady:
                patch.setattr(SteadyTurns, "consider", lambda self: None)
            exec(compile(source, "<two threads>", "exec"), space)
        model = Recorded(adapter).model
        assert not errors
        assert not adapter.faults
        assert model.values[model.names["\0y"]]["version"] == space["y"]._version
        counts.append(sorted(loop["count"] for loop in model.loops.values()))
    assert counts[0] == counts[1]


def test_a_loop_of_another_thread_is_told_when_one_looks() -> None:
    adapter = NativeAdapter(Recorder())
    code = compile(MODEL.replace("OPTIMIZER", "SGD") + LOOP + BODY, "<thread>", "exec")
    with adapter.observing():
        thread = threading.Thread(target=exec, args=(code, {"torch": graphwidget}))
        thread.start()
        thread.join()
    assert TURNS in [loop["count"] for loop in Recorded(adapter).model.loops.values()]
    assert not adapter.steady.on
