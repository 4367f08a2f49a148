"""The widget as a reader sees it: cards, pills, wires, the player and the words beside them.

All that the tests know about the page's elements stands here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page, expect

READ = """
root => {
  const all = (from, test) => [...from.querySelectorAll(`[data-testid=${test}]`)];
  const text = (from, at) => from.querySelector(at)?.textContent ?? null;
  return {
    cards: all(root, "value").map((g) => ({
      key: g.dataset.copyOf === undefined ? `v${g.dataset.value}` : null,
      name: text(g, ".gw-name"),
      role: g.dataset.role,
      words: g.getAttribute("aria-label"),
      numbers: [...g.querySelectorAll(".gw-numbers")].map((t) => t.textContent).join(" "),
      version: text(g, ".gw-version text"),
      grad: text(g, ".gw-grad-text"),
      pinned: g.querySelector("[data-action=pin]")?.getAttribute("aria-checked") ?? null,
      past: g.classList.contains("gw-past"),
    })),
    ops: all(root, "op").map((g) => ({
      key: `c${g.dataset.op}`,
      op: g.querySelector("title").textContent.split(/[ .]/)[0],
      sign: text(g, ".gw-sign"),
      slots: all(g, "slot").map((s) => ({
        slot: s.dataset.slot, state: s.dataset.state, text: s.textContent,
      })),
      done: g.querySelector(".gw-tick") !== null,
      freed: g.classList.contains("gw-freed"),
      failed: g.classList.contains("gw-failed"),
      active: g.classList.contains("gw-active"),
    })),
    wires: all(root, "wire").map((g) => [g.dataset.from, g.dataset.to]),
    gradients: all(root, "gradient").map((g) => g.textContent),
    stale: all(root, "stale-arrow").length,
  };
}
"""

# Timers fire in the order in which they are due, however slow the machine is: what a page puts off
# for less than the time here has come before. Animations without end are not waited for.
AT_REST = """
async (quiet) => {
  const pictures = [...document.querySelectorAll(".gw")];
  let changed;
  const observer = new MutationObserver(() => { changed = true; });
  for (const picture of pictures) {
    observer.observe(picture, {
      subtree: true, childList: true, attributes: true, characterData: true,
    });
  }
  const moves = ({ playState, effect }) =>
    playState === "running" && effect.getComputedTiming().endTime !== Infinity;
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  do {
    changed = false;
    await new Promise((done) => setTimeout(done, quiet));
    await frame();
    await frame();
  } while (changed || document.getAnimations().some(moves));
  observer.disconnect();
}
"""


def at_rest(page: Page, quiet: int = 100) -> None:
    """Wait until nothing moves and nothing has changed for some milliseconds."""
    page.evaluate(AT_REST, quiet)


COMPLETE = 700
"""Milliseconds after which a picture that does not change is taken for complete."""


@dataclass(frozen=True)
class Seen:
    """Contents of the picture at one moment."""

    cards: list[dict[str, Any]]
    ops: list[dict[str, Any]]
    wires: list[list[str]]
    gradients: list[str]
    stale: int

    @property
    def names(self) -> set[str]:
        """The names on the cards."""
        return {card["name"] for card in self.cards}

    @property
    def op_names(self) -> list[str]:
        """The ops on the pills, sorted."""
        return sorted(op["op"] for op in self.ops)

    @property
    def slots(self) -> list[str]:
        """The states of all slots for saved values: "kept", "stale", "empty"."""
        return [slot["state"] for op in self.ops for slot in op["slots"]]

    def card(self, name: str) -> dict[str, Any]:
        """The newest card of this name."""
        return next(card for card in reversed(self.cards) if card["name"] == name)

    @property
    def flows(self) -> set[tuple[str, str]]:
        """Return which named value goes, through one op, into which other."""
        names = {card["key"]: card["name"] for card in self.cards}
        into = [(names[a], b) for a, b in self.wires if a in names]
        out = [(a, names[b]) for a, b in self.wires if b in names]
        return {(source, target) for source, op in into for other, target in out if op == other}


class Picture:
    """One view of a GraphWidget: what stands in it, and a reader's hand on it."""

    def __init__(self, root: Locator) -> None:
        self.root = root
        self.count = root.get_by_test_id("step-count")
        self.state = root.get_by_test_id("state")
        self.step = root.get_by_test_id("step")
        self.error = root.get_by_test_id("error")
        self.hazard = root.get_by_test_id("hazard")
        self.paths = root.get_by_test_id("path")
        self.sum = root.get_by_test_id("path-sum")

    def seen(self) -> Seen:
        """Return what stands in the picture now."""
        return Seen(**self.root.evaluate(READ))

    def card(self, name: str) -> Locator:
        """The newest card of this name."""
        title = self.root.page.locator(".gw-name").get_by_text(name, exact=True)
        return self.root.get_by_test_id("value").filter(has=title).last

    def pin(self, name: str) -> Locator:
        """The retain_grad switch of this card."""
        return self.card(name).locator("[data-action=pin]")

    def press(self, action: str) -> None:
        """Press a button: first, previous, play, next, last, everything, fit, backward ..."""
        self.root.locator(f"[data-action={action}]:not([disabled])").first.click()

    def take_step(self) -> None:
        """Press next in a live run, and wait until the picture shows what came of it."""
        before = self.steps()[1]
        self.press("next")
        expect(self.count).not_to_have_text(re.compile(rf"/ {before}$"))

    def key(self, name: str) -> None:
        """Press a key with the widget focused."""
        self.root.focus()
        self.root.page.keyboard.press(name)

    def slide(self, index: int) -> None:
        """Move the slider to a step; -1 is the beginning."""
        self.root.locator("[data-action=slider]").evaluate(
            """(slider, value) => {
              slider.value = String(value);
              slider.dispatchEvent(new Event("input", { bubbles: true }));
            }""",
            index,
        )

    def steps(self) -> tuple[int, int]:
        """The step shown, counted from 1 (0 is the beginning), and how many there are."""
        reported = self.count.get_attribute("title") or ""
        at, total = re.findall(r"[\d,]+", reported)
        return int(at.replace(",", "")), int(total.replace(",", ""))

    def expect_names(self, names: set[str]) -> None:
        """Wait until these names, and perhaps others, stand on cards."""
        for name in names:
            expect(self.card(name)).to_be_attached()
