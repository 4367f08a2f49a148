"""Loops that fit into the window are kept whole; of longer ones the first iteration, the newest
ones, an even spread between and all scalars, and they are right."""

from __future__ import annotations

import itertools
import linecache
import threading
from typing import Any

import pytest
import torch

import graphwidget
from graphwidget.adapters import iterations
from graphwidget.adapters.native import NativeAdapter
from graphwidget.adapters.pytorch.watcher import TorchAdapter
from graphwidget.adapters.sorting import Sorter
from graphwidget.recording import events as ev
from graphwidget.recording.recorder import Recorder

from .engines import native, real
from .record_native import Recorded, record

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


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A window of few records."""
    monkeypatch.setattr(iterations, "BUDGET", 3_000)


@pytest.fixture(scope="module")
def trained() -> Recorded:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(iterations, "BUDGET", 3_000)
        return record(TRAINING)


def kept(loop: dict[str, Any]) -> list[int]:
    """The iterations that are kept whole."""
    return [row["number"] for row in loop["iterations"]]


def space(seen: Recorded) -> dict[str, Any]:
    found: dict[str, Any] = seen.namespace  # type: ignore[attr-defined]
    return found


def numbers(row: dict[str, Any]) -> Any:
    """The items of a value."""
    return ev.Summary(*row["summary"]).values


def flat(rows: list[list[float]]) -> tuple[float, ...]:
    return tuple(each for row in rows for each in row)


@pytest.mark.parametrize("engine", [native, real])
@pytest.mark.parametrize("count", [5, 30, 150])
def test_what_fits_is_kept_whole(engine: Any, count: int) -> None:
    model = engine(TRAINING.replace(f"range({TURNS})", f"range({count})"))[0]
    [loop] = model.loops.values()
    assert kept(loop) == list(range(1, count + 1))
    for turn in loop["iterations"]:
        end = turn["to"] or model.time  # the last one goes on
        within = [row for row in model.runs.values() if turn["from"] < row["time"] < end]
        assert [row["status"] for row in within] == ["ok"], "its gradients are there"


def test_of_a_long_loop_the_first_the_newest_and_an_even_spread_are_kept(trained: Recorded) -> None:
    [loop] = trained.model.loops.values()
    found = kept(loop)
    assert loop["count"] == TURNS
    assert found[0] == 1
    assert found[-12:] == list(range(TURNS - 11, TURNS + 1))
    between = [number for number in found if number < TURNS - 32]
    gaps = {after - before for before, after in itertools.pairwise(between)}
    assert len(between) > 5
    assert len(gaps) == 1
    assert len(trained.events) < 2 * 3_000


def test_all_scalars_are_reported(trained: Recorded) -> None:
    [loop] = trained.model.loops.values()
    assert loop["curves"] == {"loss": pytest.approx(space(trained)["losses"])}


def test_what_is_used_in_a_turn_that_is_reported_has_its_content_of_then(trained: Recorded) -> None:
    model = trained.model
    [loop] = model.loops.values()
    weights = space(trained)["weights"]
    calls = sorted(model.calls.values(), key=lambda call: call["time"])
    for turn in loop["iterations"]:
        first = next(c for c in calls if turn["from"] < c["time"] < turn["to"] and c["op"] == "t")
        weight = model.values[first["inputs"][0]]
        assert numbers(weight) == pytest.approx(flat(weights[turn["number"] - 1]))
        assert ["module", "net[0].weight"] in weight["names"]


def test_every_input_of_what_is_reported_is_reported(trained: Recorded) -> None:
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


@pytest.mark.usefixtures("small")
def test_a_value_that_outlives_its_turn_is_reported_when_it_is_used() -> None:
    seen = record(
        "x = torch.ones(3, requires_grad=True)\nkept = []\n"
        "for i in range(800):\n"
        "    y = x * i\n"
        "    s = y.sum()\n"
        "    s.backward()\n"
        "    if i == 402: kept.append(y.detach().clone())\n"
        "z = kept[0] + 1\n"
    )
    call = seen.model.calls[seen.value("z")["call"]]
    used = seen.model.values[call["inputs"][0]]
    assert tuple(numbers(used)) == (402.0,) * 3
    assert 403 not in kept(next(iter(seen.model.loops.values())))


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


SHAPES = {
    "tiny iterations": """
x = torch.ones(1)
for i in range(40_000):
    y = x * i
""",
    "a loop in a loop": """
x = torch.ones(2)
for epoch in range(40):
    for batch in range(250):
        y = x * batch
        s = y.sum()
""",
    "a loop in a function called in a loop": """
def train(x):
    for step in range(25):
        loss = (x * step).sum()
    return loss
x = torch.ones(2)
for run in range(300):
    last = train(x)
""",
    "functions that call loops that call functions": """
def inner(x):
    for _ in range(3):
        x = x + 1
    return x
def outer(x):
    for _ in range(3):
        y = inner(x)
    return y
x = torch.ones(2)
for run in range(500):
    y = outer(x)
""",
    "huge iterations": """
x = torch.ones(70, 50)
for step in range(6):
    rows = [x * k for k in range(900)]
""",
    "no loop": "x = torch.ones(60, 60)\n" + "y = x * 2\n" * 5_000,
}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", SHAPES)
def test_what_waits_is_bounded_whatever_the_program_does(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    sift = Sorter.sift

    def sifted(self: Sorter) -> bool:
        more = sift(self)
        recorder = self.recorder
        sizes.append(self.scopes.size + len(recorder.values) + len(recorder.lost))
        return more

    monkeypatch.setattr(Sorter, "sift", sifted)
    seen = record(SHAPES[name])
    assert max(sizes) < 12_000
    loops = [loop for loop in seen.model.loops.values() if loop["count"] > 1]
    for loop in loops:
        assert kept(loop)[0] == 1
        assert kept(loop)[-1] == loop["count"]
        assert all(len(curve) == loop["count"] for curve in loop["curves"].values())
    assert bool(loops) is (name != "no loop")


@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize("adapter_of", [NativeAdapter, TorchAdapter])
def test_another_thread_may_look_all_the_time(adapter_of: Any, live: bool) -> None:
    library = graphwidget if adapter_of is NativeAdapter else torch
    source = TRAINING.replace("losses, weights =", "started.set()\nlosses, weights =")
    linecache.cache["<looked at>"] = (len(source), None, source.splitlines(True), "<looked at>")
    adapter, started, over = adapter_of(Recorder()), threading.Event(), threading.Event()

    def look() -> None:
        started.wait(60)
        while not over.is_set():
            adapter.drain(live=live)

    thread = threading.Thread(target=look)
    thread.start()
    space: dict[str, Any] = {"torch": library, "started": started}
    try:
        with adapter.observing():
            exec(compile(source, "<looked at>", "exec"), space)
    finally:
        over.set()
        started.set()
        thread.join()
    adapter.drain()
    assert adapter.faults == []
    [loop] = [x for x in adapter.recorder.log.model().loops.values() if x["count"] == TURNS]
    assert loop["curves"]["loss"] == pytest.approx(space["losses"])
    assert kept(loop)[0] == 1
    assert kept(loop)[-1] == TURNS
