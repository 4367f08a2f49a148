"""``graphwidget.to_html`` writes a page of either kind of tensor."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest
import torch

import graphwidget
import graphwidget.static as tf
from graphwidget.adapters import composite
from graphwidget.exporters import html


@pytest.fixture(autouse=True)
def front_end(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return how many events each page gets; the front end need not be built."""
    counts: list[int] = []

    def page(packed: bytes, count: int, protocol: int, title: str, guess: bool = False) -> str:
        counts.append(count)
        return f"{title}: {len(packed)} bytes"

    monkeypatch.setattr(html, "page", page)
    monkeypatch.setattr(composite, "_newest", [])
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


def test_a_graph_has_its_page_too(tmp_path: Path, front_end: list[int]) -> None:
    with graphwidget.watch() as graph:
        _kept = graphwidget.ones(3) * 2
    with graphwidget.watch():
        pass
    graphwidget.to_html(tmp_path / "page.html", graph)
    assert front_end == [len(graph.events)]


def test_a_page_that_is_written_on_the_way_ends_no_recording(
    tmp_path: Path, front_end: list[int]
) -> None:
    with graphwidget.watch() as graph:
        a = graphwidget.ones(3, requires_grad=True)
        b = a * a
        graphwidget.to_html(tmp_path / "page.html")
        graphwidget.to_html(tmp_path / "page.html", b)
        gc.collect()
        assert graph.recording
        _later = b.exp()
    assert [call["op"] for call in graph.model.calls.values()] == ["mul", "exp"]
    assert 0 < front_end[0] <= front_end[1] < len(graph.events)


class Model:
    """Bears the name of what can be drawn."""


@pytest.mark.parametrize(
    ("what", "name"),
    [
        (3, "int"),
        (np.ones(2), "numpy.ndarray"),
        (tf.constant(1.0), "graphwidget.static.symbol.Symbol"),
        (Model(), f"{__name__}.Model"),
    ],
)
def test_what_is_no_graph_is_refused(what: object, name: str, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=rf"a Tensor or a GraphWidget, not {name}$"):
        graphwidget.to_html(tmp_path / "page.html", what)
    with pytest.raises(TypeError, match=rf"a GraphWidget or its Model, not {name}$"):
        graphwidget.to_graphviz(what)


def test_arguments_the_wrong_way_round_are_refused() -> None:
    with pytest.raises(TypeError, match=r"^to_html\(path, what\) writes .* not str$"):
        graphwidget.to_html(graphwidget.ones(2), "page.html")  # type: ignore[arg-type]


def test_a_page_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = graphwidget.to_html(tmp_path / "page.html", graphwidget.ones(3), title="first")
    monkeypatch.setattr(html, "page", lambda *_: "cut off \udc80")  # which UTF-8 has no bytes for
    with pytest.raises(UnicodeEncodeError):
        graphwidget.to_html(path, graphwidget.ones(3))
    assert path.read_text().startswith("first: ")
    assert list(tmp_path.iterdir()) == [path]
