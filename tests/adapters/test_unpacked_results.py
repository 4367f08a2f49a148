"""Parts of results have the names of the variables to which they are unpacked."""

from __future__ import annotations

from typing import Any

import pytest

from graphwidget.recording.fold import Model

from .engines import native, real

CELL = """
cell = torch.nn.LSTMCell(2, 3)
x = torch.ones(1, 2)
held = []
"""

LOOP = """
h = c = torch.zeros(1, 3)
for turn in range(4):
    h, c = cell(x, (h, c))
    held.append((h.tolist(), c.tolist()))
h.sum().backward()
"""

FUNCTION = """
def walk():
    h = c = torch.zeros(1, 3)
    for turn in range(4):
        h, c = cell(x, (h, c))
        held.append((h.tolist(), c.tolist()))
        last = h * 2
    return last.sum()
walk().backward()
"""

NESTED = """
held = []
lstm = torch.nn.LSTM(2, 3)
gru = torch.nn.GRU(3, 3, batch_first=True)
def run(x):
    out, (h, c) = lstm(x)
    out, state = gru(out)
    held.append((h.tolist(), c.tolist(), out.tolist(), state.tolist()))
    return out.sum() + h.sum() + c.sum()
run(torch.ones(2, 1, 2)).backward()
"""


def named(model: Model, scope: str, name: str) -> list[list[float]]:
    """The numbers of the values that a variable held, in their order."""
    rows = [row for row in model.values.values() if [scope, name] in row["names"]]
    return [list(row["summary"].values) for row in sorted(rows, key=lambda row: row["time"])]


def flat(items: Any) -> list[float]:
    """The numbers in nested lists."""
    return [x for item in items for x in flat(item)] if isinstance(items, list) else [items]


@pytest.mark.parametrize("recorded", [real, native])
@pytest.mark.parametrize(("source", "scope"), [(LOOP, ""), (FUNCTION, "walk")])
def test_each_turn_names_the_parts_of_what_a_cell_returns(
    recorded: Any, source: str, scope: str
) -> None:
    model, namespace = recorded(CELL + source)
    held = namespace["held"]
    assert named(model, scope, "h")[-4:] == [flat(h) for h, _c in held]
    assert named(model, scope, "c")[-4:] == [flat(c) for _h, c in held]
    assert max(len(named(model, scope, name)) for name in "hc") == 5  # with what they began with


@pytest.mark.parametrize("recorded", [real, native])
def test_parts_of_parts(recorded: Any) -> None:
    model, namespace = recorded(NESTED)
    [(h, c, out, state)] = namespace["held"]
    for name, value in (("h", h), ("c", c), ("state", state)):
        assert named(model, "run", name) == [flat(value)]
    assert named(model, "run", "out")[-1] == flat(out)
    assert len(named(model, "run", "out")) == 2  # what the one returned, and the other
