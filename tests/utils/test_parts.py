"""Small parts of PyTorch: windows, and what programs ask of compilers and profilers."""

from __future__ import annotations

from pathlib import Path

import pytest

import graphwidget as gw
from tests.both import both, programs, source

PROGRAMS = programs((Path(__file__).parent / "parts.txt").read_text())


@pytest.mark.parametrize(("title", "text"), PROGRAMS, ids=[title[:40] for title, _ in PROGRAMS])
def test_parts(title: str, text: str) -> None:
    both(source(text))


def test_there_is_no_torchscript() -> None:
    model = gw.nn.Linear(1, 1)
    for name in ("script", "freeze", "optimize_for_inference"):
        with pytest.warns(UserWarning, match=f"torch.jit.{name} gives back what it is given"):
            assert getattr(gw.jit, name)(model) is model
    for function in (gw.jit.load, lambda path: gw.jit.save(model, path)):
        with pytest.raises(NotImplementedError, match="has no TorchScript"):
            function("model.pt")


def test_nothing_is_measured() -> None:
    for refused in (gw.profiler.profile, gw.profiler.schedule, gw.autograd.profiler.profile):
        with pytest.raises(NotImplementedError, match="graphwidget does not profile"):
            refused()
