"""Typical pictures as they open, in both themes: what stands where, in which colours, and readably.

The files in ``tests/browser/looks`` hold what people have judged; ``LOOKS=write`` writes them anew.
"""

from __future__ import annotations

import linecache
import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

import graphwidget as torch
from tests.browser.pages import Show, record
from tests.browser.picture import COMPLETE, Picture, at_rest

LOOKS = Path(__file__).with_name("looks")

PROGRAMS = {
    "two-paths": """
w = torch.tensor([1.], requires_grad=True)
x = torch.tensor([2.], requires_grad=True)
y = (x + w) * (w + 1)
y.backward()
""",
    "stale": """
a = torch.tensor([1., 3.], requires_grad=True)
b = a + 2
loss = (b * b).mean()
b[0] = 1000.
loss.backward()
""",
    "training": """
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, target = torch.randn(8, 2), torch.randn(8, 1)
for step in range(20):
    optimizer.zero_grad()
    out = net(x)
    loss = nn.functional.mse_loss(out, target)
    loss.backward()
    optimizer.step()
""",
    "images": """
net = nn.Sequential(
    nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3)
)
images, labels = torch.randn(4, 1, 8, 8), torch.tensor([0, 1, 2, 0])
logits = net(images)
loss = nn.functional.cross_entropy(logits, labels)
loss.backward()
""",
    "transformer": """
layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
encoder = nn.TransformerEncoder(layer, 6)
src = torch.randn(2, 5, 16)
memory = encoder(src)
loss = memory.pow(2).mean()
loss.backward()
""",
    "recurrent": """
cell = nn.LSTMCell(3, 4)
inputs = torch.randn(10, 1, 3)
h, c = torch.zeros(1, 4), torch.zeros(1, 4)
for x in inputs:
    h, c = cell(x, (h, c))
loss = h.sum()
loss.backward()
""",
    "adversarial": """
G = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
D = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
both = [torch.optim.Adam(each.parameters(), lr=1e-3) for each in (D, G)]
bce = nn.BCEWithLogitsLoss()
real, noise = torch.randn(6, 2), torch.randn(6, 2)
fake = G(noise)
loss_d = bce(D(real), torch.ones(6, 1)) + bce(D(fake.detach()), torch.zeros(6, 1))
loss_d.backward()
both[0].step()
loss_g = bce(D(fake), torch.ones(6, 1))
loss_g.backward()
both[1].step()
""",
    "long": "h = x = torch.ones(3, requires_grad=True)\n"
    + "h = h * 1.01\nh = h.tanh()\n" * 30
    + "h.add_(1)\n"
    + "h = h * 1.01\nh = h.tanh()\n" * 70
    + "loss = h.sum()\nloss.backward()\n",
    "branch": """
w = torch.tensor([0.5, -1., 2.], requires_grad=True)
for row in torch.tensor([[1., 2., 0.], [0., 1., 3.], [2., 0., 1.]]):
    z = (row * w).sum()
    if z > 0:
        y = torch.log(1 + z)
    else:
        y = z * 0.1
    y.backward()
    w.grad = None
""",
    "wrong shapes": """
body = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 6))
net = nn.Sequential(body, nn.Linear(5, 2))
out = net(torch.randn(3, 4))
""",
}

# Boxes by place, with their titles and the colours of these and of the bodies.
SEEN = """
root => {
  const hex = (colour) => colour.replace(/rgba?\\(([^)]*)\\)/, (_, all) => {
    const [r, g, b, a] = all.split(", ").map(Number);
    return "#" + [r, g, b].map((n) => n.toString(16).padStart(2, "0")).join("") +
      (a === undefined ? "" : ` at ${a}`);
  });
  const kinds = { value: "card", op: "pill", group: "group", frame: "frame" };
  const lines = [];
  for (const box of root.querySelectorAll("[data-testid=graph] [data-key]")) {
    const kind = kinds[box.dataset.testid];
    const at = /translate\\(([-\\d.]+)px,? ?([-\\d.]+)?/.exec(box.style.transform);
    const title = box.querySelector(".gw-name, .gw-sign, .gw-frame-name");
    if (!kind || !at || !title) continue;
    const [x, y] = [at[1], at[2] ?? 0].map((n) => Math.round(n));
    const body = box.querySelector("rect:not(.gw-hit):not(.gw-glow), path");
    lines.push([x, y, `${kind} ${title.textContent} at ${x},${y}: ` +
      `${hex(getComputedStyle(title).fill)} on ${hex(getComputedStyle(body).fill)}`]);
  }
  const view = root.querySelector("[data-testid=graph]").getBoundingClientRect();
  lines.sort((a, b) => a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1));
  const [width, height] = [view.width, view.height].map((n) => Math.round(n));
  return [`stage ${width} x ${height}`, ...lines.map((line) => line[2])];
}
"""

# What a reader cannot read: small texts, texts on each other, and texts too like their ground.
UNREADABLE = """
root => {
  const svg = root.querySelector("[data-testid=graph]");
  const edge = svg.getBoundingClientRect();
  const style = document.createElement("style");
  style.textContent = ".gw * { pointer-events: visiblePainted !important; }";
  document.head.append(style);
  const rgba = (colour) => {
    const [r, g, b, a = 1] = (colour.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
    return [r, g, b, a];
  };
  const faded = (element) => {
    for (let up = element; up && up !== root; up = up.parentElement) {
      if (Number(getComputedStyle(up).opacity) < 1) return true;
    }
    return false;
  };
  const ground = (text, x, y) => {
    const layers = [];
    for (const below of document.elementsFromPoint(x, y)) {
      if (below === text || text.contains(below) || below.tagName === "text") continue;
      const own = getComputedStyle(below);
      const drawn = below instanceof SVGElement && below.tagName !== "svg" && below.tagName !== "g";
      const colour = drawn && own.fill !== "none" ? own.fill : own.backgroundColor;
      const [r, g, b, a] = rgba(colour);
      const alpha = a * (drawn ? Number(own.fillOpacity) : 1);
      if (alpha > 0) layers.push([r, g, b, alpha]);
      if (alpha >= 1) break;
    }
    return layers.reverse().reduce((under, [r, g, b, a]) =>
      [r, g, b].map((n, i) => n * a + under[i] * (1 - a)), [255, 255, 255]);
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((n) => n / 255)
      .map((n) => (n <= 0.03928 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  const texts = [...svg.querySelectorAll("text")].flatMap((text) => {
    const box = text.getBoundingClientRect();
    const inside = box.left >= edge.left && box.right <= edge.right &&
      box.top >= edge.top && box.bottom <= edge.bottom;
    if (!inside || box.width === 0 || !text.textContent.trim() || faded(text)) return [];
    const size = parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
    if (size < 8.99) found.push(`${text.textContent} is ${size.toFixed(1)} px high`);
    const air = box.height * 0.2;  // a line is higher than its letters
    return [{ text, box, top: box.top + air, bottom: box.bottom - air }];
  });
  texts.forEach((a, i) => {
    for (const b of texts.slice(i + 1)) {
      if (a.box.left < b.box.right - 1 && b.box.left < a.box.right - 1 &&
          a.top < b.bottom && b.top < a.bottom) {
        found.push(`${a.text.textContent} lies on ${b.text.textContent}`);
      }
    }
  });
  const words = [...root.querySelectorAll(".gw p, .gw span, .gw code, .gw button, .gw a")].filter(
    (each) => !each.closest("svg") && !each.closest("[disabled], [aria-disabled=true]") &&
      [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
  const all = [...texts.map(({ text }) => [text, getComputedStyle(text).fill]),
    ...words.map((each) => [each, getComputedStyle(each).color])];
  for (const [text, colour] of all) {
    const box = text.getBoundingClientRect();
    if (box.width === 0 || faded(text)) continue;
    const under = ground(text, box.left + box.width / 2, box.top + box.height / 2);
    const [bright, dark] = [light(rgba(colour).slice(0, 3)), light(under)].sort((a, b) => b - a);
    const contrast = (bright + 0.05) / (dark + 0.05);
    if (contrast < 4.5) {
      found.push(`${text.textContent} has contrast ${contrast.toFixed(1)}: ${colour} on ${under}`);
    }
  }
  style.remove();
  return { found, texts: texts.length };
}
"""


def program(name: str) -> Callable[[], object]:
    """A program, with the same random numbers each time."""
    torch.manual_seed(0)
    source, file = PROGRAMS[name].strip(), f"{name}.py"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    code = compile(source, file, "exec")
    return lambda: exec(code, {"torch": torch, "nn": torch.nn})


THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_opens_as_it_was_judged_and_can_be_read(show: Show, quiet_page: Page, name: str) -> None:
    quiet_page.emulate_media(color_scheme="light", reduced_motion="reduce")
    picture = show(record(program(name)), 1000, 640)
    at_rest(quiet_page, COMPLETE)
    for theme in THEMES:
        quiet_page.emulate_media(color_scheme=theme)
        expect(picture.root).to_have_attribute("data-theme", theme)
        compare_look(picture, name, theme)


def compare_look(picture: Picture, name: str, theme: str) -> None:
    read = picture.root.evaluate(UNREADABLE)
    assert read["found"] == []
    assert read["texts"] > 3
    seen = "\n".join(picture.root.evaluate(SEEN)) + "\n"
    file = LOOKS / f"{name.replace(' ', '-')}-{theme}.txt"
    if os.environ.get("LOOKS") == "write":
        LOOKS.mkdir(exist_ok=True)
        file.write_text(seen, "utf-8")
    assert seen == file.read_text("utf-8"), f"look at it; if it is better: LOOKS=write ({file})"


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (".gw-name { fill: #d8d8d8 !important }", "contrast"),
        (".gw-step code, .gw p { color: #c8c8c8 !important }", "contrast"),
        (".gw-meta { font-size: 7px !important }", "px high"),
        (".gw-name { transform: translateY(14px) }", "lies on"),
    ],
)
def test_what_cannot_be_read_is_found(show: Show, quiet_page: Page, rule: str, said: str) -> None:
    picture = show(record(program("two-paths")), 1000, 640)
    at_rest(quiet_page)
    assert picture.root.evaluate(UNREADABLE)["found"] == []
    quiet_page.add_style_tag(content=rule)
    assert said in " ".join(picture.root.evaluate(UNREADABLE)["found"])


def test_the_legend_stands_under_the_picture(show: Show, quiet_page: Page) -> None:
    picture = show(record(program("stale")))
    stage = picture.root.get_by_test_id("graph")
    before = stage.bounding_box()
    picture.key("?")
    legend = picture.root.get_by_test_id("keys")
    expect(legend).to_be_focused()
    box, after = legend.bounding_box(), stage.bounding_box()
    assert box
    assert after
    assert before
    assert (after["width"], after["height"]) == (before["width"], before["height"])
    assert box["y"] >= after["y"] + after["height"]
    quiet_page.keyboard.press("Escape")
    expect(legend).to_have_count(0)
    expect(picture.root).to_be_focused()
