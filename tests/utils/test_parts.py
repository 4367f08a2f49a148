"""Small parts of PyTorch: windows, and what programs ask of compilers and profilers."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import graphwidget as gw
from tests.core.both import both, programs, source

PROGRAMS = programs((Path(__file__).parent / "parts.txt").read_text())


@pytest.mark.parametrize(("title", "text"), PROGRAMS, ids=[title[:40] for title, _ in PROGRAMS])
def test_parts(title: str, text: str) -> None:
    both(source(text))


def test_nothing_is_compiled() -> None:
    model = gw.nn.Linear(1, 1)
    for name in ("script", "freeze", "optimize_for_inference"):
        with pytest.warns(UserWarning, match=f"torch.jit.{name} gives back what it is given"):
            assert getattr(gw.jit, name)(model) is model
    with pytest.warns(UserWarning, match=r"torch\.jit\.trace gives back"):
        assert gw.jit.trace(model, gw.ones(1, 1)) is model
    for function in (gw.jit.load, lambda path: gw.jit.save(model, path)):
        with pytest.raises(NotImplementedError, match="has no TorchScript"):
            function("model.pt")


def test_nothing_is_measured() -> None:
    for refused in (gw.profiler.profile, gw.profiler.schedule, gw.autograd.profiler.profile):
        with pytest.raises(NotImplementedError, match="graphwidget does not profile"):
            refused()


@pytest.mark.parametrize(
    ("name", "why"),
    [("hub", "fetches nothing"), ("onnx", "machinery of PyTorch's own"), ("masked", "dense")],
)
def test_names_that_are_not_here_say_why(name: str, why: str) -> None:
    with pytest.raises(AttributeError, match=why):
        getattr(gw, name)
    with pytest.raises(AttributeError, match="runs in one process"):
        _ = gw.distributed.all_reduce


def test_statements_are_measured() -> None:
    timing = importlib.import_module("graphwidget.utils.benchmark")
    timer = timing.Timer(
        "x + torch.ones(2)", "y = x", globals={"x": gw.ones(2)}, label="sum", sub_label="two",
        description="here",
    )  # fmt: skip
    once = timer.timeit(20)
    assert once.number_per_run == 20
    assert len(once.times) == 1
    assert 0 < once.mean == once.median < 1
    often = timer.blocked_autorange(min_run_time=0.01)
    assert sum(often.raw_times) >= 0.01
    assert often.iqr >= 0
    assert (often.title, often.label, often.description) == ("sum: two", "sum", "here")
    shown = repr(once).split("\n")
    assert shown[1:4] == ["sum: two", "here", "setup: y = x"]
    assert shown[5] == "  1 measurement, 20 runs , 1 thread"
    assert timer.adaptive_autorange(min_run_time=0.001, max_run_time=0.1).times
    table = str(timing.Compare([once, often]))
    assert table.startswith("[sum]\n")
    assert "here" in table
    assert "two" in table
    with pytest.raises(ValueError, match="Currently only a `str` stmt is supported"):
        timing.Timer(len)
