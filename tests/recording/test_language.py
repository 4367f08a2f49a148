"""Texts of the kernel in another language: complete, with the same places."""

from __future__ import annotations

import ast
from pathlib import Path
from string import Formatter

import pytest

import graphwidget
from graphwidget.recording import language
from graphwidget.recording.findings import HEADLINES

PACKAGE = Path(graphwidget.__file__).parent
OTHERS = {code: table for code, table in language.TABLES.items() if code != "en"}


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def said() -> tuple[set[str], set[str]]:
    """The literal texts given to ``say``, and all literals of the package."""
    texts, literals = set(HEADLINES.values()), set()
    for path in PACKAGE.rglob("*.py"):
        if path.name == "zh.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                literals.add(node.value)
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "say":
                texts |= {each.value for each in node.args if isinstance(each, ast.Constant)}
    return texts, literals


@pytest.mark.parametrize("table", OTHERS.values(), ids=OTHERS)
def test_a_table_has_every_text_with_its_places(table: dict[str, str]) -> None:
    texts, literals = said()
    assert texts - table.keys() == set()
    assert table.keys() - literals == set()
    assert {text for text, own in table.items() if places(text) != places(own)} == set()


def test_the_language_is_chosen_or_the_pages_or_the_locales(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(language, "_chosen", None)
    monkeypatch.setattr(language, "_of_page", None)
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert language.say("This run has ended.") == "这次反向传播已经结束。"
    language.page_speaks("en")
    assert language.say("This run has ended.") == "This run has ended."
    graphwidget.set_language("zh")
    assert language.say("there is no file {script}", script="a.py") == "没有文件 a.py"
    with pytest.raises(ValueError, match="not 'xx'"):
        graphwidget.set_language("xx")
