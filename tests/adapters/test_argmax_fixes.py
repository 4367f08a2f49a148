"""A class that is picked and then counted or looked up: probabilities take its place."""

from __future__ import annotations

import pytest
import torch

from tests.adapters.apply_fix import mended
from tests.adapters.test_diagnosis import run

START = """
from torch.nn import functional as F
net, x = torch.nn.Linear(3, 5), torch.randn(4, 2, 3)
target = F.one_hot(torch.randint(0, 5, (4, 2)), 5).float()
logits = net(x)
"""
HOT = {
    "the last dimension": ("pred = logits.argmax(-1)\nhot = F.one_hot(pred, 5).float()", (-1, -1)),
    "another one": (
        "logits = logits.transpose(1, 2)\npred = torch.argmax(logits, dim=1)\n"
        "hot = F.one_hot(pred, 5).permute(0, 1, 2).float()",
        (1, -1),
    ),
    "the indices of max": (
        "_, pred = torch.max(logits, 2)\nhot = F.one_hot(pred, num_classes=5) * 1.0",
        (2, -1),
    ),
    "on one line": ("hot = torch.nn.functional.one_hot(logits.argmax(2), 5).to(x.dtype)", (2, -1)),
}
LOSS = "\nloss = 1 - (hot * target).sum((0, 1)).mean()\nloss.backward()\n"


@pytest.mark.parametrize("name", HOT)
def test_a_one_hot_becomes_the_probabilities(name: str) -> None:
    lines, (dim, last) = HOT[name]
    source = START + lines + LOSS
    (finding,), error, _ = run(source, name)
    assert error is not None
    assert finding.kind == "no_grad"
    findings, error, names = run(mended(source, finding), f"{name}, mended")
    assert (findings, error) == ([], None)
    assert torch.equal(names["hot"], names["logits"].softmax(dim).movedim(dim, last))
    assert names["net"].weight.grad.abs().sum() > 0


@pytest.mark.parametrize(
    "lines",
    [
        "pred = logits.argmax(-1)\nhot = F.one_hot(pred, 7).float()[..., :5]",  # more classes
        "pred = net(x).argmax(-1)\nhot = F.one_hot(pred, 5).float()",  # it would run twice
        "pred = logits.argmax(-1)\nhot = torch.eye(5)[pred]",
        "pred = logits.argmax(-1)\nhot = (F.one_hot(pred, 5) == 1).float()",
        "pred = logits.argmax(-1)\nhot = torch.zeros(4, 2, 5).scatter_(2, pred.unsqueeze(2), 1)",
    ],
)
def test_elsewhere_it_is_said_in_words(lines: str) -> None:
    (finding,), error, _ = run(START + lines + LOSS, lines)
    assert error is not None
    assert finding.culprit is not None
    assert "softmax gives weights" in finding.text
    assert finding.fix == ""
