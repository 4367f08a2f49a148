"""The curves of loops: which numbers are those of a turn, on both engines."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import graphwidget

from .engines import native, real

OWN_MODULES = """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(2, 1)
    def forward(self, x):
        return self.inner(torch.tanh(x))
class Loss(torch.nn.Module):
    def forward(self, out, y):
        return -(-(out - y) ** 2).mean()
def train(net, criterion, x, y):
    losses, optimizer = [], torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(4):
        out = net(x)
        loss = criterion(out, y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    after = x.sum()
    return losses, after
losses, last = train(Net(), Loss(), torch.randn(8, 2), torch.randn(8, 1))
"""


@pytest.mark.parametrize("recorded", [real, native])
def test_what_a_users_own_module_returns_has_the_callers_name(recorded: Any) -> None:
    model, namespace = recorded(OWN_MODULES)
    named = {tuple(name) for value in model.values.values() for name in value["names"]}
    assert {("train", "out"), ("train", "loss")} <= named
    [loop] = model.loops.values()
    assert loop["curves"] == {"loss": pytest.approx(namespace["losses"])}


STEP = """
net = torch.nn.Linear(2, 1)
criterion, opt = torch.nn.MSELoss(), torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(8, 2), torch.randn(8, 1)
def step(x, y):
    opt.zero_grad()
    out = net(x)
    scale = out.detach().abs().max()
    loss = {loss}
    norm = scale * 2
    loss.backward()
    opt.step()
    return {result}
losses = []
for _ in range({turns}):
    losses.append(float(step(x, y)))
"""


@pytest.mark.parametrize("recorded", [real, native])
@pytest.mark.parametrize("turns", [3, 200])
@pytest.mark.parametrize("result", ["loss", "loss.item()"])
@pytest.mark.parametrize("loss", ["criterion(out, y)", "((out - y) ** 2).mean()"])
def test_what_backward_goes_from_in_a_function_is_the_loss_of_the_turn(
    recorded: Any, turns: int, result: str, loss: str
) -> None:
    model, namespace = recorded(STEP.format(loss=loss, result=result, turns=turns))
    [loop] = model.loops.values()
    assert loop["curves"] == {"loss": pytest.approx(namespace["losses"])}


@pytest.mark.parametrize("torch_of", ["torch", "graphwidget"])
def test_the_turn_that_goes_on_has_its_numbers_already(torch_of: str) -> None:
    namespace: dict[str, Any] = {"torch": importlib.import_module(torch_of)}
    source = """
w = torch.ones(2, requires_grad=True)
def turns():
    for n in range(9):
        loss = (w * n).sum()
        loss.backward()
        yield
    """
    exec(compile(source, "turns.py", "exec"), namespace)
    graph = graphwidget.watch()
    try:
        for number, _ in enumerate(namespace["turns"](), 1):
            graph.flush()
            curves = [loop["curves"] for loop in graph.model.loops.values() if loop["curves"]]
            assert curves == [{"loss": [2.0 * n for n in range(number)]}]
    finally:
        graph.stop()


@pytest.mark.parametrize("recorded", [real, native])
def test_several_results_of_a_module_are_no_number_of_the_turn(recorded: Any) -> None:
    model, _namespace = recorded("""
class Largest(torch.nn.Module):
    def forward(self, x):
        return torch.max(x, 0)
largest, w = Largest(), torch.ones(3, requires_grad=True)
for i in range(4):
    out = largest(w * i)
    loss = out.values * 2
    loss.backward()
after = w.sum()
""")
    [loop] = model.loops.values()
    assert loop["curves"] == {"loss": [0.0, 2.0, 4.0, 6.0]}


CLIPPED = """
model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Linear(3, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, norms = torch.randn(8, 4), []
for step in range({turns}):
    opt.zero_grad()
    model(x).pow(2).mean().backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 100.0)
    opt.step()
    norms.append(norm.item())
after = x.sum()
"""


@pytest.mark.parametrize("recorded", [real, native])
@pytest.mark.parametrize("turns", [4, 60])
def test_a_library_gives_what_it_returns_and_not_what_it_computed_last(
    recorded: Any, turns: int
) -> None:
    model, namespace = recorded(CLIPPED.format(turns=turns))
    [loop] = model.loops.values()
    assert loop["curves"]["norm"] == pytest.approx(namespace["norms"])
    named = [value for value in model.values.values() if ["", "norm"] in map(list, value["names"])]
    assert [value["summary"][2] for value in named][-1] == pytest.approx(namespace["norms"][-1:])
    assert {tuple(value["summary"][0]) for value in named} == {()}


EPOCHS = """
net = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
X, y = torch.randn(8, 2), torch.randn(8, 1)
def train_epoch(net, opt):
    total = 0.0
    for i in range(0, 8, 2):
        loss = ((net(X[i : i + 2]) - y[i : i + 2]) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    return {returned}
def test_epoch(net):
    return max((net(X[i : i + 4]) - y[i : i + 4]).abs().max().item() for i in range(0, 8, 4))
seen, count = [], 0
for epoch in range({epochs}):
    loss = train_epoch(net, opt)
    worst = test_epoch(net)
    count += 1
    seen.append((float(loss), worst))
"""


@pytest.mark.parametrize("module", ["torch", "graphwidget"])
@pytest.mark.parametrize("returned", ["loss", "total / 4"])
@pytest.mark.parametrize("epochs", [3, 40])
def test_what_a_function_with_the_inner_loop_gives_has_a_curve(
    module: str, returned: str, epochs: int
) -> None:
    namespace: dict[str, Any] = {"torch": importlib.import_module(module)}
    program = compile(EPOCHS.format(returned=returned, epochs=epochs), "<program>", "exec")
    graph = graphwidget.watch()
    exec(program, namespace)
    graph.stop()
    loop = next(iter(graph.model.loops.values()))
    losses, worst = zip(*namespace["seen"], strict=True)
    assert loop["curves"] == {"loss": pytest.approx(losses), "worst": pytest.approx(worst)}
