"""Turns of the real PyTorch that watching holds: what is told of the newest of them, in full."""

from __future__ import annotations

import linecache
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
import torch

import graphwidget
from graphwidget.adapters.pytorch import dropped_turns, held_turns, steady_turns
from graphwidget.adapters.pytorch.node_hooks import NodeHooks
from graphwidget.adapters.pytorch.steady_turns import SteadyTurns
from graphwidget.recording import events as ev

from .test_torch_steady_turns import (
    AT,
    EVENTS,
    HELD,
    LOOP,
    LOOPS,
    MODEL,
    OPTIMIZERS,
    PLAIN,
    TURNS,
    Told,
    within,
)
from .watched_loops import MORE

ALL = LOOPS | MORE
WATCHED = [*(set(HELD) - {"gradients that add up"}), "the last result", *MORE]
"""Loops of which turns are held."""


def watched(source: str, holding: bool, optimizer: str = "SGD") -> Told:
    """What is told of a program that is watched."""
    return Told(source, holding, optimizer, light=False)


class Newest:
    """The newest turns of a program, without ids: of values and nodes stands what is told."""

    def __init__(self, told: Told) -> None:
        self.events, self.model = told.recorded.events, told.recorded.model
        self.values: dict[int, Any] = {
            int(number): tuple(row[key] for key in ev.Value._fields[:-1])
            for event in self.events
            if isinstance(event, ev.Snapshot)
            for number, row in event.state["values"].items()
        }
        self.values |= {each.value: each[:-1] for each in self.events if type(each) is ev.Value}
        self.nodes = {each.node: each.name for each in self.events if type(each) is ev.Node}
        self.lines = {each.source: each.line for each in told.recorded.of(ev.Source)}
        self.done = [nr for nr, each in enumerate(self.events) if isinstance(each, ev.Done)]

    def value(self, number: Any) -> Any:
        """What is told of a value."""
        if number is None or isinstance(number, str) or number not in self.values:
            return number if isinstance(number, str) else None
        _value, _storage, version, needed, leaf, parameter, base, summary = self.values[number]
        return plain((summary, version, needed, leaf, parameter)), self.value(base)

    def node(self, number: int | None) -> str | None:
        """The name of a node. Those of leaves may live longer where turns are held."""
        return None if number is None else self.nodes.get(number, "AccumulateGrad")

    def since(self, runs: int) -> list[Any]:
        """What was told since the turn began in which the last runs but so many were."""
        turns: dict[int, int] = {}  # those that are open, and where they began
        for nr, each in enumerate(self.events[: self.done[-runs]]):
            if isinstance(each, ev.Scope) and each.open and each.kind == "turn":
                turns[each.scope] = nr
            elif isinstance(each, ev.Scope) and not each.open:
                turns.pop(each.scope, None)
        start = max(turns.values(), default=0)
        return [plain(told) for each in self.events[start:] for told in self.told(each)]

    def told(self, event: ev.Event) -> Iterator[Any]:
        """What an event tells, but for when something dies, and for what is told when it is needed,
        which may have been told before."""
        value, kind = self.value, type(event).__name__
        match event:
            case ev.Value() if not (event.leaf and event.requires_grad):
                yield kind, value(event.value)
            case ev.Op():
                made = [value(each) for each in (*event.inputs, *event.outputs, event.view_of)]
                yield event.op, event.params, made, event.inplace, self.lines.get(event.source or 0)
            case ev.Write() if event.call is not None:
                of = event.before, event.value, event.base_before, event.base
                yield kind, event.version, [value(each) for each in of]
            case ev.Node() if event.variable is None:
                saved = [(each[0], value(each[1]), *each[3:]) for each in event.saved]
                edges = [(self.node(node), nr) for node, nr in event.next]
                yield event.name, [value(each) for each in event.outputs], edges, saved
            case ev.Backward():
                roots = [(value(root), self.node(node)) for root, node in event.roots]
                yield kind, roots, event[2:6], self.lines.get(event.source or 0)
            case ev.Start() | ev.Finish():
                yield kind, self.node(event.node), event.grads
            case ev.Grad():
                yield kind, value(event.value), event.how, event.summary, event.added
            case ev.Name():
                yield kind, value(event.value), event.name, event.scope
            case ev.Scope():
                yield kind, event.open, event.open and (event.kind, event.name, event.text)
            case ev.Flag():
                yield kind, value(event.value), event[1:]
            case ev.Done() | ev.Error():
                yield kind, event[1:3]
            case _:
                pass


def plain(told: Any) -> Any:
    """Tuples as lists, as they are after a snapshot."""
    return [*map(plain, told)] if isinstance(told, list | tuple) else told


def alike(source: str, optimizer: str = "SGD", runs: int = 2) -> Told:
    """The program, whose newest runs must be told as if no turn was held."""
    one, other = watched(source, True, optimizer), watched(source, False, optimizer)
    assert one.faults == other.faults == []
    assert one.error == other.error
    assert [(x.kind, x.reader, x.culprit, x.fix) for x in one.findings] == [
        (x.kind, x.reader, x.culprit, x.fix) for x in other.findings
    ]
    newest = Newest(one), Newest(other)
    runs = min(runs, *(len(each.done) - 2 for each in newest))
    assert newest[0].since(runs) == newest[1].since(runs)
    return one


@pytest.mark.parametrize("name", ALL)
def test_the_newest_turns_are_told_as_if_none_was_held(name: str) -> None:
    told = alike(ALL[name], "Adam", runs=1 if "epoch" in ALL[name] else 2)
    assert (told.held > TURNS // 3) == (name in WATCHED or name == "gradients that add up")


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_so_it_is_with_all_kinds_of_optimizers(optimizer: str) -> None:
    alike(LOOPS["training"], optimizer)


@pytest.mark.parametrize("name", MORE)
def test_loops_have_all_their_turns_and_numbers(name: str) -> None:
    one, other = (watched(MORE[name], each).recorded.model for each in (True, False))
    loops = [
        [(loop["count"], loop["curves"]) for loop in each.loops.values() if loop["count"] > 3]
        for each in (one, other)
    ]
    assert loops[0]
    assert loops[0] == loops[1]


@pytest.mark.parametrize("place", [2, 4, 9])
@pytest.mark.parametrize("event", EVENTS)
def test_whatever_happens_is_told_as_if_no_turn_was_held(event: str, place: int) -> None:
    alike(within("training", event, place, f"== {AT}"), "Adam", runs=1)


@pytest.mark.parametrize("event", ["a saved value written", "a weight written", "an error"])
@pytest.mark.parametrize("name", sorted(LOOPS.keys() - {"training"}))
def test_so_it_is_in_all_kinds_of_loops(name: str, event: str) -> None:
    alike(within(name, event, 5, f"== {AT}"), runs=1)


@pytest.mark.parametrize("name", ["training", *MORE])
def test_the_program_computes_the_same(name: str) -> None:
    held, noted = (watched(ALL[name], each, "Adam").space for each in (True, False))
    for tensor, other in zip(
        [held["w"], *held["net"].parameters(), held["loss"]],
        [noted["w"], *noted["net"].parameters(), noted["loss"]], strict=True,
    ):  # fmt: skip
        assert torch.equal(tensor, other)


def test_each_look_shows_the_newest_turns() -> None:
    seen: dict[bool, list[Any]] = {}
    for holding in (True, False):
        source = LOOP + PLAIN + "    if n % 6 == 5:\n        look(n)\n"
        found = seen[holding] = []

        watching: list[Any] = []

        def look(n: int, found: list[Any] = found, watching: list[Any] = watching) -> None:
            (adapter,) = watching
            adapter.drain()
            runs = list(adapter.recorder.log.model().runs.values())
            found.append((n, [each["status"] for each in runs[-2:]]))
            (loop,) = adapter.recorder.log.model().loops.values()
            found.append((loop["count"], loop["curves"]))

        Told(source, holding, light=False, space={"look": look}, begun=watching.append)
    assert seen[True]
    assert seen[True] == seen[False]


def test_all_hooks_of_nodes_are_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[weakref.ref[NodeHooks]] = []
    install, remove = NodeHooks.install, NodeHooks.remove

    def installs(self: NodeHooks, nodes: Any) -> None:
        left.append(weakref.ref(self))
        install(self, nodes)

    def removes(self: NodeHooks) -> None:
        left[:] = [each for each in left if each() is not self]
        remove(self)

    monkeypatch.setattr(NodeHooks, "install", installs)
    monkeypatch.setattr(NodeHooks, "remove", removes)
    told = watched(within("training", "a hook that fails", 3, f"== {AT}"), True)
    assert told.held
    assert told.error
    assert not left


def test_turns_that_take_long_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    for module in (held_turns, steady_turns):
        monkeypatch.setattr(module, "monotonic", lambda: now[0])
    counts: list[int] = []

    def wait() -> None:
        now[0] += 1.0
        counts.append(len(watching[0].steady.last))

    watching: list[Any] = []
    told = Told(
        LOOP + "    wait()\n" + PLAIN, True, light=False, space={"wait": wait},
        begun=watching.append,
    )  # fmt: skip
    assert told.held
    assert set(counts) == {0}


def test_large_turns_are_not_held() -> None:
    large = "x, y = torch.ones(40_000, 2), torch.ones(40_000, 1)\n" + LOOP.replace("30", "14")
    assert watched(large + PLAIN, True).held == 0


def test_another_thread_may_look_all_the_time() -> None:
    over = threading.Event()
    watching: list[Any] = []

    def look() -> None:
        while not over.is_set():
            if watching:
                watching[0].drain()

    thread = threading.Thread(target=look)
    thread.start()
    try:
        source = LOOP.replace("30", "100") + PLAIN
        told = Told(source, True, light=False, begun=watching.append)
    finally:
        over.set()
        thread.join()
    assert [told.faults, told.error, told.findings] == [[], [], []]
    plainly = watched(source, False)
    assert torch.equal(told.space["loss"], plainly.space["loss"])
    (loop,), (other,) = (each.recorded.model.loops.values() for each in (told, plainly))
    assert loop["count"] == other["count"] == 100
    assert loop["curves"] == other["curves"]


def test_an_interrupt_leaves_what_was_held_and_goes_on() -> None:
    source = """
def stop(given):
    if n == 20 and not kept:
        kept.append(n)
        raise KeyboardInterrupt
    return given
def train(count):
    global n, loss
    for n in range(count):
        optimizer.zero_grad()
        h = torch.sigmoid(x * w)
        h = stop(h)
        loss = ((net(h) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
try:
    train(30)
except KeyboardInterrupt:
    pass
train(30)
"""
    alike(source, "Adam")


@pytest.mark.parametrize("often", ["n == 22", "n % 5 == 4", "True"])
def test_what_graphwidgets_own_tensors_compute_is_told_in_its_turn(
    often: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loops = []
    for wait in (steady_turns.WAIT, 10**9):
        monkeypatch.setattr(steady_turns, "WAIT", wait)
        source = MODEL.replace("OPTIMIZER", OPTIMIZERS["SGD"]) + LOOP + PLAIN
        source += f"    if {often}: own = (p * 2).sum()\n"
        file = f"<own tensors {wait}>"
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        space = {"torch": torch, "p": graphwidget.tensor([1.0, 2.0])}
        with graphwidget.watch() as graph:
            exec(compile(source, file, "exec"), space)
        (loop,) = graph.recorder.log.model().loops.values()
        loops.append((loop["count"], loop["curves"]))
    assert loops[0] == loops[1]


def test_curves_of_very_many_turns_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dropped_turns, "MAX_ROWS", 7)
    told = watched(LOOPS["all losses noted"], True)
    (loop,) = told.recorded.model.loops.values()
    assert torch.equal(torch.tensor(loop["curves"]["loss"]), torch.tensor(told.space["kept"]))


def test_what_a_hook_writes_is_no_part_of_a_step() -> None:
    source = """
def hook(grad):
    if n > 20:
        with torch.no_grad():
            net[0].bias.add_(1)
net[3].weight.register_hook(hook)
"""
    steps = []
    for holding in (True, False):
        told = watched(source + LOOP + PLAIN, holding)
        values = Newest(told)
        writes = [each for each in told.recorded.of(ev.Write) if each.call is not None]
        steps.append([(x.version, values.value(x.before), values.value(x.value)) for x in writes])
    assert steps[0][-5:] == steps[1][-5:]


def test_a_loop_whose_outer_loop_goes_on_in_the_middle_is_not_held() -> None:
    source = """
def losses():
    while True:
        optimizer.zero_grad()
        loss = ((net(torch.sigmoid(x * w)) - y) ** 2).mean()
        yield loss
        loss.backward()
        optimizer.step()
each = losses()
for n in range(30):
    value = next(each)
"""
    loops = [
        [(loop["count"], loop["curves"]) for loop in told.recorded.model.loops.values()]
        for told in (watched(source, True), watched(source, False))
    ]
    assert loops[0] == loops[1]


def test_held_turns_are_let_go_of_when_the_hearing_moves_to_another_thread() -> None:
    steady: list[SteadyTurns] = []

    def train() -> None:
        Told(LOOPS["training"], True, light=False, begun=lambda each: steady.append(each.steady))

    threads = [threading.Thread(target=train) for _ in range(2)]
    for thread in threads:
        thread.start()
        thread.join()
    train()
    assert [len(each.last) for each in steady] == [0, 0, 0]
