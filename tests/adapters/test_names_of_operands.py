"""Tensors that no call named are called what the program types for them where it reads them."""

from __future__ import annotations

import linecache
from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import pytest
import torch

import graphwidget
from graphwidget.adapters.names import named
from graphwidget.adapters.native import NativeAdapter
from graphwidget.adapters.pytorch.watcher import TorchAdapter
from graphwidget.recording.recorder import Recorder

TWO = """
class Two(torch.nn.Module):
    def forward(self, x, more=False):
        return {"loss": x.sum(), "y": x * 4} if more else (x * 2, [x * 3])
"""


def names_of(line: str, library: Any) -> set[str]:
    """The names that a line's tensors get, of which no variable holds one before."""
    file = f"<line {line}>"
    linecache.cache[file] = (len(line), None, [line], file)
    given = library.ones(3)
    space: dict[str, Any] = {
        "torch": library, "xs": [given], "batch": {"x": given, "n": 3}, "__name__": "program",
        "pair": namedtuple("Pair", "first second")(given, 1), "holder": SimpleNamespace(x=given),
    }  # fmt: skip
    exec(TWO, space)
    space["two"] = space["Two"]()
    adapter: Any = {torch: TorchAdapter, graphwidget: NativeAdapter}[library](Recorder())
    with adapter.observing():
        exec(compile(line, file, "exec"), space)
    adapter.drain()
    rows = adapter.recorder.log.model().values.values()
    return {name for row in rows for scope, name in row["names"] if scope == ""}


BOTH = pytest.mark.parametrize("library", [torch, graphwidget], ids=["torch", "ours"])


@BOTH
@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("y = torch.relu(batch['x'])", "batch['x']"),
        ("y = batch['x'].relu()", "batch['x']"),
        ("y = 2 * pair.first", "pair.first"),
        ("y = xs[0] + xs[-1]", "xs[0]"),
        ("y = two(holder.x)[0]", "holder.x"),
        ("y = two(x=holder.x)[0]", "holder.x"),
        ("y = xs[0][:1]", "xs[0]"),
        ("y = torch.add(input=holder.x, other=1)", "holder.x"),
        ("y = torch.relu(xs[len(xs) - 1])", ""),
        ("y = torch.nn.functional.cross_entropy(holder.x, batch['x'])", "holder.x"),
        ("s = 2.; y = s - holder.x", "holder.x"),
        ("y = xs[0][0].abs()", "xs[0] xs[0][0]"),
        ("holder.x.data.abs()", "holder.x holder.x.data"),
        ("scale = 3.0; y = scale * (xs or [])[0]", ""),
    ],
)
def test_what_is_read(line: str, names: str, library: Any) -> None:
    assert names_of(line, library) - {"y"} == set(names.split())


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
    assert names_of(line, torch) == expected | {"xs[0]"}


def test_containers_in_a_namespace() -> None:
    x, y = torch.ones(1), torch.zeros(1)
    pair = namedtuple("Pair", "first second")
    space = {"batch": {"x": x, "more": [y]}, "both": pair(x, 3), "x": x}
    found = [name for _scope, name, _tensor in named(space)]
    assert found == ["batch['x']", "batch['more'][0]", "both.first", "x"]
