"""A graph whose page is reloaded or opened twice, whose kernel is gone, or whose time is over."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import WATCH, OpenNotebook
from tests.browser.lab import Notebook
from tests.browser.picture import Picture
from tests.browser.test_stepping import TWO_PATHS
from tests.widget.kernel import RUNS, Gate

LOAD = "%load_ext graphwidget\nimport graphwidget as torch"
SECOND = "doc/workspaces/second/tree"
"""Of two pages that are open at once each has a workspace of its own."""

PATIENCE = 4_500
"""Milliseconds after which a page says that the kernel has not answered."""


def offers_nothing(picture: Picture) -> None:
    """No control is there that would ask a kernel for something."""
    picture.card("y").click()
    for action in ("next", "backward", "retain"):
        button = picture.root.locator(f"[data-action={action}]").first
        expect(button).to_be_disabled()
    expect(picture.root.locator("[data-action=ask-backward]")).to_have_count(0)
    expect(picture.pin("a")).to_have_attribute("aria-disabled", "true")


def answers(picture: Picture) -> None:
    """The kernel has answered, and what is pressed happens there."""
    picture.root.page.wait_for_timeout(PATIENCE)
    expect(picture.root.get_by_test_id("notice")).to_have_count(0)
    expect(picture.state).to_have_text("latest")
    was = picture.pin("a").get_attribute("aria-checked")
    picture.pin("a").click()
    expect(picture.pin("a")).not_to_have_attribute("aria-checked", was or "")


def test_a_second_page_is_answered_and_follows(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, TWO_PATHS])
    book.run()
    book.save()
    other = Notebook(book.lab, book.page.context.new_page(), book.name, SECOND)
    answers(other.picture(0))
    expect(book.picture(0).pin("a")).to_have_attribute("aria-checked", "true")


def test_an_earlier_graph_offers_nothing(notebook: OpenNotebook) -> None:
    book = notebook([LOAD, TWO_PATHS, "z = y * 2"])
    book.run(0, 1)
    first = book.picture(1)
    expect(first.state).to_have_text("latest")
    book.run(2)
    expect(first.state).to_have_text("recorded")
    expect(first.state).to_have_attribute(
        "title", "This is the graph of an earlier cell. The live graph is below a later cell."
    )
    offers_nothing(first)
    expect(book.picture(2).state).to_have_text("latest")


def test_a_closed_graph_leaves_a_line(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, TWO_PATHS, "graph.close()"])
    book.run()
    expect(book.shown(0, "fault")).to_contain_text("closed")
    book.reload()
    expect(book.shown(0, "fault")).to_contain_text("closed")


def test_a_click_while_a_cell_runs_is_carried_out_at_its_end(
    notebook: OpenNotebook, tmp_path: Path
) -> None:
    gate = Gate(tmp_path)
    book = notebook([WATCH, TWO_PATHS, f"{gate.cell}late = a.retains_grad"])
    book.run(0, 1)
    picture = book.picture(0)
    expect(picture.state).to_have_text("latest")
    book.start(2)
    expect(book.cell(2).locator(".jp-OutputArea")).to_contain_text(RUNS)
    picture.pin("a").click()
    expect(picture.state).to_have_text("waiting for the cell")
    picture.root.page.wait_for_timeout(PATIENCE)
    expect(picture.root.get_by_test_id("notice")).to_have_count(0)  # it was answered at once
    gate.open()
    book.finish()
    expect(picture.state).to_have_text("latest")
    expect(picture.pin("a")).to_have_attribute("aria-checked", "true")
    assert book.ask("[late, a.retains_grad]") == [False, True]
