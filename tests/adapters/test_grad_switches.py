"""Gradients that a helper switches off and leaves so: the switch is reported, and no line after
it."""

from __future__ import annotations

import linecache
from typing import Any

import pytest
import torch

from tests.adapters.apply_fix import mended
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


LIBRARY = """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(3, 1)
    def forward(self, x):
        return self.head(x)
"""


def test_the_block_of_the_program_is_named_and_not_a_line_of_a_library() -> None:
    file = "<a library>"
    linecache.cache[file] = (len(LIBRARY), None, LIBRARY.splitlines(True), file)
    library: dict[str, Any] = {"torch": torch, "__name__": "library"}
    exec(compile(LIBRARY, file, "exec"), library)
    source = "net, x = Net(), torch.randn(4, 3)\nwith torch.no_grad():\n    y = net(x)\n"
    source += "y.mean().backward()"
    (finding,), _, _ = run(source, "calls a library", Net=library["Net"])
    assert finding.culprit is not None
    assert finding.culprit.file == "<broken calls a library>"
    assert finding.culprit.text == "y = net(x)"
    repaired = run(mended(source, finding), "calls a library, mended", Net=library["Net"])
    assert repaired[:2] == ([], None)


BY_HAND = """
w, x = torch.randn(3, requires_grad=True), torch.randn(8, 3)
for turn in range(3):
    loss = (x @ w).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        w = w - 0.1 * w.grad
"""


def test_a_step_by_hand_in_a_block_writes_the_leaf_itself() -> None:
    (finding,), error, _ = run(BY_HAND, "by hand")
    assert error is not None
    assert finding.culprit is not None
    assert finding.culprit.text == "w = w - 0.1 * w.grad"
    findings, error, names = run(mended(BY_HAND, finding), "by hand, mended")
    assert (findings, error) == ([], None)
    assert names["w"].is_leaf
    torch.manual_seed(0)  # what SGD does
    w, x = torch.randn(3, requires_grad=True), torch.randn(8, 3)
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (x @ w).pow(2).mean().backward()
        optimizer.step()
    torch.testing.assert_close(names["w"], w)  # which rounds once less
