"""``show_code`` prints what Python compiles for a function, and the class of its node."""

from __future__ import annotations

import subprocess
import sys

import pytest

import graphwidget as torch
from tests.structure.tree import ROOT

PROGRAM = """
import contextlib, io, sys
import graphwidget as torch

compiled = []
sys.addaudithook(lambda event, args: compiled.append(args) if event == "compile" else None)
x = torch.ones(3, requires_grad=True)
torch.mul(x, x).sum().backward()
sources = [bytes(source).decode() if isinstance(source, bytes) else source
           for source, name in compiled if "mul" in str(name)]
with contextlib.redirect_stdout(io.StringIO()) as printed:
    torch.show_code(torch.mul)
    torch.show_code(torch.mul(x, 2.).grad_fn)
for part in ("def mul(", "targets = ('self', 'other')", "targets = ('self',)"):
    (source,) = (source for source in sources if part in source)
    assert source in printed.getvalue(), part
"""


def test_it_shows_what_python_compiles() -> None:
    subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, check=True)


def test_written_functions_and_others(capsys: pytest.CaptureFixture[str]) -> None:
    torch.show_code(torch.einsum)
    assert "def einsum(*args: Any) -> Tensor:" in capsys.readouterr().out
    torch.show_code(torch.ones(1, requires_grad=True).exp().grad_fn)
    assert "class ExpBackward0(Node):" in capsys.readouterr().out
    with pytest.raises(TypeError, match="takes a function, a method or a node, not 3"):
        torch.show_code(3)
