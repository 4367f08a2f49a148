"""The nodes a run reaches, known because its iteration repeats another, are those that a walk
finds: in loops that repeat and in such as depart from it in every way that a turn can."""

from __future__ import annotations

import linecache
import random
import warnings

import pytest
import torch

import graphwidget
from graphwidget.adapters.pytorch.backward_run import BackwardRun
from graphwidget.adapters.pytorch.reachable_nodes import reach_of, reachable

LOOP = """
experts = [torch.nn.Linear(3, 3) for _ in range(3)]
frozen = torch.nn.Linear(3, 3).requires_grad_(False)
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x * weight
    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        return grad * weight, grad * x
scripted = torch.jit.trace(torch.nn.Linear(3, 3), torch.ones(2, 3))
weights = [torch.ones(3, requires_grad=True) for _ in range(3)]
state, kept = torch.zeros(2, 3), []
parameters = [p for each in experts for p in each.parameters()] + weights
optimizer = torch.optim.SGD(parameters, 0.01)
for turn, choice in enumerate(CHOICES):
    x = torch.randn(2 + (choice == "another shape"), 3)
    y = experts[choice == "another expert"](x)
    if choice == "another function":
        y = y.tanh()
    if choice == "more calls":
        y = y * 2 + 1
    if choice == "no gradient":
        with torch.no_grad():
            z = experts[2](x)
    else:
        z = y.relu()
    y = y + (z.detach() if choice == "cut" else z)
    y = Own.apply(y, weights[choice == "another weight of a Function"])
    if choice == "a part that nobody observes":
        y = scripted(y)
    if choice == "a state that is carried":
        y = y + state
        state = y
    if choice == "frozen":
        y = frozen(y)
    if choice == "written":
        y += 1
        y[0] = 0
    if choice == "a flag":
        frozen.weight.requires_grad_(not frozen.weight.requires_grad)
    y = y * weights[2 if choice == "another weight" else 0]
    if choice == "kept":
        kept.append(y)
    loss = y.pow(2).mean()
    if choice == "two losses":
        torch.autograd.backward([y.sum(), loss], retain_graph=True)
    if choice == "two runs":
        y.sum().backward(retain_graph=True)
    optimizer.zero_grad()
    loss.backward(retain_graph=choice == "a state that is carried")
    if "a state that is carried" not in CHOICES:  # its history needs the weights as they were
        optimizer.step()
"""
PLAIN = "plain"
OTHERS = sorted({line.split('"')[1] for line in LOOP.splitlines() if 'choice == "' in line})


def turns(choices: list[str], own: bool, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Take such turns in ``diagnose()``; of each run, whether it was known what it reaches."""
    known: list[bool] = []
    begin = BackwardRun.begin

    def begins(self: BackwardRun, outputs: list[torch.Tensor], held: bool = False) -> None:
        nodes, leaves = reachable(self.nodes)
        found = reach_of(self.nodes[0], nodes, leaves)
        assert self.reach.size == found.size
        assert sorted(self.reach.ages) == sorted(found.ages)
        assert {id(each()) for each in self.reach.leaves} == set(map(id, leaves))
        known.append(self.repeated)
        begin(self, outputs, held)

    monkeypatch.setattr(BackwardRun, "begin", begins)
    source = LOOP if own else LOOP.replace("y = Own.apply(y, weights[", "y = y * (weights[")
    file = f"<turns {hash((source, tuple(choices)))}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names = {"torch": torch, "CHOICES": choices}
    with graphwidget.diagnose(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # TorchScript is
        exec(compile(source, file, "exec"), names)
    return known


def test_turns_that_repeat_are_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    known = turns([PLAIN] * 9, False, monkeypatch)
    assert not known[0]
    assert all(known[3:])


@pytest.mark.parametrize("other", OTHERS)
def test_a_turn_that_departs_is_looked_at(other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    choices = [PLAIN] * 5 + [other] + [PLAIN] * 4 + [other] * 5 + [PLAIN, other] * 3
    turns(choices, False, monkeypatch)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("own", [False, True])
def test_turns_in_any_order(own: bool, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    choices: list[str] = []
    while len(choices) < 40:
        choices += [chance.choice([PLAIN, *OTHERS])] * chance.randint(1, 5)
    turns(choices, own, monkeypatch)


def test_of_a_run_from_two_losses_each_node_is_known() -> None:
    source = """
net, other = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
x = torch.ones(2, 3)
for turn in range(5):
    first, second = net(x).tanh().sum(), other(x).exp().sum()
    torch.autograd.backward([first, second])
ERROR
"""
    for error in ("first.backward()", "second.backward()"):
        file = f"<two losses, {error}>"
        text = source.replace("ERROR", error)
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        with pytest.raises(RuntimeError), graphwidget.diagnose() as found:
            exec(compile(text, file, "exec"), {"torch": torch})
        assert [each.kind for each in found.findings] == ["freed"]
        assert "line 6" in found.findings[0].text
