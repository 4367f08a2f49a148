"""Results of ``autograd.grad`` are reported by both adapters as they come: as a call of the user's,
with its name, and after the run that computed it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

import graphwidget
from graphwidget.adapters.native import NativeAdapter
from graphwidget.adapters.pytorch.watcher import TorchAdapter
from graphwidget.recording import events as ev
from graphwidget.recording.fold import Model
from graphwidget.recording.recorder import Recorder

from .engines import _run

ENGINES = {"real": (TorchAdapter, torch), "native": (NativeAdapter, graphwidget)}
BEGIN = """
x = torch.tensor([0.5, 1.0], requires_grad=True)
u = torch.sin(x).sum()
"""
SECOND = "d2u, = torch.autograd.grad(du.sum(), x)\n"
FORMS = {
    "unpacked": "du, = torch.autograd.grad(u, x, create_graph=True)\n",
    "an item": "du = torch.autograd.grad(u, [x], create_graph=True)[0]\n",
    "returned": "def d(u, x):\n    return torch.autograd.grad(u, x, create_graph=True)[0]\n"
    "du = d(u, x)\n",
    "one of two": "y = x * 1\nu = torch.sin(y).sum()\n"
    "(other, du) = torch.autograd.grad(u, (y, x), create_graph=True)\n",
}


def observed(engine: str, source: str) -> tuple[list[Any], Model, dict[str, Any]]:
    """The events of a program, their model, and its variables."""
    adapter, library = ENGINES[engine]
    watching = adapter(Recorder())
    model, namespace = _run(source, watching, library)
    return watching.recorder.log.since(0)[1], model, namespace


def row_of(model: Model, name: str) -> Any:
    [row] = [row for row in model.values.values() if ["", name] in row["names"]]
    return row


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("engine", ENGINES)
def test_what_grad_gives_is_named_before_it_is_used(engine: str, form: str) -> None:
    events, model, _ = observed(engine, BEGIN + FORMS[form] + SECOND)
    du, d2u = (row_of(model, name) for name in ("du", "d2u"))
    calls = [(nr, event) for nr, event in enumerate(events) if isinstance(event, ev.Op)]
    [uses] = [nr for nr, event in calls if du["value"] in event.inputs]
    assert events.index(ev.Name(du["value"], "du", "")) < uses
    _, _, expected = observed("real", BEGIN + FORMS[form] + SECOND)
    for row, name in ((du, "du"), (d2u, "d2u")):
        np.testing.assert_allclose(row["summary"].values, expected[name].detach(), rtol=1e-5)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_no_op_has_made_is_reported_as_what_grad_gave(engine: str) -> None:
    source = BEGIN + FORMS["unpacked"] + "s = du.sum()\nd2u, = torch.autograd.grad(s, x)\n"
    events, model, _ = observed(engine, source)
    gave = row_of(model, "d2u")["value"]
    [call] = [row for row in model.calls.values() if gave in row["outputs"]]
    assert (call["op"], call["params"]) == ("grad", {})
    assert list(call["inputs"]) == [row_of(model, name)["value"] for name in ("s", "x")]
    # it is no value of the run's: it comes with the call, and once
    [reported] = [nr for nr, e in enumerate(events) if isinstance(e, ev.Value) and e.value == gave]
    over = [nr for nr, e in enumerate(events) if isinstance(e, ev.Done)]
    assert reported > over[-1]


@pytest.mark.parametrize(
    "options", ["retain_graph=True", "allow_unused=True", "create_graph=False"]
)
def test_both_tell_the_options_that_were_given(options: str) -> None:
    reported = []
    for engine in ENGINES:
        source = f"{BEGIN}a, b = torch.autograd.grad(u, (x, x), {options})\n"
        _, model, _ = observed(engine, source)
        reported += [row["params"] for row in model.calls.values() if row["op"] == "grad"]
    assert reported[0] == reported[1] == ({} if "False" in options else {options[:-5]: "True"})


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("ends", ["loss.backward({})", "d, = torch.autograd.grad(loss, x, {})"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_node_lets_go_when_it_has_run(engine: str, ends: str, keep: bool) -> None:
    program = BEGIN + "loss = (u * u).exp()\n" + ends.format(f"retain_graph={keep}")
    events, model, _ = observed(engine, program)
    ran = [event for event in events if isinstance(event, (ev.Start, ev.Finish, ev.Free, ev.Done))]
    freed = [
        model.nodes[event.node]["name"]
        for event, next_one in pairwise(ran)
        if isinstance(event, ev.Finish) and next_one == ev.Free(event.node)
    ]
    assert freed == ([] if keep else ["ExpBackward0", "MulBackward0", "SinBackward0"])


@pytest.mark.parametrize("engine", ENGINES)
def test_one_result_for_two_inputs_has_both_names(engine: str) -> None:
    _, model, _ = observed(engine, BEGIN + "a, b = torch.autograd.grad(u, (x, x))\n")
    [call] = [row for row in model.calls.values() if row["op"] == "grad"]
    [gave] = call["outputs"]
    assert model.values[gave]["names"] == [["", "a"], ["", "b"]]
