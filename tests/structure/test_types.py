"""Type checkers know the types of what users call."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.structure.stubs import TARGETS
from tests.structure.tree import PACKAGE, ROOT

PROGRAM = """
import graphwidget as torch
from graphwidget import nn

x = torch.randn(2, 3, requires_grad=True)
y = x @ x.T + torch.exp(x).sum() * 2
reveal_type(x)                      # Tensor
reveal_type(y)                      # Tensor
reveal_type(x.exp())                # Tensor
reveal_type(x.exp_())               # Tensor
reveal_type(torch.add(x, 1))        # Tensor
reveal_type(x.unbind(0))            # tuple[Tensor, ...]
reveal_type(x.tolist())             # Any
reveal_type(x.dim())                # int
reveal_type(float(y.sum()))         # float
reveal_type(x.requires_grad)        # bool
reveal_type(x.T)                    # Tensor
reveal_type(x == y)                 # Tensor
reveal_type(nn.Linear(2, 3).weight) # Parameter
reveal_type(torch.float)            # dtype
x.to(torch.float)
with torch.autocast("cpu", enabled=False) as region:
    reveal_type(region)             # autocast
assert isinstance(x, torch.FloatTensor)
torch.exp()                         # error
torch.exp(x, 1)                     # error
torch.nosuch                        # error
"""


def test_the_package_says_that_it_is_typed() -> None:
    assert (PACKAGE / "py.typed").exists()


@pytest.mark.parametrize("name", TARGETS)
def test_stubs_are_up_to_date(name: str) -> None:
    stored = (PACKAGE / name).read_text(encoding="utf-8")
    assert stored == TARGETS[name](), "run python -m tests.structure.stubs"


def test_mypy_on_a_users_file(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    # Strict as the package itself is checked: so what `make check` has cached serves here.
    command = [sys.executable, "-m", "mypy", str(program)]
    reported = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    by_line = {
        int(line): re.sub(r"\b(graphwidget|builtins)(\.\w+)*\.", "", text)
        for line, text in re.findall(r"program\.py:(\d+): \w+: (.*)", reported)
    }
    for number, line in enumerate(PROGRAM.splitlines(), 1):
        expected = line.partition("# ")[2]
        if expected == "error":
            assert number in by_line, line
        elif expected:
            assert f'"{expected}"' in by_line[number], (line, by_line.get(number))
        else:
            assert number not in by_line, (line, by_line[number])
