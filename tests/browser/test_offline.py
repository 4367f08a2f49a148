"""Recorded graphs without a kernel: saved notebooks, executed ones, and pages of their own."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbclient import NotebookClient
from playwright.sync_api import Page, expect

from tests.browser.conftest import WATCH, OpenNotebook
from tests.browser.lab import Lab, Notebook
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


def test_an_executed_notebook(lab: Lab, quiet_page: Page) -> None:
    name = lab.write([WATCH, TWO_PATHS, "y.backward()"])
    notebook = nbformat.read(lab.root / name, as_version=4)
    NotebookClient(notebook).execute()  # stores the widgets' state
    nbformat.write(notebook, lab.root / name)
    lab.trust(notebook)
    book = Notebook(lab, quiet_page, name)
    picture = book.picture(0)
    expect(picture.root.get_by_test_id("notice")).to_contain_text("replayed")
    replays(picture)


def test_a_notebook_without_widget_state_says_how_to_keep_it(notebook: OpenNotebook) -> None:
    book = notebook(["import graphwidget as torch\n%load_ext graphwidget", TWO_PATHS])
    book.run()
    saved = book.save()
    assert "widgets" not in saved.metadata
    assert "Save Widget State Automatically" in saved.cells[0].outputs[0].text
    assert "image/png" in saved.cells[1].outputs[0].data


def test_a_page_of_its_own(notebook: OpenNotebook, quiet_page: Page) -> None:
    book = notebook([WATCH, TWO_PATHS, "y.backward()", "graph.to_html('page.html');"])
    book.run()
    file: Path = book.lab.root / "page.html"
    asked: list[str] = []
    quiet_page.goto("about:blank")  # JupyterLab's own last requests are not the page's
    quiet_page.context.set_offline(True)
    page = quiet_page.context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    root = page.get_by_test_id("graphwidget")
    expect(root).to_be_visible()
    replays(Picture(root))
    assert [url for url in asked if url.startswith("http")] == []
