"""Several views, a reloaded page, a new kernel, and the extension's own widgets."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import WATCH, OpenNotebook
from tests.browser.test_lifecycle import LOAD
from tests.browser.test_stepping import GRADS, TWO_PATHS


def test_several_views_are_equal(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, "graph", TWO_PATHS, "y.backward()"])
    book.run()
    one, two = book.picture(0), book.picture(1)
    for picture in (one, two):
        picture.expect_names({"w", "x", "a", "b", "y"})
    assert one.seen() == two.seen()
    one.press("previous")
    expect(two.state).to_have_text("back to latest")
    assert one.seen() == two.seen()
    two.pin("a").click()
    expect(one.pin("a")).to_have_attribute("aria-checked", "true")


def test_a_reloaded_page_shows_and_steps(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, TWO_PATHS, "graph.step(y);"])
    book.run()
    book.picture(0).press("next")
    book.picture(0).expect_names({"w", "x", "a", "b", "y"})
    expect(book.picture(0).step).to_contain_text("MulBackward0")
    before = book.picture(0).seen()
    book.reload()
    picture = book.picture(0)
    expect(picture.state).to_have_text("paused in backward")
    expect(picture.step).to_contain_text("MulBackward0")
    assert picture.seen() == before
    while (picture.state.text_content() or "") == "paused in backward":
        steps = picture.steps()
        picture.press("next")
        expect(picture.count).not_to_have_text(f"{steps[0]} / {steps[1]}")
    assert book.ask(GRADS) == [[5.0], [2.0]]


def test_a_kernel_restart_keeps_the_picture(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, TWO_PATHS, "y.backward()"])
    book.run()
    picture = book.picture(0)
    picture.expect_names({"y"})
    before = picture.seen()
    book.restart()
    assert picture.seen() == before
    at, _ = picture.steps()
    picture.press("previous")  # what was recorded can still be replayed
    expect(picture.state).to_have_text("recorded")
    assert picture.steps()[0] < at
    book.run()  # and the notebook runs again
    book.picture(0).expect_names({"w", "x", "a", "b", "y"})
    assert book.ask(GRADS) == [[5.0], [2.0]]


def test_a_run_whose_kernel_is_gone_says_so(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, TWO_PATHS, "graph.step(y);"])
    book.run()
    picture = book.picture(0)
    picture.take_step()
    expect(picture.root.get_by_test_id("run-bar")).to_be_visible()
    book.restart()
    left = picture.root.get_by_test_id("left-run")
    expect(left).to_contain_text("stopped here before its end")
    expect(left).to_contain_text("restarted or has ended")
    expect(picture.root.get_by_test_id("run-bar")).to_have_count(0)
    following = picture.root.locator("[data-action=next]")
    expect(following).to_have_attribute("title", re.compile("No next step.*restarted"))
    picture.press("previous")
    expect(following).to_have_attribute("title", "Next (→)")


def test_a_line_leads_to_its_cell(notebook: OpenNotebook) -> None:
    spoilt = """\
w = torch.tensor([1., 2.], requires_grad=True)
b = w + 2
loss = (b * b).mean()
b[0] = 1000."""
    filler = "print(*range(80), sep='\\n')"
    book = notebook([LOAD, "", spoilt, filler, "loss.backward()"])
    book.run()
    picture = book.picture(4)
    line = book.cell(2).locator(".cm-line").get_by_text("b[0] = 1000.")
    expect(line).not_to_be_in_viewport()
    picture.error.get_by_role("button", name="b[0] = 1000.").click()
    expect(line).to_be_in_viewport()
    lit = line.evaluate("line => line.closest('.cm-line').getAnimations().length")
    assert lit == 1


def test_a_line_that_is_in_no_cell_any_more_leads_nowhere(notebook: OpenNotebook) -> None:
    book = notebook([LOAD, "y = torch.ones(2, requires_grad=True).sum()"])
    book.run()
    link = book.picture(1).root.locator("[data-action=cell]").first
    book.cell(1).locator(".cm-content").fill("z = 1")
    link.click()
    expect(link).to_have_attribute("title", "This line is no longer in the notebook")
