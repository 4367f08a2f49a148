"""Iterations are those of the loops that the user wrote, on both engines: what libraries do between
them starts none, and a loop's newest iteration is the one that computed its last loss."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from .engines import native, real

SETUP = """
import itertools
nn, functional, data = torch.nn, torch.nn.functional, torch.utils.data
torch.manual_seed(0)
X, Y = torch.randn(24, 4), torch.randn(24, 1)
rows = data.TensorDataset(X, Y)
loader = data.DataLoader(rows, batch_size=4, shuffle=True)
model = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
losses = []
"""

STEP = """
optimizer.zero_grad()
loss = functional.mse_loss(model(x), y)
loss.backward()
optimizer.step()
losses.append(loss.item())
"""

PROGRAMS = Path(__file__).with_name("iterations.txt").read_text("utf-8")
LOOP = re.compile(r"^ *((?:for|while) .*:)  # (\d+)$", re.MULTILINE)


def written() -> dict[str, tuple[str, dict[str, int]]]:
    """The programs by their titles, each with how often its loops run."""
    found = {}
    for part in PROGRAMS.split("\n# ")[1:]:
        title, text = part.split("\n", 1)
        program = re.sub(r"^( *)\.\.\.$", lambda x: _step(x[1]), text, flags=re.MULTILINE)
        found[title] = program, {loop: int(count) for loop, count in LOOP.findall(text)}
    return found


def _step(indent: str) -> str:
    return "\n".join(indent + line for line in STEP.strip().splitlines())


WRITTEN = written()


@pytest.mark.parametrize("engine", [native, real])
@pytest.mark.parametrize("title", WRITTEN)
def test_iterations_are_those_of_the_users_loops(engine: Any, title: str) -> None:
    program, expected = WRITTEN[title]
    model, namespace = engine(SETUP + program)
    assert "error" not in namespace
    found: dict[str, set[int]] = {}
    for loop in model.loops.values():
        text = model.scopes[loop["loop"]]["text"].partition("  # ")[0]
        found.setdefault(text, set()).add(loop["count"])
    generators = {text for text in found if text not in expected}
    assert {text: {count} for text, count in expected.items()}.items() <= found.items()
    assert all(f"    {text}" in program for text in generators)
    ran = [loop for loop in model.loops.values() if "loss" in loop["curves"]]
    newest = max(ran, key=lambda loop: loop["iterations"][-1]["from"])
    assert newest["curves"]["loss"][-1] == pytest.approx(namespace["losses"][-1])
