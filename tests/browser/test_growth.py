"""The picture grows while a cell runs, names things as they are bound, and stands still."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import WATCH, OpenNotebook
from tests.widget.kernel import Gate

SLOW = """\
import os, time
def block(h):
    inner = h * 2
    {}
    return inner + 1
p = torch.ones(1, requires_grad=True)
q = p + 1
{}
r = block(q)
{}
s = r * r"""
BUSY = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'busy'"
PLACES = """
root => Object.fromEntries([...root.querySelectorAll("[data-testid=value]")].map(
  (card) => [card.dataset.value, card.style.transform]))
"""


def test_live_growth_and_names(notebook: OpenNotebook, tmp_path: Path) -> None:
    inside, first, second = gates = [Gate(tmp_path) for _ in range(3)]
    book = notebook([WATCH, SLOW.format(*(gate.code for gate in gates))])
    book.run(0)
    picture = book.picture(0)
    book.start(1)
    picture.expect_names({"p", "q"})
    assert book.page.evaluate(BUSY)
    early = picture.root.evaluate(PLACES)
    first.open()
    picture.expect_names({"inner"})  # bound inside a function, before it returns
    assert book.page.evaluate(BUSY)
    inside.open()
    picture.expect_names({"r"})
    assert book.page.evaluate(BUSY)
    second.open()
    book.finish()
    picture.expect_names({"s"})
    late = picture.root.evaluate(PLACES)
    assert {key: late[key] for key in early} == early


def test_rebinding_a_name(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, "t = torch.ones(1)\nt = t + 1", "t = t * 2"])
    book.run()
    picture = book.picture(0)
    expect(picture.card("t").locator(".gw-numbers")).to_have_text("[4.]")


def test_a_long_loop_says_what_it_dropped(notebook: OpenNotebook) -> None:
    most = 8_000  # events that the log holds: its own number would take a minute to fill
    short = f"from graphwidget.recording.log import Log\nLog.__init__.__defaults__ = {most}, 2**25"
    turns = most // 5  # each is more events than that
    loop = f"x = torch.ones(2, requires_grad=True)\nfor i in range({turns}):\n    x = x + 1"
    # Shown when all is over: a page that looks on gets every event before it is dropped.
    book = notebook([f"{short}\n{WATCH.removesuffix('graph')}{loop}\ngraph"])
    book.run()
    expect(book.picture(0).root.locator(".gw-dropped")).to_contain_text("older")
