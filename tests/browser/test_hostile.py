"""Pages over logs that nobody should have written: a sentence or a picture; nothing runs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from graphwidget.exporters.html import page as offline
from graphwidget.recording.events import PROTOCOL
from tests.golden.make import HERE

EVENTS: list[Any] = json.loads((HERE / "G.json").read_text("utf-8"))["events"]
EVIL = '<img src=x onerror="window.evil = 1"></script><script>window.evil = 1</script>'


def packed(events: list[Any]) -> bytes:
    return json.dumps({"protocol": PROTOCOL, "first": 0, "events": events}).encode()


def renamed() -> bytes:
    """Every text of a log that a user can choose is markup."""
    text = json.dumps(EVENTS)
    evil = json.dumps(EVIL)
    return packed(json.loads(re.sub(r'"(?:a|b|loss|b\[0\] = 1000\.)"', lambda _: evil, text)))


def changed(kind: str, field: int, content: Any) -> Callable[[], bytes]:
    def change() -> bytes:
        events = [list(event) for event in EVENTS]
        next(event for event in events if event[0] == kind)[field] = content
        return packed(events)

    return change


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (renamed, ""),
        (lambda: packed([]), ""),
        (lambda: packed(EVENTS)[:-40], "not complete JSON"),
        (lambda: packed(EVENTS).replace(b'"protocol": 2', b'"protocol": 99'), "protocol 99"),
        (changed("op", 5, None), "(op): 'outputs' is no list of whole numbers"),
        (changed("op", 5, list(range(100, 1_000_100))), "'outputs' has 1,000,000 items"),
        (changed("node", 5, [[1, 0], [1, 0]]), ""),
        (changed("value", 8, [[2], "x", None, None, None]), ""),
    ],
    ids=["markup", "empty", "truncated", "newer", "none", "many", "circle", "no numbers"],
)
def test_a_hostile_log(
    quiet_page: Page, tmp_path: Path, log: Callable[[], bytes], said: str
) -> None:
    file = tmp_path / "page.html"
    content = log()
    found = re.search(rb'"protocol": (\d+)', content)
    assert found is not None
    file.write_text(offline(content, len(EVENTS), int(found[1])), "utf-8")
    quiet_page.goto(file.as_uri())
    shown = quiet_page.get_by_test_id("graphwidget")
    expect(shown).to_be_visible()
    if said:
        expect(shown.get_by_test_id("fault")).to_contain_text(said)
    else:
        expect(shown.get_by_test_id("fault")).to_have_count(0)
        expect(shown.get_by_test_id("explanation")).not_to_be_empty()
        for key in ("Home", *["ArrowRight"] * 6, "End"):
            shown.press(key)
        expect(shown.get_by_test_id("fault")).to_have_count(0)
    assert not re.search(r"undefined|is not a function|\[object", shown.inner_text())
    assert quiet_page.evaluate("window.evil") is None
