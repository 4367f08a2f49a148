"""Programs as the native adapter records them."""

from __future__ import annotations

import gc
import warnings
from typing import Any

import pytest

import graphwidget as torch
from graphwidget.adapters.native import NativeAdapter
from graphwidget.graph.listeners import get_observer
from graphwidget.recording import events as ev
from graphwidget.recording.fold import fold
from graphwidget.recording.recorder import Recorder

from .engines import native, real
from .record_native import record

PATHS = """
w = torch.tensor([1.], requires_grad=True)
x = torch.tensor([2.], requires_grad=True)
a = torch.add(w, x)
b = torch.add(w, 1)
y = torch.mul(a, b)
y.backward()
"""

HAZARD = """
a = torch.tensor([1., 3.], requires_grad=True)
b = a + 2
loss = (b * b).mean()
b[0] = 1000.
"""


def test_the_two_paths() -> None:
    seen = record(PATHS)
    model = seen.model
    assert [model.values[i]["names"] for i in sorted(model.values)] == [
        [["", name]] for name in "wxaby"
    ]
    assert seen.value("w")["grad"].values == (5.0,)
    assert seen.value("x")["grad"].values == (2.0,)
    assert seen.value("a")["grad"] is None
    mul = model.nodes[seen.value("y")["node"]]
    assert mul["name"] == "MulBackward0"
    assert [grad.values for grad in mul["grads_out"]] == [(2.0,), (3.0,)]
    assert [local.numbers for local in mul["local"]] == [(2.0,), (3.0,)]
    assert mul["freed"]
    assert mul["state"] == "done"
    assert next(iter(model.runs.values()))["status"] == "ok"


def test_saved_values_and_their_versions() -> None:
    seen = record(PATHS)
    mul = seen.model.nodes[seen.value("y")["node"]]
    a, b = seen.value("a"), seen.value("b")
    assert {(s["slot"], s["value"], s["version"]) for s in mul["saved"]} == {
        ("self", a["value"], 0),
        ("other", b["value"], 0),
    }


def test_numbers_stand_as_text() -> None:
    seen = record("y = torch.ones(2, requires_grad=True) * 2.5 + 1")
    assert [op.inputs[1] for op in seen.of(ev.Op)] == ["2.5", "1"]


def test_an_index_stands_as_text_that_python_reads() -> None:
    seen = record("p = torch.ones(2, 3)\nq = p[torch.arange(2), torch.tensor([0, 1])]\n")
    [index] = [call for call in seen.model.calls.values() if call["op"].startswith("index")]
    assert list(index["params"].values()) == ["[0, 1], [0, 1]"]


def test_the_copy_of_a_module_has_leaves_and_no_calls() -> None:
    seen = record(
        "import copy\nnet = torch.nn.Linear(2, 1)\ntwin = copy.deepcopy(net)\n"
        "out = twin(torch.ones(1, 2))"
    )
    assert "clone" not in [op.op for op in seen.of(ev.Op)]
    assert seen.value("twin.weight", "module")["leaf"]


def test_sources_are_told_once_each() -> None:
    seen = record("x = torch.ones(1)\nfor _ in range(3):\n    x = x + 1\n")
    loop, line = seen.of(ev.Source)
    assert (loop.line, loop.text) == (2, "for _ in range(3):")
    assert (line.line, line.text) == (3, "x = x + 1")
    assert [op.source for op in seen.of(ev.Op)] == [line.source] * 3


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("x = torch.ones(2)", [("", "x")]),
        ("x = torch.Tensor([1.])", [("", "x")]),
        ("x = torch.ones(2)\ny = x[0]", [("", "x"), ("", "y")]),
        ("x = torch.ones(2)\ny = x[0] + 1", [("", "x"), ("", "x[0]"), ("", "y")]),
        ("x = torch.ones(2)\ny = x.view(1, 2).t()", [("", "x"), ("", "y")]),
        ("x = torch.ones(2)\nx = x + 1", [("", "x"), ("", "x")]),
        ("x = torch.ones(2)\nx += 1", [("", "x"), ("", "x")]),
        ("def f(u):\n    h = u * 2\n    return h + 1\ny = f(torch.ones(2))",
         [("f", "u"), ("f", "h"), ("", "y")]),
        ("x = torch.ones(2, 2)\nvalues, indices = x.max(1)",
         [("", "x"), ("", "values"), ("", "indices")]),
        ("x = torch.ones(4)\na, b = x.split(2)", [("", "x"), ("", "a"), ("", "b")]),
        ("x = torch.ones(2)\ny = x.detach()", [("", "x"), ("", "y")]),
        ("x = torch.ones(2)\nloss = torch.nn.functional.mse_loss(x, x + 1)",
         [("", "x"), ("", "loss")]),
        ("x = torch.ones(2)\ny = torch.cat([x, x])", [("", "x"), ("", "y")]),
    ],
)  # fmt: skip
def test_names_as_they_are_bound(source: str, names: list[tuple[str, str]]) -> None:
    assert record(source, bind=False).names() == names


def test_names_of_parameters_and_containers() -> None:
    seen = record(
        "net = torch.nn.Linear(2, 1)\ny = net(torch.ones(1, 2))\n"
        "h = [torch.ones(2), torch.ones(2) * 2]\nd = {'k': h[1] + 1}"
    )
    assert seen.value("net.weight", "module")["parameter"]
    assert seen.value("net.bias", "module")["parameter"]
    assert seen.value("h[1]")["call"] is not None
    assert seen.value("d['k']")["call"] is not None


def test_parameters_are_told_when_they_are_first_used() -> None:
    making = "torch.manual_seed(0)\nnet = torch.nn.Sequential(torch.nn.Linear(2, 1))\n"
    assert [type(event).__name__ for event in record(making).events] == []
    own = (
        "class Net(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.w = torch.nn.Parameter(torch.randn(2))\n"
        "        torch.nn.init.ones_(self.w)\n"
        "    def forward(self, x):\n"
        "        return x * self.w\n"
        "net = Net()\n"
    )
    assert [type(event).__name__ for event in record(own).events] == []
    seen = record(own + "y = net(torch.ones(2))\n")
    told = [event for event in seen.of(ev.Value) if event.parameter]
    assert [event.summary.values for event in told] == [(1.0, 1.0)]
    assert [op.op for op in seen.of(ev.Op)] == ["mul"]


def test_a_module_is_a_scope() -> None:
    seen = record("net = torch.nn.Linear(2, 1)\ny = net(torch.ones(1, 2))")
    scopes = {s.scope: s for s in seen.of(ev.Scope) if s.open}
    op = seen.model.calls[seen.value("y")["call"]]
    assert scopes[op["scope"]].kind == "module"
    assert (scopes[op["scope"]].name, scopes[op["scope"]].text) == ("net", "Linear")


def test_a_hazard_is_seen_at_once() -> None:
    seen = record(HAZARD)
    hazards = seen.model.hazards()
    assert {slot["slot"] for _node, slot in hazards} == {"self", "other"}
    node, slot = hazards[0]
    storage = seen.model.storages[slot["storage"]]
    [write] = storage["writes"]
    assert slot["stale"] == [write["time"]]
    assert seen.model.sources[write["source"]]["text"] == "b[0] = 1000."
    call = seen.model.calls[node["call"]]
    assert seen.model.sources[call["source"]]["text"] == "loss = (b * b).mean()"
    assert seen.value("b")["version"] == 1
    assert seen.value("b")["summary"].values == (1000.0, 5.0)


def test_the_version_error_names_the_write() -> None:
    seen = record(HAZARD + "loss.backward()\n")
    [error] = seen.model.errors
    assert (error["kind"], error["expected"], error["found"]) == ("version", 0, 1)
    [write] = seen.model.storages[seen.value("b")["storage"]]["writes"]
    assert error["writes"] == (write["time"],)
    assert seen.model.nodes[error["node"]]["state"] == "failed"
    assert any("b[0] = 1000." in sentence for sentence in error["help"])
    assert next(iter(seen.model.runs.values()))["status"] == "failed"


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("a = torch.ones(2, requires_grad=True)\na += 1", "leaf"),
        ("a = torch.ones(2, requires_grad=True)\na[0] = 1", "leaf"),
        ("a = torch.ones(2, requires_grad=True)\nb = a * a\nb.sum().backward()\n"
         "b.sum().backward()", "freed"),
        ("y = torch.ones(2, requires_grad=True).detach().sum()\ny.backward()", "no_grad"),
    ],
)  # fmt: skip
def test_errors_are_told(source: str, kind: str) -> None:
    [error] = record(source).model.errors
    assert error["kind"] == kind
    assert error["help"]
    assert error["source"] is not None


@pytest.mark.parametrize("engine", [native, real])
def test_a_backward_without_a_graph_tells_of_which_value(engine: Any) -> None:
    source = "w = torch.ones(2, requires_grad=True)\ny = (2 * w.detach()).sum()\ny.backward()"
    model, _ = engine(source)
    [error] = model.errors
    assert (error["kind"], error["value"]) == ("no_grad", model.names["\0y"])


def test_a_gradient_that_is_none_is_explained() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seen = record("a = torch.ones(2, requires_grad=True)\nb = a * 2\nb.grad")
    [error] = seen.model.errors
    assert (error["kind"], error["value"]) == ("none", seen.value("b")["value"])


def test_views_share_the_storage_of_their_base() -> None:
    seen = record("x = torch.ones(2, 2)\nv = x[0]\nu = v.view(2, 1)\nd = x.detach()")
    x, v, u, d = (seen.value(name) for name in "xvud")
    assert x["storage"] == v["storage"] == u["storage"] == d["storage"]
    assert v["view_of"] == u["view_of"] == x["value"]


def test_every_tensor_of_a_written_storage_is_a_new_value() -> None:
    seen = record(
        "x = torch.ones(2, 2, requires_grad=True) * 1\nv = x[0]\nw = x.t()\nx.mul_(2)\ny = v + 1\n"
    )
    x, v, w = (seen.value(name) for name in "xvw")
    assert (x["version"], v["version"]) == (1, 1)
    assert w["version"] == 1  # found when the variables were looked at
    assert v["summary"].values == (2.0, 2.0)
    assert len(seen.model.storages[x["storage"]]["writes"]) == 1
    assert seen.model.nodes[v["node"]]["name"] == "AsStridedBackward0"


def test_a_write_through_a_view_gives_the_base_a_new_history() -> None:
    seen = record(HAZARD)
    node = seen.model.nodes[seen.value("b")["node"]]
    assert node["name"] == "CopySlices"


def test_recording_holds_nothing_alive() -> None:
    adapter = NativeAdapter(Recorder())
    gc.disable()
    try:
        with adapter.observing():
            x = torch.ones(2, requires_grad=True)
            y = x * 2
            del x, y
        adapter.drain()
        model = fold(adapter.recorder.log.since(0)[1])
    finally:
        gc.enable()
    assert not any(value["alive"] for value in model.values.values())


def test_create_graph_records_the_derivatives_graph() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seen = record(
            "x = torch.tensor(3., requires_grad=True)\ny = x * x * x\n"
            "g, = torch.autograd.grad(y, x, create_graph=True)\ng.backward()"
        )
    assert seen.value("x")["grad"].values == (18.0,)
    assert len(seen.model.runs) == 2


@pytest.mark.parametrize(
    "make",
    [
        "torch.tensor(float('nan'))", "torch.tensor([float('inf'), -1.])", "torch.ones(0)",
        "torch.ones(3, 0)", "torch.tensor(2.)", "torch.ones(5000, 2000)", "torch.ones(40)",
        "torch.tensor([True, False])", "torch.tensor([1, 2])",
    ],
)  # fmt: skip
def test_any_tensor_can_be_recorded(make: str) -> None:
    seen = record(f"x = {make}\ny = x * 2\nz = y.sum()")
    seen.model.to_json()
    seen.adapter.recorder.log.pack()
    assert get_observer() is None
    assert [name for _scope, name in seen.names()] == ["x", "y", "z"]


def test_hostile_names_are_text() -> None:
    seen = record("d = {'<script>alert(1)</script>': torch.ones(1), 'x' * 10_000: torch.ones(2)}")
    assert seen.value("d['<script>alert(1)</script>']")
    seen.adapter.recorder.log.pack()


def test_an_exception_of_the_adapter_stays_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = NativeAdapter(Recorder())

    def broken(*_args: Any) -> None:
        raise ZeroDivisionError

    for target in (adapter.identity, adapter):
        for name in ("current", "emit_value", "_place"):
            if hasattr(target, name):
                monkeypatch.setattr(target, name, broken)

    def program() -> list[float]:
        with adapter.observing():
            y = torch.ones(2, requires_grad=True) * 2
            y.sum().backward()
            assert get_observer() is None
        return y.tolist()  # type: ignore[no-any-return]

    with pytest.warns(UserWarning, match="stopped recording"):
        result = program()
    assert result == [2.0, 2.0]


def test_an_exception_while_draining_stays_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = NativeAdapter(Recorder())
    with adapter.observing():
        _y = torch.ones(2) * 2
    adapter.raw.append((lambda: 1 / 0,))
    with pytest.warns(UserWarning, match="stopped recording"):
        adapter.drain()


def test_parameters_have_names_from_where_they_are_held() -> None:
    """Each has the name that was the longest known by then, and the initial values of
    uninitialised memory are no step of the program."""
    seen = record(
        """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
        self.head = torch.nn.Linear(3, 1)
    def forward(self, x):
        return self.head(self.body(x))
net = Net()
x = torch.ones(4, 2)
y = net(x)
""",
        bind=False,
    )
    products = [op for op in seen.of(ev.Op) if op.op == "addmm"]
    names = [[seen.model.values[i]["names"][-1:] for i in op.inputs] for op in products]
    assert [bias for bias, *_ in names] == [
        [["module", "net.body[0].bias"]],
        [["module", "net.head.bias"]],
    ]
    assert "detach" not in {op.op for op in seen.of(ev.Op)}
    weights = [seen.model.values[op.inputs[0]] for op in seen.of(ev.Op) if op.op == "t"]
    assert [row["names"][-1][1] for row in weights] == ["net.body[0].weight", "net.head.weight"]


def test_only_the_result_of_a_modules_call_has_its_name() -> None:
    seen = record("layer = torch.nn.Linear(2, 3)\nlogits = layer(torch.ones(4, 2))\n")
    (named,) = (row for row in seen.model.values.values() if ["", "logits"] in row["names"])
    assert named["summary"].shape == (4, 3)


TUPLE = """
class Net(torch.nn.Module):
    def __init__(this):
        super().__init__()
        this.weight = torch.nn.Parameter(torch.ones(2))
        this.scale = (2 * torch.ones(2))[None]
    def forward(this, x, target=None):
        scores = x * this.weight * this.scale
        return scores, None if target is None else (scores - target).pow(2).mean()
net = Net()
for step in range(2):
    _, loss = net(torch.ones(2), torch.zeros(2))
    loss.backward()
loss = loss.item()
"""


@pytest.mark.parametrize("engine", [native, real])
def test_a_part_of_what_a_module_returns_gets_the_name_that_it_is_unpacked_to(engine: Any) -> None:
    model, _ = engine(TUPLE)
    losses = [row for row in model.values.values() if ["", "loss"] in row["names"]]
    assert {model.calls[row["call"]]["op"] for row in losses} == {"mean"}
    assert len(losses) == 2


@pytest.mark.parametrize("engine", [native, real])
def test_what_a_module_makes_of_itself_is_not_told_whatever_it_calls_itself(engine: Any) -> None:
    model, _ = engine(TUPLE)
    assert [call["op"] for call in model.calls.values()][:3] == ["mul", "mul", "sub"]
