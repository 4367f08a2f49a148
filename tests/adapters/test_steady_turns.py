"""Turns that are held as they are heard: what is told of them, and what the program sees of it."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any

import numpy as np
import pytest
import torch as real_torch

import graphwidget
from graphwidget.adapters.heard_ops import HeardOps
from graphwidget.adapters.native import NativeAdapter
from graphwidget.adapters.steady_turns import SteadyTurns, stands_at
from graphwidget.recording import events as ev
from graphwidget.recording.recorder import Recorder

from .recorded import Recorded, record
from .test_repeats import story

TURNS, AT = 120, 90
MODEL = """
torch.manual_seed(0)
x, y = torch.randn(4, 2), torch.randn(4, 1)
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
optimizer = torch.optim.OPTIMIZER(net.parameters(), lr=0.1)
w = torch.ones(2, requires_grad=True)
kept = []
"""
BODY = """    optimizer.zero_grad()
    out = net(x)
    loss = ((out - y) ** 2).mean()
    loss.backward()
    optimizer.step()
"""
LOOP = f"for n in range({TURNS}):\n"

EVENTS = {
    "nothing": "pass",
    "another op": "q = (w * 3).sum()",
    "a write": "x.mul_(1.01)",
    "a parameter written": "net[0].weight.data.mul_(1.5)",
    "a bias written": "with torch.no_grad(): net[0].bias += 1",
    "another rate": "optimizer.param_groups[0]['lr'] = 0.01",
    "a frozen layer": "net[0].requires_grad_(False)",
    "a gradient of its own": "w.grad = torch.ones(2)",
    "a hook": "net[0].weight.register_hook(lambda grad: grad * 2)",
    "a graph that is kept": "kept.append(net(x))",
    "the end": "break",
    "another model": "net = torch.nn.Linear(2, 1)",
    "a leaf": "k = torch.randn(3)",
    "an error": "x @ torch.ones(7, 7)",
    "a wrong write": "t = w.exp(); t += 1; t.sum().backward()",
}
LOOPS = {
    "training": LOOP + BODY,
    "all losses kept": LOOP + BODY + "    kept.append(loss)\n",
    "all losses noted": LOOP + BODY + "    kept.append(loss.item())\n",
    "no run": LOOP + "    a = x * 2\n    b = a.sum()\n",
    "gradients that add up": LOOP + "    a = (w * x).sum()\n    a.backward()\n",
    "graphs that are kept": LOOP + "    a = (w * x).sum()\n    a.backward(retain_graph=True)\n",
    "two losses": LOOP + "    optimizer.zero_grad()\n    out = net(x)\n    one = (out - y).abs()\n"
    "    two = (one.mean() + (one ** 2).mean())\n    two.backward()\n    optimizer.step()\n",
    "a function": "def train():\n"
    + "".join(f"    {line}\n" for line in (LOOP + BODY).splitlines())
    + "    return loss\nresult = train()\n",
    "a while": f"n = 0\nwhile n < {TURNS}:\n    n += 1\n" + BODY,
    "metrics that never run": LOOP + BODY + "    error = (net(x) - y).abs().mean().item()\n",
}


def told(source: str, optimizer: str = "SGD", steady: bool = True) -> Recorded:
    """What is told of a program, which may be heard in full."""
    source = MODEL.replace("OPTIMIZER", optimizer) + source
    if steady:
        return record(source)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SteadyTurns, "consider", lambda self: None)
        return record(source)


def end(recorded: Recorded) -> list[Any]:
    """The last turn and what came after it, all curves, and what variables hold."""
    starts = [
        nr
        for nr, event in enumerate(recorded.events)
        if isinstance(event, ev.Scope) and event.kind == "turn" and event.open
    ]
    model = recorded.model

    def facts(value: Any) -> Any:
        row = model.values.get(value)
        keys = ("summary", "version", "requires_grad", "grad")
        return value if row is None else [row[key] for key in keys]

    # when a value is told that was made before, and what a module calls its own, may differ
    held = {
        name: facts(value)
        for name, value in model.names.items()
        if value in model.values and not name.startswith("Linear\0")
    }
    loops = [(loop["count"], loop["curves"]) for loop in model.loops.values()]
    calls = [
        [facts(value) for value in (*call["inputs"], *call["outputs"])]
        for call in sorted(model.calls.values(), key=lambda call: call["time"])
        if call["time"] >= starts[-1]
    ]
    told = [each for each in story(recorded, starts[-1]) if each != "Write" and each[0] != "Value"]
    return [told, calls, held, loops, len(model.hazards())]


@pytest.fixture(autouse=True)
def no_turn_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether turns are held does not depend on what else this machine does."""
    monkeypatch.setattr("graphwidget.adapters.steady_turns.SLOW_TURN", 1e9)


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many calls were noted, as a list with an item for each."""
    found: list[int] = []
    plain = HeardOps.note_call

    def counted(self: HeardOps, *given: Any) -> None:
        found.append(1)
        plain(self, *given)

    monkeypatch.setattr(HeardOps, "note_call", counted)
    return found


@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
@pytest.mark.parametrize("place", range(len(BODY.splitlines()) + 1))
@pytest.mark.parametrize("name", EVENTS)
def test_whatever_happens_is_told_as_if_all_was_heard_in_full(
    name: str, place: int, optimizer: str
) -> None:
    lines = BODY.splitlines(keepends=True)
    lines.insert(place, f"    if n == {AT}:\n        {EVENTS[name]}\n")
    source = LOOP + "".join(lines)
    one, other = (told(source, optimizer, steady) for steady in (True, False))
    assert end(one) == end(other)


@pytest.mark.parametrize("name", LOOPS)
def test_loops_are_told_as_if_all_was_heard_in_full(name: str) -> None:
    one, other = (told(LOOPS[name], steady=steady) for steady in (True, False))
    assert end(one) == end(other)


@pytest.mark.parametrize("look", ["graph.drain()", "graph.recorder.log.model()", "kept.append(n)"])
@pytest.mark.parametrize("place", range(len(BODY.splitlines()) + 1))
def test_one_may_look_at_any_time(look: str, place: int) -> None:
    lines = BODY.splitlines(keepends=True)
    lines.insert(place, f"    if n % 20 == 7:\n        {look}\n")
    source = MODEL.replace("OPTIMIZER", "SGD") + LOOP + "".join(lines)
    ends = []
    for steady in (True, False):
        adapter = NativeAdapter(Recorder())
        space = {"torch": graphwidget, "graph": adapter}
        with pytest.MonkeyPatch.context() as patch, adapter.observing():
            if not steady:
                patch.setattr(SteadyTurns, "consider", lambda self: None)
            exec(compile(source, "<looked at>", "exec"), space)
        adapter.settle()
        recorded = Recorded(adapter)
        ends.append([(loop["count"], loop["curves"]) for loop in recorded.model.loops.values()])
        assert not adapter.faults
    assert ends[0] == ends[1]


def test_most_turns_are_never_noted(noted: list[int]) -> None:
    told(LOOPS["training"].replace(str(TURNS), "400"))
    steady = len(noted)
    noted.clear()
    told(LOOPS["training"].replace(str(TURNS), "400"), steady=False)
    assert 3 * steady < len(noted)


def test_a_program_computes_the_same() -> None:
    source = MODEL.replace("OPTIMIZER", "Adam") + LOOP + BODY
    plain: dict[str, Any] = {"torch": graphwidget}
    exec(source, plain)
    watched = told(LOOP + BODY, "Adam").namespace  # type: ignore[attr-defined]
    for one, other in zip(plain["net"].parameters(), watched["net"].parameters(), strict=True):
        assert one.detach().numpy().tobytes() == other.detach().numpy().tobytes()
        assert one._version == other._version
        assert one.grad.numpy().tobytes() == other.grad.numpy().tobytes()


def test_an_error_of_backward_is_that_of_pytorch() -> None:
    body = BODY.replace("(out - y)", "out").replace(
        "    loss.backward()\n", f"    if n == {AT}:\n        out += 1\n    loss.backward()\n"
    )
    source = MODEL.replace("OPTIMIZER", "SGD") + LOOP + body
    with pytest.raises(RuntimeError) as of_pytorch:
        exec(source, {"torch": real_torch})
    error = record(source).namespace["error"]  # type: ignore[attr-defined]
    version = "is at version 1; expected version 0 instead"
    assert version in str(error)
    assert version in str(of_pytorch.value)


def test_what_was_held_is_let_go_of_when_one_looks() -> None:
    adapter = NativeAdapter(Recorder())
    space: dict[str, Any] = {"torch": graphwidget, "weakref": weakref}
    with adapter.observing():
        exec(MODEL.replace("OPTIMIZER", "SGD"), space)
        exec(compile(LOOP + BODY + "    kept.append(weakref.ref(out))\n", "<held>", "exec"), space)
        assert adapter.steady.on
        assert sum(each() is not None for each in space["kept"]) > 2
        adapter.drain()
        assert not adapter.steady.on
        gc.collect()
        assert sum(each() is not None for each in space["kept"]) == 1


def test_tensors_of_many_numbers_are_not_held() -> None:
    adapter = NativeAdapter(Recorder())
    space: dict[str, Any] = {"torch": graphwidget, "weakref": weakref, "living": []}
    loop = (
        "x, kept = torch.ones(200, 200, requires_grad=True), []\n"
        "for n in range(120):\n"
        "    y = x * 2\n    y.sum().backward()\n    x.grad = None\n"
        "    kept.append(weakref.ref(y))\n"
        "    living.append(sum(each() is not None for each in kept))\n"
    )
    with adapter.observing():
        exec(compile(loop, "<large>", "exec"), space)
    assert set(space["living"]) == {1}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock that turns are timed by: it stands still unless it is turned, whatever else this
    machine does."""
    now = [0.0]
    for module in ("native", "sorting", "steady_turns"):
        monkeypatch.setattr(f"graphwidget.adapters.{module}.monotonic", lambda: now[0])
    monkeypatch.setattr("graphwidget.adapters.steady_turns.SLOW_TURN", 0.1)
    return now


def test_who_looks_long_makes_no_turn_slow(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphwidget.adapters.sorting.FIRST", 0.0)
    adapter = NativeAdapter(Recorder())
    looks: list[float] = []

    def look(wait: float) -> None:
        if not wait:
            looks.append(wait)
            adapter.drain()
            clock[0] += 0.15

    adapter.on_pulse = look
    space: dict[str, Any] = {"torch": graphwidget, "clock": clock, "held": []}
    space["note"] = lambda: space["held"].append(adapter.steady.on)
    source = MODEL.replace("OPTIMIZER", "SGD") + LOOP.replace(str(TURNS), "4000") + BODY
    source += "    clock[0] += 0.001\n    note()\n"
    with adapter.observing():
        exec(compile(source, "<looked at>", "exec"), space)
    [loop] = Recorded(adapter).model.loops.values()
    assert loop["count"] == 4000
    assert len(looks) > 1
    assert all(space["held"][100:])


def test_turns_that_take_long_are_told_at_once(clock: list[float]) -> None:
    adapter = NativeAdapter(Recorder())
    space: dict[str, Any] = {"torch": graphwidget, "clock": clock, "held": []}
    space["note"] = lambda: space["held"].append(adapter.steady.on)
    source = MODEL.replace("OPTIMIZER", "SGD") + LOOP + BODY
    source += f"    note()\n    if n > {AT}:\n        clock[0] += 0.2\n"
    with adapter.observing():
        exec(compile(source, "<slow>", "exec"), space)
    assert space["held"][AT]
    assert sum(space["held"][AT + 2 :]) < 3  # now and then it is tried again


@pytest.mark.parametrize("method", ["take", "local", "grad_content", "forget_last"])
def test_a_program_that_goes_on_after_an_interrupt_is_told(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, left = getattr(NativeAdapter, method), [20]

    def interrupted(self: NativeAdapter, *given: Any) -> Any:
        left[0] -= self.steady.on
        if not left[0]:
            left[0] = -1
            raise KeyboardInterrupt
        return plain(self, *given)

    monkeypatch.setattr(NativeAdapter, method, interrupted)
    body = "    try:\n" + "".join(f"    {line}\n" for line in BODY.splitlines())
    adapter = NativeAdapter(Recorder())
    with adapter.observing():
        source = MODEL.replace("OPTIMIZER", "SGD") + LOOP + body
        source += "    except KeyboardInterrupt:\n        pass\n"
        exec(compile(source, "<interrupted>", "exec"), {"torch": graphwidget})
    recorded = Recorded(adapter)
    assert left[0] < 0
    assert not adapter.faults
    assert {event.status for event in recorded.of(ev.Done)[-3:]} == {"ok"}


ODD = {
    "no result": "a = w * n\n    parts = x[: 0 if n == AT else 1].unbind()",
    "two results": "a = w * n\n    parts = torch.ones(2 if n == AT else 1).split(1)",
    "an index that is written": "index[0] = n % 2\n    a = (w[index] * n).sum()",
    "a backward from another function": "a = (w * n).sum()\n    (one if n < AT else two)(a)",
    "a module never met": "m = net if n < AT else torch.nn.Linear(2, 3)\n    a = m(x)",
    "a first op on what is new": "a = batches[n] * w\n    a.sum().backward()",
}


@pytest.mark.parametrize("name", ODD)
def test_odd_turns_are_told_as_if_all_was_heard_in_full(name: str) -> None:
    source = (
        f"AT = {TURNS - 2}\nindex = np.array([0])\n"
        f"batches = [torch.ones(2) * n for n in range({TURNS})]\n"
        "def one(y):\n    y.backward()\ndef two(y):\n    y.backward()\n"
        f"{LOOP}    {ODD[name]}\n"
    )
    one, other = (told("import numpy as np\n" + source, steady=each) for each in (True, False))
    assert not one.adapter.faults
    assert end(one) == end(other)


def test_of_the_turns_let_go_of_only_numbers_are_kept() -> None:
    adapter = NativeAdapter(Recorder())
    source = "x = torch.ones(64)\nfor n in range(600):\n    y = x * n\n    z = y.sum()\n"
    with adapter.observing():
        exec(compile(source, "<columns>", "exec"), {"torch": graphwidget})
        turns = adapter.steady._turns
        assert turns is not None
        held = [len(content[2]) for column in turns._columns for content in column]
    assert len(held) > 500
    assert max(held) == 4


def test_turns_that_get_large_are_held_no_more() -> None:
    source = (
        "w, kept = torch.ones(2, requires_grad=True), []\n"
        "for n in range(120):\n    x = torch.as_tensor(data[n])\n    y = x * 2\n"
        "    kept.append(weakref.ref(y))\n"
        "    living.append(sum(each() is not None for each in kept))\n"
    )
    data = [np.ones(10 if n < AT else 100_000, np.float32) for n in range(120)]
    space: dict[str, Any] = {"torch": graphwidget, "weakref": weakref, "living": [], "data": data}
    adapter = NativeAdapter(Recorder())
    with adapter.observing():
        exec(compile(source, "<growing>", "exec"), space)
    assert max(space["living"][AT + 2 :]) <= 2


def test_a_stack_that_ends_too_soon_is_another_place() -> None:
    frame: Any = sys._getframe(1)
    lines, above = [], frame
    while above is not None:
        lines.append((above.f_code, above.f_lasti))
        above = above.f_back
    assert stands_at(frame, lines)
    assert not stands_at(frame, [*lines, lines[-1]])
    assert not stands_at(frame, lines[1:])


def test_a_second_recording_knows_what_the_held_turns_made() -> None:
    space: dict[str, Any] = {"torch": graphwidget}
    with graphwidget.watch():
        exec(compile(MODEL.replace("OPTIMIZER", "SGD") + LOOP + BODY, "<first>", "exec"), space)
        with graphwidget.watch() as second:
            exec(compile("late = out * 2\n", "<second>", "exec"), space)
    assert "addmm" in [call["op"] for call in second.model.calls.values()]
