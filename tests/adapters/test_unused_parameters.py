"""Parameters that get no gradient: named where they were meant to learn, and only there."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tests.adapters.apply_fix import mended
from tests.adapters.test_diagnosis import run

STEP = """
    loss = net({}).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def training(
    members: str, forward: str, parameters: str = "net.parameters()", more: str = ""
) -> str:
    """A program that trains a network with these members and this forward."""
    return (
        "class Net(torch.nn.Module):\n"
        "    def __init__(self):\n"
        f"        super().__init__()\n        {members}\n"
        f"    def forward(self, x):\n        {forward}\n"
        f"net = Net()\nopt = torch.optim.Adam({parameters})\n"
        f"for step in range(4):{STEP.format('torch.randn(2, 4)')}{more}"
    )


TWO = "self.a = torch.nn.Linear(4, 4)\n        self.b = torch.nn.Linear(4, 4)"


def test_a_long_list_of_parameters_is_cut_short() -> None:
    members = (
        f"{TWO}\n        self.c = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(9)])"
    )
    source = training(members, "self.c(self.b(x))\n        return self.a(x)")
    (finding,), _, _ = run(source, "many")
    assert finding.text.count("net.") == 8
    assert " and 12 more." in finding.text


def test_layers_that_get_their_shapes_at_the_first_call_are_watched() -> None:
    forward = "y = torch.sigmoid(self.a(x))\n        y += 1\n        return self.b(y)"
    members = "self.a, self.b = torch.nn.LazyLinear(4), torch.nn.Linear(4, 4)"
    source = training(members, forward)
    (finding,), error, _ = run(source, "lazy")
    assert error is not None
    assert finding.culprit is not None
    assert finding.culprit.text == "y += 1"


class Plain(torch.optim.Optimizer):
    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters, {})

    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.sub_(parameter.grad)


def test_a_step_of_the_programs_own_optimizer_is_observed() -> None:
    source = "net = torch.nn.Linear(3, 1)\nopt = Plain(net.parameters())\n"
    source += "net(torch.randn(2, 3)).mean().backward()\nopt.step()\n"
    (finding,), error, _ = run(source, "own optimizer", Plain=Plain)
    assert error is not None
    assert finding.kind == "leaf"
    assert finding.culprit is not None
    assert finding.culprit.text == "parameter.sub_(parameter.grad)"


REBOUND = """
x = torch.linspace(-1, 1, 12).view(4, 3)
w = torch.zeros(3, requires_grad=True)
for turn in range(3):
    loss = (x @ w - x.sum(1)).pow(2).mean()
    loss.backward()
    w = w - 0.1 * w.grad
"""


def test_a_leaf_that_became_another_tensor_is_to_be_written_itself() -> None:
    (finding,), error, _ = run(REBOUND, "a leaf made anew")
    assert isinstance(error, TypeError)
    notes = "\n".join(error.__notes__)
    assert "w.grad is None: this line made w a new tensor" in notes
    findings, error, names = run(mended(REBOUND, finding), "a leaf made anew, mended")
    assert (findings, error) == ([], None)
    by_hand = torch.nn.Parameter(torch.zeros(3))
    step = torch.optim.SGD([by_hand], lr=0.1)
    for _ in range(3):
        step.zero_grad()
        (names["x"] @ by_hand - names["x"].sum(1)).pow(2).mean().backward()
        step.step()
    torch.testing.assert_close(names["w"], by_hand.data, check_stride=False)


SEVERAL = """
x = torch.linspace(-1, 1, 12).view(4, 3)
w, b, c = (torch.zeros(n, requires_grad=True) for n in (3, 1, 1))
for turn in range(3):
    loss = (x @ w + b * c.exp() - x.sum(1)).pow(2).mean()
    loss.backward()
    {}
"""
UPDATES = {
    "made anew": "w = w - 0.1 * w.grad\n    b = b - 0.1 * b.grad\n    c = c - 0.1 * c.grad",
    "made anew, and dropped": "w = w - 0.1 * w.grad\n    b = b - 0.1 * b.grad\n"
    "    c = c - 0.1 * c.grad\n    w.grad = b.grad = c.grad = None",
    "in place": "w -= 0.1 * w.grad\n    w.grad = None\n    b -= 0.1 * b.grad\n    b.grad = None\n"
    "    c -= 0.1 * c.grad\n    c.grad = None",
}


@pytest.mark.parametrize("name", UPDATES)
def test_steps_of_several_leaves_are_mended_at_once(name: str) -> None:
    source = SEVERAL.format(UPDATES[name])
    (finding,), error, _ = run(source, name)
    assert error is not None
    findings, error, names = run(mended(source, finding), f"{name}, mended")
    assert (findings, error) == ([], None)
    leaves = [torch.nn.Parameter(torch.zeros(n)) for n in (3, 1, 1)]
    w, b, c = leaves
    step = torch.optim.SGD(leaves, lr=0.1)
    for _ in range(3):
        step.zero_grad()
        (names["x"] @ w + b * c.exp() - names["x"].sum(1)).pow(2).mean().backward()
        step.step()
    for own, leaf in zip("wbc", leaves, strict=True):
        torch.testing.assert_close(names[own].detach(), leaf.detach(), check_stride=False)


@pytest.mark.parametrize("made", ["w = torch.ones(3, requires_grad=True) * 2", "w = net(x)"])
def test_a_gradient_that_is_none_leads_to_where_its_tensor_was_made(made: str) -> None:
    source = f"net, x = torch.nn.Linear(3, 3), torch.ones(3)\n{made}\n(w * w).sum().backward()\n"
    source += "print(w.grad.norm())\n"
    (finding,), error, _ = run(source, made)
    assert isinstance(error, AttributeError)
    assert any(made in note for note in error.__notes__)
    assert (finding.kind, finding.culprit and finding.culprit.text) == ("unused", made)
    assert run(mended(source, finding), f"{made}, mended")[:2] == ([], None)


FROZEN = """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = torch.nn.Linear(4, 4), torch.nn.Linear(4, 2)
    def forward(self, x):
        return self.head(torch.relu(self.body(x)))
net = Net()
for p in net.parameters():
    p.requires_grad = False
opt = torch.optim.SGD(net.head.parameters(), lr=0.1)
loss = net(torch.randn(3, 4)).mean()
loss.backward()
opt.step()
"""


def test_of_a_frozen_model_only_what_the_optimizer_holds_is_to_learn() -> None:
    (finding,), error, _ = run(FROZEN, "frozen")
    assert error is not None
    assert finding.culprit is not None
    assert finding.culprit.text == "p.requires_grad = False"
    findings, error, names = run(mended(FROZEN, finding), "frozen, mended")
    assert (findings, error) == ([], None)
    learns = {name for name, each in names["net"].named_parameters() if each.requires_grad}
    assert learns == {"head.weight", "head.bias"}
