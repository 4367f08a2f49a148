"""Backward from many numbers: which they are, where they were made, and what makes one of them."""

from __future__ import annotations

import pytest

from tests.adapters.apply_fix import mended
from tests.adapters.test_diagnosis import run

NET = "net, x, y = torch.nn.Linear(3, 1), torch.randn(4, 3), torch.randn(4, 1)\n"
MENDED = {
    "of the loss": (
        "loss has 4 numbers (shape [4, 1])", "loss = (net(x) - y) ** 2",
        "loss = ((net(x) - y) ** 2).mean()",
        NET + "loss = (net(x) - y) ** 2\nloss.backward()",
    ),
    "of an expression": (
        "net(x) has 4 numbers (shape [4, 1])", "net(x).backward(retain_graph=True)",
        "net(x).mean().backward(retain_graph=True)",
        NET + "net(x).backward(retain_graph=True)",
    ),
    "of a sum": (
        "loss has 4 numbers (shape [4, 1])", "loss = sum(each * 2 for each in outs)",
        "loss = sum(each * 2 for each in outs).mean()",
        NET + "outs = [net(x), net(x)]\nloss = sum(each * 2 for each in outs)\n"
        "loss.backward()",
    ),
    "added up": (
        "loss has 4 numbers (shape [4, 1])", "loss.backward()", "loss.mean().backward()",
        NET + "loss = 0\nfor k in range(3):\n    loss += k * net(x)\nloss.backward()",
    ),
    "of a function": (
        "loss has 4 numbers (shape [4, 1])", "loss.backward()", "loss.mean().backward()",
        NET + "def error(out):\n    return (out - y) ** 2\n"
        "def step(loss):\n    loss.backward()\nstep(error(net(x)))",
    ),
    "grad of each": (
        "z has 3 numbers (shape [3])", "g = torch.autograd.grad(z, x)[0]",
        "g = torch.autograd.grad(z.sum(), x)[0]",
        "x = torch.randn(3, requires_grad=True)\nz = x.sin()\ng = torch.autograd.grad(z, x)[0]\n"
        "assert torch.equal(g, x.cos()) and z.shape == (3,)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MENDED)
def test_what_has_many_numbers_is_named_and_mended(name: str) -> None:
    text, culprit, fix, source = MENDED[name]
    (finding,), error, _ = run(source, f"many {name}")
    assert isinstance(error, RuntimeError)
    assert f"Backward from many numbers: {finding.text}" in error.__notes__
    assert finding.kind == "scalar"
    assert finding.text.startswith(f"{text}, and backward begins at one.")
    assert finding.culprit is not None
    assert finding.culprit.text == culprit
    assert finding.fix == fix
    assert run(mended(source, finding), f"many {name}, mended")[:2] == ([], None)


@pytest.mark.parametrize(
    "line", ["torch.autograd.backward([net(x), net(x).sum()])", "z = net(x); z.backward()"]
)
def test_where_the_line_cannot_be_read_the_numbers_are_reported(line: str) -> None:
    (finding,), error, _ = run(NET + line, "many unread")
    assert error is not None
    assert "4 numbers (shape [4, 1])" in finding.text
    assert finding.fix == ""


def test_gradients_of_the_wrong_shape_are_another_error() -> None:
    findings, error, _ = run(NET + "net(x).backward(torch.ones(3))", "many of a wrong shape")
    assert "Mismatch in shape" in str(error)
    assert findings == []
