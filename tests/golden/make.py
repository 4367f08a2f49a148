"""Write the golden logs: what the worked examples record, and what it folds to.

``python tests/golden/make.py`` writes ``<example>.json`` = {"events": [...], "model": {...}}
beside this file. Both folds, the Python one and the page's, must give the same model.
"""

from __future__ import annotations

import json
import linecache
from pathlib import Path
from typing import Any
from unittest import mock

import graphwidget
from graphwidget.adapters.names import named
from graphwidget.adapters.native import NativeAdapter
from graphwidget.nn import linear
from graphwidget.recording import sites
from graphwidget.recording.fold import fold
from graphwidget.recording.log import wire
from graphwidget.recording.recorder import Ids, Recorder
from graphwidget.static import stages

HERE = Path(__file__).parent

EXAMPLES = {
    "A": """
w = torch.tensor([1.], requires_grad=True)
x = torch.tensor([2.], requires_grad=True)
a = torch.add(w, x)
b = torch.add(w, 1)
a.retain_grad()
y = torch.mul(a, b)
y.backward()
""",
    "B": """
a = torch.tensor(2., requires_grad=True)
b = torch.tensor(3., requires_grad=True)
c = torch.tensor(4., requires_grad=True)
y = (a + b) * (b + c)
y.backward()
""",
    "C": """
input = torch.ones([2, 2], requires_grad=False)
w1 = torch.tensor(2.0, requires_grad=True)
w2 = torch.tensor(3.0, requires_grad=True)
w3 = torch.tensor(4.0, requires_grad=True)
l1 = input * w1
l2 = l1 + w2
l3 = l1 * w3
l4 = l2 * l3
loss = l4.mean()
loss.backward()
""",
    "D": """
x = torch.ones(2, 2, requires_grad=True)
y = x + 2
z = y * y
out = z.mean()
out.backward()
""",
    "E": """
x = torch.tensor([[1., 2.]], requires_grad=True)
y = torch.tensor([[3., 4.], [5., 6.]])
loss = torch.mm(x, y)
loss.backward(torch.tensor([[1., 0.]]), retain_graph=True)
x.grad.data.zero_()
loss.backward(torch.tensor([[0., 1.]]))
""",
    "F": """
torch.manual_seed(0)
net = torch.nn.Linear(3, 4)
output = net(torch.randn(2, 3))
loss = torch.sum(output)
loss.backward()
try:
    loss.backward()
except RuntimeError:
    pass
""",
    "F2": """
a = torch.tensor([3., 1.], requires_grad=True)
b = a * a
loss = b.mean()
loss.backward()
try:
    loss.backward()
except RuntimeError:
    pass
b = a * a
loss = b.mean()
loss.backward()
""",
    "G": """
a = torch.tensor([1., 3.], requires_grad=True)
b = a + 2
loss = (b * b).mean()
b[0] = 1000.
try:
    loss.backward()
except RuntimeError:
    pass
""",
    "H": """
a = torch.tensor([10., 5., 2., 3.], requires_grad=True)
try:
    a[:] = 0
except RuntimeError:
    pass
with torch.no_grad():
    a[:] = 10.
loss = (a * a).mean()
loss.backward()
""",
    "I": """
torch.manual_seed(0)
X = torch.randn(4, 2)
Y = torch.randn(4, 1)
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
criterion = torch.nn.MSELoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for x, y in [(X, Y)] * 3:
    loss = criterion(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "J": """
def scaled(x, factor):
    h = x * factor
    return h + 1


x = torch.tensor([1., 2.], requires_grad=True)
y = scaled(x, 2)
while y.sum() < 50:
    y = scaled(y, 3)
y.sum().backward()
""",
    "K": """
import graphwidget.static as tf


def f(x, w):
    a = (x @ w) * 1
    b = (x @ w) + 0 * torch.ones(2)
    return (a * b).exp().sum(1).log()


shown = tf.show_passes(f, torch.ones(3, 2), torch.ones(2, 2))
""",
    "L": """
class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
        self.scale = torch.nn.Parameter(torch.tensor([1., 2.]))

    def forward(self, x):
        return (self.inner(x) * self.scale + 1).sum()


shown = torch.fx.symbolic_trace(Scaled()).graph.show()
""",
}
"""The worked examples of the tutorials, each as one notebook cell."""


def record(name: str) -> dict[str, Any]:
    """Run an example as the first cell of a notebook and return its events and its model."""
    source = EXAMPLES[name].strip("\n") + "\n"
    filename = f"example {name}"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    namespace: dict[str, Any] = {"torch": graphwidget}
    with (
        mock.patch.object(Recorder, "ids", Ids()),
        mock.patch.object(sites, "cell_of", lambda file: 1 if file == filename else None),
        mock.patch.object(linear, "empty", graphwidget.zeros),  # fresh memory holds no facts
        mock.patch.object(stages, "measured", lambda made, *_: [None] * len(made)),  # nor do times
    ):
        recorder = Recorder()
        adapter = NativeAdapter(recorder)
        recorder.cell(1, source)
        with adapter.observing():
            exec(compile(source, filename, "exec"), namespace)
        adapter.settle()
        adapter.bind(named(namespace))
        adapter.drain()
        shown = namespace.get("shown")  # a log of its own: of passes, or of an fx graph
        events = recorder.log.since(0)[1] if shown is None else shown.events
    del linecache.cache[filename]
    return {"events": json.loads(json.dumps(wire(events))), "model": fold(events).to_json()}


def text(log: dict[str, Any]) -> str:
    """A log as it stands in its file: an event a line."""
    events = ",\n".join(json.dumps(event, ensure_ascii=False) for event in log["events"])
    model = json.dumps(log["model"], ensure_ascii=False)
    return '{"events": [\n' + events + '\n],\n"model": ' + model + "}\n"


def main() -> None:
    """Write all golden logs."""
    for name in EXAMPLES:
        (HERE / f"{name}.json").write_text(text(record(name)), "utf-8")


if __name__ == "__main__":
    main()
