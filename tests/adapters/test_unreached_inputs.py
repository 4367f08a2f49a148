"""``autograd.grad`` by what was not used: reported is where it was made, or lost its history."""

from __future__ import annotations

import re

import pytest
import torch

from graphwidget.adapters.pytorch import unreached_inputs
from tests.adapters.apply_fix import mended
from tests.adapters.test_diagnosis import run

START = "x = torch.rand(5, 2, requires_grad=True)\nnet = torch.nn.Linear(2, 1)\n"
MENDED = {
    "a part that is taken in the line itself": (
        "g = torch.autograd.grad(u.sum(), x[:, :1], create_graph=True)[0]",
        "u = net(x)\ng = torch.autograd.grad(u.sum(), x[:, :1], create_graph=True)[0]\n",
    ),
    "a part that was taken too late": (
        "a, b = x[:, :1], x[:, 1:]",
        "u = net(x)\na, b = x[:, :1], x[:, 1:]\n"
        "g = torch.autograd.grad(u.sum(), b, create_graph=True)[0]\n",
    ),
    "a detach on the way": (
        "u = net(x.detach())",
        "u = net(x.detach())\ng = torch.autograd.grad(u.sum(), x)[0]\n",
    ),
    "numpy on the way": (
        "u = net(torch.tensor(x.detach().numpy() * 2))",
        "u = net(torch.tensor(x.detach().numpy() * 2))\n"
        "g = torch.autograd.grad(outputs=u.sum(), inputs=[x])[0]\n",
    ),
}


@pytest.mark.parametrize("name", MENDED)
def test_the_line_is_named_where_the_way_to_it_ends(name: str) -> None:
    culprit, source = MENDED[name]
    (finding,), error, _ = run(START + source, name)
    assert error is not None
    assert finding.kind == "unused"
    assert finding.culprit is not None
    assert finding.culprit.text == culprit
    findings, error, names = run(mended(START + source, finding), f"{name}, mended")
    assert (findings, error) == ([], None)
    scale = 2 if "numpy" in name else 1
    column = names["net"].weight[0, {1: 1, 2: slice(None)}[names["g"].shape[1]]]
    if "itself" in name:
        column = names["net"].weight[0, 0]
    assert torch.equal(names["g"], (scale * column).expand_as(names["g"]))


@pytest.mark.parametrize("older", [False, True])
def test_what_has_no_part_in_it_is_reported_by_its_shape(
    older: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if older:  # an error that does not say which of the inputs
        monkeypatch.setattr(unreached_inputs, "INDEX", re.compile("(never) said"))
    source = "other = torch.nn.Linear(3, 4)\n"
    source += "torch.autograd.grad(net(x).sum(), [*net.parameters(), *other.parameters()])\n"
    (finding,), error, _ = run(START + source, "another")
    assert error is not None
    assert "input 2 (shape [4, 3])" in finding.text
    assert "allow_unused=True" in finding.text
    assert finding.culprit is None


def test_what_may_go_unused_is_not_spoken_of() -> None:
    source = "g = torch.autograd.grad(net(x).sum(), x[:, :1], allow_unused=True)\n"
    assert run(START + source, "allowed")[:2] == ([], None)
