"""The page's ways out of a stale saved value work: the line fails, and what is offered runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import graphwidget

FIXES: list[dict[str, str]] = json.loads((Path(__file__).parent / "fixes.json").read_text("utf-8"))


def run(line: str) -> dict[str, Any]:
    names: dict[str, Any] = {"torch": graphwidget, "F": graphwidget.nn.functional}
    program = (
        "torch.manual_seed(0)\na = torch.tensor([1., 3.], requires_grad=True)\nb = a + 2\n"
        f"loss = (b * b).mean()\n{line}\nloss.backward()"
    )
    exec(program, names)
    return names


@pytest.mark.parametrize(("line", "fix"), [(each["line"], each["fix"]) for each in FIXES])
def test_a_way_out(line: str, fix: str) -> None:
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        run(line)
    fixed = run(fix)
    assert fixed["a"].grad.tolist() == [3.0, 5.0]  # of loss, which was computed before the line
    written = run(f"with torch.no_grad():\n    c = b.clone()\n    {swapped(line)}")["c"]
    assert fixed["b"].tolist() == written.tolist()  # the numbers that the line wanted


def swapped(line: str) -> str:
    """The same write into ``c``, whose numbers are those of ``b``."""
    return re.sub(r"\bb\b", "c", line)
