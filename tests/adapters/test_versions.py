"""Each write makes one new value, whatever the written tensor shares its memory with."""

from __future__ import annotations

from typing import Any

import pytest

from .engines import native, real

WRITES = [
    "c.add_(1)",
    "c.mul_(c)",
    "c += c",
    "c[0] *= 2",
    "c[0] = c[1]",
    "c[0].copy_(c[1])",
    "c.copy_(c.clone())",
    "v = c[0]; v.mul_(c[1]); v.add_(v)",
    "c.t_()",
]


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("recorded", [real, native])
def test_a_write_whose_operands_share_its_memory_makes_one_value(recorded: Any, write: str) -> None:
    source = "a = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)\nc = a * 2\n"
    model, _ = recorded(f"{source}{write}\nc.add_(1)\n")
    rows = sorted(
        (row for row in model.values.values() if row["names"] == [["", "c"]]),
        key=lambda row: row["version"],
    )
    _, expected = real(f"{source}{write}\nc.add_(1)\n")
    assert [row["version"] for row in rows] == list(range(expected["c"]._version + 1))
    assert [row["next"] for row in rows[:-1]] == [row["value"] for row in rows[1:]]
    assert rows[-1]["summary"].values == tuple(expected["c"].flatten().tolist())
    nodes = [model.nodes[row["node"]]["name"] for row in rows if row["node"] is not None]
    assert nodes[-1] == type(expected["c"].grad_fn).__name__
    assert all(row["node"] is not None or row["next"] is not None for row in rows)


@pytest.mark.parametrize("recorded", [real, native])
def test_where_a_path_ends_at_nothing_no_node_is_reported(recorded: Any) -> None:
    model, _ = recorded(
        "a = torch.ones(2, 2, requires_grad=True)\nv = a[0]\n"
        "with torch.no_grad(): v.mul_(2)\n(v * 2).sum().backward()"
    )
    names = [row["name"].rpartition("::")[2] for row in model.nodes.values()]
    assert all(name.endswith("Backward0") or name == "AccumulateGrad" for name in names)
