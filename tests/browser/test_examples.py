"""Every worked example: what it prints and what the picture shows."""

from __future__ import annotations

import pytest
import torch
from playwright.sync_api import expect

import graphwidget
from tests.browser.conftest import WATCH, OpenNotebook
from tests.browser.examples import EXAMPLES, Example, run
from tests.browser.pages import Show, record


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES.keys())
def test_example(show: Show, example: Example) -> None:
    outcomes, names = [], {"torch": graphwidget}

    def program() -> None:
        outcomes.append(run(example, names))
        if outcomes[0][1] is not None:
            raise outcomes[0][1]

    picture = show(record(program, names))
    outcomes.append(run(example, {"torch": torch}))
    ours, theirs = ((printed, str(error)) for printed, error in outcomes)
    assert ours == theirs
    picture.expect_names(example.values)
    seen = picture.seen()
    assert seen.op_names == example.ops
    assert seen.flows >= example.flows
    if example.raises:
        expect(picture.error).to_contain_text(example.raises)


def test_values_on_the_cards(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, *EXAMPLES["A"].cells])
    book.run()
    picture = book.picture(0)
    picture.expect_names({"y"})
    seen = picture.seen()
    numbers = {name: seen.card(name)["numbers"] for name in ("w", "x", "a", "b", "y")}
    assert {name: float(text.strip("[] ")) for name, text in numbers.items()} == {
        "w": 1, "x": 2, "a": 3, "b": 2, "y": 6,
    }  # fmt: skip
    roles = {name: seen.card(name)["role"] for name in ("w", "x", "a", "b", "y")}
    assert roles["w"] == roles["x"] == "leaf"
    assert roles["a"] == roles["b"] == roles["y"] == "intermediate"
    grads = {name: seen.card(name)["grad"] for name in ("w", "x")}
    assert [float(text.strip("[] ")) for text in grads.values()] == [5, 2]
