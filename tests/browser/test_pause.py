"""Backward waits in its running cell, and the picture's buttons take its steps."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import PATIENCE, OpenNotebook, Screenshot
from tests.browser.lab import Notebook
from tests.browser.picture import COMPLETE, at_rest
from tests.browser.test_stepping import TWO_PATHS

LOAD = f"%load_ext graphwidget\nimport graphwidget as torch\n%graph pause on\n{PATIENCE}"
BACKWARD = "y.backward()\nprint('over', w.grad)"
GRADS = "[None if t.grad is None else t.grad.tolist() for t in (w, x)]"


def running(book: Notebook) -> bool:
    """Return whether the cell that calls backward is still running, as JupyterLab shows it."""
    prompt = book.cell(2).locator(".jp-InputPrompt")
    return prompt.text_content() == "[*]:" and "over" not in book.text(2)


def test_the_extension_pauses_the_users_own_backward(
    notebook: OpenNotebook, screenshot: Screenshot
) -> None:
    book = notebook([LOAD, TWO_PATHS, BACKWARD])
    book.run(0, 1)
    book.start(2)
    picture = book.picture(2)
    bar = picture.root.get_by_test_id("run-bar")
    expect(bar).to_contain_text("running cell")
    assert running(book)
    at_rest(book.page, COMPLETE)  # the window has found its height
    graph, first, last = (
        box.bounding_box() or {}
        for box in (picture.root.get_by_test_id("graph"), picture.card("w"), picture.card("y"))
    )
    left, right = first["x"] - graph["x"], graph["x"] + graph["width"] - last["x"] - last["width"]
    assert abs(left - right) < 30, "the graph stands in the middle"
    picture.take_step()
    expect(picture.step).to_contain_text("MulBackward0")
    assert running(book)
    screenshot(book, "pause")
    for _ in range(4):
        picture.take_step()
    book.finish()
    assert "over tensor([5.])" in book.text(2)
    expect(bar).to_have_count(0)
    assert book.ask(GRADS) == [[5.0], [2.0]]


def test_to_a_node_and_to_the_end_with_all_cells_run_at_once(notebook: OpenNotebook) -> None:
    book = notebook(
        [
            f"import graphwidget as torch\n{PATIENCE}graph = torch.watch()\ngraph.pause()\ngraph",
            TWO_PATHS,
            BACKWARD,
            "after = w.grad * 2",
        ]
    )
    book.page.evaluate("drive.running = drive.runAll(); undefined")
    picture = book.picture(0)
    expect(picture.root.get_by_test_id("run-bar")).to_contain_text("running cell")
    picture.card("b").click()
    picture.press("run-to")
    expect(picture.step).to_contain_text("AddBackward0")
    assert running(book)
    picture.press("run-end")
    book.finish()
    assert "over tensor([5.])" in book.text(2)
    assert book.ask("after.tolist()") == [10.0]


def test_abandoning_interrupts_the_cell(notebook: OpenNotebook) -> None:
    book = notebook([LOAD, TWO_PATHS, BACKWARD])
    book.run(0, 1)
    book.start(2)
    picture = book.picture(2)
    picture.take_step()
    expect(picture.step).to_contain_text("MulBackward0")
    picture.press("abandon")
    book.finish()
    assert "KeyboardInterrupt" in book.text(2)
    expect(picture.root.get_by_test_id("run-bar")).to_have_count(0)
    assert book.ask(GRADS) == [None, None]


def test_a_restart_ends_the_pause(notebook: OpenNotebook) -> None:
    book = notebook([LOAD, TWO_PATHS, BACKWARD])
    book.run(0, 1)
    book.start(2)
    picture = book.picture(2)
    expect(picture.root.get_by_test_id("run-bar")).to_be_visible()
    book.restart()
    expect(picture.root.get_by_test_id("run-bar")).to_have_count(0)
    expect(picture.state).to_have_text("recorded")
    expect(picture.root.locator("[data-action=next]")).to_be_disabled()


def test_a_reload_lets_the_run_go_through(notebook: OpenNotebook) -> None:
    book = notebook([LOAD, TWO_PATHS, BACKWARD])
    book.run(0, 1)
    book.start(2)
    expect(book.picture(2).root.get_by_test_id("run-bar")).to_be_visible()
    book.reload()
    assert book.ask(GRADS) == [[5.0], [2.0]]
