"""Parameters that get no gradient: named where they were meant to learn, and only there."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tests.adapters.mending import mended
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
MEANT = {
    "a layer that forward forgets": (
        "self.b = torch.nn.Linear(4, 4)",
        training(TWO, "return self.a(x)"),
    ),
    "a parameter that forward forgets": (
        "self.a, self.shift = torch.nn.Linear(4, 4), torch.nn.Parameter(torch.zeros(4))",
        training(
            "self.a, self.shift = torch.nn.Linear(4, 4), torch.nn.Parameter(torch.zeros(4))",
            "return self.a(x)",
        ),
    ),
    "a layer whose result is dropped": (
        "torch.relu(self.b(x))",
        training(TWO, "torch.relu(self.b(x))\n        return self.a(x)"),
    ),
    "a layer whose result nobody reads": (
        "y = self.b(x)",
        training(TWO, "y = self.b(x)\n        return self.a(x)"),
    ),
    "a layer that is cut off": (
        "x = self.b(x).data",
        training(TWO, "x = self.b(x).data\n        return self.a(x)"),
    ),
    "a layer where nothing is recorded": (
        "x = self.b(x)",
        training(TWO, "with torch.no_grad():\n            x = self.b(x)\n        return self.a(x)"),
    ),
    "a layer of which numbers are made": (
        "s = self.b(x).mean().item()",
        training(TWO, "s = self.b(x).mean().item()\n        return self.a(x) * s"),
    ),
    "layers in a tuple": (
        "self.b = tuple(torch.nn.Linear(4, 4) for _ in range(2))",
        training(
            "self.a = torch.nn.Linear(4, 4)\n        "
            "self.b = tuple(torch.nn.Linear(4, 4) for _ in range(2))",
            "return sum(each(self.a(x)) for each in self.b)",
        ),
    ),
    "layers in a plain dictionary": (
        "self.b = {n: torch.nn.Linear(4, 4) for n in 'xy'}",
        training(
            "self.a = torch.nn.Linear(4, 4)\n        "
            "self.b = {n: torch.nn.Linear(4, 4) for n in 'xy'}",
            "return sum(self.b[n](self.a(x)) for n in 'xy')",
        ),
    ),
    "two networks in one optimizer": (
        "z = encoder(x).detach()",
        """
encoder, decoder = torch.nn.Linear(4, 2), torch.nn.Linear(2, 4)
opt = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
for x in torch.randn(4, 3, 4):
    z = encoder(x).detach()
    loss = (decoder(z) - x).pow(2).mean()
    loss.backward()
    opt.step()
""",
    ),
}

MEANT |= {
    "a policy whose log probabilities became numbers": (
        "kept.append(dist.log_prob(dist.sample()).item())",
        """
net = torch.nn.Linear(3, 2)
opt = torch.optim.Adam(net.parameters())
for turn in range(3):
    kept = []
    for t in range(4):
        dist = torch.distributions.Categorical(logits=net(torch.randn(3)))
        kept.append(dist.log_prob(dist.sample()).item())
    loss = -torch.tensor(kept, requires_grad=True).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
""",
    ),
    "inner steps of copies without a history": (
        "fast = [p.detach().clone().requires_grad_() for p in net.parameters()]",
        """
net = torch.nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x in torch.randn(3, 4, 3):
    fast = [p.detach().clone().requires_grad_() for p in net.parameters()]
    loss = torch.nn.functional.linear(x, *fast).pow(2).mean()
    grads = torch.autograd.grad(loss, fast, create_graph=True)
    fast = [p - 0.1 * g for p, g in zip(fast, grads)]
    loss = torch.nn.functional.linear(x, *fast).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    ),
}


@pytest.mark.parametrize("name", MEANT)
def test_parameters_that_are_meant_to_learn_are_named(name: str) -> None:
    culprit, source = MEANT[name]
    (finding,), error, _ = run(source, name)
    assert error is None
    assert finding.kind == "unused"
    assert finding.culprit is not None
    assert finding.culprit.text == culprit
    findings, error, _ = run(mended(source, finding), f"{name}, mended")
    assert (findings, error) == ([], None)


def test_a_long_list_of_parameters_is_cut_short() -> None:
    members = (
        f"{TWO}\n        self.c = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(9)])"
    )
    source = training(members, "self.c(self.b(x))\n        return self.a(x)")
    (finding,), _, _ = run(source, "many")
    assert finding.text.count("net.") == 8
    assert " and 12 more." in finding.text


EXPERTS = (
    "self.gate = torch.nn.Linear(4, 4)\n        self.experts = torch.nn.ModuleList(\n            "
)
EXPERTS += "[torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU()) for _ in range(4)])"
LEGITIMATE = {
    "experts that were not chosen": training(
        EXPERTS, "p = self.gate(x).softmax(-1)\n        return self.experts[1](x) * p[:, 1:2]"
    ),
    "heads of tasks that did not come": training(
        "self.heads = torch.nn.ModuleDict({n: torch.nn.Linear(4, 4) for n in 'abc'})",
        "return self.heads['b'](x)",
    ),
    "a head that is switched off": training(
        f"{TWO}\n        self.aux = False",
        "return self.a(x) + self.b(x) if self.aux else self.a(x)",
    ),
    "a part of every tenth step": training(
        TWO, "return self.a(x)",
        more="    if step % 10 == 9:\n        net.b(torch.randn(2, 4)).mean().backward()\n",
    ),
    "a part that no optimizer holds": training(
        TWO, "return self.a(self.b(x).detach())", "net.a.parameters()"
    ),
    "a part that is frozen": training(
        f"{TWO}\n        self.b.requires_grad_(False)", "return self.a(self.b(x))"
    ),
    "a part that a moving average writes": training(
        TWO, "with torch.no_grad():\n            y = self.b(x)\n        return self.a(x) - y",
        more="    with torch.no_grad():\n"
        "        for a, b in zip(net.a.parameters(), net.b.parameters()):\n"
        "            b.lerp_(a, 0.1)\n"
        "    state = net.state_dict()\n",
    ),
    "a network that is hidden in a list": training(
        "self.a, self.b = torch.nn.Linear(4, 4), [torch.nn.Linear(4, 4)]",
        "return self.a(x) - self.b[0](x)",
    ),
    "layers found by their numbers": training(
        "self.n = 2\n        self.layer0 = torch.nn.Linear(4, 4)\n"
        "        self.layer1 = torch.nn.Linear(4, 4)",
        "return getattr(self, f'layer{self.n - 2}')(x)",
    ),
    "a token that masks nothing": training(
        "self.a, self.token = torch.nn.Linear(4, 4), torch.nn.Parameter(torch.zeros(4))",
        "return self.a(torch.where(x.isnan(), self.token, x) if x.isnan().any() else x)",
    ),
    "a step that only counts for its schedule": """
net, other = torch.nn.Linear(2, 4), torch.nn.Linear(2, 4)
opt = torch.optim.Adam(net.parameters())
schedule = torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)
x = other(torch.randn(3, 2)).detach().requires_grad_()
x.sum().backward()
for step in range(4):
    net(torch.randn(3, 2))
    opt.step()
    schedule.step()
""",
    "a bias on which no force depends": """
energy = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.SiLU(), torch.nn.Linear(8, 1))
opt = torch.optim.Adam(energy.parameters())
for step in range(4):
    x = torch.randn(5, 3, requires_grad=True)
    force = -torch.autograd.grad(energy(x).sum(), x, create_graph=True)[0]
    loss = (force - x.detach()).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
""",
    "a generator whose turn has not come": """
G, D = torch.nn.Linear(2, 4), torch.nn.Linear(4, 1)
g_opt, d_opt = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
for step in range(4):
    loss = D(G(torch.randn(3, 2)).detach()).mean() - D(torch.randn(3, 4)).mean()
    d_opt.zero_grad()
    loss.backward()
    d_opt.step()
""",
}  # fmt: skip


@pytest.mark.parametrize("name", LEGITIMATE)
def test_parameters_that_may_go_without_a_gradient_are_not_spoken_of(name: str) -> None:
    assert run(LEGITIMATE[name], name)[:2] == ([], None)


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


def test_a_step_of_the_programs_own_optimizer_is_heard() -> None:
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
