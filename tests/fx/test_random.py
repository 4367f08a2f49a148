"""Random modules: recorded, changed by random rewrites, and run; both engines must agree."""

from __future__ import annotations

import random

import pytest

import graphwidget
from tests.fx.test_programs import Program, differences, torch

LAYERS = [
    "torch.nn.Linear(4, 4)", "torch.nn.ReLU()", "torch.nn.LayerNorm(4)", "torch.nn.Tanh()",
    "torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.GELU())", "torch.nn.Identity()",
]  # fmt: skip
STEPS = [
    "{a} + {b}", "{a} * {b}", "{a} - 2", "1 - {a}", "-{a}", "{a} / ({b} * {b} + 1)", "abs({a})",
    "torch.relu({a})", "torch.add({a}, {b}, alpha=2)", "torch.where({a} > {b}, {a}, {b})",
    "F.relu({a})", "F.gelu({a})", "F.softmax({a}, dim=-1)", "F.dropout({a}, 0.0)", "F.tanh({a})",
    "torch.cat([{a}, {b}], dim=0)[:{a}.size(0)]", "torch.stack(({a}, {b})).mean(0)",
    "{a}.sigmoid()", "{a}.clone().mul_({b})", "{a}.transpose(0, 1).transpose(1, 0)",
    "{a}.view(-1).reshape({b}.shape)", "{a}.chunk(2, dim=1)[0].repeat(1, 2)", "{a} @ self.w",
    "{a} + self.shift", "torch.max({a}, {b})", "torch.topk({a}, 2)[0].sum() * {b}",
    "sum([{a}, {b}, 1])", "{a}[:, None, ...].squeeze(1)", "{a}.softmax(1).to({b}.dtype)",
    "({a} ** 2).sqrt()", "torch.einsum('ij,ij->ij', {a}, {b})",
    "torch.split({a}, 2, 1)[0].sum() + {b}",
]  # fmt: skip
REWRITES = """
for node in list(gm.graph.nodes):
    if node.op == "call_function" and node.target in (torch.relu, operator.add, operator.neg):
        if chooser.random() < 0.5:
            with gm.graph.inserting_after(node):
                new = gm.graph.call_function(torch.sin, (node,))
            node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
        elif node.target is operator.neg:
            node.replace_all_uses_with(node.args[0])
            gm.graph.erase_node(node)
gm.graph.eliminate_dead_code()
gm.recompile()
"""


def program(seed: int) -> str:
    """The text of a program: a module of random steps, recorded and rewritten."""
    rng = random.Random(seed)
    layers = [rng.choice(LAYERS) for _ in range(3)]
    lines = ["import operator, random", f"chooser = random.Random({seed})",
             "F = torch.nn.functional", "class M(torch.nn.Module):", "    def __init__(self):",
             "        super().__init__()", "        self.w = torch.nn.Parameter(torch.rand(4, 4))",
             "        self.register_buffer('shift', torch.rand(4))"]  # fmt: skip
    lines += [f"        self.layer{i} = {layer}" for i, layer in enumerate(layers)]
    lines.append("    def forward(self, x, y=None):" if rng.random() < 0.3 else
                 "    def forward(self, x, scale=2.0):")  # fmt: skip
    values = ["x"]
    for number in range(rng.randrange(4, 14)):
        a, b = rng.choice(values), rng.choice(values)
        step = rng.choice([*STEPS, "self.layer{n}({a})"])
        name = rng.choice([f"v{number}", "x", "sum_1", "relu"])
        lines.append(f"        {name} = " + step.format(a=a, b=b, n=rng.randrange(3)))
        values.append(name)
    lines.append(f"        return {values[-1]}, [{rng.choice(values)}, {{'k': {values[-2]}}}]")
    lines += ["gm = symbolic_trace(M())", "x = torch.rand(4, 4)", "show(gm, x)", REWRITES]
    return "\n".join([*lines, "show(gm, x)"])


@pytest.mark.parametrize("seed", range(40))
def test_random_module(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = program(seed)
    theirs = Program(torch, text, monkeypatch)
    ours = Program(graphwidget, text, monkeypatch)
    found = differences(ours.reported, theirs.reported)
    assert not found, "\n".join([text, *found])
