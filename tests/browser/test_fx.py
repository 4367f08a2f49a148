"""An fx graph in the widget: a row and its box are one thing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import graphwidget as torch
import graphwidget.fx
from tests.browser.conftest import OpenNotebook
from tests.models import build

STROKE = "each => getComputedStyle(each).stroke"
GROUND = "each => getComputedStyle(each).backgroundColor"


def opened(name: str, page: Page, folder: Path) -> tuple[Any, Locator]:
    """The graph of a model, and the widget on a page of its own."""
    model, _ = build(name, torch)
    graph = torch.fx.symbolic_trace(model).graph
    page.goto(graph.show().to_html(folder / "page.html").as_uri())
    return graph, page.get_by_test_id("graphwidget")


def span(part: Locator, start: str, size: str) -> tuple[float, float]:
    """Return where a part of the page begins and ends."""
    box: Any = part.bounding_box()
    return box[start], box[start] + box[size]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_row_and_its_box_select_each_other(quiet_page: Page, tmp_path: Path, scheme: Any) -> None:
    quiet_page.emulate_media(color_scheme=scheme)
    graph, root = opened("resnet_block", quiet_page, tmp_path)
    expect(root).to_have_attribute("data-theme", scheme)
    rows = root.get_by_test_id("listing").locator("tbody tr")
    lit = root.locator("[data-testid=listing] tr[data-now=true] td:nth-child(2)")
    names = rows.locator("td:nth-child(2)").all_text_contents()
    assert names == [node.name for node in graph.nodes]
    selected = root.get_by_test_id("chosen")
    ring = root.get_by_test_id("ring")

    add = rows.nth(names.index("add"))  # inside of a closed module, which opens
    before = add.evaluate("each => getComputedStyle(each.firstChild).backgroundColor")
    add.click()
    expect(lit).to_have_text("add")
    expect(selected).to_have_text("_0_bn2 + input_1")
    expect(ring).to_be_visible()
    (left, right), (begin, end) = (
        span(each, "x", "width") for each in (ring, root.locator("[data-testid=op]", has_text="+"))
    )
    assert left < begin < end < right
    assert add.evaluate("each => getComputedStyle(each.firstChild).backgroundColor") != before

    quiet_page.keyboard.press("ArrowDown")
    expect(lit).to_have_text("_0_relu_1")
    expect(selected).to_have_text("0.relu(add)")
    quiet_page.keyboard.press("ArrowUp")
    expect(lit).to_have_text("add")

    # A box at the end of the picture: the sheet scrolls to its row.
    root.locator("[data-action=fit]").click()
    root.locator("[data-testid=op]", has_text="output").click()
    expect(lit).to_have_text("output")
    (top, bottom), (begin, end) = (
        span(each, "y", "height") for each in (root.get_by_test_id("listing"), rows.last)
    )
    assert top < begin < end < bottom + 1
    root.locator("[data-testid=value]").first.click()
    expect(lit).to_have_text("input_1")


def test_a_cell_that_ends_in_a_graph_shows_the_widget(notebook: OpenNotebook) -> None:
    start = "import graphwidget as torch\nimport graphwidget.fx"
    book = notebook([start, "torch.fx.symbolic_trace(lambda x: x * 2 + 1).graph"])
    book.run()
    cell = book.cell(1)
    expect(cell.get_by_test_id("listing").locator("tbody tr")).to_have_count(4)
    expect(cell.get_by_test_id("graphwidget")).to_have_count(1)
    expect(cell.locator(".graphwidget-still")).not_to_be_visible()
