"""The still picture: one turn of a training loop, one card for a parameter, folded modules."""

from __future__ import annotations

import re
import shutil
from typing import Any

import pytest

import graphwidget as torch
from graphwidget.exporters import labels
from graphwidget.exporters.graphviz import digraph
from graphwidget.exporters.still import MOST
from graphwidget.widget import display
from graphwidget.widget.display import MAX_BOXES
from tests.adapters.engines import native, real
from tests.adapters.record_native import record

TRAINING = """
X, Y = torch.randn(8, 4), torch.randn(8, 1)
net = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    opt.zero_grad()
    loss = ((net(X) - Y) ** 2).mean()
    loss.backward()
    opt.step()
"""


def test_a_training_loop_is_one_turn() -> None:
    model = record(TRAINING).model
    graph = digraph(model)
    source = graph.source
    assert "iteration 3 of 3: for step in range(3):" in source
    assert len(re.findall(r"Linear", source)) == 2
    assert source.count("MeanBackward0") == 1
    for name in ("net[0].weight", "net[0].bias", "net[2].weight", "net[2].bias"):
        assert source.count(name) == 1
    assert "uniform" not in source
    assert "TBackward0" not in source
    assert graph.counts == (12, 6)
    assert repr(graph) == "<graph of 12 values and 6 operations>"


def test_deep_models_are_folded() -> None:
    recorded = record(
        "layers = [torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.) for _ in range(6)]\n"
        "net = torch.nn.Sequential(*layers)\n"
        "loss = net(torch.randn(3, 2, 8)).pow(2).mean()\nloss.backward()"
    )
    graph = digraph(recorded.model)
    assert graph.source.count("TransformerEncoderLayer") == 6
    assert 8 <= sum(graph.counts) <= MOST
    assert "parameters" in graph.source


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz's dot")
def test_many_calls_are_drawn_where_few_boxes_hold_them() -> None:
    deep = record(
        "net = torch.nn.Sequential(*(torch.nn.Linear(2, 2) for _ in range(200)))\n"
        "loss = torch.nn.Sequential(net, torch.nn.ReLU())(torch.ones(2)).sum()"
    ).model
    assert len(deep.calls) > MAX_BOXES
    assert "<img" in display.still(deep, "words")["text/html"]
    chain = record("x = torch.ones(2)\n" + "x = x + 1\n" * MAX_BOXES).model
    assert "<img" not in display.still(chain, "words")["text/html"]


def test_what_is_not_finite_is_marked() -> None:
    with torch.watch() as graph:
        _bad = torch.tensor([1.0, float("nan")]) * 1
        _zero = torch.zeros(6, 6) * 1
        source = torch.to_graphviz(graph).source
    assert "⚠ [1., nan]" in source
    assert "all 0" in source


RECURRENT = """
cell = torch.nn.LSTMCell(3, 4)
opt = torch.optim.SGD(cell.parameters(), lr=0.1)
inputs = torch.randn(10, 1, 3)
for epoch in range(3):
    h, c = torch.zeros(1, 4), torch.zeros(1, 4)
    for x in inputs:
        h, c = cell(x, (h, c))
    loss = h.sum()
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(cell.parameters(), 1.0)
    opt.step()
"""


def test_a_loop_within_a_turn_is_one_box() -> None:
    graph = digraph(record(RECURRENT).model)
    source = graph.source
    assert "iteration 3 of 3: for epoch in range(3):" in source
    assert "for x in inputs, 10 iterations" in source
    assert graph.counts[1] < 5
    assert "×" not in source, "clipping gradients is no part of it"


def test_a_short_loop_is_a_frame_around_its_turns() -> None:
    source = digraph(record("y = torch.ones(2)\nfor i in range(2):\n    y = y * 2").model).source
    assert re.search(
        r'subgraph cluster_s\d+ \{\s+color="[^"]+" [^\n]*label="for i in range', source
    )
    assert source.count('label="iteration ') == 2


BLOCKS = """
nn = torch.nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 4)
        self.norm = nn.LayerNorm(4)
    def forward(self, h):
        h = self.norm(h * 2)
        f = self.second(self.first(h).relu())
        h += f
        return self.norm(h)

model = nn.Sequential(*(Block() for _ in range(6)))
loss = model(torch.randn(2, 3, 4)).sum()
try:
    loss.backward()
except RuntimeError:
    pass
"""


@pytest.mark.parametrize("recorded", [real, native])
def test_what_failed_is_not_folded(recorded: Any) -> None:
    source = digraph(recorded(BLOCKS)[0]).source
    assert source.count("<B>Block</B>") == 5, "the others are folded"
    assert "<B>+=</B>" in source
    reader = re.search(r"(c\d+) \[label=<<B>(W·x\+b|@ \+)", source)
    assert reader is not None
    writer = re.search(r"(c\d+) \[label=<<B>\+=", source)
    assert writer is not None
    assert re.search(rf"{writer[1]} -> {reader[1]} \[.*this wrote v1", source)
    assert labels.COLOURS["error-fill"] in source, "the pill of the node that failed is red"
    drawn = re.findall(r"\n\s+(v\d+) \[", source)
    assert all(source.count(value) > 1 for value in drawn), "each card hangs on something"


def test_a_card_that_was_written_since_shows_what_the_call_read() -> None:
    recorded = record(
        "w = torch.tensor(0., requires_grad=True)\n"
        "for step in range(2):\n"
        "    loss = (w * 2 - 6) ** 2\n"
        "    loss.backward()\n"
        "    with torch.no_grad():\n"
        "        w -= 0.05 * w.grad\n"
        "    w.grad = None\n"
    )
    (card,) = (line for line in digraph(recorded.model).source.splitlines() if ">w<" in line)
    # 0 + 0.05 · 24 entered the second iteration's product.
    assert all(text in card for text in (">1.2<", "→ 1.92", "v1 → v2"))
