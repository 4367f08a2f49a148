"""Gradients that are not finite where the loss is: their birthplace is named, a scale's is not."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tests.adapters.apply_fix import mended
from tests.adapters.test_diagnosis import run

BORN = {
    "an infinite gradient": ("y = x.sqrt()", "y = x.sqrt()\ny.sum().backward()"),
    "of autograd.grad": ("y = x.log1p()", "y = x.log1p()\n(g,) = torch.autograd.grad(y.sum(), x)"),
    "a root that where does not take": (
        "y = torch.where(x > 0, torch.sqrt(x), 0.0)",
        "y = torch.where(x > 0, torch.sqrt(x), 0.0)\ny.sum().backward()",
    ),
    "a quotient that where does not take": (
        "ratio = torch.sin(x) / x",
        "ratio = torch.sin(x) / x\ny = torch.where(x != 0, ratio, 1.0)\ny.sum().backward()",
    ),
    "a softmax over nothing, which the loss leaves out": (
        "w = torch.softmax(s, 1)",
        "net = torch.nn.Linear(2, 1)\nkeep = torch.tensor([[True, False], [False, False]])\n"
        "s = (x + 1).repeat(2, 1).masked_fill(~keep, float('-inf'))\nw = torch.softmax(s, 1)\n"
        "y = net(w).squeeze(1)\ny[keep.any(1)].sum().backward()",
    ),
    "a logarithm in an entropy": (
        "y = torch.where(x > 0, x * torch.log(x), 0.0)",
        "y = torch.where(x > 0, x * torch.log(x), 0.0)\ny.sum().backward()",
    ),
    "an angle": ("a = (x + 1).acos()", "a = (x + 1).acos()\na.sum().backward()"),
    "a root of an imported name": (
        "y = sqrt(x)",
        "from torch import sqrt\ny = sqrt(x)\n(y * 0).sum().backward()",
    ),
    "in a function of the program's": (
        "return (v * v).sum(-1).sqrt()",
        "def norm(v):\n    return (v * v).sum(-1).sqrt()\n"
        "u = x / (norm(x * 0) + 1e-8)\nu.sum().backward()",
    ),
    "of data that nobody keeps": (
        "d = z.pow(2).sum(1).sqrt()",
        "net = torch.nn.Linear(3, 2, bias=False)\nz = net(torch.zeros(4, 3))\n"
        "d = z.pow(2).sum(1).sqrt()\nd.mean().backward()",
    ),
    "of a scaled loss": (
        "y = net(x).abs().sqrt()",
        "net, x = torch.nn.Linear(2, 1, bias=False), torch.zeros(4, 2)\n"
        "scaler = torch.amp.GradScaler('cpu')\ny = net(x).abs().sqrt()\n"
        "scaler.scale(y.mean()).backward()",
    ),
}
START = {"of autograd.grad": "-1., 1."}


@pytest.mark.parametrize("name", BORN)
def test_the_line_is_named_whose_derivative_is_not_finite(name: str) -> None:
    culprit, lines = BORN[name]
    source = f"x = torch.tensor([{START.get(name, '0., 1.')}], requires_grad=True)\n{lines}\n"
    (finding,), error, names = run(source, name)
    assert error is None
    assert finding.kind == "nan"
    assert finding.culprit is not None
    assert finding.culprit.text == culprit
    findings, error, names = run(mended(source, finding), f"{name}, mended")
    assert (findings, error) == ([], None)
    grads = [names["x"].grad, names.get("g"), *_grads(names.get("net"))]
    assert all(each.isfinite().all() for each in grads if each is not None)


def _grads(net: Any) -> list[Any]:
    return [] if net is None else [each.grad for each in net.parameters()]


SCALED = """
net = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", init_scale={}, growth_interval=5)
x, y = torch.randn(8, 4) * 10, torch.randn(8, 1) * 100
for step in range(12):
    loss = {}
    opt.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(opt)
    scaler.update()
"""


LOSSES = {
    "the loss": "(net(x) - y).pow(2).mean()",
    "gradients alone": "(net(x) * 1e8).mean().sin()",
}


@pytest.mark.parametrize("name", LOSSES)
def test_a_scale_that_is_too_large_accuses_no_line(name: str) -> None:
    findings, error, names = run(SCALED.format("2.0**120", LOSSES[name]), "scaled")
    assert (findings, error) == ([], None)
    assert names["scaler"].get_scale() < 2.0**118  # it was too large
    assert all(each.isfinite().all() for each in names["net"].parameters())


def test_what_a_scaler_skips_does_not_hide_what_comes_later() -> None:
    late = "    if step == 11:\n        net(x).mul(0).abs().sqrt().mean().backward()\n"
    source = SCALED.format("2.0**126", LOSSES["the loss"]) + late
    (finding,), _, _ = run(source, "late")
    assert finding.culprit is not None
    assert finding.culprit.text == "net(x).mul(0).abs().sqrt().mean().backward()"


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_gradients_whose_sum_alone_is_too_large_are_finite(dtype: torch.dtype) -> None:
    big = float(torch.finfo(dtype).max) / 2
    source = (
        f"x = torch.ones(64, dtype={dtype}, requires_grad=True)\nx.backward(x.detach() * {big})\n"
    )
    assert run(source, "large")[:2] == ([], None)
