"""Of a long loop the first turn, the newest ones and all scalars are told, and they are right."""

from __future__ import annotations

import linecache
from typing import Any

import pytest
import torch

import graphwidget
from graphwidget.adapters.native import NativeAdapter
from graphwidget.adapters.pytorch.watcher import TorchAdapter
from graphwidget.recording import events as ev
from graphwidget.recording.recorder import Recorder

from .engines import native, real
from .recorded import Recorded, record

TURNS = 300
TRAINING = f"""
torch.manual_seed(0)
X, Y = torch.randn(8, 2), torch.randn(8, 1)
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
criterion = torch.nn.MSELoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
losses, weights = [], []
for step in range({TURNS}):
    weights.append(net[0].weight.tolist())
    loss = criterion(net(X), Y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
"""


@pytest.fixture(scope="module")
def trained() -> Recorded:
    return record(TRAINING)


def space(seen: Recorded) -> dict[str, Any]:
    found: dict[str, Any] = seen.namespace  # type: ignore[attr-defined]
    return found


def numbers(row: dict[str, Any]) -> Any:
    """The items of a value."""
    return ev.Summary(*row["summary"]).values


def flat(rows: list[list[float]]) -> tuple[float, ...]:
    return tuple(each for row in rows for each in row)


def test_the_first_turn_and_the_newest_are_told(trained: Recorded) -> None:
    [loop] = trained.model.loops.values()
    told = [turn["turn"] for turn in loop["turns"]]
    assert loop["count"] == TURNS
    assert told[0] == 1
    assert told[1:] == list(range(told[1], TURNS + 1))
    assert 3 <= len(told) < 60
    assert len(trained.events) < 10_000


def test_all_scalars_are_told(trained: Recorded) -> None:
    [loop] = trained.model.loops.values()
    assert loop["curves"] == {"loss": pytest.approx(space(trained)["losses"])}


def test_what_is_used_in_a_turn_that_is_told_has_its_content_of_then(trained: Recorded) -> None:
    model = trained.model
    [loop] = model.loops.values()
    weights = space(trained)["weights"]
    calls = sorted(model.calls.values(), key=lambda call: call["time"])
    for turn in loop["turns"]:
        first = next(c for c in calls if turn["from"] < c["time"] < turn["to"] and c["op"] == "t")
        weight = model.values[first["inputs"][0]]
        assert numbers(weight) == pytest.approx(flat(weights[turn["turn"] - 1]))
        assert ["module", "net[0].weight"] in weight["names"]


def test_every_input_of_what_is_told_is_told(trained: Recorded) -> None:
    for call in trained.model.calls.values():
        for value in (*call["inputs"], *call["outputs"]):
            assert isinstance(value, str) or value in trained.model.values
    for event in trained.of(ev.Write):
        assert event.before in trained.model.values


def test_parameters_are_as_they_are(trained: Recorded) -> None:
    for name, parameter in space(trained)["net"].named_parameters():
        place, _, last = name.partition(".")
        row = trained.value(f"net[{place}].{last}", "module")
        assert numbers(row) == pytest.approx(tuple(parameter.flatten().tolist()))
        assert ev.Summary(*row["grad"]).values == pytest.approx(
            tuple(parameter.grad.flatten().tolist())
        )
        assert row["parameter"]
        assert row["alive"]
        assert row["version"] == parameter._version
        others = [
            value
            for value in trained.model.values.values()
            if value["storage"] == row["storage"] and value is not row and value["view_of"] is None
        ]
        assert not any(other["alive"] for other in others)


def test_the_newest_loss_is_what_the_program_has(trained: Recorded) -> None:
    loss = trained.value("loss")
    assert numbers(loss) == pytest.approx((space(trained)["loss"].item(),))
    assert trained.model.nodes[loss["node"]]["state"] == "done"


def test_scopes_are_closed_in_order(trained: Recorded) -> None:
    open_now: list[int] = []
    for event in trained.of(ev.Scope):
        if event.open:
            assert event.parent == (open_now[-1] if open_now else None)
            open_now.append(event.scope)
        else:
            assert open_now.pop() == event.scope
    assert open_now == []


def test_a_value_that_outlives_its_turn_is_told_when_it_is_used() -> None:
    seen = record(
        "x = torch.ones(3, requires_grad=True)\nkept = []\n"
        "for i in range(800):\n"
        "    y = x * i\n"
        "    s = y.sum()\n"
        "    s.backward()\n"
        "    if i == 400: kept.append(y.detach().clone())\n"
        "z = kept[0] + 1\n"
    )
    call = seen.model.calls[seen.value("z")["call"]]
    kept = seen.model.values[call["inputs"][0]]
    assert tuple(numbers(kept)) == (400.0,) * 3
    assert 401 not in [turn["turn"] for turn in next(iter(seen.model.loops.values()))["turns"]]


@pytest.mark.parametrize("body", ["y = y * 1.0001", "y = y * 1.0001 + 0.5"])
def test_a_graph_of_ten_thousand_ops_that_grows_in_a_loop_is_kept_whole(body: str) -> None:
    ops = body.count("*") + body.count("+")
    seen = record(
        "x = torch.ones(1, requires_grad=True)\ny = x\n"
        f"for i in range({10_000 // ops}):\n    {body}\n"
        "y.backward()\n"
    )
    model = seen.model
    assert not seen.of(ev.Snapshot)
    node, steps = seen.value("y")["node"], 0
    while model.nodes[node]["variable"] is None:
        call = model.calls[model.nodes[node]["call"]]
        assert model.nodes[node]["outputs"] == call["outputs"]
        node, steps = model.nodes[node]["next"][0][0], steps + 1
        made_by = call["inputs"][0]
    assert steps == 10_000
    assert model.nodes[node]["variable"] == made_by == seen.value("x")["value"]


def test_turns_within_turns() -> None:
    seen = record(
        "x = torch.ones(2)\n"
        "for epoch in range(3):\n"
        "    for batch in range(500):\n"
        "        y = x * batch\n"
        "        s = y.sum()\n"
    )
    outer, *inner = seen.model.loops.values()
    assert outer["count"] == 3
    assert [loop["count"] for loop in inner] == [500] * 3
    for loop in inner:
        assert loop["curves"]["s"] == [2.0 * batch for batch in range(500)]
    assert len(seen.events) < 12_000


def test_of_a_loop_in_a_turn_that_goes_on_fewer_of_the_newest_are_told() -> None:
    seen = record(
        """
w = torch.ones(2, requires_grad=True)
for epoch in range(8):
    for step in range(40):
        loss = (w * step).sum()
        loss.backward()
    checked = (w * 2).sum()
"""
    )
    loops = [loop for loop in seen.model.loops.values() if loop["count"] == 40]
    told = [turn["turn"] for turn in loops[-1]["turns"]]
    assert told[0] == 1
    assert told[-3:] == [38, 39, 40]
    assert len(told) < 8
    assert loops[-1]["curves"]["loss"] == [2.0 * step for step in range(40)]


EPOCHS = """
torch.manual_seed(0)
x = torch.randn(5, 4)
net = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(8)])
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for epoch in range(12):
    for batch in range(20):
        optimizer.zero_grad()
        loss = net(x).pow(2).mean()
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize("engine", [native, real])
def test_of_many_parameters_over_epochs_all_that_a_kept_turn_read_is_told(engine: Any) -> None:
    model = engine(EPOCHS)[0]
    read = {value for call in model.calls.values() for value in call["inputs"]}
    assert {value for value in read if not isinstance(value, str)} <= model.values.keys()
    versions = [row for row in model.values.values() if row["parameter"]]
    assert len(versions) > 16 * 12
    assert all(row["names"] for row in versions), "a parameter has its name in every turn"


def test_nothing_is_kept_of_turns_that_are_let_go() -> None:
    sizes = []
    for turns in (500, 2000):
        seen = record(TRAINING.replace(str(TURNS), str(turns)))
        adapter = seen.adapter
        recorder = adapter.recorder
        sizes.append(
            len(recorder.values) + len(recorder.nodes) + len(recorder.lost) + len(recorder.refs)
        )
    assert sizes[1] < sizes[0] + 100


@pytest.mark.parametrize("adapter_of", [NativeAdapter, TorchAdapter])
def test_a_loop_of_few_turns_is_told_whole_though_somebody_looks_on(adapter_of: Any) -> None:
    library = graphwidget if adapter_of is NativeAdapter else torch
    source = """
layers = [each for _ in range(6) for each in (torch.nn.Linear(4, 4), torch.nn.Tanh())]
net = torch.nn.Sequential(*layers)
optimizer = torch.optim.Adam(net.parameters())
for step in range(8):
    loss = net(torch.ones(2, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 4 == 3:
        look()
"""
    linecache.cache["<few>"] = (len(source), None, source.splitlines(True), "<few>")
    adapter = adapter_of(Recorder())

    def look() -> None:
        adapter.sorter.pulse(lambda _wait: adapter.drain(), 0.0)

    with adapter.observing():
        exec(compile(source, "<few>", "exec"), {"torch": library, "look": look})
    adapter.drain()
    loop = next(each for each in adapter.recorder.log.model().loops.values() if each["count"] == 8)
    assert [turn["turn"] for turn in loop["turns"]] == list(range(1, 9))
