"""``Sequential``s of the real PyTorch in turns that are held: their modules are heard as one."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import torch

from graphwidget.adapters.pytorch import modules_and_steps
from graphwidget.adapters.pytorch.modules_and_steps import ModulesAndSteps
from graphwidget.adapters.pytorch.single_call_modules import WholeSequence

from .test_torch_steady_turns import AT, LOOP, TURNS, Told

NETS = {
    "a perceptron": "nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1)",
    "a function first": "nn.Tanh(), nn.Linear(2, 3), nn.Sigmoid(), nn.Linear(3, 1)",
    "a module twice": "nn.Linear(2, 2), act, nn.Linear(2, 1), act",
    "sequences in it": "nn.Sequential(nn.Linear(2, 3), act), nn.Sequential(nn.Linear(3, 1), act)",
    "a layer without bias": "nn.Linear(2, 3, bias=False), nn.GELU(), nn.Linear(3, 1)",
    "a softmax": "nn.Linear(2, 3), nn.Softmax(dim=1), nn.Linear(3, 1)",
    "one module": "nn.Linear(2, 1)",
}
TURN = """    optimizer.zero_grad()
    out = net(x)
    loss = ((out - y) ** 2).mean()
    loss.backward()
    optimizer.step()
"""
SAVED = """
probe = nn.Tanh()
def saved(pack):
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda value: value):
        return net(x)
"""
EVENTS = {
    "nothing": "pass",
    "a wrong shape": "x = torch.randn(4, 3)",
    "many rows": "x, y = torch.randn(30, 2), torch.randn(30, 1)",
    "very many rows": "x, y = torch.randn(300, 2), torch.randn(300, 1)",
    "another type": "x = x.double()",
    "a leaf for data": "x = x.clone().requires_grad_()",
    "infinity": "x = x / 0",
    "a hook": "net[0].register_forward_hook(lambda module, given, made: made * 2)",
    "a hook of all": "net.register_forward_pre_hook(lambda module, given: (given[0] * 2,))",
    "a hook that asks": "net[0].register_forward_hook(lambda module, given, made: None)",
    "a forward of its own": "net.forward = lambda given: net[0](given).sum(1, keepdim=True)",
    "another module": "net[0] = nn.Linear(2, net[1].in_features if len(net) == 0 else 3)",
    "a module more": "net.append(nn.Tanh())",
    "a module less": "del net[len(net) - 1]",
    "another order": "net = nn.Sequential(*list(net)[::-1])",
    "a part of it": "out = net[:1](x)",
    "a part called alone": "out = list(net)[0](x)",
    "without gradients": "with torch.no_grad(): out = net(x)",
    "half frozen": "net.requires_grad_(False); w.requires_grad_(True)",
    "a result written": "out.data.mul_(2)",
    "a module called by a hook": "out = saved(lambda value: (probe(value.detach()), value)[1])",
    "the same module called by a hook": "out = saved(lambda value: (net[0](x), value)[1])",
    "a hook that fails": "out = saved(lambda value: probe(value, 1))",
    "another class": "net[0].__class__ = type('Same', (type(net[0]),), {})",
    "a weight written": "with torch.no_grad(): next(net.parameters()).add_(1)",
}


def program(net: str, event: str, place: int) -> str:
    """Training of a ``Sequential``, in which something happens in one turn."""
    lines = TURN.splitlines(True)
    happens = f"    if n == {AT}:\n" + "".join(
        f"        {each.strip()}\n" for each in EVENTS[event].split(";")
    )
    lines.insert(place, happens)
    step = "optimizer = torch.optim.SGD([w, *net.parameters()], lr=0.01)\n"
    return f"net = nn.Sequential({NETS[net]})\n{step}{SAVED}{LOOP}{''.join(lines)}"


@pytest.fixture
def sequences(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The ``Sequential``s that were heard as one."""
    found: list[Any] = []
    call_whole = ModulesAndSteps._call_whole

    def counted(self: Any, whole: Any, *given: Any) -> Any:
        found.extend([whole] * isinstance(whole.whole, WholeSequence))
        return call_whole(self, whole, *given)

    monkeypatch.setattr(ModulesAndSteps, "_call_whole", counted)
    return found


@pytest.mark.parametrize("light", [True, False])
@pytest.mark.parametrize("net", NETS)
def test_a_sequence_is_heard_as_one(net: str, light: bool, sequences: list[Any]) -> None:
    told = Told(program(net, "nothing", 0), True, light=light)
    assert [told.faults, told.error, told.findings] == [[], [], []]
    inner = 2 if net == "sequences in it" else 1
    assert len(sequences) >= (told.held - 1) * inner > 0


@pytest.mark.parametrize("place", [1, 2])
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("net", NETS)
def test_what_happens_is_told_as_if_all_was_heard(net: str, event: str, place: int) -> None:
    source = program(net, event, place)
    one, other = Told(source, True), Told(source, False)
    assert [one.faults, one.error, one.findings] == [[], other.error, other.findings]
    for told, wanted in zip(one.end(1)[:2], other.end(1)[:2], strict=True):
        assert told == wanted
    for tensor, wanted in zip(
        [one.space["loss"], *one.space["net"].parameters()],
        [other.space["loss"], *other.space["net"].parameters()], strict=True,
    ):  # fmt: skip
        assert torch.equal(tensor.isnan(), wanted.isnan())
        assert torch.equal(tensor.nan_to_num(), wanted.nan_to_num())


def test_a_warning_is_shown_once_whoever_hears(recwarn: pytest.WarningsRecorder) -> None:
    net = "net = nn.Sequential(nn.Linear(2, 3), nn.Softmax(), nn.Linear(3, 1))\n"
    step = "optimizer = torch.optim.SGD(net.parameters(), lr=0.01)\n"
    warnings.simplefilter("default")
    told = Told(net + step + LOOP + TURN, True)
    assert told.held
    assert ["softmax" in str(each.message) for each in recwarn] == [True]


def test_an_interrupt_does_not_end_the_hearing(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[bool] = []
    take = modules_and_steps.only_it_is_taken

    def interrupted(mode: Any) -> bool:
        taken.append(take(mode))
        if len(taken) == 5:
            raise KeyboardInterrupt
        return taken[-1]

    monkeypatch.setattr(modules_and_steps, "only_it_is_taken", interrupted)
    body = "    try:\n" + "".join(f"    {line}\n" for line in TURN.splitlines())
    stale = "h = w.exp()\ng = h * h\nh.add_(1)\ng.sum().backward()\n"
    told = Told(
        f"{LOOP}{body}    except KeyboardInterrupt:\n        pass\n{stale}", True
    )  # fmt: skip
    assert len(taken) > 5
    assert taken[4]
    assert [each.kind for each in told.findings] == ["stale"]


def test_numbers_of_another_type_are_no_points_of_the_curve() -> None:
    source = "data = torch.ones(4, dtype=torch.int64)\n" + LOOP
    source += f"    if n == {AT}:\n        data = torch.full((4,), float('nan'))\n"
    told = Told(source + "    first = data[0]\n" + TURN + "    number = loss.item()\n", True)
    assert told.held
    assert [told.faults, told.error] == [[], []]
    (loop,) = told.recorded.model.loops.values()
    assert loop["count"] == TURNS


@pytest.mark.parametrize("light", [True, False])
def test_a_turn_with_more_results_is_told_as_if_all_was_heard(light: bool) -> None:
    grow = f"    if n == {TURNS - 1}:\n        x, y = torch.randn(30, 2), torch.randn(30, 1)\n"
    net = "net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))\n"
    source = net + "optimizer = torch.optim.SGD(net.parameters(), lr=0.01)\n"
    source += "def train():\n    global x, y\n"
    source += "".join(f"    {line}\n" for line in (LOOP + grow + TURN).splitlines()) + "train()\n"
    one, other = Told(source, True, light=light), Told(source, False, light=light)
    assert one.held > 10
    assert one.faults == []
    assert one.end(1)[:3] == other.end(1)[:3]


LEFT = """
left = []
for n in range(TURNS):
    optimizer.zero_grad()
    h = FIRST
    for k in range(2):
        h = torch.tanh(h * w)
    loss = h.square().mean()
    number = loss.item()
    left.append(number)
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize("holding", [True, False])
@pytest.mark.parametrize("first", ["x", "x * 1.5"])
def test_what_a_turn_has_left_in_a_variable_is_of_that_turn(first: str, holding: bool) -> None:
    source = LEFT.replace("FIRST", first).replace("TURNS", str(TURNS))
    told = Told(source, holding, light=False)
    assert bool(told.held) is holding
    (curve,) = [
        loop["curves"]["number"]
        for loop in told.recorded.model.loops.values() if loop["count"] == TURNS
    ]  # fmt: skip
    assert curve[:-1] == told.space["left"][:-1]  # the last turn is over when a cell is


def test_of_two_losses_of_one_function_the_first_is_the_turns() -> None:
    source = f"""
losses = []
def loss_of(data):
    one = (data * w).square().mean()
    losses.append(one.item())
    return one
for n in range({TURNS}):
    optimizer.zero_grad()
    loss_of(x).backward()
    loss_of(y).backward()
    optimizer.step()
"""
    told = Told(source, True, light=False)
    assert told.held > TURNS // 2
    (loop,) = told.recorded.model.loops.values()
    shown = zip(loop["curves"]["one"], told.space["losses"][::2], strict=False)
    known = [(number, wanted) for number, wanted in shown if number is not None]
    assert len(known) > TURNS // 2
    assert [number for number, _ in known] == [wanted for _, wanted in known]
