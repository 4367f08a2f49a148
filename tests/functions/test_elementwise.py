"""Elementwise functions at their edges: types they refuse and promote, numbers in place of tensors,
infinities, nan, signed zeros and integers divided; results and errors as PyTorch's."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compare_engines import both


@pytest.mark.parametrize("call", ["x / 2", "x * 2", "x + 1", "x * x", "x.sin()", "-x", "x.exp()"])
def test_memory_of_repeated_items(call: str) -> None:
    """Results of expanded tensors lie in memory in PyTorch's order."""

    def program(torch: Any) -> Any:
        x = torch.ones(2, 3, 2).expand(2, -1, -1, -1).permute(3, 0, 1, 2)
        return eval(call, {"x": x}).stride()

    both(program)
