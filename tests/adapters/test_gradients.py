"""Gradients as both adapters record them: those that arrive, and what ``.grad`` is then."""

from __future__ import annotations

from typing import Any

import pytest

from graphwidget.recording import events as ev

from .engines import native, real
from .record_native import record
from .test_native import PATHS


@pytest.mark.parametrize(
    "write",
    [
        "torch.nn.utils.clip_grad_norm_([w], 1.0)",
        "torch.nn.utils.clip_grad_value_([w], 2.0)",
        "w.grad.mul_(0.5)",
        "w.grad.zero_()",
    ],
)
@pytest.mark.parametrize("recorded", [real, native])
def test_what_is_written_into_a_gradient_is_reported(recorded: Any, write: str) -> None:
    program = f"""
w = torch.tensor([3.0, 4.0], requires_grad=True)
(w * w).sum().backward()
came = w.grad.tolist()
{write}
"""
    model, namespace = recorded(program)
    _, expected = real(program)
    [reported] = [
        row["grad"].values for row in model.values.values() if row["names"] == [["", "w"]]
    ]
    assert reported == pytest.approx(expected["w"].grad.tolist())
    assert reported == tuple(namespace["w"].grad.tolist())
    [leaf] = [row for row in model.nodes.values() if row["name"].endswith("AccumulateGrad")]
    assert leaf["grads_in"][0].values == tuple(expected["came"])  # what backward brought it


@pytest.mark.parametrize("recorded", [real, native])
def test_a_gradient_that_is_used_is_reported_with_its_leaf(recorded: Any) -> None:
    program = """
w = torch.tensor([3.0, 4.0], requires_grad=True)
v = torch.tensor([1.0, 1.0], requires_grad=True)
(w * w * v).sum().backward()
norms = [w.grad.norm(), v.grad.norm()]
torch.nn.utils.clip_grad_norm_([w, v], 1.0)
other = w.grad * 1
"""
    model, _ = recorded(program)
    calls = model.calls.values()
    read = [call["inputs"][0] for call in calls if call["op"].endswith("norm")][:2]
    written = [value for call in calls if call["inplace"] for value in call["outputs"]]
    last = next(call for call in calls if call["op"] == "mul" and call["inputs"][-1] == "1")
    given = [model.values[value] for value in (*read, *written, last["inputs"][0])]
    leaves = [model.values[row["gradient_of"]]["names"][0][1] for row in given]
    assert leaves == ["w", "v", "w", "v", "w"]
    assert not any(model.values[value]["gradient_of"] for value in last["outputs"])


def test_retained_gradients_and_flags() -> None:
    seen = record(PATHS.replace("y.back", "a.retain_grad()\ny.back"))
    assert seen.value("a")["retains_grad"]
    assert seen.value("a")["how"] == "retained"
    assert seen.value("a")["grad"].values == (2.0,)
    seen = record("a = torch.ones(1)\na.requires_grad_()\nb = (a * 2).detach_()")
    assert seen.value("a")["requires_grad"]
    assert seen.value("b")["leaf"]


@pytest.mark.parametrize("recorded", [real, native])
def test_a_retained_gradient_is_that_of_what_the_tensor_is_now(recorded: Any) -> None:
    program = """
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
y.retain_grad()
y.mul_(5)
y.sum().backward()
"""
    model, namespace = recorded(program)
    rows = {row["version"]: row for row in model.values.values() if ["", "y"] in row["names"]}
    assert rows.keys() == set(range(namespace["y"]._version + 1))
    assert all(row["retains_grad"] for row in rows.values())
    assert rows[1]["grad"].values == tuple(real(program)[1]["y"].grad.tolist())
    assert rows[0]["grad"] is None  # which was another


@pytest.mark.parametrize("recorded", [real, native])
def test_a_gradient_that_others_are_added_to_is_reported_as_their_sum(recorded: Any) -> None:
    model, _ = recorded(
        "x = torch.tensor([1.0, 2.0], requires_grad=True)\ny = x * 2\ny.copy_(y)\n"
        "loss = (y * torch.tensor([3.0, 4.0])).sum()\nloss.backward()"
    )
    [node] = [row for row in model.nodes.values() if row["call"] == min(model.calls)]
    assert [each.values for each in node["grads_in"]] == [(3.0, 4.0)]


def test_a_gradient_that_a_hook_writes_is_reported_as_it_arrives() -> None:
    source = """
x = torch.tensor([2., 1.], requires_grad=True)
y = x * 3
y.register_hook(lambda grad: grad.mul_(5))
(y * torch.tensor([1., 2.])).backward(torch.tensor([1., 1.]))
"""
    seen = record(source)
    nodes = {event.node: event.name for event in seen.of(ev.Node)}
    arrived = {nodes[event.node]: event.grads[0].values for event in seen.of(ev.Start)}
    assert arrived["AccumulateGrad"] == tuple(real(source)[1]["x"].grad.tolist())
    last = [event for event in seen.of(ev.Start) if nodes[event.node] == "MulBackward0"][-1]
    assert last.grads[0].values == (5.0, 10.0)


FREES = """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        return grad * 2
x = torch.ones(3, requires_grad=True)
y = Twice.apply(Square.apply(x[torch.tensor([0, 2])]) * 3)
loss = y.sum()
loss.backward({})
"""


@pytest.mark.parametrize("more", ["", "retain_graph=True"])
@pytest.mark.parametrize("recorded", [real, native])
def test_a_node_that_let_go_of_what_it_saved_is_reported(recorded: Any, more: str) -> None:
    model, _ = recorded(FREES.format(more))
    freed = {row["name"] for row in model.nodes.values() if row["freed"]}
    assert freed == (set() if more else {"SquareBackward", "IndexBackward0", "MulBackward0"})


def holds_tensor(slot: Any) -> bool:
    return slot["storage"] is not None


@pytest.mark.parametrize("recorded", [real, native])
def test_what_a_backward_that_failed_had_freed_is_reported(recorded: Any) -> None:
    program = """
a = torch.ones(3, requires_grad=True)
b = a.exp()
d = (b * b).sin()
e = d.cos()
b.add_(1)
try:
    e.sum().backward()
except RuntimeError:
    pass
freed = []
for node in (e.grad_fn, d.grad_fn):
    try:
        node._saved_self
    except RuntimeError:
        freed.append(node.name())
"""
    model, namespace = recorded(program)
    holders = [row for row in model.nodes.values() if any(map(holds_tensor, row["saved"]))]
    reported = {row["name"] for row in holders if row["freed"]}
    assert reported == set(real(program)[1]["freed"]) == set(namespace["freed"])
    assert reported == {"CosBackward0", "SinBackward0"}


@pytest.mark.parametrize("recorded", [real, native])
def test_a_number_is_reported_as_it_was_typed(recorded: Any) -> None:
    program = "a = torch.ones(2)\nb = 0.01 * a\nc = a * 3\nd = a - 2.5\ne = a + 1e-8"
    model, _ = recorded(program)
    reported = [
        each for call in model.calls.values() for each in call["inputs"] if type(each) is str
    ]
    assert reported == ["0.01", "3", "2.5", "1e-08"]
