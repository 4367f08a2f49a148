"""Passes over a static graph, and the dynamic graph beside the static one, in the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import graphwidget as torch
import graphwidget.static as tf
from tests.browser.conftest import OpenNotebook
from tests.browser.picture import COMPLETE, at_rest


def twice(x: Any, w: Any) -> Any:
    left = x @ w
    right = x @ w
    return (left + right).exp().sum(1).log()


def loss(x: Any, w: Any) -> Any:
    a = x * w
    b = a + w
    return b.mean()


def page_of(shown: Any, page: Page, folder: Path) -> Locator:
    """The widget on a page of its own."""
    page.goto(shown.to_html(folder / "page.html").as_uri())
    return page.get_by_test_id("graphwidget")


def changed(root: Locator) -> dict[str, list[str]]:
    """Return what is marked, by change: the words of the boxes."""
    found: dict[str, list[str]] = {}
    for mark in root.get_by_test_id("change").all():
        change = mark.get_attribute("data-change") or ""
        key = mark.get_attribute("data-of") or ""
        value = f"[data-testid=value][data-value='{key[1:]}']"
        box = root.locator(value if key[0] == "v" else f"[data-testid=op][data-key={key}]")
        found.setdefault(change, []).append(
            box.first.locator(".gw-sign, .gw-name").text_content() or ""
        )
    return {change: sorted(boxes) for change, boxes in found.items()}


def ops(root: Locator) -> list[str]:
    signs = root.get_by_test_id("op").locator(".gw-sign").all_text_contents()
    return sorted(" ".join(sign.split()) for sign in signs)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_one_step_is_one_pass(quiet_page: Page, tmp_path: Path, scheme: Any) -> None:
    quiet_page.emulate_media(color_scheme=scheme)
    shown = tf.show_passes(twice, torch.rand(3, 4), torch.rand(4, 4))
    root = page_of(shown, quiet_page, tmp_path)
    expect(root).to_have_attribute("data-theme", scheme)
    names = root.locator("[data-action=pass]")
    assert names.all_inner_texts() == [row["name"] for row in shown.model.passes]
    root.locator("[data-action=first]").click()
    root.locator("[data-action=next]").click()
    step = root.get_by_test_id("step")
    expect(step).to_contain_text("the program as it was built")
    assert ops(root) == ["+", "@", "@", "exp", "log", "Σ over (1,)"]
    assert changed(root) == {}
    root.locator("[data-action=next]").click()
    expect(step).to_contain_text("cannot overflow")
    assert changed(root) == {"removed": ["log"], "added": ["logsumexp"]}
    names.get_by_text("common").click()
    expect(step).to_contain_text("x @ w")
    assert changed(root) == {"removed": ["@", "right"], "rewired": ["+"]}
    root.locator("[data-action=look-after]").click()
    assert ops(root) == ["+", "@", "exp", "logsumexp", "Σ over (1,)"]
    root.locator("[data-action=look-before]").click()
    assert ops(root) == ["+", "@", "@", "exp", "logsumexp", "Σ over (1,)"]
    expect(root.get_by_test_id("change")).to_have_count(0)


def test_the_table_has_the_measured_figures(quiet_page: Page, tmp_path: Path) -> None:
    shown = tf.show_passes(twice, torch.rand(3, 4), torch.rand(4, 4))
    root = page_of(shown, quiet_page, tmp_path)
    rows = root.get_by_test_id("passes").locator("tbody tr")
    expect(rows).to_have_count(3)
    cells = rows.nth(0).locator("td").all_inner_texts()
    counts = [row["nodes"] for row in shown.model.passes]
    assert cells[:-1] == [str(count) for count in counts]
    assert cells[-1] == f"−{round(100 * (1 - counts[-1] / counts[0]))} %"
    sizes = [row["bytes"] for row in shown.model.passes]
    assert rows.nth(1).locator("td").all_inner_texts()[:-1] == [f"{size} B" for size in sizes]


def test_one_player_moves_both_sides(quiet_page: Page, tmp_path: Path) -> None:
    # at the top of a program of its own: the loops of pytest are not to be drawn
    program = "shown = tf.side_by_side(loss, torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))"
    names: dict[str, Any] = {"tf": tf, "torch": torch, "loss": loss}
    exec(compile(program, "<program>", "exec"), names)
    root = page_of(names["shown"], quiet_page, tmp_path)
    left, right = root.get_by_test_id("half-dynamic"), root.get_by_test_id("half-static")

    def numbers(side: Locator) -> dict[str, str]:
        values = side.get_by_test_id("value")
        return {
            each.locator(".gw-name").text_content() or "": " ".join(
                each.locator(".gw-numbers").all_text_contents()
            )
            for each in values.all()
        }

    root.locator("[data-action=first]").click()
    expect(left.get_by_test_id("value")).to_have_count(0)
    phase, count = root.get_by_test_id("phase"), root.get_by_test_id("step-count")
    while phase.inner_text() != "running":
        expect(left.get_by_test_id("value")).to_have_count(0)
        before, shown_step = numbers(right), count.inner_text()
        root.locator("[data-action=next]").click()
        expect(count).not_to_have_text(shown_step)
    expect(left.get_by_test_id("value")).to_have_count(3)
    # The static graph stood there whole and empty; the dynamic one has only just begun.
    assert ops(right) == ["+", "mean", "×"]
    assert set(before.values()) == {"…"}
    assert ops(left) == ["×"]
    assert numbers(left)["a"] == numbers(right)["a"] == "[3., 8.]"
    assert numbers(right)["b"] == "…"
    quiet_page.keyboard.press("ArrowRight")
    expect(left.get_by_test_id("value")).to_have_count(4)
    assert numbers(left)["b"] == numbers(right)["b"] == "[6., 12.]"
    quiet_page.keyboard.press("End")
    expect(left.get_by_test_id("value")).to_have_count(5)
    assert ops(left) == ops(right)
    quiet_page.keyboard.press("Home")
    expect(right.get_by_test_id("value")).to_have_count(0)


def test_in_a_notebook_it_is_all_that_its_cell_shows(notebook: OpenNotebook) -> None:
    start = "import graphwidget as torch\nimport graphwidget.static as tf\n%load_ext graphwidget"
    passes = "tf.show_passes(lambda x: x * 1 + x, torch.rand(3))"
    twins = "tf.side_by_side(lambda x: x * 1 + x, torch.rand(3))"
    book = notebook([start, passes, twins])
    book.run()
    for place, part in ((1, "passes"), (2, "half-static")):
        cell = book.cell(place)
        expect(cell.get_by_test_id(part)).to_be_visible()
        expect(cell.get_by_test_id("graphwidget")).to_have_count(1)
        expect(cell.locator(".graphwidget-still")).not_to_be_visible()
    for half in ("half-dynamic", "half-static"):  # nothing is cut off
        part = book.cell(2).get_by_test_id(half)
        part.scroll_into_view_if_needed()
        at_rest(book.page, COMPLETE)
        stage, *cards = (
            box.bounding_box() or {}
            for box in (part.get_by_test_id("graph"), *part.get_by_test_id("value").all())
        )
        assert cards
        assert all(card["y"] >= stage["y"] for card in cards)
        assert all(card["y"] + card["height"] <= stage["y"] + stage["height"] for card in cards)
