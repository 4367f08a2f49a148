"""Gradients that are clipped too early."""

from __future__ import annotations

from tests.adapters.apply_fix import mended
from tests.adapters.test_diagnosis import run

CLIP = "    torch.nn.utils.clip_grad_norm_(net.parameters(), 0.001)\n"
TRAIN = """
net = torch.nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=1.0)
for turn in range(3):
    loss = net(torch.ones(2, 3)).pow(2).mean()
    opt.zero_grad()
CLIP    loss.backward()
    opt.step()
"""


def test_gradients_are_clipped_before_there_are_any() -> None:
    source = TRAIN.replace("CLIP", CLIP)
    (finding,), error, _ = run(source, "clipped")
    assert error is None
    assert finding.culprit is not None
    assert finding.reader is not None
    assert finding.culprit.text == CLIP.strip()
    assert finding.reader.text == "loss.backward()"
    moved = mended(source, finding).replace(CLIP, "", 1)
    findings, error, names = run(moved, "clipped, mended")
    assert error is None
    assert names["net"].weight.grad.norm() <= 0.001
    assert findings == []
