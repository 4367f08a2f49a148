"""A fix is tried on stand-ins: what is notified of it is what becomes of the program that has
it."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
import torch

from graphwidget.adapters.pytorch.fix_trials import STOPPED, WORKED
from graphwidget.adapters.pytorch.tape import LONG, MOST
from graphwidget.adapters.pytorch.watcher import TorchAdapter
from graphwidget.recording.findings import NOT_TRIED
from graphwidget.recording.recorder import Recorder
from tests.adapters.faulty_programs import BROKEN
from tests.adapters.test_diagnosis import run

TRIED = (
    "a block", "a module in place", "a mask", "through a view", "states in one tensor",
    "an item of a list", "a state of two", "a large one", "relu inplace", "carried", "slice",
)  # fmt: skip


@pytest.mark.parametrize("name", TRIED)
def test_a_fix_that_works_is_said_to_work(name: str) -> None:
    (finding,), error, _ = run(BROKEN[name].source, name)
    assert finding.tried == WORKED
    assert WORKED in "\n".join(error.__notes__)
    assert WORKED in str(finding)
    assert WORKED in finding._repr_html_()


def test_what_follows_the_line_where_a_program_stopped_is_not_checked() -> None:
    (finding,), _, _ = run(BROKEN["leaf"].source, "leaf")
    assert finding.tried == STOPPED


def test_a_fix_that_was_not_tried_says_so() -> None:
    (finding,), _, _ = run(BROKEN["gan"].source, "gan")
    assert finding.fix
    assert finding.tried == ""
    assert NOT_TRIED in str(finding)
    assert NOT_TRIED in finding._repr_html_()


def test_a_fix_that_is_not_enough_is_reported_so() -> None:
    source = """
x = torch.randn(3, requires_grad=True)
a, b = x.exp(), x.tanh()
a += 1
b += 1
(a + b).sum().backward()
"""
    (finding,), _, _ = run(source, "two writes")
    assert "still fail" in finding.tried
    assert "modified by an inplace operation" in finding.tried


class Squared(torch.autograd.Function):
    calls = 0

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        Squared.calls += 1
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return 2 * ctx.saved_tensors[0] * grad


def test_nothing_of_the_users_runs_again() -> None:
    source = """
noted = []
def square(x):
    noted.append("square")
    return Squared.apply(x)
x = torch.randn(3, requires_grad=True)
x.register_hook(lambda grad: noted.append("hook"))
h = square(x)
y = torch.sigmoid(h)
y += 1
before = torch.get_rng_state()
y.sum().backward()
"""
    Squared.calls = 0
    (finding,), _, names = run(source.replace("Squared", "names.Squared"), "own", names=_Names)
    assert finding.tried == WORKED
    assert (Squared.calls, names["noted"]) == (1, ["square"])
    assert torch.equal(names["before"], torch.get_rng_state())
    assert names["x"].grad is None


class _Names:
    Squared = Squared


def test_what_cannot_be_repeated_is_not_tried() -> None:
    source = """
x = torch.randn(3, requires_grad=True)
h = names.Squared.apply(x) * 1
y = names.Squared.apply(h)
h += 1
y.sum().backward()
"""
    (finding,), _, _ = run(source, "own saves", names=_Names)
    assert finding.reader is not None
    assert finding.reader.text == "y = names.Squared.apply(h)"
    assert finding.culprit is not None
    assert finding.culprit.text == "h += 1"
    assert finding.tried == ""


def test_the_tape_keeps_no_tensor_alive_and_stays_short() -> None:
    adapter = TorchAdapter(Recorder())
    tape = adapter.calls.tape
    x = torch.randn(3, requires_grad=True)
    with adapter.observing():
        for _ in range(MOST + 10):
            y = x * 2
        seen = weakref.ref(y)
        del y
        gc.collect()
        assert seen() is None
        assert len(tape.entries) == MOST
        for _ in range(LONG + 1):
            y = x * 2
        y.sum().backward()
        assert tape.entries == []
