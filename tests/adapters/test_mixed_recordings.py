"""Both kinds of tensor in one recording; live runs of the real engine, held between its nodes."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch

import graphwidget
from graphwidget.adapters import imported_torch
from graphwidget.recording.commands import Backward, Rejected, RetainGrad, Step


def test_both_kinds_in_one_recording() -> None:
    with graphwidget.watch() as graph:
        a = torch.tensor(2.0, requires_grad=True)
        b = graphwidget.tensor(3.0, requires_grad=True)
        c = a * a
        d = b * b
        c.backward()
        d.backward()
        graph.bind([("", "c", c), ("", "d", d)])
    model = graph.model
    names = {name for row in model.values.values() for _scope, name in row["names"]}
    assert names >= {"a", "b", "c", "d"}
    assert [run["status"] for run in model.runs.values()] == ["ok", "ok"]
    assert a.grad.item() == 4.0
    assert b.grad.item() == 6.0


def test_a_loop_of_ours_that_calls_pytorch_is_reported_in_its_order() -> None:
    source = (
        "w = ours.ones(2, requires_grad=True)\n"
        "for n in range(120):\n"
        "    loss = (w * 2).sum()\n    loss.backward()\n    w.grad = None\n"
        "    if n == 110:\n        t = torch.ones(2, requires_grad=True).exp()\n"
    )
    with graphwidget.watch() as graph:
        exec(compile(source, "<both>", "exec"), {"ours": graphwidget, "torch": torch})
    model = graph.model
    [loop] = model.loops.values()
    turns = {turn["number"]: turn for turn in loop["iterations"]}
    [call] = [call for call in model.calls.values() if call["op"].startswith("exp")]
    assert loop["count"] == 120
    assert turns[111]["from"] < call["time"] < turns[111]["to"]


def test_until_stops_after_the_node_and_retain_grad_works_on_the_way() -> None:
    with graphwidget.watch() as graph:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        a = x.exp()
        b = a.sin()
        run = graph.step(b.sum()).until(b.grad_fn)
        assert x.grad is None
        assert run.run.pending is a.grad_fn
        x.register_hook(lambda grad: grad * 10)
        run.finish()
    assert torch.equal(x.grad, 10 * (a.cos() * a).detach())


def test_an_error_while_stepping_is_pytorchs_own_and_explained() -> None:
    with graphwidget.watch() as graph:
        a = torch.tensor([1.0, 3.0], requires_grad=True)
        b = a + 2
        loss = (b * b).sum()
        b[0] = 9.0
        run = graph.step(loss)
        with pytest.raises(RuntimeError, match="modified by an inplace operation") as raised:
            run.finish()
    assert "b[0] = 9.0" in "".join(raised.value.__notes__)
    assert run.status == "failed"


def test_a_backward_that_pytorch_refuses_is_refused_at_once() -> None:
    with (
        graphwidget.watch() as graph,
        pytest.raises(RuntimeError, match="does not require grad"),
    ):
        graph.step(torch.ones(2).sum())


def test_commands_of_the_page_on_real_tensors() -> None:
    with graphwidget.watch() as graph:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x * x
        loss = y.sum()
        graph.bind([("", name, each) for name, each in (("x", x), ("y", y), ("loss", loss))])
        ids = {
            row["names"][-1][1]: number
            for number, row in graph.model.values.items()
            if row["names"]
        }
        graph._execute(RetainGrad(ids["y"], True))
        assert y.retains_grad
        with pytest.raises(Rejected, match="leaf"):
            graph._execute(RetainGrad(ids["x"], True))
        graph._execute(Backward(ids["loss"]))
        run = max(graph.model.runs)
        graph._execute(Step(run, 100))
    assert y.grad.tolist() == [1.0, 1.0]
    assert x.grad.tolist() == [2.0, 4.0]


BOTH = pytest.mark.parametrize("library", [torch, graphwidget])


def cards(picture: Any) -> str:
    """Return what stands on the cards, without its look."""
    return re.sub(r"<[^<>]*>", " ", picture.source)


@BOTH
def test_a_tensor_is_drawn_as_recorded_when_the_recording_is_over(library: Any) -> None:
    data = library.ones(4, 3)
    net = library.nn.Sequential(library.nn.Linear(3, 2), library.nn.ReLU())
    with graphwidget.watch() as graph:
        hidden = net(data).exp()
        loss = hidden.mean()
        graph.bind([("", "data", data), ("", "hidden", hidden), ("", "loss", loss)])
        inside = graphwidget.to_graphviz(loss).source
    assert graphwidget.to_graphviz(loss).source == inside
    with graphwidget.watch():
        _other = library.ones(2) * 2
        assert graphwidget.to_graphviz(loss).source == inside
    assert {"data", "hidden", "loss"} <= set(cards(graphwidget.to_graphviz(loss)).split())
    values = len(graph.model.values)
    graphwidget.to_graphviz(loss)
    assert len(graph.model.values) == values


@BOTH
def test_what_became_of_a_tensor_since_is_drawn_of_its_own_graph(library: Any) -> None:
    with graphwidget.watch() as graph:
        a = library.ones(2, requires_grad=True)
        b = a * 3
    values = len(graph.model.values)
    b.mul_(5)
    assert "15." in cards(graphwidget.to_graphviz(b))
    assert len(graph.model.values) == values


@BOTH
def test_a_turn_that_was_let_go_of_is_drawn_of_its_own_graph(library: Any) -> None:
    x, kept = library.ones(2, requires_grad=True), []
    with graphwidget.watch():
        for _ in range(100):
            kept.append((x * 2).sum())
            kept[-1].backward()
    assert "SumBackward0" in graphwidget.to_graphviz(kept[50]).source


def test_variables_have_their_names_in_the_middle_of_a_recording() -> None:
    with graphwidget.watch() as graph:
        graph.namespace = space = {}
        space.update(given=graphwidget.ones(2))
        space.update(made=space["given"].exp())
        assert {"given", "made"} <= set(cards(graphwidget.to_graphviz(space["made"])).split())
        space.update(later=space["made"].sin())
        assert "later" in cards(graphwidget.to_graphviz(graph)).split()


def test_nothing_of_the_watching_is_left() -> None:
    entry = torch.autograd.graph._engine_run_backward
    with graphwidget.watch():
        assert torch.autograd.graph._engine_run_backward is not entry
        with graphwidget.watch():
            torch.ones(2, requires_grad=True).sum().backward()
    assert torch.autograd.graph._engine_run_backward is entry
    assert torch._C._len_torch_function_stack() == 0


def test_what_an_interrupt_has_lost_is_observed_again_from_the_next_cell_on() -> None:
    with graphwidget.watch() as graph:
        torch._C._pop_torch_function_stack()  # as an interrupt may leave it
        torch.ones(2).exp()
        graph.flush(final=True)  # a cell is over
        torch.ones(2).sin()
        graph.flush(final=True)
        assert torch._C._len_torch_function_stack() == 1
    assert "sin" in [call["op"] for call in graph.model.calls.values()]
    assert not torch._C._len_torch_function_stack()


def test_the_stand_in_is_not_taken_for_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(imported_torch.sys.modules, "torch", graphwidget)
    assert imported_torch.real_torch() is None


class Refusing(torch.optim.SGD):
    def step(self, closure: Any = None) -> None:
        raise ValueError("no step today")


def test_an_optimizer_that_fails_does_not_end_the_recording() -> None:
    with graphwidget.watch() as graph:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        (x * 3).sum().backward()
        with pytest.raises(ValueError, match="no step"):
            Refusing([x], lr=0.1).step()
        y = x.exp().sum()
        y.backward()
        z = x.sin()
        graph.bind([("", "z", z)])
    assert "z" in {row["names"][-1][1] for row in graph.model.values.values() if row["names"]}
    assert torch._C._len_torch_function_stack() == 0


def test_a_pytorch_that_lacks_something_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from graphwidget.adapters.pytorch import watcher

    def lacking(*_: Any) -> None:
        raise AttributeError("no such mode")

    monkeypatch.setattr(watcher, "TorchAdapter", lacking)
    warned = pytest.warns(UserWarning, match="lacks something")
    with warned, graphwidget.watch() as graph:
        a = graphwidget.tensor(2.0, requires_grad=True)
        (a * a).backward()
        torch.ones(2, requires_grad=True).sum().backward()
    assert [run["status"] for run in graph.model.runs.values()] == ["ok"]
