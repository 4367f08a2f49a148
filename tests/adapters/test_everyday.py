"""Faults of everyday programs: found at their lines, and mended by the fix; and what looks like
them and is right."""

from __future__ import annotations

import pytest

from tests.adapters.mending import Broken, mended
from tests.adapters.test_diagnosis import run

TRAINED = """
for step in range(4):
    loss = net(torch.randn(5, 4)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
LISTED = """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers, self.out = None, torch.nn.Linear(4, 1)
        self.layers = [torch.nn.Linear(4, 4) for _ in range(2)]
    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.out(x)
net = Net()
opt = torch.optim.Adam(net.parameters())
"""
REPLACED = """
net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
net.head = torch.nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net.head = torch.nn.Linear(4, 1)
"""

EVERYDAY = {
    "inference mode": Broken(
        "no_grad", "logits = head(features)", "with torch.inference_mode():", True,
        """
body, head = torch.nn.Linear(4, 4), torch.nn.Linear(4, 2)
with torch.inference_mode():
    features = body(torch.randn(3, 4))
logits = head(features)
logits.sum().backward()
""",
    ),
    "a plain list of modules": Broken(
        "unused", "x = torch.relu(layer(x))",
        "self.layers = [torch.nn.Linear(4, 4) for _ in range(2)]", True, LISTED + TRAINED,
    ),
    "an optimizer of the old head": Broken(
        "unused", None, "net.head = torch.nn.Linear(4, 1)", True, REPLACED + TRAINED,
    ),
    "an optimizer of the copy's original": Broken(
        "unused", None, "opt = torch.optim.SGD(old.parameters(), lr=0.1)", True,
        """
import copy
old = torch.nn.Linear(4, 1)
net = copy.deepcopy(old)
opt = torch.optim.SGD(old.parameters(), lr=0.1)
""" + TRAINED,
    ),
    "a loss by numpy": Broken(
        "no_grad", None, "loss = torch.tensor(rmse(guess.data.numpy(), y.numpy()))", True,
        """
import numpy as np
def rmse(guess, target):
    return np.sqrt(np.mean((guess - target) ** 2))
net, x, y = torch.nn.Linear(4, 1), torch.randn(5, 4), torch.randn(5, 1)
guess = net(x)
loss = torch.tensor(rmse(guess.data.numpy(), y.numpy()))
loss.backward()
""",
    ),
    "a loss that counts": Broken(
        "no_grad", "loss.backward()", "guess = net(x).argmax(1)", True,
        """
net, x, y = torch.nn.Linear(4, 3), torch.randn(5, 4), torch.randint(0, 3, (5,))
guess = net(x).argmax(1)
loss = (guess != y).float().mean()
loss.backward()
""",
    ),
    "a loss that was made a leaf": Broken(
        "no_grad", "loss.backward()",
        "loss = torch.autograd.Variable(loss.data, requires_grad=True)", True,
        """
net = torch.nn.Linear(4, 1)
loss = net(torch.randn(5, 4)).mean()
loss = torch.autograd.Variable(loss.data, requires_grad=True)
loss.backward()
""",
    ),
    "a parameter of a parameter": Broken(
        "unused", None, "return torch.nn.Parameter(base * 2)", True,
        """
base, head = torch.nn.Parameter(torch.randn(4, 4)), torch.nn.Linear(4, 1)
opt = torch.optim.SGD([base, *head.parameters()], lr=0.1)
def weight():
    return torch.nn.Parameter(base * 2)
def net(x):
    return head(x @ weight())
""" + TRAINED,
    ),
    "a list of losses": Broken(
        "freed", "loss = net(torch.randn(5, 4)).pow(2).mean()",
        "total = torch.stack(losses).mean()", True,
        """
net, losses = torch.nn.Linear(4, 1), []
for step in range(3):
    loss = net(torch.randn(5, 4)).pow(2).mean()
    losses.append(loss)
    total = torch.stack(losses).mean()
    total.backward()
""",
    ),
    "a closure over what was computed once": Broken(
        "freed", "known = torch.tanh(net(x))", "loss = head(known).pow(2).mean()", True,
        """
net, head, x = torch.nn.Linear(4, 4), torch.nn.Linear(4, 1), torch.randn(5, 4)
known = torch.tanh(net(x))
opt = torch.optim.LBFGS(head.parameters(), max_iter=3)
def closure():
    loss = head(known).pow(2).mean()
    loss.backward()
    return loss
opt.step(closure)
""",
    ),
    "a step in another function": Broken(
        "stale", "loss = net(x).mean(), net(x).pow(2).mean()", "opt.step()", False,
        """
net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
def learn(loss):
    opt.zero_grad()
    loss.backward()
    opt.step()
def step(x):
    loss = net(x).mean(), net(x).pow(2).mean()
    learn(loss[0])
    learn(loss[1])
step(torch.randn(5, 4))
""",
    ),
    "a buffer that is filled anew": Broken(
        "stale", "a = w * noise", "torch.randn(3, out=noise)", True,
        """
w, noise = torch.ones(3, requires_grad=True), torch.ones(3)
a = w * noise
torch.randn(3, out=noise)
(a + w * noise).sum().backward()
""",
    ),
    "a weight that its embedding shortens": Broken(
        "stale", "scores = x @ items.weight.t()", "chosen = items(torch.tensor([1]))", True,
        """
items, x = torch.nn.Embedding(3, 4, max_norm=0.1), torch.randn(2, 4, requires_grad=True)
scores = x @ items.weight.t()
chosen = items(torch.tensor([1]))
(scores.sum() + chosen.sum()).backward()
""",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EVERYDAY)
def test_it_is_found_and_mended(name: str) -> None:
    wanted = EVERYDAY[name]
    (finding,), _, _ = run(wanted.source, name)
    assert finding.kind == wanted.kind
    assert finding.culprit is not None
    assert finding.culprit.text == wanted.culprit
    assert wanted.reader in (None, finding.reader and finding.reader.text)
    assert finding.fix
    if wanted.mended:
        assert run(mended(wanted.source, finding), f"{name}, mended")[:2] == ([], None)


@pytest.mark.parametrize("made", ["w = torch.ones(3, requires_grad=True) * 2", "w = net(x)"])
def test_a_gradient_that_is_none_leads_to_where_its_tensor_was_made(made: str) -> None:
    source = f"net, x = torch.nn.Linear(3, 3), torch.ones(3)\n{made}\n(w * w).sum().backward()\n"
    source += "print(w.grad.norm())\n"
    (finding,), error, _ = run(source, made)
    assert isinstance(error, AttributeError)
    assert any(made in note for note in error.__notes__)
    assert (finding.kind, finding.culprit and finding.culprit.text) == ("unused", made)
    assert run(mended(source, finding), f"{made}, mended")[:2] == ([], None)


RIGHT = {
    "only a head is trained": """
net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 1))
opt = torch.optim.Adam(net[1].parameters())
"""
    + TRAINED,
    "a model that lends its gradients": """
judge, pupil = torch.nn.Linear(1, 1), torch.nn.Linear(4, 1)
def net(x):
    return judge(pupil(x))
opt = torch.optim.Adam(pupil.parameters())
"""
    + TRAINED,
    "weights kept in another precision": """
net = torch.nn.Linear(4, 1)
own = [p.detach().clone().requires_grad_() for p in net.parameters()]
opt = torch.optim.SGD(own, lr=0.1)
for step in range(4):
    net(torch.randn(5, 4)).pow(2).mean().backward()
    for p, mine in zip(net.parameters(), own):
        mine.grad, p.grad = p.grad, None
    opt.step()
    with torch.no_grad():
        for p, mine in zip(net.parameters(), own):
            p.copy_(mine)
""",
    "a gradient for a detached copy": """
w = torch.ones(3, requires_grad=True)
h = (w * 2).detach().requires_grad_()
h.exp().sum().backward()
(w * 2).backward(h.grad)
""",
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_is_not_accused(name: str) -> None:
    assert run(RIGHT[name], name)[:2] == ([], None)


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
