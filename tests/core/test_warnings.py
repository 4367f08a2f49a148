"""Warnings stand at the user's line, and numpy's own are not heard."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import graphwidget as torch
from graphwidget.core import warning

WARNING: dict[str, Callable[[], Any]] = {
    "kernel": lambda: torch.std(torch.ones(1)),
    "factory": lambda: torch.tensor(torch.ones(1)),
    "ranges": lambda: torch.range(0, 2),
    "functional": lambda: torch.nn.functional.softmax(torch.ones(2)),
    "loss": lambda: torch.nn.MSELoss()(torch.ones(2), torch.ones(1)),
    "attribute": lambda: (torch.ones(1, requires_grad=True) * 2).grad,
    "number": lambda: float(torch.ones(1, requires_grad=True).sum()),
}

SILENT = """
import graphwidget as torch
x = torch.zeros(3, requires_grad=True)
for y in (x.log(), x / x, 1 / x, x.sqrt(), x.pow(-1.5), torch.xlogy(x, x), (x - 1).log()):
    y.sum().backward()
torch.tensor([1e30]).half()
"""


@pytest.mark.parametrize("name", WARNING)
def test_a_warning_names_the_line_of_the_user(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warning, "_given", set())  # what is told once may have been told
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        WARNING[name]()
    users = [each for each in told if each.category is UserWarning]
    assert users
    assert {each.filename for each in users} == {__file__}


def test_numpy_does_not_warn_of_nan_and_inf() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SILENT], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
