"""Recorded graphs without a kernel: saved notebooks, executed ones, and pages of their own."""

from __future__ import annotations

from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from playwright.sync_api import Frame, Locator, Page, expect

import graphwidget
from graphwidget.exporters import html
from tests.browser.conftest import WATCH, OpenNotebook, Screenshot
from tests.browser.lab import MISSING, Lab, Notebook
from tests.browser.picture import Picture
from tests.browser.test_stepping import TWO_PATHS


def replays(picture: Picture) -> None:
    """The picture is there, and can be walked through, with nobody behind it."""
    picture.expect_names({"w", "x", "a", "b", "y"})
    assert picture.seen().card("w")["grad"] == "[5.]"
    _, total = picture.steps()
    picture.key("Home")
    assert picture.steps() == (0, total)
    picture.press("next")
    assert picture.steps() == (1, total)
    picture.press("last")
    picture.card("w").click()
    expect(picture.sum).to_contain_text("2·1 + 3·1 = 5")


def test_an_executed_notebook(lab: Lab, lab_page: Page) -> None:
    name = lab.write([WATCH, TWO_PATHS, "y.backward()"])
    notebook = nbformat.read(lab.root / name, as_version=4)
    NotebookClient(notebook).execute()  # stores the widgets' state
    nbformat.write(notebook, lab.root / name)
    lab.trust(notebook)
    book = Notebook(lab, lab_page, name)
    picture = book.picture(0)
    expect(picture.root.get_by_test_id("notice")).to_contain_text("replayed")
    replays(picture)


STILL = ".graphwidget-still"


def loaded(picture: Locator) -> bool:
    """Return whether the image of a still picture has come."""
    return bool(picture.locator("img").evaluate("img => img.complete && img.naturalWidth > 100"))


def test_a_notebook_without_widget_state_shows_its_still_picture(
    notebook: OpenNotebook, screenshot: Screenshot
) -> None:
    book = notebook(["import graphwidget as torch\n%load_ext graphwidget", TWO_PATHS])
    book.run()
    book.picture(1).expect_names({"w", "y"})
    still = book.cell(1).locator(STILL)
    expect(still.locator("img")).to_be_attached()  # drawn a moment after the cell
    expect(still).not_to_be_visible()  # where the widget stands
    saved = book.save()
    assert "widgets" not in saved.metadata
    assert "Save Widget State Automatically" in saved.cells[0].outputs[0].text
    book.restart()
    book.reload()
    expect(still.locator("img")).to_be_visible()
    assert loaded(still)
    expect(still).to_contain_text("Run the notebook for the live graph")
    missing = book.cell(1).get_by_text(MISSING)
    expect(missing).to_be_attached()
    expect(missing).not_to_be_visible()
    screenshot(book, "still")


@pytest.mark.parametrize("template", ["lab", "classic"])
def test_a_web_page_of_an_executed_notebook_shows_its_pictures(
    lab: Lab, quiet_page: Page, template: str
) -> None:
    name = lab.write([WATCH, TWO_PATHS, "%load_ext graphwidget", "c = y * 2"])
    notebook = nbformat.read(lab.root / name, as_version=4)
    NotebookClient(notebook).execute()
    del notebook.metadata["widgets"]  # as JupyterLab saves it
    text, _ = HTMLExporter(template_name=template).from_notebook_node(notebook)
    file = lab.root / "converted.html"
    file.write_text(text, "utf-8")
    quiet_page.context.set_offline(True)
    quiet_page.goto(file.as_uri())
    stills = quiet_page.locator(STILL)
    expect(stills).to_have_count(2)  # of the watch, drawn after the cell that it watched; of c
    for at in range(2):
        expect(stills.nth(at).locator("img")).to_be_visible()
        assert loaded(stills.nth(at))
    expect(quiet_page.get_by_text("<GraphWidget")).to_have_count(2)  # in place of the widgets
    for text in quiet_page.get_by_text("<GraphWidget").all():
        expect(text).not_to_be_visible()


def test_a_page_of_its_own(lab: Lab, notebook: OpenNotebook, quiet_page: Page) -> None:
    notebook([WATCH, TWO_PATHS, "y.backward()", "graph.to_html('page.html');"]).run()
    asked: list[str] = []
    quiet_page.context.set_offline(True)
    page = quiet_page.context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto((lab.root / "page.html").as_uri())
    root = page.get_by_test_id("graphwidget")
    expect(root).to_be_visible()
    replays(Picture(root))
    assert [url for url in asked if url.startswith("http")] == []
    window = page.evaluate("innerHeight")
    box = root.bounding_box()
    assert box
    assert box["height"] == pytest.approx(window - 32, abs=1)  # nothing is left blank under it
    root.get_by_test_id("height").press("ArrowUp")
    lower = root.bounding_box()
    assert lower
    assert lower["height"] == pytest.approx(box["height"] - 20, abs=1)


@pytest.mark.parametrize(("share", "says"), [(0.75, ["5 digits"]), (0.45, ["5 digits", "older"])])
def test_a_page_has_at_most_so_many_bytes_and_says_what_it_leaves_out(
    quiet_page: Page, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, share: float, says: list[str]
) -> None:
    line = "(x * torch.tensor(rng.random(24))).sum().backward()\n"
    x = graphwidget.ones(24, requires_grad=True)
    with graphwidget.watch() as graph:
        exec(line * 400, {"x": x, "torch": graphwidget, "rng": np.random.default_rng(0)})
    size = graph.to_html(tmp_path / "all.html").stat().st_size
    monkeypatch.setattr(html, "MOST", int(share * size))
    cards = []
    for path in (tmp_path / "all.html", graph.to_html(tmp_path / "small.html")):
        quiet_page.goto(path.as_uri())
        picture = Picture(quiet_page.get_by_test_id("graphwidget"))
        expect(picture.root.get_by_test_id("value").first).to_be_attached()
        cards.append(picture.seen().card("(24,)")["words"])
    assert path.stat().st_size <= share * size
    assert cards[0] == cards[1]
    assert ", grad [" in cards[0]
    expect(picture.root.locator(".gw-dropped")).to_contain_text(says)


def test_the_address_of_a_page_tells_step_and_selection_also_in_a_frame(
    quiet_page: Page, tmp_path: Path
) -> None:
    with graphwidget.watch() as graph:
        w = graphwidget.ones(1, requires_grad=True)
        y = (w + 1) * w
        y.backward()
    graph.to_html(tmp_path / "page.html")
    frame = '<iframe src="page.html#step=2&select=w" width=900 height=400></iframe>'
    (tmp_path / "slides.html").write_text(frame)
    quiet_page.goto((tmp_path / "slides.html").as_uri())
    inner = quiet_page.frames[1]
    expect(inner.get_by_test_id("step-count")).to_have_text(f"2 / {_steps(inner)}")
    expect(inner.locator(".gw-card.gw-selected")).to_contain_text("w")
    inner.locator("[data-action=next]").click()
    expect(inner.get_by_test_id("step-count")).to_have_text(f"3 / {_steps(inner)}")
    assert inner.evaluate("location.hash") == "#step=3&select=w"
    fits = "[document.documentElement.scrollHeight <= innerHeight, scrollX + scrollY]"
    assert inner.evaluate(fits) == [True, 0]


def _steps(page: Frame) -> str:
    return page.get_by_test_id("step-count").inner_text().rpartition(" ")[2]
