"""Several statements on one line: the fix changes the right one, and leaves the others as they
are."""

from __future__ import annotations

import pytest
import torch

from tests.adapters.apply_fix import mended
from tests.adapters.test_diagnosis import run

START = """net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 1))
x, w, b = torch.randn(4, 3), torch.ones(3, requires_grad=True), torch.zeros(1, requires_grad=True)
turns = 1
"""
LINES = {
    "a write of what is made there": "h = torch.sigmoid(net[0](x)); h += 1; loss = net[1](h).mean()"
    "\nloss.backward()",
    "a slice": "h = net[0](x).exp(); h[0] = 0; loss = h.mean(); loss.backward()",
    "one of two writes": "h = net[0](x) * 1; g = h.exp(); g += 1; h += 1; loss = (h + g).mean()"
    "\nloss.backward()",
    "in a loop's line": "for i in range(2): h = net[0](x).exp(); h += 1; h.mean().backward()",
    "after a condition": "h = net[0](x).exp()\nif turns: h += 1\nnet[1](h).mean().backward()",
    "through data": "h = net[0](x).exp(); h.data.mul_(2); h.mean().backward()",
    "a view": "h, g = net[0](x).unbind(0)[:2]; h.mul_(2); (h + g).mean().backward()",
    "a block's line": "with torch.no_grad(): h = net[0](x); y = net[1](h)\nloss = y.mean()\n"
    "loss.backward()",
    "a detach": "h = net[0](x); y = h.detach(); loss = y.mean(); loss.backward()",
}
STEPS = {
    "with all else": "loss = (x @ w + b).pow(2).mean(); loss.backward(); w -= 0.1 * w.grad; "
    "b -= 0.1 * b.grad; w.grad = None; b.grad = None; turns += 1",
    "on two lines": "loss = (x @ w + b).pow(2).mean(); loss.backward()\nw -= 0.1 * w.grad; "
    "b -= 0.1 * b.grad\nw.grad = None; b.grad = None; turns += 1",
    "in a loop's line": "for leaf in ((x @ w + b).pow(2).mean().backward(), (w, b))[1]: "
    "leaf -= 0.1 * leaf.grad; leaf.grad = None\nturns += 1",
    "made anew": "for _ in range(2): loss = (x @ w + b).pow(2).mean(); loss.backward(); "
    "w = w - 0.1 * w.grad; b = b - 0.1 * b.grad; turns += 0.5",
}


@pytest.mark.parametrize("name", LINES)
def test_the_right_statement_is_mended(name: str) -> None:
    source = START + LINES[name]
    (finding,), _, names = run(source, name)
    findings, error, names = run(mended(source, finding), f"{name}, mended")
    assert (findings, error) == ([], None)
    assert names["net"][0].weight.grad is not None
    assert "still fail" not in finding.tried


@pytest.mark.parametrize("name", STEPS)
def test_steps_on_a_line_are_under_no_grad_and_nothing_else_is(name: str) -> None:
    source = START + STEPS[name]
    (finding,), error, _ = run(source, name)
    assert error is not None
    assert "still fail" not in finding.tried
    findings, error, names = run(mended(source, finding), f"{name}, mended")
    assert (findings, error) == ([], None)
    assert names["turns"] == 2
    w, b = torch.ones(3, requires_grad=True), torch.zeros(1, requires_grad=True)
    step = torch.optim.SGD([w, b], lr=0.1)
    for _ in range(2 if name == "made anew" else 1):
        step.zero_grad()
        (names["x"] @ w + b).pow(2).mean().backward()
        step.step()
    torch.testing.assert_close(names["w"].detach(), w.detach())
    torch.testing.assert_close(names["b"].detach(), b.detach())


def test_where_it_is_not_known_which_one_it_is_no_code_is_offered() -> None:
    source = START + "h = net[0](x).exp(); h += 1; h *= 2; loss = h.mean(); loss.backward()"
    (finding,), _, _ = run(source, "two of one")
    assert finding.fix == ""
    assert "h was overwritten" in finding.text


def test_of_two_writes_that_both_are_faults_no_trial_says_that_one_change_is_enough() -> None:
    source = START + "h = net[0](x).exp(); g = h.exp(); g += 1; h += 1\n(h + g).mean().backward()"
    (finding,), _, _ = run(source, "two faults")
    assert finding.tried == ""
    source = mended(source, finding)
    (finding,), _, _ = run(source, "the second")
    assert run(mended(source, finding), "both mended")[:2] == ([], None)
