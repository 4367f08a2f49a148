"""Gradients that a helper switches off and leaves so: the switch is told, and no line after it."""

from __future__ import annotations

import pytest

from tests.adapters.mending import mended
from tests.adapters.test_diagnosis import run

TRAINED = """
net, x = torch.nn.Linear(3, 1), torch.randn(4, 3)
def evaluate():
    {}
    total = 0
    for _ in range(2):
        total += net(x).mean()
    return total
for epoch in range(2):
    loss = net(x).pow(2).mean()
    loss.backward()
    score = evaluate()
"""
BY_PHASE = """
net, x = torch.nn.Linear(3, 1), torch.randn(4, 3)
def epoch(phase):
    torch.set_grad_enabled(phase == "train") if phase == "val" else None
    for _ in range(2):
        loss = net(x).pow(2).mean()
        if phase == "train":
            loss.backward()
    return loss
for phase in ("train", "val", "train", "val"):
    score = epoch(phase)
"""
SWITCHES = {
    "a switch": TRAINED.format("torch.set_grad_enabled(False)"),
    "a switch by a name": TRAINED.format("torch.autograd.set_grad_enabled(False)"),
    "a block that is only entered": TRAINED.format("torch.no_grad().__enter__()"),
    "a switch by the phase": BY_PHASE,
}


@pytest.mark.parametrize("name", SWITCHES)
def test_the_switch_is_named_and_becomes_a_block(name: str) -> None:
    (finding,), error, _ = run(SWITCHES[name], name)
    assert error is not None
    assert finding.kind == "no_grad"
    assert finding.culprit is not None
    assert finding.culprit.line == 4
    assert finding.reader is not None
    assert finding.reader.text == "loss.backward()"
    findings, error, names = run(mended(SWITCHES[name], finding), f"{name}, mended")
    assert (findings, error) == ([], None)
    assert not names["score"].requires_grad  # what was to be without gradients still is


def test_a_switch_before_the_loss_itself_is_turned() -> None:
    source = "net, x = torch.nn.Linear(3, 1), torch.randn(4, 3)\n"
    source += (
        "def off():\n    torch.set_grad_enabled(False)\n{}loss = net(x).mean()\nloss.backward()"
    )
    (finding,), _, _ = run(source.format("torch.set_grad_enabled(False)\n"), "turned")
    assert finding.fix == "torch.set_grad_enabled(True)"
    (finding,), _, _ = run(source.format("off()\n"), "in a function")
    assert finding.culprit is not None
    assert finding.culprit.line == 3
    assert finding.fix == ""  # nothing stands there that a block could be made of


def test_a_generator_that_waits_within_a_block_is_named() -> None:
    source = """
net, x = torch.nn.Linear(3, 1), torch.randn(4, 3)
def batches():
    with torch.no_grad():
        for _ in range(2):
            yield x * 2
for each in batches():
    net(each).mean().backward()
"""
    (finding,), _, _ = run(source, "generator")
    assert finding.culprit is not None
    assert finding.culprit.text == "with torch.no_grad():"


def test_a_switch_that_is_back_on_is_not_blamed() -> None:
    source = """
net, x = torch.nn.Linear(3, 1), torch.randn(4, 3)
torch.set_grad_enabled(False)
net(x)
torch.set_grad_enabled(True)
with torch.no_grad():
    y = net(x)
y.mean().backward()
"""
    (finding,), _, _ = run(source, "back on")
    assert finding.culprit is not None
    assert finding.culprit.text == "y = net(x)"
