"""The picture of an fx graph: a row and its box light up together, under mouse and keyboard."""

from __future__ import annotations

from playwright.sync_api import Page

import graphwidget as torch
import graphwidget.fx
from tests.models import build

STROKE = "each => getComputedStyle(each).stroke"
GROUND = "each => getComputedStyle(each).backgroundColor"


def test_rows_and_boxes_are_linked(quiet_page: Page) -> None:
    model, _ = build("resnet_block", torch)
    graph = torch.fx.symbolic_trace(model).graph
    quiet_page.set_content(f"<!doctype html><body>{graph._repr_html_()}")
    place = next(i for i, node in enumerate(graph.nodes) if node.name == "add")
    box = quiet_page.locator(f'g[data-n="{place}"]')
    row = quiet_page.locator(f'tr[data-n="{place}"]')
    wire = quiet_page.locator(f'path[data-from="0"][data-to="{place}"]')
    other = quiet_page.locator('path[data-from="1"]')

    def seen() -> tuple[str, str, str]:
        return (
            box.locator("rect").evaluate(STROKE), wire.evaluate(STROKE), row.evaluate(GROUND)
        )  # fmt: skip

    quiet_page.locator('tr[data-n="2"]').hover()
    dark, plain = seen(), other.evaluate(STROKE)
    row.hover()
    lit = seen()
    assert all(one != two for one, two in zip(dark, lit, strict=True))
    assert other.evaluate(STROKE) != lit[1]
    quiet_page.locator("th").first.hover()
    assert seen() == dark
    box.hover()
    assert seen() == lit
    quiet_page.locator("th").first.hover()
    row.focus()
    assert seen() == lit
    assert other.evaluate(STROKE) != plain or plain == dark[1]
