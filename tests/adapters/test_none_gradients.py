"""Gradients that are None where a program needs them: reported is why they are."""

from __future__ import annotations

import pytest

from graphwidget.recording.findings import Finding
from tests.adapters.apply_fix import mended
from tests.adapters.test_diagnosis import run as watched

TWO = "net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 1))\n"
PAIR = "x, y = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)\n"
FUNCTION = """
def gradient(u, x):
    return torch.autograd.grad(u.sum(), x, create_graph=True, allow_unused=True)[0]
x, net = torch.rand(5, 2, requires_grad=True), torch.nn.Linear(2, 1)
"""
CUT = TWO + "h = net[0](torch.randn(4, 3)).detach()\nnet[1](h).mean().backward()\n"
ONE = "w = torch.ones(3, requires_grad=True)\n"
MENDED = {
    "given by a function": (
        "u = net(x.detach())",
        FUNCTION + "u = net(x.detach())\ng = gradient(u, x)\nloss = g.pow(2).mean()\n",
    ),
    "one of two": (
        "loss = (x * y.detach()).sum()",
        PAIR + "loss = (x * y.detach()).sum()\n"
        "gx, gy = torch.autograd.grad(loss, [x, y], allow_unused=True)\nnorm = 0.1 * gy\n",
    ),
    "asserted in a loop": (
        "h = net[0](torch.randn(4, 3)).detach()",
        CUT + "for name, p in net.named_parameters():\n    assert p.grad is not None, name\n",
    ),
    "asserted of all": (
        "h = net[0](torch.randn(4, 3)).detach()",
        CUT + "assert all(p.grad is not None for p in net.parameters())\n",
    ),
    "copied by its numbers": (
        "loss = (torch.tensor(w) * 2).sum() + net.weight.sum()",
        ONE + "net = torch.nn.Linear(2, 1)\n"
        "loss = (torch.tensor(w) * 2).sum() + net.weight.sum()\n"
        "loss.backward()\nassert w.grad is not None\n",
    ),
    "needs none": (
        "x = torch.randn(4, 3)",
        "x = torch.randn(4, 3)\n" + TWO + "net(x).mean().backward()\nnorm = x.grad.norm()\n",
    ),
    "frozen": (
        "net[0].weight.requires_grad_(False)",
        TWO + "net[0].weight.requires_grad_(False)\nnet(torch.randn(4, 3)).mean().backward()\n"
        "assert net[0].weight.grad is not None\n",
    ),
}
TOLD = {
    "dropped": (
        ONE + "(w * 2).sum().backward()\nw.grad = None\nlr = 0.1 * w.grad\n",
        "backward gave it one, and it was set to None since",
        "w.grad = None",
    ),
    "dropped by an optimizer": (
        TWO + "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "net(torch.randn(4, 3)).mean().backward()\nopt.zero_grad()\nnet[0].bias.grad.norm()\n",
        "set to None since",
        "opt.zero_grad()",
    ),
    "before backward": (ONE + "loss = (w * 2).sum()\n0.1 * w.grad\n", "no backward has run", None),
    "not in the loss": (
        TWO + "net[0](torch.randn(4, 3)).mean().backward()\n"
        "sum(p.grad.norm() for p in net.parameters())\n",
        "to net[1].weight. It was given to no call",
        None,
    ),
    "another one is cut off and read": (
        PAIR + "loss = y.sum()\nother = (x * 2).sum()\nother.detach() + other.item()\n"
        "gx, gy = torch.autograd.grad(loss, [x, y], allow_unused=True)\nnorm = 0.1 * gx\n",
        "gx is None, given so on line 5. No gradient leads from loss to x. It was given to no call",
        None,
    ),
    "one of a list": (
        TWO + "grads = torch.autograd.grad(net[0](torch.randn(4, 3)).mean(), net.parameters(), "
        "allow_unused=True)\nnew = [p - 0.1 * g for p, g in zip(net.parameters(), grads)]\n",
        "g is None, given so on line 2. No gradient leads",
        None,
    ),
}


def found_in(source: str, name: str) -> Finding:
    (finding,), error, _ = watched(source, name)
    assert isinstance(error, TypeError | AttributeError | AssertionError)
    assert [*finding.lines()] == error.__notes__
    return finding


@pytest.mark.parametrize("name", MENDED)
def test_the_line_that_lost_it_is_named_and_mended(name: str) -> None:
    culprit, source = MENDED[name]
    finding = found_in(source, name)
    assert finding.culprit is not None
    assert finding.culprit.text == culprit
    assert finding.reader is not None
    assert finding.reader.line == len(source.splitlines())
    assert watched(mended(source, finding), f"{name}, mended")[:2] == ([], None)


@pytest.mark.parametrize("name", TOLD)
def test_it_is_reported_why_it_is_none(name: str) -> None:
    source, text, culprit = TOLD[name]
    finding = found_in(source, name)
    assert text in finding.text
    assert (finding.culprit and finding.culprit.text) == culprit
    assert finding.reader is not None
    assert finding.reader.line == len(source.splitlines())


@pytest.mark.parametrize(
    "line",
    [
        "assert loss.item() < 0",  # nothing of it is None
        "config = None\nconfig.lr",
        "assert w.grad is None and loss.item() < 0",  # it is to be None
        "layer = torch.nn.Linear(2, 1)\nlayer.bias.grad = layer.bias.detach()\n"
        "assert all(p.grad is None for p in layer.parameters())",
        "gx, gy = torch.autograd.grad((w * 2).sum(), [w, v], allow_unused=True)\nNone + 1",
        "gx, gy = torch.autograd.grad((w * 2).sum(), [w, v], allow_unused=True)\nother = None\n"
        "other + 1",
    ],
)
def test_other_errors_are_not_explained_by_it(line: str) -> None:
    source = ONE + "v = torch.ones(3, requires_grad=True)\nloss = (w * v).sum()\n"
    findings, error, _ = watched(source + line, line)
    assert error is not None
    assert findings == []
