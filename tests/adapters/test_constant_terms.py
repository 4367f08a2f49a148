"""Gradients without a graph, added to a loss: told, and only where they teach nothing."""

from __future__ import annotations

import pytest

from tests.adapters.mending import mended
from tests.adapters.test_diagnosis import run

CRITIC = """
critic = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
opt = torch.optim.Adam(critic.parameters())
for turn in range(3):
    x = torch.randn(4, 3, requires_grad=True)
    grad = torch.autograd.grad(critic(x).sum(), x)[0]
    penalty = ((grad.norm(2, dim=1) - 1) ** 2).mean()
    loss = critic(x).mean() - critic(torch.randn(4, 3)).mean() + 10 * penalty
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def test_a_penalty_on_gradients_that_have_no_graph() -> None:
    (finding,), error, _ = run(CRITIC, "penalty")
    assert error is None
    assert finding.kind == "unused"
    assert finding.culprit is not None
    assert finding.reader is not None
    assert finding.culprit.text == "grad = torch.autograd.grad(critic(x).sum(), x)[0]"
    assert finding.reader.text.startswith("loss = ")
    findings, error, names = run(mended(CRITIC, finding), "penalty, mended")
    assert error is None
    assert findings == []
    assert names["penalty"].requires_grad


LINE = "    grad = torch.autograd.grad(critic(x).sum(), x)[0]\n"
RIGHT = {
    "cut off on purpose": CRITIC.replace("10 * penalty", "penalty.detach()"),
    "a factor": CRITIC.replace("- critic(torch.randn(4, 3)).mean() + 10 *", "*"),
    "samples that follow it": CRITIC.replace(" + 10 * penalty", "").replace(
        LINE, f"{LINE}    x = (x - 0.1 * grad).detach()\n"
    ),
    "backward to some inputs": CRITIC.replace(LINE, "    critic(x).sum().backward(inputs=[x])\n")
    .replace("    penalty = ((grad.norm(2, dim=1) - 1) ** 2).mean()\n", "")
    .replace(" + 10 * penalty", ""),
    "a step of what learns by itself": """
net = torch.nn.Linear(3, 1)
opt = torch.optim.Adam(net.parameters())
x = torch.randn(4, 3)
for turn in range(3):
    fast = dict(net.named_parameters())
    grads = torch.autograd.grad(net(x).pow(2).mean(), list(fast.values()))
    fast = {name: p - 0.1 * g for (name, p), g in zip(fast.items(), grads)}
    loss = torch.func.functional_call(net, fast, (x,)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
}


@pytest.mark.parametrize("name", RIGHT)
def test_gradients_that_are_constants_on_purpose(name: str) -> None:
    findings, error, _ = run(RIGHT[name], name)
    assert error is None
    assert findings == []
