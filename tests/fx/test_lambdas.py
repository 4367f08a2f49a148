"""Functions of a line, recorded by both engines: the same code, or the same refusal."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.fx

import graphwidget
from tests.compare_engines import attempt
from tests.fx.test_programs import settled

LAMBDAS = Path(__file__).with_name("lambdas.txt").read_text().strip().split("\n")


def code(engine: Any, text: str) -> Any:
    """Return what a call of ``symbolic_trace`` makes of it; ``text`` may have more arguments."""
    names = {"torch": engine, "fx": engine.fx, "symbolic_trace": engine.fx.symbolic_trace}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return attempt(lambda: settled(eval(f"symbolic_trace({text})", names).code))


@pytest.mark.parametrize("text", LAMBDAS)
def test_lambda(text: str) -> None:
    assert code(graphwidget, text) == code(torch, text)
