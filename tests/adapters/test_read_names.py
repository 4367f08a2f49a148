"""Tensors that no call named are called what the program types for them where it reads them."""

from __future__ import annotations

import linecache
from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from graphwidget.adapters.names import named
from graphwidget.adapters.pytorch.watcher import TorchAdapter
from graphwidget.recording.recorder import Recorder


class Two(torch.nn.Module):
    """Returns a tuple or a dictionary."""

    def forward(self, x: torch.Tensor, more: bool = False) -> Any:
        return {"loss": x.sum(), "y": x * 4} if more else (x * 2, [x * 3])


def names_of(line: str) -> set[str]:
    """The names that a line's tensors get, of which no variable holds one before."""
    file = f"<line {line}>"
    linecache.cache[file] = (len(line), None, [line], file)
    given = torch.ones(3)
    space: dict[str, Any] = {
        "torch": torch, "two": Two(), "xs": [given], "batch": {"x": given, "n": 3},
        "pair": namedtuple("Pair", "first second")(given, 1), "holder": SimpleNamespace(x=given),
    }  # fmt: skip
    adapter = TorchAdapter(Recorder())
    with adapter.observing():
        exec(compile(line, file, "exec"), space)
    adapter.drain()
    rows = adapter.recorder.log.model().values.values()
    return {name for row in rows for scope, name in row["names"] if scope == ""}


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("y = torch.relu(batch['x'])", "batch['x']"),
        ("y = batch['x'].relu()", "batch['x']"),
        ("y = 2 * pair.first", "pair.first"),
        ("y = xs[0] + xs[-1]", "xs[0]"),
        ("y = two(holder.x)[0]", "holder.x"),
        ("y = two(x=holder.x)[0]", "holder.x"),
        ("y = xs[0][:1]", "xs[0]"),
        ("y = torch.add(input=holder.x, other=1)", "holder.x"),
        ("y = torch.relu(xs[len(xs) - 1])", None),
        ("scale = 3.0; y = scale * (xs or [])[0]", None),
    ],
)
def test_what_is_read(line: str, name: str | None) -> None:
    assert names_of(line) - {"y"} == ({name} if name else set())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a, (b,) = two(xs[0])", {"a", "b"}),
        ("_, (b,) = two(xs[0])", {"b"}),
        ("out = two(xs[0])", {"out[0]", "out[1][0]"}),
        ("out = two(xs[0], more=True)", {"out['loss']", "out['y']"}),
        ("loss = two(xs[0], more=True)['loss']", {"loss"}),
    ],
)
def test_items_of_results(line: str, expected: set[str]) -> None:
    assert names_of(line) == expected | {"xs[0]"}


def test_containers_in_a_namespace() -> None:
    x, y = torch.ones(1), torch.zeros(1)
    pair = namedtuple("Pair", "first second")
    space = {"batch": {"x": x, "more": [y]}, "both": pair(x, 3), "x": x}
    found = [name for _scope, name, _tensor in named(space)]
    assert found == ["batch['x']", "batch['more'][0]", "both.first", "x"]
