"""The picture without a mouse: walking, selecting, toggling and stepping by keys; what an
accessibility audit finds."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import WATCH, OpenNotebook
from tests.browser.examples import EXAMPLES
from tests.browser.picture import at_rest
from tests.browser.test_stepping import GRADS, TWO_PATHS

AXE = Path(__file__).parents[2] / "js/node_modules/axe-core/axe.min.js"

AUDIT = """
async () => {
  const { violations } = await axe.run(".gw", { resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) => nodes.map((n) => `${id}: ${n.target}`));
}
"""

# Counts what begins to move within the picture from now on.
MOTION = """
() => {
  window.moved = 0;
  const root = document.querySelector(".gw");
  for (const begins of ["transitionrun", "animationstart"]) {
    root.addEventListener(begins, () => { window.moved += 1; });
  }
}
"""

FOCUS = "document.activeElement.getAttribute('data-key')"


def tab_until(page: Page, selector: str) -> None:
    """Press Tab until an element of this kind has the focus."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            return
    raise AssertionError(f"Tab never came to {selector}")


def walk(page: Page, *keys: str) -> str:
    """Press keys, and give the box that has the focus then."""
    for key in keys:
        before = page.evaluate(FOCUS)
        page.keyboard.press(key)
        page.wait_for_function(f"before => {FOCUS} !== before", arg=before)
    return str(page.evaluate(FOCUS))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_audit_finds_nothing(notebook: OpenNotebook, theme: str) -> None:
    book = notebook([WATCH, TWO_PATHS, "y.backward()"])
    book.page.emulate_media(reduced_motion="reduce")  # what fades in has its colours at once
    book.theme(theme)
    book.run()
    picture = book.picture(0)
    picture.expect_names({"w", "x", "a", "b", "y"})
    book.page.evaluate(AXE.read_text("utf-8"))
    assert book.page.evaluate(AUDIT) == []
    picture.card("w").click()
    expect(picture.paths).to_have_count(2)
    assert book.page.evaluate(AUDIT) == []
    picture.key("/")
    expect(picture.root.get_by_test_id("find").locator("input")).to_be_focused()
    book.page.keyboard.type("add")
    expect(picture.root.get_by_test_id("hit").first).to_be_visible()
    assert book.page.evaluate(AUDIT) == []
    book.page.keyboard.press("Escape")
    picture.key("?")
    expect(picture.root.get_by_test_id("keys")).to_be_visible()
    assert book.page.evaluate(AUDIT) == []


def test_a_walk_by_keys_alone(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, TWO_PATHS])
    book.run()
    page, picture = book.page, book.picture(0)
    picture.expect_names({"w", "x", "a", "b", "y"})
    picture.root.focus()
    tab_until(page, "[data-testid=value]")
    assert page.evaluate(FOCUS) == picture.card("y").get_attribute("data-key")
    before = walk(page, "Alt+ArrowLeft", "Alt+ArrowLeft")
    own = {picture.card(name).get_attribute("data-key"): name for name in "ab"}
    page.keyboard.press("Enter")
    expect(picture.root.get_by_test_id("value-panel")).to_be_visible()
    tab_until(page, "[data-action=pin]")
    page.keyboard.press("Space")
    expect(picture.pin(own[before])).to_have_attribute("aria-checked", "true")
    assert book.ask(f"{own[before]}.retains_grad")
    page.keyboard.press("Escape")
    expect(picture.root.get_by_test_id("value-panel")).to_have_count(0)


def test_the_focus_is_never_lost(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, TWO_PATHS, "y.backward()"])
    book.run()
    page, picture = book.page, book.picture(0)
    picture.expect_names({"y"})
    for action in ("first", "last"):
        button = picture.root.locator(f"[data-action={action}]")
        picture.key("ArrowLeft")
        button.focus()
        page.keyboard.press("Enter")
        expect(button).to_have_attribute("aria-disabled", "true")
        expect(button).to_be_focused()
    picture.card("y").focus()
    _, total = picture.steps()
    for _ in range(total):  # until y has not been computed yet, and nothing has
        page.keyboard.press("ArrowLeft")
    expect(picture.count).to_have_text(f"0 / {total}")
    page.wait_for_function("document.activeElement.closest('.gw') !== null")
    picture.key("?")
    expect(picture.root.get_by_test_id("keys")).to_be_focused()
    page.keyboard.press("Escape")
    expect(picture.root).to_be_focused()
    assert book.ask(GRADS) == [[5.0], [2.0]]


def test_a_hazard_is_found_by_keys_alone(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, *EXAMPLES["G"].cells])
    book.page.emulate_media(reduced_motion="reduce")
    book.theme("dark")  # light: every other test
    book.run(0, 1)
    page, picture = book.page, book.picture(0)
    expect(picture.hazard).to_be_visible()
    picture.key("!")
    expect(picture.root.get_by_test_id("ring")).to_be_visible()
    slot = picture.root.locator("[data-state=stale]").first
    expect(slot).to_be_in_viewport()
    tab_until(page, "[data-testid=hazard] button")  # the lines that it names are links
    page.keyboard.press("Enter")
    expect(picture.root.get_by_test_id("ring")).to_be_visible()
    page.evaluate(AXE.read_text("utf-8"))
    assert page.evaluate(AUDIT) == []
    book.run(2)
    expect(picture.error).to_be_visible()
    assert page.evaluate(AUDIT) == []


def test_nothing_moves_by_itself_where_motion_is_reduced(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, TWO_PATHS, "y.backward()"])
    book.run()
    page, picture = book.page, book.picture(0)
    picture.expect_names({"w", "x", "a", "b", "y"})
    moved = {}
    for motion in ("no-preference", "reduce"):
        page.emulate_media(reduced_motion=motion)  # type: ignore[arg-type]
        picture.key("Home")
        page.evaluate(MOTION)
        _, total = picture.steps()
        for _ in range(total):
            picture.key("ArrowRight")
        picture.press("fit")
        picture.press("zoom-in")
        at_rest(page)
        moved[motion] = page.evaluate("window.moved")
    assert moved["no-preference"] > 0
    assert moved["reduce"] == 0


def test_the_search_goes_from_hit_to_hit(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, TWO_PATHS])
    book.run()
    page, picture = book.page, book.picture(0)
    picture.expect_names({"y"})
    picture.key("Control+f")
    page.keyboard.type("add")
    hits = picture.root.get_by_test_id("hit")
    expect(hits).to_have_count(2)
    for nth in (0, 1, 0):
        page.keyboard.press("Enter")
        expect(hits.nth(nth)).to_have_attribute("aria-selected", "true")
        expect(picture.root.get_by_test_id("ring")).to_be_visible()
    page.keyboard.press("Escape")
    expect(hits).to_have_count(0)
    expect(picture.root).to_be_focused()
