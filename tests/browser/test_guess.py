"""Guess first: a learner answers by keyboard before a step is shown, with and without a kernel."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

import graphwidget
import graphwidget as torch
from tests.browser.conftest import OpenNotebook
from tests.browser.picture import Picture
from tests.browser.test_stepping import TWO_PATHS


def answer_by_keyboard(picture: Picture) -> None:
    """Go to the first question, be wrong, be right: only then the step is shown."""
    page, question = picture.root.page, picture.root.get_by_test_id("question")
    picture.root.focus()
    for _ in range(10):
        if question.count():
            break
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(100)
    expect(question).to_contain_text("Which numbers does a have?")
    at, _ = picture.steps()
    assert "a" not in picture.seen().names
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    expect(picture.root.get_by_test_id("verdict")).to_have_text("Not yet.")
    expect(picture.root.get_by_test_id("hint")).to_contain_text("a=x+w")
    assert picture.steps()[0] == at
    page.keyboard.press("Control+a")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    expect(picture.root.get_by_test_id("verdict")).to_contain_text("Right. 0 of 1")
    assert picture.steps()[0] == at + 1
    expect(picture.card("a")).to_contain_text("[3.]")


def test_on_a_page_without_a_kernel(quiet_page: Page, tmp_path: Path) -> None:
    with graphwidget.watch() as graph:
        w = torch.tensor([1.0], requires_grad=True)
        x = torch.tensor([2.0], requires_grad=True)
        a = x + w
        b = w + 1
        y = a * b
        y.backward()
    graph.to_html(tmp_path / "page.html", guess=True)
    quiet_page.goto((tmp_path / "page.html").as_uri())
    picture = Picture(quiet_page.get_by_test_id("graphwidget"))
    expect(picture.count).to_have_attribute("title", re.compile("^step 0 "))
    answer_by_keyboard(picture)
    assert [w.grad.item(), x.grad.item()] == [5.0, 2.0]  # the program itself is as it was


def test_under_a_cell(notebook: OpenNotebook) -> None:
    load = "%load_ext graphwidget\n%graph guess on\nimport graphwidget as torch"
    book = notebook([load, TWO_PATHS])
    book.run()
    picture = book.picture(1)
    expect(picture.count).to_have_attribute("title", re.compile("^step 0 "))
    answer_by_keyboard(picture)
