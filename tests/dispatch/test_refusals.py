"""Wrong or unusual calls: each line of ``refusals.txt`` ends in the same error, or shows the same,
on both engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.both import both, source

HEAD = """
import numpy as np
nn, F = torch.nn, torch.nn.functional
torch.manual_seed(0)
x = torch.arange(12.).reshape(3, 4) - 5
g = torch.arange(12.).sin().reshape(3, 4).requires_grad_()
i, v = torch.arange(12).reshape(3, 4), torch.ones(4, requires_grad=True)
b, s, c = torch.tensor([True, False, True]), torch.tensor(2.), torch.arange(24.).reshape(2, 3, 4)
im = torch.arange(288.).sin().reshape(2, 4, 6, 6).requires_grad_()
A = np.ones((2, 3))
"""
"""What the lines may use."""

LINES = Path(__file__).with_name("refusals.txt").read_text().split("\n")


@pytest.mark.parametrize("line", [each for each in LINES if each and not each.startswith("#")])
def test_same(line: str) -> None:
    before, _, last = line.rpartition("; ")
    both(source(f"{HEAD}{before}\nresult = {last}"))
