"""Errors are shown where they occurred, and early."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from playwright.sync_api import Page, expect

import graphwidget
from tests.browser.conftest import WATCH, OpenNotebook, Screenshot
from tests.browser.examples import EXAMPLES
from tests.browser.pages import Show, record, replayed
from tests.browser.picture import at_rest

G = EXAMPLES["G"].cells


def test_a_stale_value_is_red_before_any_backward(
    notebook: OpenNotebook, screenshot: Screenshot
) -> None:
    book = notebook([WATCH, *G])
    book.run(0, 1)
    picture = book.picture(0)
    expect(picture.hazard).to_contain_text("loss = (b * b).mean()")
    expect(picture.hazard).to_contain_text("b[0] = 1000.")
    seen = picture.seen()
    assert seen.stale >= 1
    assert "stale" in seen.slots
    screenshot(book, "stale")

    book.run(2)
    expect(picture.error).to_contain_text("MulBackward0")
    seen = picture.seen()
    assert [op["op"] for op in seen.ops if op["failed"]] == ["mul"]
    assert seen.stale >= 1
    message = "".join(book.outputs(2)[0]["traceback"])
    assert "one of the variables needed for gradient computation" in message
    assert "b[0] = 1000." in message
    screenshot(book, "in-place-error")


def test_a_freed_graph(show: Show) -> None:
    picture = replayed(show, *EXAMPLES["F2"].cells)
    expect(picture.error).to_contain_text("retain_graph")
    seen = picture.seen()
    assert [op["op"] for op in seen.ops if op["failed"]] == ["mul"]
    assert "empty" in seen.slots


def test_the_gradient_of_a_non_leaf(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, EXAMPLES["A"].cells[0], "y.backward()\nprint(a.grad)"])
    book.run()
    assert "not a leaf Tensor" in book.warnings(2)
    expect(book.picture(0).error).to_contain_text("retain_grad")


def test_an_error_about_what_was_there_before_is_drawn_with_its_own_graph(
    notebook: OpenNotebook,
) -> None:
    graphs = [
        f"{name} = torch.ones(2, requires_grad=True)\nmade_of_{name} = {name} * 2\n"
        f"sum_of_{name} = made_of_{name}.sum()\nsum_of_{name}.backward()"
        for name in ("p", "q", "r")
    ]
    load = "%load_ext graphwidget\nimport graphwidget as torch"
    book = notebook([load, *graphs, "made_of_q.grad"])
    book.run()
    picture = book.picture(4)
    expect(picture.error).to_contain_text("This value keeps no gradient")
    expect(picture.card("q")).to_be_attached()
    assert picture.seen().names == {"q", "made_of_q", "sum_of_q"}


@pytest.mark.parametrize("name", ["leaf add_", "leaf slice"])
def test_writing_to_a_leaf(show: Show, name: str) -> None:
    picture = replayed(show, *EXAMPLES[name].cells)
    expect(picture.error).to_contain_text("no_grad")
    assert picture.card("a").evaluate("g => g.classList.contains('gw-wrong')")


def test_an_exception_in_the_middle_of_a_cell(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, "p = torch.ones(2)\nq = p + 1\n1 / 0\nr = q + 1", "s = q * 2"])
    book.run(0, 1)
    picture = book.picture(0)
    picture.expect_names({"p", "q"})
    book.run(2)
    picture.expect_names({"p", "q", "s"})


def test_strange_values(show: Show) -> None:
    picture = replayed(
        show,
        "bad = torch.tensor([float('nan'), float('inf')], requires_grad=True)\n"
        "none = torch.zeros(0, 3) + 1\n"
        "point = torch.tensor(3.) * 2\n"
        "big = torch.ones(10_000_000) + 1\n"
        "out = bad * 2",
    )
    picture.expect_names({"bad", "out", "none", "point", "big"})
    seen = picture.seen()
    assert "nan" in seen.card("bad")["numbers"]
    assert len(seen.card("big")["words"]) < 500


def test_names_are_text(show: Show, quiet_page: Page) -> None:
    long = "very_" * 60 + "long"
    picture = replayed(
        show,
        f"{long} = torch.ones(1)\nshort = {long} + 1\n"
        "net = torch.nn.Module()\n"
        "net.register_parameter('<script>hacked = 1</script><img src=x "
        "onerror=hacked=1>', torch.nn.Parameter(torch.ones(1)))\n"
        "out = next(iter(net.parameters())) * short",
    )
    picture.expect_names({"short", "out"})
    at_rest(quiet_page, 300)
    assert quiet_page.evaluate("window.hacked") is None


def test_two_graphs_beside_each_other(show: Show) -> None:
    picture = replayed(
        show,
        "p = torch.ones(1, requires_grad=True)\nq = p + 1\n"
        "u = torch.ones(1, requires_grad=True)\nv = u * 2",
    )
    picture.expect_names({"p", "q", "u", "v"})
    assert picture.seen().flows == {("p", "q"), ("u", "v")}


@pytest.mark.parametrize("library", [graphwidget, torch], ids=["ours", "pytorch"])
def test_a_gradient_that_becomes_infinite_is_found_where_it_does(show: Show, library: Any) -> None:
    def program() -> None:
        x = library.tensor([4.0, 0.0], requires_grad=True)
        y = x.sqrt().sum()
        y.backward()

    picture = show(record(program))
    seen = [op["op"] for op in picture.seen().ops if op["failed"]]
    assert seen == ["sqrt"]  # it is marked, and the ops after it are not
    picture.press("problem")
    expect(picture.root.get_by_test_id("nan-gradient")).to_contain_text(
        "The gradient became inf here: backward of sqrt at 0"
    )
