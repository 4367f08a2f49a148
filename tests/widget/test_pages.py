"""``graphwidget.to_html`` writes a page of either kind of tensor."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import graphwidget
from graphwidget.adapters import both
from graphwidget.exporters import html


@pytest.fixture(autouse=True)
def front_end(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many events each page gets; the front end need not be built."""
    counts: list[int] = []

    def page(packed: bytes, count: int, protocol: int, title: str) -> str:
        counts.append(count)
        return f"{title}: {len(packed)} bytes"

    monkeypatch.setattr(html, "page", page)
    monkeypatch.setattr(both, "_newest", [])
    return counts


@pytest.mark.parametrize("library", [torch, graphwidget])
def test_the_graph_of_a_tensor_that_was_not_recorded(
    library: object, tmp_path: Path, front_end: list[int]
) -> None:
    a = library.ones(3, requires_grad=True)
    path = graphwidget.to_html(tmp_path / "page.html", (a * a).sum(), title="two")
    assert path.read_text().startswith("two: ")
    assert front_end[0] > 0


@pytest.mark.parametrize("library", [torch, graphwidget])
def test_what_was_recorded_last(library: object, tmp_path: Path, front_end: list[int]) -> None:
    with graphwidget.watch() as graph:
        a = library.ones(3, requires_grad=True)
        loss = (a * a).sum()
        loss.backward()
    graphwidget.to_html(tmp_path / "all.html")
    graphwidget.to_html(str(tmp_path / "loss.html"), loss)
    assert front_end == [len(graph.events), len(graph.events)]


def test_nothing_was_recorded(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nothing has been recorded"):
        graphwidget.to_html(tmp_path / "page.html")
