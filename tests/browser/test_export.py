"""The picture saved from the page: whole, with its colours, and with nothing to load."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from graphwidget.exporters.html import page as offline
from graphwidget.recording.events import PROTOCOL
from tests.golden.make import HERE

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def opened(quiet_page: Page, tmp_path: Path) -> Page:
    """A page on the worked example C, too small to show all of it."""
    events = json.loads((HERE / "C.json").read_text("utf-8"))["events"]
    packed = json.dumps({"protocol": PROTOCOL, "first": 0, "events": events}).encode()
    file = tmp_path / "page.html"
    file.write_text(offline(packed, len(events), PROTOCOL), "utf-8")
    quiet_page.set_viewport_size({"width": 500, "height": 500})
    quiet_page.goto(file.as_uri())
    expect(quiet_page.locator("[data-testid=value]").first).to_be_visible()
    return quiet_page


def saved(page: Page, action: str, path: Path) -> bytes:
    with page.expect_download() as found:
        page.locator(f"[data-action={action}]").click()
    found.value.save_as(path)
    return path.read_bytes()


def test_svg(opened: Page, tmp_path: Path) -> None:
    content = saved(opened, "save-svg", tmp_path / "graph.svg").decode("utf-8")
    root = ElementTree.fromstring(content)
    texts = [element.text for element in root.iter(f"{SVG}text")]
    texts += [element.text for element in root.iter(f"{SVG}tspan")]
    for name in ("input", "w1", "w2", "w3", "l1", "l2", "l3", "l4", "loss"):
        assert name in texts
    assert "var(" not in content
    assert "class=" not in content
    assert not re.search(r"(?:href|src)=|@import", content)
    black = [
        element.attrib
        for element in [*root.iter(f"{SVG}rect"), *root.iter(f"{SVG}circle")]
        if "fill" not in element.attrib.get("style", "") + element.attrib.get("fill", "#")
        and element.attrib.get("width") != "100%"
    ]
    assert "◂ backward" not in texts  # a control has nothing to do in a file
    assert black == []  # without a fill of its own a shape would be black
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    file = tmp_path / "graph.svg"
    opened.goto(file.as_uri())
    inside = opened.evaluate(
        "() => { const { x, y, width, height } = document.documentElement.getBBox();"
        " return [x, y, width, height]; }"
    )
    assert min(inside[:2]) >= -1
    assert inside[2] <= width + 2
    assert inside[3] <= height + 2
    assert opened.locator("[data-testid]").count() == 0


def test_png(opened: Page, tmp_path: Path) -> None:
    content = saved(opened, "save-png", tmp_path / "graph.png")
    assert content.startswith(b"\x89PNG")
    width, height = (int.from_bytes(content[i : i + 4], "big") for i in (16, 20))
    assert width > 800
    assert height > 150
    assert len(content) > 10_000  # it is drawn, not blank
    expect(opened.get_by_test_id("graphwidget")).to_have_count(1)
