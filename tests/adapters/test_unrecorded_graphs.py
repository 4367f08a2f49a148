"""A graph that was there before anybody recorded is reported as its nodes know it."""

from __future__ import annotations

from typing import Any

import torch as pytorch

import graphwidget as torch
from graphwidget.adapters.names import named
from graphwidget.adapters.native import NativeAdapter
from graphwidget.adapters.pytorch.watcher import TorchAdapter
from graphwidget.exporters.graphviz import digraph
from graphwidget.exporters.labels import in_a_line
from graphwidget.recording import events as ev
from graphwidget.recording.fold import Model
from graphwidget.recording.recorder import Recorder


def reported(tensor: torch.Tensor, **names: Any) -> Model:
    adapter = NativeAdapter(Recorder())
    with adapter.observing():
        adapter.identity.current(tensor)
        adapter.bind(named(names))
        adapter.drain()
    return adapter.recorder.log.model()


def root(tensor: Any) -> int:
    """The value that a tensor is."""
    found: int = tensor._rec.id
    return found


def way(model: Model, value: Any) -> Any:
    """A value as the calls that made it: ``("mul", "x", "w")``; names where there are any."""
    if isinstance(value, str):
        return value
    row = model.values[value]
    if row["call"] is None or row["names"]:
        return row["names"][-1][1] if row["names"] else "?"
    call = model.calls[row["call"]]
    return (call["op"], *(way(model, each) for each in call["inputs"]))


def the(model: Model, op: str) -> ev.Summary:
    """The summary of what a call made."""
    [call] = [call for call in model.calls.values() if call["op"] == op]
    return ev.Summary(*model.values[call["outputs"][0]]["summary"])


def test_each_node_is_a_call() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    y = (torch.exp(x * w) + x.t()).sum()
    model = reported(y, x=x, w=w)
    assert way(model, root(y)) == ("sum", ("add", ("exp", ("mul", "x", "w")), ("t", "x")))
    assert len(model.nodes) == 7


def test_what_no_node_kept_has_no_numbers() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    y = (torch.exp(x * w) + x.t()).sum()
    model = reported(y, x=x, w=w)
    mul, exp, t = the(model, "mul"), the(model, "exp"), the(model, "t")
    assert (tuple(mul.shape), mul.dtype, mul.values, mul.stats) == ((2,), "float32", None, None)
    assert tuple(exp.values or ()) == tuple((x * w).exp().tolist())
    assert (t.dtype, t.values, t.stats) == ("", None, None)
    assert tuple(the(model, "add").shape) == (2,)
    assert tuple(the(model, "sum").values or ()) == (y.item(),)


def test_what_was_neither_saved_nor_differentiated_is_left_open() -> None:
    x = torch.ones(2, requires_grad=True)
    y = (x + torch.ones(2)).sum()
    model = reported(y, x=x)
    assert way(model, root(y)) == ("sum", ("add", "x", "…"))


def test_lists_and_several_outputs() -> None:
    x = torch.arange(6.0).requires_grad_()
    parts = torch.cat([x, x * 2]).reshape(2, 6).max(dim=0)
    y = parts.values.sum()
    model = reported(y, x=x)
    text = str(way(model, root(y)))
    assert text.startswith("('sum', ('max")
    assert "('cat', 'x', ('mul', 'x', '2'))" in text


def test_such_a_graph_has_a_still_picture() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    model = reported(torch.exp((x * 3).t()).sum(), x=x)
    assert in_a_line(the(model, "t")) == "not recorded"
    assert in_a_line(the(model, "mul")) == "(2, 3)"
    assert digraph(model, None).source


def reported_of_pytorch(tensor: pytorch.Tensor, **names: pytorch.Tensor) -> tuple[Model, int]:
    adapter = TorchAdapter(Recorder())
    with adapter.observing():
        value = adapter.shown(tensor)
        adapter.bind(("", name, each) for name, each in names.items())
        adapter.drain()
    return adapter.recorder.log.model(), value


def test_each_node_of_pytorch_is_a_call() -> None:
    x = pytorch.tensor([1.0, 2.0], requires_grad=True)
    w = pytorch.tensor([3.0, 4.0], requires_grad=True)
    y = ((x * w).exp() + x**3).log_softmax(-1).sum()
    model, value = reported_of_pytorch(y, x=x, w=w)
    expected = ("sum", ("log_softmax", ("add", ("exp", ("mul", "x", "w")), ("pow", "x"))))
    assert way(model, value) == expected
    assert the(model, "exp").shape == (2,)
    [power] = [call for call in model.calls.values() if call["op"] == "pow"]
    assert power["params"] == {"exponent": "3"}


def test_tensors_of_pytorch_that_are_met_later_are_the_values_between() -> None:
    x = pytorch.arange(4.0).requires_grad_()
    a, b = (x * 2).chunk(2)
    model, value = reported_of_pytorch((a * b).sum(), x=x, a=a, b=b)
    assert way(model, value) == ("sum", ("mul", "a", "b"))
    [parts] = [call for call in model.calls.values() if len(call["outputs"]) == 2]
    reported = [list(model.values[each]["summary"][2]) for each in parts["outputs"]]
    assert reported == [a.tolist(), b.tolist()]
