"""``diagnose`` finds what ``watch`` finds, though it looks only once something is wrong."""

from __future__ import annotations

import linecache
from typing import Any

import pytest
import torch

import graphwidget
from graphwidget.adapters.composite import Adapter
from graphwidget.adapters.pytorch.tape import MOST
from graphwidget.adapters.pytorch.watcher import TorchAdapter
from graphwidget.recording.log import Log
from graphwidget.recording.recorder import Recorder
from tests.adapters.faulty_programs import BROKEN

LOOP = """
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters())
data = torch.randn(6, 4)
kept = torch.zeros(1)
for turn in range(200):
    opt.zero_grad()
    hidden = torch.sigmoid(data * 2)
    {}
    loss = net(hidden).square().mean() + kept.sum()
    loss.backward()
    opt.step()
"""
LONG = {
    "stale at last": """
    gate = torch.sigmoid(net[0](data))
    gate += turn == 190
    kept = gate""",
    "carried at last": """
    kept = kept.detach() + loss if turn in (180, 181) else torch.zeros(1)""",
    "used twice": """
    kept = loss if turn == 190 else torch.zeros(1)""",
    "of a number": """
    if turn == 190:
        torch.tensor(loss.item()).backward()""",
}
PROGRAMS = {name: each.source for name, each in [*BROKEN.items()][::3]}
PROGRAMS |= {name: BROKEN[name].source for name in ("a loss that counts",)}
PROGRAMS |= {name: LOOP.format(line) for name, line in LONG.items()}


def found(source: str, name: str, later: bool) -> tuple[list[Any], list[str]]:
    """Return what is found in a program, and the notes of its error."""
    adapter = TorchAdapter(Recorder())
    if later:
        adapter.lighten()
    file = f"<later {name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    torch.manual_seed(0)
    notes: list[str] = []
    with adapter.observing():
        try:
            exec(compile(source, file, "exec"), {"torch": torch, "__name__": "__main__"})
        except RuntimeError as error:
            notes = error.__notes__
        finally:
            torch.set_grad_enabled(True)
    return adapter.findings(over=True), notes


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_reported_later_is_what_is_reported_at_once(
    name: str,
) -> None:
    findings, notes = found(PROGRAMS[name], name, later=True)
    assert findings
    assert (findings, notes) == found(PROGRAMS[name], name, later=False)


def test_what_waits_stays_small_and_keeps_no_tensor() -> None:
    adapter = TorchAdapter(Recorder())
    adapter.lighten()
    x = torch.randn(3)
    with adapter.observing():
        for _ in range(MOST + 2_000):
            x = x * 1.0
        assert len(adapter.recorder.raw) <= MOST
        assert len(adapter.identity.refs) < 10
    assert not torch._C._len_torch_function_stack()


DATA = """
rows = []
for i in range(900):
    row = torch.arange(3.) * 0.5 + i
    row[0] = 1.
    rows.append(row)
w = torch.ones(3, requires_grad=True)
y = w * rows[-1]
for row in rows:
    row.mul_(2)
y.sum().backward()
"""


def test_a_write_is_observed_among_thousands_of_calls_that_touch_no_gradient() -> None:
    (finding,), notes = found(DATA, "data", True)
    assert notes
    assert finding.culprit.text == "row.mul_(2)"
    assert finding.reader.text == "y = w * rows[-1]"


def test_of_a_line_that_makes_data_again_and_again_few_calls_are_noted() -> None:
    adapter, count = TorchAdapter(Recorder()), 2_000
    adapter.lighten()
    with adapter.observing():
        for number in range(count):
            torch.zeros(2) + number
        noted = len(adapter.recorder.raw)
        new = torch.zeros(2) + count  # a line of its own
        assert len(adapter.recorder.raw) > noted
        assert adapter.identity.known(new) is not None
    assert noted < count


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


def test_nodes_of_a_run_from_two_losses_ran() -> None:
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
