"""What is wrong without an error: graphs that are kept, NaN in tensors of any size, silent writes;
and programs that look like it and are right."""

from __future__ import annotations

import pytest
import torch

from graphwidget.adapters.both import Adapter
from graphwidget.recording.log import Log
from graphwidget.recording.recorder import Recorder
from tests.adapters.mending import Broken, mended
from tests.adapters.test_diagnosis import run

SILENT = {
    "history": Broken(
        "leak",
        "loss = net(x).pow(2).mean()",
        "history.append(loss)",
        True,
        """
net, x = torch.nn.Linear(3,3), torch.randn(1,3)
history = []
for t in range(20):
    loss = net(x).pow(2).mean()
    loss.backward()
    history.append(loss)
""",
    ),
    "history of an object": Broken(
        "leak",
        "out = self.net(x)",
        "self.outs += [out]",
        True,
        """
class Trainer:
    def __init__(self):
        self.net, self.outs = torch.nn.Linear(3,3), []
    def step(self, x):
        out = self.net(x)
        out.pow(2).mean().backward()
        self.outs += [out]
trainer = Trainer()
for t in range(20):
    trainer.step(torch.randn(t % 4 + 1,3))
""",
    ),
    "running": Broken(
        "leak",
        "loss = net(x).pow(2).mean()",
        "running += loss",
        True,
        """
net, x = torch.nn.Linear(3,3), torch.randn(1,3)
running = 0.
for t in range(20):
    loss = net(x).pow(2).mean()
    loss.backward()
    running += loss
""",
    ),
    "a list in a dictionary": Broken(
        "leak",
        "loss = net(x).pow(2).mean()",
        'log["loss"].append(loss)',
        True,
        """
from collections import defaultdict
net, x, log = torch.nn.Linear(3, 1), torch.randn(2, 3), defaultdict(list)
for step in range(24):
    loss = net(x).pow(2).mean()
    loss.backward()
    log["loss"].append(loss)
""",
    ),
    "an evaluation that keeps its outputs": Broken(
        "leak",
        "outputs.append(net(torch.randn(2, 3)))",
        "outputs.append(net(torch.randn(2, 3)))",
        True,
        """
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1)).eval()
outputs = []
for batch in range(30):
    outputs.append(net(torch.randn(2, 3)))
""",
    ),
    "an evaluation in one line": Broken(
        "leak",
        "outputs = [net(torch.randn(2, 3)) for _ in range(30)]",
        "outputs = [net(torch.randn(2, 3)) for _ in range(30)]",
        True,
        """
net = torch.nn.Linear(3, 1)
outputs = [net(torch.randn(2, 3)) for _ in range(30)]
""",
    ),
    "an average of losses": Broken(
        "leak",
        None,
        "average = 0.9 * average + 0.1 * loss",
        True,
        """
net, average = torch.nn.Linear(3, 1), 0.
for step in range(30):
    loss = net(torch.randn(2, 3)).pow(2).mean()
    loss.backward()
    average = 0.9 * average + 0.1 * loss
""",
    ),
    "an evaluation that sums its losses": Broken(
        "leak",
        None,
        "total += out.pow(2).mean()",
        True,
        """
def evaluate(net):
    total = 0
    for batch in range(30):
        out = net(torch.randn(2, 3))
        total += out.pow(2).mean()
    return total
evaluate(torch.nn.Linear(3, 1))
""",
    ),
    "a buffer of what was done": Broken(
        "leak",
        "action = net(x)",
        "seen.append((x, action, 1.0))",
        True,
        """
from collections import deque
net, seen = torch.nn.Linear(3, 1), deque(maxlen=100)
for step in range(30):
    x = torch.randn(2, 3)
    action = net(x)
    seen.append((x, action, 1.0))
    net(x).pow(2).mean().backward()
""",
    ),
    "a large NaN": Broken(
        "nan",
        None,
        "h = torch.log(net(x))",
        True,
        """
net = torch.nn.Linear(20, 20)
x = torch.randn(64, 20)
h = torch.log(net(x))
loss = h.pow(2).mean()
loss.backward()
""",
    ),
    "a large NaN of nothing kept": Broken(
        "nan",
        None,
        "h = torch.sqrt(h)",
        True,
        """
h = torch.nn.Linear(20, 20)(torch.randn(64, 20))
h = torch.sqrt(h)
loss = h.mean()
loss.backward()
""",
    ),
    "a masked NaN": Broken(
        "nan",
        None,
        "y = torch.sqrt(x)",
        True,
        """
x = torch.linspace(-1, 1, 101).requires_grad_()
y = torch.sqrt(x)
loss = torch.where(x > 0, y, torch.zeros_like(x)).sum()
loss.backward()
""",
    ),
    "batch norm": Broken(
        "stale",
        "a = bn(x)",
        "b = bn(torch.randn(6, 4))",
        False,
        """
bn = torch.nn.BatchNorm1d(4)
bn.eval()
x = torch.randn(6, 4, requires_grad=True)
a = bn(x)
bn.train()
b = bn(torch.randn(6, 4))
a.sum().backward()
""",
    ),
    "table": Broken(
        "stale",
        "y = x * scale",
        "x[0] = 0.",
        True,
        """
scale = torch.ones(3, requires_grad=True)
x = torch.randn(4, 3)
y = x * scale
x[0] = 0.
loss = y.sum()
loss.backward()
""",
    ),
}


@pytest.mark.parametrize("name", SILENT)
def test_the_guilty_line_is_named(name: str) -> None:
    wanted = SILENT[name]
    (finding,), _, _ = run(wanted.source, name)
    assert finding.kind == wanted.kind
    assert finding.culprit is not None
    assert finding.culprit.text == wanted.culprit
    if wanted.reader is not None:
        assert finding.reader is not None
        assert finding.reader.text == wanted.reader
    if not wanted.mended:
        return
    findings, error, _ = run(mended(wanted.source, finding), f"{name}, mended")
    assert error is None
    assert findings == []


RIGHT = {
    "layers, and what each of them made": """
x, kept = torch.randn(2, 8), []
for layer in [torch.nn.Linear(8, 8) for _ in range(40)]:
    x = x + torch.relu(layer(x))
    kept.append(x)
""",
    "an episode, and one backward": """
net = torch.nn.Linear(3, 2)
for episode in range(3):
    kept = []
    for step in range(30):
        kept.append(net(torch.randn(3)).log_softmax(0)[0])
    torch.stack(kept).sum().backward()
""",
    "an evaluation without graphs": """
net = torch.nn.Linear(3, 1)
with torch.no_grad():
    kept = [net(torch.randn(2, 3)) for _ in range(40)]
for batch in range(40):
    kept.append(net(torch.randn(2, 3)).argmax(1))
""",
    "losses that wait": """
actor, critic = torch.nn.Linear(3, 2), torch.nn.Linear(3, 1)
for episode in range(3):
    waiting = []
    for step in range(20):
        x = torch.randn(1, 3)
        waiting.append(actor(x).log_softmax(1)[0, 0])
        critic(x).pow(2).mean().backward()
    torch.stack(waiting).sum().backward()
""",
    "accumulated gradients": """
net = torch.nn.Linear(3, 1)
for step in range(5):
    total = 0.
    for micro in range(8):
        total = total + net(torch.randn(2, 3)).pow(2).mean()
    total.backward()
""",
    "what is kept without history": """
net, history, total = torch.nn.Linear(3, 1), [], 0.
for step in range(30):
    loss = net(torch.randn(2, 3)).pow(2).mean()
    loss.backward()
    history.append(loss.detach())
    total += loss.item()
""",
    "a state that is cut": """
cell, h = torch.nn.GRUCell(3, 4), torch.zeros(2, 4)
for step in range(30):
    h = cell(torch.randn(2, 3), h.detach())
    h.sum().backward()
""",
    "NaN that nobody needs": """
x = torch.tensor([0., 1., 2.])
w = torch.ones(3, requires_grad=True)
ratio = x / x
loss = (w * torch.where(x > 0, ratio, torch.zeros(3))).sum()
loss.backward()
torch.nanmean(ratio)
""",
    "two modes of a batch norm": """
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
for step in range(4):
    net.train()
    loss = net(torch.randn(5, 3)).mean() + net(torch.randn(5, 3)).pow(2).mean()
    loss.backward()
    net.eval()
    net(torch.randn(5, 3)).mean().backward()
""",
    "graphs of changing sizes": """
net = torch.nn.Linear(3, 3)
for length in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]:
    h = torch.zeros(3)
    for _ in range(length):
        h = torch.tanh(net(h))
    h.sum().backward()
""",
    "weights written through .data": """
net = torch.nn.Linear(3, 1)
for step in range(5):
    net(torch.randn(2, 3)).mean().backward()
    for p in net.parameters():
        p.data -= 0.1 * p.grad
        p.grad = None
""",
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_correct_program_is_not_accused(name: str) -> None:
    findings, error, _ = run(RIGHT[name], name)
    assert error is None
    assert findings == []


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("events", [60, 200, 600])
def test_a_log_that_has_forgotten_much_is_looked_through(events: int) -> None:
    adapter = Adapter(Recorder(Log(max_events=events)))
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    kept = []
    with adapter.observing():
        for turn in range(60):
            kept.append(torch.nn.Sequential(net, torch.nn.Tanh())(torch.randn(2, 3)))
            if turn % 7 == 0:
                net(torch.randn(2, 3)).sum().backward()
    assert [each.kind for each in adapter.findings(over=True)] in ([], ["leak"])
    assert adapter.pytorch is not None


def test_what_a_backward_may_still_come_for_is_not_accused_while_the_program_goes_on() -> None:
    adapter = Adapter(Recorder())
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    with adapter.observing():
        kept = [net(torch.randn(2, 3)) for _ in range(60)]
    assert [each.kind for each in adapter.findings(over=True)] == ["leak"]
    assert adapter.findings() == []
    with adapter.observing():
        torch.cat(kept).sum().backward()
    assert adapter.findings(over=True) == []
