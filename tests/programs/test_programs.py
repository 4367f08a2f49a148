"""Programs as people write them, on the real PyTorch: each opens on its loss, by its own names."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.picture import COMPLETE, at_rest
from tests.programs.conftest import Results
from tests.programs.expected import PROGRAMS

pytestmark = pytest.mark.browser

WORDS = {"scalar", "times", "for", "while"}
"""Beginnings of what is no name."""

SCRIPTS = Path(__file__).parent / "scripts"
LARGEST = 3_000_000


READ = """
() => {
  const root = document.querySelector("[data-testid=graphwidget]");
  const all = (test) => [...root.querySelectorAll(`[data-testid="${test}"]`)];
  const text = (each) => (each?.textContent ?? "").replace(/\\s+/g, " ").trim();
  return {
    words: all("explanation").map(text).join(" "),
    iterations: all("iteration-count").map(text),
    boxes: [...all("group"), ...all("frame")].map(
      (box) => box.getAttribute("aria-label") ?? text(box)),
    cards: all("value").map((each) => text(each.querySelector(".gw-name"))),
    ops: all("op").map((each) => text(each.querySelector(".gw-sign"))),
    problems: [...all("alarm"), ...all("error"), ...all("hazard"), ...all("nan")].map(text),
    faults: all("fault").map(text),
  };
}
"""


@pytest.fixture(scope="module")
def sheet(request: pytest.FixtureRequest) -> Any:
    """One page for all programs."""
    options = request.getfixturevalue("browser_context_args")
    page = request.getfixturevalue("browser").new_context(**options).new_page()
    yield page
    page.context.close()


def look(sheet: Page, address: str) -> dict[str, Any]:
    """Return what a page opens on, once it has come to rest."""
    sheet.goto(address)
    sheet.wait_for_selector("[data-testid=graphwidget] [data-testid=value]")
    at_rest(sheet, COMPLETE)
    seen: dict[str, Any] = sheet.evaluate(READ)
    return seen


def identifiers(name: str) -> set[str]:
    """All names in a program's source."""
    tree = ast.parse((SCRIPTS / f"{name}.py").read_text("utf-8"))
    found = {x.id for x in ast.walk(tree) if isinstance(x, ast.Name)}
    found |= {x.attr for x in ast.walk(tree) if isinstance(x, ast.Attribute)}
    found |= {x.arg for x in ast.walk(tree) if isinstance(x, ast.arg | ast.keyword) and x.arg}
    return found | {x.name for x in ast.walk(tree) if isinstance(x, ast.FunctionDef | ast.ClassDef)}


def test_each_program_is_expected() -> None:
    assert sorted(PROGRAMS) == sorted(path.stem for path in SCRIPTS.glob("*.py"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program(name: str, results: Results, sheet: Page) -> None:
    expected, result = PROGRAMS[name], results[name]
    assert result["same"]
    assert result["faults"] == []
    assert result["bytes"] <= LARGEST
    seen = look(sheet, result["page"])
    assert seen["problems"] + seen["faults"] == []
    assert f"{expected.on} = " in seen["words"]
    assert expected.line in seen["words"]
    assert tuple(each.split("iteration ")[-1] for each in seen["iterations"]) == expected.iterations
    boxes = [each.removeprefix("Open ").split(":")[0] for each in seen["boxes"]]
    cards = [name for each in seen["cards"] for name in each.split(", ")]  # some have two names
    for model in expected.models:
        assert any(re.match(_begin(model), box) for box in boxes), boxes
    assert set(expected.cards) <= set(cards)
    known = {*identifiers(name), *expected.inside, "loss"}  # what trainers of libraries call it
    whole = [each for each in (*cards, *boxes) if "…" not in each]
    words = [re.match(r"[A-Za-z_]\w*", each) for each in whole]
    assert {each.group() for each in words if each is not None} <= known | WORDS
    assert not {"_", "self", "other", "result"} & set(cards)


def _begin(model: str) -> str:
    """Return how the label of a box begins that is this module or function, or a part of it."""
    return rf"(\d+ times )?{re.escape(model)}( |,|\.|\[|$)"
