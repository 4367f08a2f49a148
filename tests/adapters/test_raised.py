"""A call that raised is told with what it was given and the user's line."""

from __future__ import annotations

import pytest

from .recorded import record

SETTING = """
x, y = torch.ones(2, 3), torch.ones(2, 4)
net = torch.nn.Sequential(torch.nn.Linear(2, 2))
try:
    {}
except Exception as error:
    caught = error
"""


@pytest.mark.parametrize(
    ("call", "op", "shapes"),
    [
        ("x @ y", "mm", [(2, 3), (2, 4)]),
        ("x + y", "add", [(2, 3), (2, 4)]),
        ("torch.mm(x, y)", "mm", [(2, 3), (2, 4)]),
        ("torch.cat([x, y])", "cat", [(2, 3), (2, 4)]),
        ("net(x)", "addmm", [(2,), (2, 3), (2, 2)]),
        ("x.view(7)", "view", [(2, 3)]),
        ("x.add_(y)", "add", [(2, 3), (2, 4)]),
        ("x.sum(5)", "sum", [(2, 3)]),
    ],
)
def test_a_call_that_raised(call: str, op: str, shapes: list[tuple[int, ...]]) -> None:
    seen = record(SETTING.format(call), bind=False)
    adapter = seen.adapter
    caught = seen.namespace["caught"]  # type: ignore[attr-defined]
    adapter.raised(caught)
    adapter.drain()
    model = adapter.recorder.log.model()
    [error] = model.errors
    assert (error["kind"], error["op"]) == ("call", op)
    assert (error["type"], error["message"]) == (type(caught).__name__, str(caught))
    assert model.sources[error["source"]]["text"] == call
    given = [model.values[value]["summary"] for value in error["inputs"]]
    assert [tuple(summary[0]) for summary in given] == shapes


@pytest.mark.parametrize("line", ["1 / 0", "raise ValueError(x)", "undefined", "x.foo"])
def test_other_errors_are_no_calls(line: str) -> None:
    seen = record(SETTING.format(line), bind=False)
    seen.adapter.raised(seen.namespace["caught"])  # type: ignore[attr-defined]
    seen.adapter.drain()
    assert seen.adapter.recorder.log.model().errors == []
