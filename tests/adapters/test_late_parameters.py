"""Optimizers that were made before what learns: reported, and only where that was not meant."""

from __future__ import annotations

import numpy as np
import pytest

from tests.adapters.apply_fix import mended
from tests.adapters.test_diagnosis import run
from tests.adapters.test_unused_parameters import STEP

ADAPTED = """
class Adapted(torch.nn.Module):
    def __init__(self, base):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.low = torch.nn.Linear(4, 4, bias=False)
    def forward(self, x):
        return self.base(x) + self.low(x)
base = torch.nn.Linear(4, 4)
"""
THAWED = """
net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
for p in net[0].parameters():
    p.requires_grad = False
opt = torch.optim.Adam((p for p in net.parameters() if p.requires_grad), lr=0.1)
for epoch in range(4):
    if epoch == 2:
        net.requires_grad_(True)
"""
LATE = {
    "made before the adapter": (
        "net = Adapted(base)",
        f"{ADAPTED}opt = torch.optim.Adam(base.parameters())\nnet = Adapted(base)\n"
        f"for step in range(4):{STEP.format('torch.randn(2, 4)')}",
    ),
    "made before the adapter of the same name": (
        "net = Adapted(net)",
        f"{ADAPTED}net = base\nopt = torch.optim.Adam(net.parameters())\nnet = Adapted(net)\n"
        f"for step in range(4):{STEP.format('torch.randn(2, 4)')}",
    ),
    "thawed later": (
        "opt = torch.optim.Adam((p for p in net.parameters() if p.requires_grad), lr=0.1)",
        THAWED + STEP.format("torch.randn(2, 4)").replace("\n", "\n    ").rstrip() + "\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LATE)
def test_an_optimizer_that_was_made_without_what_learns_later(name: str) -> None:
    culprit, source = LATE[name]
    (finding,), error, names = run(source, name)
    assert error is None
    assert (finding.kind, finding.culprit and finding.culprit.text) == ("unused", culprit)
    held = {id(p) for group in names["opt"].param_groups for p in group["params"]}
    learning = [p for p in names["net"].parameters() if p.requires_grad]
    assert any(id(p) not in held for p in learning)
    findings, error, names = run(mended(source, finding), f"{name}, mended")
    assert error is None
    assert findings == []
    held = {id(p) for group in names["opt"].param_groups for p in group["params"]}
    assert all(id(p) in held for p in names["net"].parameters() if p.requires_grad)


TRAINED = """
net = torch.nn.Linear(3, 2)
opt = torch.optim.Adam(net.parameters())
for turn in range(3):
    probs = torch.sigmoid(net(torch.ones(4, 3))).detach().numpy()
    loss = torch.from_numpy(np.asarray((probs ** 2).mean()))
    loss.requires_grad = True
    opt.zero_grad()
    (loss / 2).backward()
    opt.step()
"""


def test_a_loss_of_an_arrays_numbers_that_is_scaled() -> None:
    (finding,), error, names = run(TRAINED, "of an array", np=np)
    assert error is None
    assert names["net"].weight.grad is None
    assert finding.culprit is not None
    assert finding.culprit.text == "probs = torch.sigmoid(net(torch.ones(4, 3))).detach().numpy()"
    _, error, names = run(mended(TRAINED, finding), "of an array, mended", np=np)
    assert names["net"].weight.grad is not None
