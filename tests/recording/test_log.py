"""The log stays within its bounds, whatever is recorded, and says what it dropped."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

import graphwidget as torch
from graphwidget.adapters.native import NativeAdapter
from graphwidget.recording import events as ev
from graphwidget.recording.fold import fold
from graphwidget.recording.log import MAX_BYTES, MAX_EVENTS, Log, unpack, wire
from graphwidget.recording.recorder import Recorder, Ref

ONE = ev.Summary((1,), "float32", (1.0,), None, None)


def value(number: int, parameter: bool = False) -> ev.Value:
    return ev.Value(number, number, 0, False, True, parameter, None, ONE)


def test_times_are_indices() -> None:
    log = Log()
    log.extend(ev.Dead(n) for n in range(1000))
    assert log.count == 1000
    start, events = log.since(990)
    assert start == 990
    assert [event.value for event in events if isinstance(event, ev.Dead)] == list(range(990, 1000))


def test_packed_log_comes_back() -> None:
    log = Log()
    log.extend([value(1), ev.Name(1, "</script>", ""), ev.Dead(1)])
    first, events = unpack(log.pack())
    assert first == 0
    assert json.dumps(wire(events)) == json.dumps(wire(log.since(0)[1]))


@pytest.mark.parametrize("text", ["nan", "inf", "\ud800", "'\"\\\0", "x" * 100_000])
def test_any_text_can_be_packed(text: str) -> None:
    log = Log()
    log.append(ev.Cell(1, text))
    assert unpack(log.pack())[1]


def test_another_protocol_is_refused() -> None:
    with pytest.raises(ValueError, match="protocol"):
        unpack(b'{"protocol": 99, "first": 0, "events": []}')


def test_a_long_log_keeps_parameters_and_names() -> None:
    log = Log()
    log.extend([value(1, parameter=True), value(2), ev.Name(2, "x", "")])
    for number in range(3, 60_000):
        log.extend([value(number), ev.Name(number, "y", ""), ev.Dead(number)])
    packed = log.pack()
    first, events = unpack(packed)
    assert len(events) <= MAX_EVENTS
    assert isinstance(events[0], ev.Snapshot)
    assert events[0].dropped == first + 1
    assert first + len(events) == log.count == 3 + 3 * (60_000 - 3)
    model = fold(events)
    assert model.time == log.count
    assert model.values[1]["parameter"]
    assert model.names == {"\0x": 2, "\0y": 59_999}
    assert log.lost == events[0].dropped


def test_a_fat_log_stays_within_its_bytes() -> None:
    log = Log(max_bytes=1_000_000)
    for number in range(400):
        log.append(ev.Cell(number, "x" * 10_000))
    assert len(log.pack()) <= 1_000_100
    assert fold(unpack(log.pack())[1]).cells[-1]["count"] == 399


def test_whoever_missed_a_snapshot_gets_it() -> None:
    log = Log(max_events=512)
    log.extend(value(n) for n in range(2000))
    start, events = log.since(3)
    assert start == log.first
    assert isinstance(events[0], ev.Snapshot)


def test_many_threads_may_append() -> None:
    log = Log(max_events=1000)
    threads = [
        threading.Thread(target=lambda: [log.append(ev.Dead(n)) for n in range(2000)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert log.count == 8000


def test_a_fork_goes_on_from_what_lives() -> None:
    recorder = Recorder()
    recorder.raw.append((recorder.emit, value(1)))
    recorder.name(1, "x")
    other = recorder.fork()
    other.cell(2, "")
    other.drain()
    assert other.log.count == 0  # nothing was done yet
    other.name(1, "x")
    other.drain()
    model = other.log.model()
    assert model.names == {"\0x": 1}
    assert model.cells[-1]["count"] == 2
    assert other.log.lost == 0
    assert recorder.log.count == 2


def test_a_fork_has_no_curves_of_loops_that_are_over() -> None:
    recorder = Recorder()
    scopes = (
        ev.Scope(7, None, "loop", "", "for x in xs:", None, True),
        ev.Scope(8, 7, "iteration", "1", "", None, True),
        ev.Scope(8, None, "iteration", "1", "", None, False),
        ev.Curve(7, 1, ("loss",), ((1.0,), (0.5,))),
    )
    over = ev.Scope(7, None, "loop", "", "", None, False)
    for after, curves in (((), {7: {"loss": [1.0, 0.5]}}), ((over,), {})):
        recorder.raw += [(recorder.emit, event) for event in (*scopes, value(1), *after)]
        other = recorder.fork()
        other.name(1, "x")
        other.drain()
        found = {key: loop["curves"] for key, loop in other.log.model().loops.items()}
        assert found == curves
        assert recorder.log.model().loops[7]["curves"]  # it keeps its own
        recorder = Recorder()


def test_what_died_is_not_handed_on() -> None:
    recorder = Recorder()
    names = ev.Name(1, "x", ""), ev.Name(2, "weight", "Linear"), ev.Name(3, "x", "")
    reported = value(1), value(2, parameter=True), value(3), *names, ev.Dead(1), ev.Dead(2)
    recorder.raw += [(recorder.emit, event) for event in reported]
    other = recorder.fork()
    other.cell(2, "")
    other.name(3, "y")
    other.drain()
    model = other.log.model()
    assert set(model.values) == {3}
    assert model.names == {"\0x": 3, "\0y": 3}


def test_a_fork_hears_of_deaths() -> None:
    class Thing:
        pass

    recorder = Recorder()
    thing = Thing()
    ref = Ref(thing, recorder.raw.append)
    ref.id = 1
    recorder.raw.append((recorder.value, ref, value(1)))
    other = recorder.fork()
    other.name(1, "x")
    other.drain()
    del thing
    other.drain()
    assert other.log.since(0)[1][-1] == ev.Dead(1)


def test_the_page_of_limits_says_how_much_a_log_holds() -> None:
    page = Path(__file__).parents[2] / "notebooks" / "reference" / "costs_and_limits.md"
    assert f"{MAX_EVENTS:,} events or {MAX_BYTES // 2**20} MB" in page.read_text("utf-8")


def test_a_leafs_node_is_handed_on_while_an_older_graph_leads_to_it() -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    before = NativeAdapter(Recorder())
    with before.observing():
        old = w * 2
        old.sum().backward()
    after = before.fork()
    with after.observing():
        loss = (w * 3).sum()
        loss.backward()
        after.drain()
    assert old.grad_fn is not None
    assert w.grad is not None
    assert w.grad.tolist() == [5.0, 5.0]
    nodes = after.recorder.log.model().nodes
    [leaf] = [key for key, node in nodes.items() if node["name"] == "AccumulateGrad"]
    [multiplied] = [node for node in nodes.values() if (leaf, 0) in node["next"]]
    assert nodes[leaf]["state"] == multiplied["state"] == "done"


def test_a_retained_graph_is_handed_on_whole() -> None:
    a = torch.tensor(3.0, requires_grad=True)
    before = NativeAdapter(Recorder())
    with before.observing():
        d = (a * 2 + 1).exp()
        d.backward(retain_graph=True)
    after = before.fork()
    with after.observing():
        d.backward()
        after.drain()
    nodes = after.recorder.log.model().nodes.values()
    names = ["AccumulateGrad", "AddBackward0", "ExpBackward0", "MulBackward0"]
    assert sorted(node["name"] for node in nodes) == names
    assert {node["state"] for node in nodes} == {"done"}
