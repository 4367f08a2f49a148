"""The notebook extension on a real page, for both engines: a graph under each cell, the newest of
them live."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenNotebook, Screenshot
from tests.widget.kernel import Gate

LOAD = "%load_ext graphwidget\nimport graphwidget as torch\nimport os, time"
PROGRAM = (
    "w = torch.tensor([1.], requires_grad=True)\nx = torch.tensor([2.], requires_grad=True)\n"
    "a = torch.add(w, x)\nb = torch.add(w, 1)\ny = torch.mul(a, b)"
)
SLOW = "z = a * 2\ntime.sleep(0.2)\nu = z + 1\nv = u * 3\n{}\nt = v - 1"


@pytest.mark.parametrize("module", ["graphwidget", "torch"])
def test_a_graph_under_each_cell(
    notebook: OpenNotebook, screenshot: Screenshot, module: str
) -> None:
    book = notebook([f"%load_ext graphwidget\nimport {module} as torch", PROGRAM, "y.backward()"])
    book.run(0, 1)
    first = book.picture(1)
    first.expect_names({"w", "x", "a", "b", "y"})
    first.pin("a").click()
    expect(first.pin("a")).to_have_attribute("aria-checked", "true")
    assert book.ask("a.retains_grad") is True
    assert book.ask("torch.__name__") == module
    book.run(2)
    second = book.picture(2)
    second.expect_names({"w", "x", "a", "b", "y"})
    screenshot(book, f"extension-{module}")
    assert second.seen().card("a")["grad"] in ("[2]", "[2.]")
    assert second.seen().card("w")["grad"] in ("[5]", "[5.]")
    assert first.seen().card("w")["grad"] in (None, "None", "")  # as the first cell left it


@pytest.mark.parametrize("module", ["graphwidget", "torch"])
def test_the_first_minute_in_one_cell(notebook: OpenNotebook, module: str) -> None:
    book = notebook([f"import {module} as torch\n%load_ext graphwidget\n{PROGRAM}\ny.backward()"])
    for _ in range(2):  # and once more in the same kernel
        book.run(0)
        book.picture(0).expect_names({"w", "x", "a", "b", "y"})
        assert book.picture(0).seen().card("w")["grad"] in ("[5]", "[5.]")


def test_the_graph_grows_within_a_cell(notebook: OpenNotebook, tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    book = notebook([LOAD, PROGRAM, SLOW.format(gate.code)])
    book.run(0, 1)
    book.start(2)
    book.picture(2).expect_names({"w", "x", "a", "z", "u", "v"})
    assert "t" not in book.picture(2).seen().names
    gate.open()
    book.finish()
    book.picture(2).expect_names({"w", "x", "a", "z", "u", "v", "t"})
