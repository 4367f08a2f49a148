"""Programs on the real PyTorch: their recording is the one of the same program on our engine."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import torch

import graphwidget
from graphwidget.adapters.pytorch.watcher import TorchAdapter
from graphwidget.recording import events as ev
from graphwidget.recording.findings import HEADLINES
from graphwidget.recording.fold import Model
from graphwidget.recording.recorder import Recorder
from tests.golden.make import EXAMPLES

from .engines import native, real
from .test_native import HAZARD

PROGRAMS = {
    **{name: EXAMPLES[name] for name in ("A", "B", "C", "D", "E", "F2", "G", "H")},
    "in place twice": """
x = torch.ones(3, requires_grad=True)
y = x.exp()
z = y.sin()
y *= 2
y += 1
z.sum().backward()
""",
}


def story(model: Model) -> dict[str, Any]:
    """Return what a reader of the picture sees, in words that do not depend on ids."""

    def name(value: int | None) -> str:
        row = model.values.get(value) if value is not None else None
        return row["names"][-1][1] if row and row["names"] else "·"

    def line(source: int | None) -> int | None:
        return model.sources[source]["line"] if source is not None else None

    def rounded(summary: Any) -> tuple[float, ...] | None:
        return None if summary is None else tuple(float(f"{x:.5g}") for x in summary[2])

    # Ours takes the view of `b[0] = ...` first, PyTorch's in one call.
    hidden = ("AccumulateGrad", "AsStridedBackward0", "SelectBackward0")
    nodes = [node for node in model.nodes.values() if node["name"] not in hidden]
    named_values = [value for value in model.values.values() if value["names"]]
    return {
        "values": sorted(
            (
                name(value["value"]), value["version"], tuple(value["summary"][0]),
                rounded(value["summary"]), value["requires_grad"], value["leaf"],
                rounded(value["grad"]),
            )
            for value in named_values
        ),
        "nodes": [
            (
                node["name"],
                sorted(
                    (slot["slot"], name(slot["value"]), slot["version"], len(slot["stale"]))
                    for slot in node["saved"]
                    if slot["value"] is not None
                ),
                [model.nodes[to]["name"] if to is not None else None for to, _ in node["next"]],
                node["state"],
                node["freed"],
            )
            for node in nodes
        ],
        "runs": [
            (run["status"], [model.nodes[n]["name"] for n in run["order"]], line(run["source"]))
            for run in model.runs.values()
        ],
        "errors": [
            (
                error["kind"], error["message"], name(error["value"]), error["expected"],
                error["found"], line(error["source"]),
            )
            for error in model.errors
        ],
        "writes": [
            (write["version"], line(write["source"]))
            for storage in model.storages.values()
            for write in storage["writes"]
            if write["call"] is not None
        ],
    }  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_picture_of_a_program_is_the_same_on_both(name: str) -> None:
    theirs, kept = real(PROGRAMS[name])
    ours, kept_too = native(PROGRAMS[name])
    assert kept.keys() == kept_too.keys()
    assert story(theirs) == story(ours)


def test_a_stale_value_is_explained_with_both_lines() -> None:
    _, namespace = real(HAZARD + "loss.backward()\n")
    notes = "\n".join(namespace["error"].__notes__)
    assert "b was overwritten, in place (copy_), after MulBackward0 had saved it" in notes
    caused, needed = (next(x for x in notes.splitlines() if w in x) for w in ("caused", "needed"))
    assert caused.endswith(": b[0] = 1000.")
    assert needed.endswith(": loss = (b * b).mean()")


@pytest.mark.parametrize(
    ("program", "kind", "line"),
    [
        ("x = torch.ones(2, requires_grad=True)\nb = x.exp()\nb[0] = 5.\nb.sum().backward()",
         "stale", "b[0] = 5."),
        ("x = torch.ones(2, requires_grad=True)\nx.fill_(1.)", "leaf", "x.fill_(1.)"),
    ],
)  # fmt: skip
def test_what_was_found_of_an_error_is_told_with_it(program: str, kind: str, line: str) -> None:
    model, namespace = real(program)
    [error] = model.errors
    finding = error["finding"]
    assert (finding["kind"], finding["culprit"]["text"]) == (kind, line)
    assert error["help"] == ()
    assert f"{HEADLINES[kind]}: {finding['text']}" in namespace["error"].__notes__


@pytest.mark.parametrize(
    ("index", "value", "place", "number"),
    [
        ("0", "0", "0", "0"),
        ("1:, 0", "2.5", "1:, 0", "2.5"),
        ("...", "torch.zeros(2, 2)", "...", None),
        ("y > 0", "torch.tensor(0.)", "…", None),
    ],
)
def test_an_assignment_to_a_part_says_what_was_typed(
    index: str, value: str, place: str, number: str | None
) -> None:
    model, _ = real(
        "x = torch.ones(2, 2, requires_grad=True)\ny = x.sigmoid()\n" + f"y[{index}] = {value}\n"
    )
    (write,) = [call for call in model.calls.values() if call["inplace"]]
    assert write["op"] == "copy_"
    assert write["params"] == {"index": place}
    written = model.values[write["inputs"][0]]
    assert model.calls[written["call"]]["op"] == "sigmoid"
    given = write["inputs"][1]
    assert given == number if number is not None else isinstance(given, int)


@pytest.mark.parametrize("run", [real, native])
def test_parameters_have_pytorch_s_versions(run: Any) -> None:
    model, namespace = run(
        "net = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)\n"
        "own = [torch.nn.Parameter(torch.ones(2)), *net.parameters()]\n"
        "versions = [p._version for p in own]\n"
        "y = net(torch.ones(1, 3, 8)).sum() + own[0].sum()\n"
    )
    last = [value for value in model.values.values() if value["next"] is None]
    told = [value["version"] for value in last if value["parameter"]]
    assert sorted(told) == sorted(namespace["versions"])
    assert set(told) == {0, 1, 2}


@pytest.mark.parametrize("run", [real, native])
def test_buffers_are_named_as_parameters_are(run: Any) -> None:
    model, _ = run(
        "class Scale(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.register_buffer('variance', torch.full((2,), 4.))\n"
        "    def forward(self, x):\n"
        "        return x / self.variance\n"
        "net = torch.nn.Sequential(Scale())\n"
        "y = net(torch.ones(2, requires_grad=True)).sum()\n"
    )
    [quotient] = [call for call in model.calls.values() if call["op"] == "div"]
    divisor = model.values[quotient["inputs"][1]]
    assert divisor["names"] == [["module", "net[0].variance"]]
    assert not divisor["parameter"]


BRANCHES = """
x = torch.ones(3, requires_grad=True)
a = x.exp()
b = (x * 2).sigmoid().tanh()
c = x.sin().exp()
loss = (a + b * c).sum()
WRITES
loss.backward()
"""


@pytest.mark.parametrize("writes", ["a += 1", "b += 1", "c += 1", "a += 1; b += 1; c += 1"])
def test_the_node_that_failed_is_the_one_that_anomaly_mode_names(writes: str) -> None:
    source = BRANCHES.replace("WRITES", writes)
    model, _ = real(source)
    (error,) = model.errors
    with (
        warnings.catch_warnings(record=True) as told,
        torch.autograd.detect_anomaly(check_nan=False),
        pytest.raises(RuntimeError),
    ):
        exec(source, {"torch": torch})
    named = next(str(each.message) for each in told if "detected in" in str(each.message))
    assert model.nodes[error["node"]]["name"] == named.split("detected in ")[1].split(".")[0]


def test_nothing_is_left_behind() -> None:
    hooks = torch.nn.modules.module

    def places() -> tuple[Any, ...]:
        return (
            torch.autograd.graph._engine_run_backward,
            torch.nn.Module.__call__,
            torch.optim.Optimizer.zero_grad,
            len(hooks._global_forward_hooks),
            torch._C._len_torch_function_stack(),
        )

    before = places()
    real(EXAMPLES["A"])
    assert before == places()
    with graphwidget.watch():
        other = graphwidget.watch()
    other.stop()
    assert before == places()


def test_runs_of_one_graph_are_held_beside_each_other() -> None:
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    graph = graphwidget.watch()
    first = graph.step(y, retain_graph=True)
    second = graph.step(y, retain_graph=True)
    first.next()
    second.next(2)
    y.backward(retain_graph=True)
    second.finish()
    assert (first.status, second.status) == ("running", "ok")
    assert torch.equal(x.grad, torch.full((2,), 4.0))
    first.finish()
    assert torch.equal(x.grad, torch.full((2,), 6.0))
    graph.stop()


@pytest.mark.parametrize(
    "then",
    [
        "",
        "w.grad.zero_()",
        "w.grad = None",
        "w.register_post_accumulate_grad_hook(lambda w: (w.grad.mul_(2), None)[1])",
        "torch.nn.utils.clip_grad_norm_([w], 1.0)",
    ],
)
def test_gradients_are_told_as_they_were(then: str) -> None:
    adapter = TorchAdapter(Recorder())
    space: dict[str, Any] = {"torch": torch}
    with adapter.observing():
        exec(
            "w, seen, passed = torch.tensor([2., 3.], requires_grad=True), [], []\n"
            "for turn in range(3):\n"
            "    y = w ** 3\n"
            "    y.register_hook(lambda grad: passed.append(grad.tolist()))\n"
            "    (y * y.detach()).sum().backward()\n"
            f"    seen.append(w.grad.tolist())\n    {then}\n",
            space,
        )
    adapter.drain()
    events = adapter.recorder.log.since(0)[1]
    grads = [each for each in events if type(each) is ev.Grad]
    came = [list(each.summary.values) for each in grads if each.how == "accumulated"]
    assert came == space["seen"]
    assert {each.how for each in grads} <= {"accumulated", "assigned", "zeroed", "cleared"}
    nodes = {each.node: each.name for each in events if type(each) is ev.Node}
    powers = [x for x in events if type(x) is ev.Start and nodes[x.node] == "PowBackward0"]
    assert [list(each.grads[0].values) for each in powers] == space["passed"]


@pytest.mark.parametrize(("then", "known"), [("", [False, True]), ("w.grad = None", [False] * 2)])
def test_what_was_added_to_a_gradient_is_told_where_there_was_one(
    then: str, known: list[bool]
) -> None:
    adapter = TorchAdapter(Recorder())
    w = torch.tensor([2.0, 3.0], requires_grad=True)
    with adapter.observing():
        for factor in (1, 10):
            (w * factor).sum().backward()
            exec(then)
    adapter.drain()
    grads = [each for each in adapter.recorder.log.since(0)[1] if type(each) is ev.Grad]
    told = [each.added for each in grads if each.how == "accumulated"]
    assert [added is not None for added in told] == known
    assert told[1] is None or list(told[1].values or ()) == [10.0, 10.0]


def test_a_product_of_matrices_is_told_as_it_is_written() -> None:
    adapter = TorchAdapter(Recorder())
    with adapter.observing():
        torch.ones(2) @ torch.ones(2, 3)
    adapter.drain()
    [op] = adapter.recorder.log.model().ops.values()
    assert (op["sign"], op["text"]) == ("@", "{self} @ {other}")


def test_a_gradient_that_a_hook_overwrites_has_no_numbers_rather_than_wrong_ones() -> None:
    adapter = TorchAdapter(Recorder())
    with adapter.observing():
        x = torch.ones(2, requires_grad=True)
        y = x * 2
        y.register_hook(lambda grad: (grad.mul_(5), None)[1])
        (y * 3).sum().backward()
    adapter.drain()
    events = adapter.recorder.log.since(0)[1]
    nodes = {each.node: each.name for each in events if type(each) is ev.Node}
    starts = [each for each in events if type(each) is ev.Start and "Mul" in nodes[each.node]]
    given = [each.grads[0] and each.grads[0].values for each in starts]
    assert given == [(1.0, 1.0), (15.0, 15.0)]
    first = next(each for each in events if type(each) is ev.Finish and "Mul" in nodes[each.node])
    assert first.grads[0] is not None
    assert first.grads[0].values in (None, (3.0, 3.0))


def test_tensors_met_in_an_init_do_not_end_the_recording(recwarn: pytest.WarningsRecorder) -> None:
    class Table(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            axis = torch.linspace(-1, 1, 4)
            self.table = torch.stack(torch.meshgrid(axis, axis, indexing="ij"))

    with graphwidget.watch() as graph:
        model = Table()
        model.table * 2
    assert not [each for each in recwarn if "graphwidget" in str(each.message)]
    assert [call["op"] for call in graph.model.calls.values()] == ["mul"]


def test_parameters_are_met_with_their_first_numbers() -> None:
    with graphwidget.watch() as graph:
        net = torch.nn.Linear(3, 2)
        torch.nn.init.ones_(net.weight)
        assert graph.events == []  # not with what their memory held before
        net(torch.ones(3))
    parameters = [each for each in graph.model.values.values() if each["parameter"]]
    [weight] = [each for each in parameters if tuple(each["summary"][0]) == (2, 3)]
    assert set(weight["summary"][2]) == {1.0}


def test_sizes_that_stand_one_by_one_are_told_as_one_parameter() -> None:
    program = """
x = torch.ones(2, 6, requires_grad=True)
a = x.view(2, 3, 2)
b = a.permute(2, 0, 1)
c = b.permute((2, 0, 1))
d = x[:1].expand(3, 6)
e = x.repeat(2, 2)
f = x.view(-1, 12).transpose(0, 1)
"""
    told = []
    for engine in native, real:
        calls = [call for call in engine(program)[0].calls.values() if call["op"] != "index"]
        sizes = [
            call["params"] for call in calls if {"shape", "dims", "repeats"} & {*call["params"]}
        ]
        told.append([sorted(each.items()) for each in sizes])
    told[0][-1] = [("shape", "-1, 12")]  # our own engine tells the size that it found
    assert told[0] == told[1]
    assert told[1][0] == [("shape", "2, 3, 2")]
