"""A page in Chinese: no sentence of it is English."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

import graphwidget as torch

WORDS = """() => {
  const root = document.querySelector(".gw");
  const code = "code, math, .gw-math-text, .gw-name-text, .gw-code-text, .gw-grad-text";
  const told = ["aria-label", "title", "aria-valuetext", "placeholder"];
  const texts = [...root.querySelectorAll("*")].flatMap((element) => [
    ...(element.closest(code) ? [] : [...element.childNodes].filter((n) => n.nodeType === 3)
      .map((n) => n.data)),
    ...told.map((name) => element.getAttribute(name) ?? ""),
  ]);
  return [...new Set(texts)];
}"""
"""All texts of a page, labels included; code, names and formulas apart."""

SENTENCE = re.compile(r"\b[A-Za-z][a-z]+ [a-z]{2,} [a-z]+")


def test_no_sentence_is_english(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    with torch.watch() as graph:
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        (a * a).sum().backward()
        for _ in range(3):
            loss = (a.exp() * 2).mean()
            loss.backward()
        b = a * 2
        kept = b * b
        b[0] = 7.0
    # Not by name: a browser that is a parameter is another one, and the first would be closed.
    browser: Browser = request.getfixturevalue("browser")
    page = browser.new_context(locale="zh-CN").new_page()
    page.goto(graph.to_html(tmp_path / "page.html").as_uri())
    expect(page.get_by_test_id("hazard")).to_contain_text("一个已保存的值被原地修改")
    page.get_by_test_id("graph").focus()
    page.keyboard.press("?")
    page.keyboard.press("Home")
    found: set[str] = set()
    for _ in range(100):
        found |= set(page.evaluate(WORDS))
        if page.locator('[data-action="next"]').is_disabled():
            break
        page.locator('[data-action="next"]').click()
    page.locator('[data-key^="v"]').last.click()
    found |= set(page.evaluate(WORDS))
    assert sorted(text for text in found if SENTENCE.search(text)) == []
    assert kept.requires_grad
