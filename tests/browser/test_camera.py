"""Camera: readable text at every size, minimap, shapes from afar, search, height,
and the turns of a loop. On pages without a kernel, whose logs are made here."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import graphwidget
import graphwidget as torch
from tests.browser.pages import Event, Show, record
from tests.browser.picture import COMPLETE, at_rest
from tests.browser.test_looks import program

# The height of every text that is drawn in the picture, in pixels of the page.
SMALLEST = """
root => {
  const svg = root.querySelector("[data-testid=graph]");
  const box = svg.getBoundingClientRect();
  const sizes = [...svg.querySelectorAll("text")].flatMap((text) => {
    const { left, right, top, bottom, width } = text.getBoundingClientRect();
    const seen = right > box.left && left < box.right && bottom > box.top && top < box.bottom;
    if (!seen || width === 0) return [];
    return [parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a];
  });
  return Math.min(...sizes);
}
"""


def chain(
    rounds: int, guilty: int | None = None, within: str | None = None
) -> Callable[[], object]:
    """A long chain of ops, line by line, perhaps within a function; one of its saved values may be
    written over."""
    lines = ["h = (h * 0.5).tanh()"] * rounds
    if guilty is not None:
        lines[guilty] = "h = h.exp(); h.add_(1)"
    if within is not None:
        lines = [f"def {within}(h):", *(f"    {line}" for line in [*lines, "return h"])]
        lines += [f"h = {within}(x)"]
    lines = ["h = x = torch.ones(2, requires_grad=True)", *lines, "loss = (h * x).sum()"]
    lines += [] if guilty is None else ["loss.backward()"]
    code = compile("\n".join(lines), "chain.py", "exec")
    return lambda: exec(code, {"torch": torch})


def training(count: int, kept: set[int]) -> list[Event]:
    """A loop that trains, some of whose turns have their details in the log."""
    w = torch.ones(1, requires_grad=True)
    graph = graphwidget.watch()
    marks = []
    for _ in range(len(kept)):
        marks.append(len(graph.events))
        loss = (w * 2).sum()
        loss.backward()
    graph.stop()
    reported: list[Event] = json.loads(graph.packed)["events"]
    events: list[Event] = [
        *reported[: marks[0]],
        ["scope", 900, None, "loop", "", "for ...", None, True],
    ]
    for turn, start, end in zip(sorted(kept), marks, [*marks[1:], len(reported)], strict=True):
        events.append(["scope", 900 + turn, 900, "iteration", str(turn), "", None, True])
        events += [event for event in reported[start:end] if event[0] not in ("scope", "curve")]
        events.append(["scope", 900 + turn, None, "iteration", str(turn), "", None, False])
    rows = [["nan" if turn == 4 else 8 / turn] for turn in range(1, count + 1)]
    return [*events, ["curve", 900, 1, ["loss"], rows]]


EXAMPLE_A = """
w = torch.tensor([1.], requires_grad=True)
x = torch.tensor([2.], requires_grad=True)
y = (x + w) * (w + 1)
y.backward()
"""
TRAINING = """
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
X, y = torch.randn(8, 2), torch.randn(8, 1)
for step in range(5):
    opt.zero_grad()
    loss = ((net(X) - y) ** 2).mean()
    loss.backward()
    opt.step()
"""


@pytest.mark.parametrize(("example", "width"), [(EXAMPLE_A, 800), (TRAINING, 740)])
def test_steps_of_a_small_picture_move_no_camera_that_sees_them(
    show: Show, quiet_page: Page, example: str, width: int
) -> None:
    code = compile(example, "example.py", "exec")
    picture = show(record(lambda: exec(code, {"torch": torch})), width, 420)

    def scale() -> float:
        at_rest(quiet_page)
        transform = picture.root.locator(".gw-camera").evaluate("g => g.style.transform")
        return float(transform.partition("scale(")[2].rstrip(")"))

    def step(keys: str) -> set[float]:
        scales = set()
        for key in keys.split():
            picture.key(f"Arrow{key}")
            scales.add(scale())
        return scales

    first = scale()
    assert step("Left Left Left Left Right") == {first}  # the words take more room meanwhile
    picture.press("zoom-in")
    picture.press("zoom-in")
    near = scale()
    assert near > first
    assert step("Left Left Right Right") == {near}  # as the reader had put it


RECURRENT = """
W = torch.ones(2, 2, requires_grad=True)
U = torch.ones(2, 2, requires_grad=True)
h0 = torch.zeros(2)
h1 = torch.tanh(W @ h0 + U @ torch.ones(2))
h2 = torch.tanh(W @ h1 + U @ torch.ones(2))
loss = (h2 ** 2).sum()
loss.backward()
"""
# Whether something of the picture is beyond the edge of its window.
CUT = """
root => {
  const { bottom } = root.querySelector(".gw-window").getBoundingClientRect();
  const boxes = [...root.querySelectorAll("[data-testid=value], [data-testid=op]")];
  return boxes.some((box) => box.getBoundingClientRect().bottom > bottom);
}
"""
# A page gives the graph its whole window; in a notebook only its style says how high it is.
AS_IN_A_NOTEBOOK = """
() => {
  for (const sheet of document.styleSheets)
    [...sheet.cssRules].forEach((rule) => {
      if (rule.selectorText === "#graph .gw") rule.style.maxHeight = "";
    });
  dispatchEvent(new Event("resize"));
}
"""


def test_words_that_grow_cut_nothing_of_the_picture(show: Show, quiet_page: Page) -> None:
    code = compile(RECURRENT, "example.py", "exec")
    picture = show(record(lambda: exec(code, {"torch": torch})), 1280, 800)
    quiet_page.evaluate(AS_IN_A_NOTEBOOK)
    at_rest(quiet_page, COMPLETE)
    panel, window = (picture.root.locator(at) for at in (".gw-panel", ".gw-window"))
    height = "e => e.offsetHeight"
    words, room = panel.evaluate(height), window.evaluate(height)
    assert not picture.root.evaluate(CUT)
    picture.key("Home")
    for _ in range(picture.steps()[1]):
        picture.press("next")
    at_rest(quiet_page)
    assert panel.evaluate(height) > words + 30
    assert window.evaluate(height) == room
    assert not picture.root.evaluate(CUT)


@pytest.mark.parametrize("width", [400, 960, 1700])
def test_no_text_is_ever_too_small(show: Show, quiet_page: Page, width: int) -> None:
    picture = show(record(chain(60)), width)
    at_rest(quiet_page)
    assert picture.root.evaluate(SMALLEST) >= 8.99
    expect(picture.card("loss")).to_be_in_viewport()  # what was computed last
    picture.press("fit")
    at_rest(quiet_page)
    assert picture.root.evaluate(SMALLEST) >= 8.99
    for _ in range(12):  # by hand, as far as it goes
        picture.press("zoom-out")
        at_rest(quiet_page)
        if picture.root.get_by_test_id("overview").count():
            break
        assert picture.root.evaluate(SMALLEST) >= 8.99
    expect(picture.root.get_by_test_id("overview")).to_be_visible()
    expect(picture.root.get_by_test_id("value")).to_have_count(0)


def test_it_opens_on_the_error_and_the_map_leads_on(show: Show, quiet_page: Page) -> None:
    picture = show(record(chain(100, guilty=40)))
    failed = picture.root.locator(".gw-failed").first
    expect(failed).to_be_in_viewport()
    minimap = picture.root.get_by_test_id("minimap")
    box = minimap.bounding_box()
    assert box is not None
    quiet_page.mouse.click(box["x"] + 3, box["y"] + 3)  # whichever way it flows
    at_rest(quiet_page)
    assert "x" in picture.seen().names  # the beginning of the chain
    picture.key("!")
    expect(failed).to_be_in_viewport()


def test_a_small_picture_needs_no_map_and_little_height(show: Show) -> None:
    picture = show(record(lambda: (torch.ones(2, requires_grad=True) * 2).sum()))
    expect(picture.root.get_by_test_id("minimap")).to_have_count(0)
    box = picture.root.bounding_box()
    assert box is not None
    assert 220 <= box["height"] <= 480
    handle = picture.root.get_by_test_id("height")
    handle.focus()
    for _ in range(5):
        handle.press("ArrowDown")
    larger = picture.root.bounding_box()
    assert larger is not None
    assert larger["height"] == pytest.approx(box["height"] + 100, abs=1)


def cut(program: Callable[[], object]) -> list[Event]:
    """Return what a program tells, of which 123,456 events before it are held no more."""
    tables = ("ops", "sources", "values", "calls", "storages", "nodes", "runs", "scopes", "loops")
    empty: dict[str, Any] = {table: {} for table in (*tables, "names")}
    empty |= {"cells": [], "errors": []}
    return [["snapshot", 123_456, empty], *record(program)]


# How many parts of the bar lie on each other or beyond its edge.
OVERLAPS = """
root => {
  const parts = [...root.querySelectorAll(
    ".gw-toolbar button, .gw-toolbar select, .gw-toolbar input, .gw-toolbar span, " +
    ".gw-loop > span, .gw-loop input")];
  const boxes = parts.map((part) => part.getBoundingClientRect());
  const edge = root.getBoundingClientRect();
  const out = boxes.filter((b) => b.left < edge.left || b.right > edge.right);
  const pairs = boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) =>
    a.left < b.right - 1 && b.left < a.right - 1 &&
    a.top < b.bottom - 1 && b.top < a.bottom - 1));
  return out.length + pairs.length;
}
"""


@pytest.mark.parametrize("chips", [False, True])
def test_nothing_in_the_bar_overlaps(show: Show, quiet_page: Page, chips: bool) -> None:
    if chips:
        picture = show(cut(program("stale")), 340, first=123_455)
        expect(picture.root.locator(".gw-dropped")).to_have_text("… 123456 older")
        expect(picture.root.locator("[data-action=problem]")).to_be_visible()
    else:
        picture = show(training(6, {1, 5, 6}), 340)
    for width in (340, 420, 480, 700, 760, 960):
        quiet_page.set_viewport_size({"width": width, "height": 800})
        at_rest(quiet_page)
        assert (width, picture.root.evaluate(OVERLAPS)) == (width, 0)


def test_the_player_has_two_scales(show: Show, quiet_page: Page) -> None:
    picture = show(training(6, {1, 5, 6}))
    turn = picture.root.get_by_test_id("iteration-count")
    words = picture.root.get_by_test_id("iteration-words")
    expect(turn).to_have_text("iteration 6 / 6")
    expect(words).to_have_text("loss 1.333")
    at, steps = picture.steps()
    assert at == steps
    picture.key("Shift+ArrowLeft")
    expect(turn).to_have_text("iteration 5 / 6")
    picture.key("ArrowLeft")
    assert picture.steps() == (steps - 1, steps)  # of this turn alone
    picture.key("Shift+ArrowLeft")
    expect(turn).to_have_text("iteration 1 / 6")
    curves = picture.root.get_by_test_id("curves")
    box = curves.bounding_box()
    assert box is not None
    curves.click(position={"x": box["width"] * 3 / 5, "y": 10})  # turn 4 has no details
    expect(turn).to_have_text("iteration 4 / 6")
    expect(words).to_contain_text("details not stored; the picture shows iteration 1")
    expect(words).to_contain_text("loss nan")
    expect(picture.root.get_by_test_id("curve-tip")).to_contain_text("iteration 4: loss nan")
    curves.click(position={"x": box["width"] - 2, "y": 10})
    expect(turn).to_have_text("iteration 6 / 6")
    assert picture.root.locator(".gw-curve-bad").count() == 1


def test_a_step_over_ten_thousand_ops(
    show: Show, quiet_page: Page, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = show(record(chain(5000)))
    expect(picture.root.get_by_test_id("group").first).to_be_visible()
    assert picture.root.evaluate("root => root.querySelectorAll('[data-key]').length") <= 600
    panned = quiet_page.evaluate(
        """async () => {
          const svg = document.querySelector("[data-testid=graph]");
          const frame = () => new Promise((done) => requestAnimationFrame(done));
          const at = (type, x) => svg.dispatchEvent(new PointerEvent(type, {
            bubbles: true, button: 0, buttons: 1, pointerId: 1, clientX: x, clientY: 300 }));
          svg.setPointerCapture = () => undefined;
          const [step, far] = ["[data-action=zoom-out]", "[data-testid=overview]"];
          while (!document.querySelector(far)) {
            document.querySelector(step).click();
            await frame();
          }
          for (let i = 0; i < 8; i++) document.querySelector(step).click();
          await frame();
          const begin = performance.now();
          at("pointerdown", 300);
          for (let i = 1; i <= 30; i++) { at("pointermove", 300 + 5 * i); await frame(); }
          at("pointerup", 450);
          return (performance.now() - begin) / 30;
        }"""
    )
    with capsys.disabled():
        print(f"\n10,000 ops seen from afar: {panned:.0f} ms a frame while panning")
    assert picture.root.evaluate("root => root.querySelectorAll('*').length") <= 400


MODELS = {
    "encoder": """
layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
loss = nn.TransformerEncoder(layer, 6)(torch.randn(2, 5, 16)).sum()""",
    "unet": """
def block(c, d):
    return nn.Sequential(nn.Conv2d(c, d, 3, padding=1), nn.ReLU(), nn.Conv2d(d, d, 3, padding=1))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.mid, self.out = block(1, 4), block(4, 8), block(12, 1)
        self.up = nn.ConvTranspose2d(8, 8, 2, 2)
    def forward(self, x):
        a = self.down(x)
        b = self.up(self.mid(nn.functional.max_pool2d(a, 2)))
        return self.out(torch.cat([a, b], 1))
loss = (Net()(torch.randn(2, 1, 8, 8)) ** 2).mean()""",
    "mlp": """
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), 0.1)
loss = (net(torch.randn(5, 4)) ** 2).mean()
loss.backward()
optimizer.step()""",
    "long": """
net = nn.Sequential(*[nn.Linear(3, 3) if i % 2 else nn.Tanh() for i in range(20)])
loss = net(torch.ones(3)).sum()""",
}

# The frame whose title has the focus, the window of the picture, and the picture's scale.
OPENED = """
root => {
  const edges = ({ left, top, right, bottom }) => [left, top, right, bottom];
  const svg = root.querySelector("[data-testid=graph]");
  const [x, y] = edges(document.activeElement.getBoundingClientRect());
  const around = ([left, top, right, bottom]) => left <= x && top <= y && right > x && bottom > y;
  const frames = [...svg.querySelectorAll(".gw-frame-body")];
  const all = frames.map((frame) => edges(frame.getBoundingClientRect())).filter(around);
  all.sort((a, b) => a[2] - a[0] - b[2] + b[0]);
  return [all[0], edges(svg.getBoundingClientRect()), frames[0].getScreenCTM().a];
}
"""
NAMES = 0.693  # the scale at which names can be read


@pytest.mark.parametrize("width", [720, 1100])
@pytest.mark.parametrize("model", MODELS)
def test_a_group_that_is_opened_is_seen_whole_or_from_its_beginning(
    show: Show, quiet_page: Page, model: str, width: int
) -> None:
    code = compile(MODELS[model], "model.py", "exec")
    picture = show(record(lambda: exec(code, {"torch": torch, "nn": torch.nn})), width)
    for _ in range(2):
        group = picture.root.get_by_test_id("group").first
        group.focus()
        group.press("Enter")
        at_rest(quiet_page)  # the window may have become higher
        title = picture.root.locator("[data-testid=frame] [role=button]:focus")
        expect(title).to_be_in_viewport(ratio=1)
        frame, window, scale = picture.root.evaluate(OPENED)
        least = NAMES / scale  # of its size now
        small = all(
            (frame[i + 2] - frame[i]) * least <= window[i + 2] - window[i] - 50 for i in (0, 1)
        )
        assert frame[0] >= window[0] - 1
        assert frame[1] >= window[1] - 1
        assert not small or (frame[2] <= window[2] + 1 and frame[3] <= window[3] + 1)
    quiet_page.keyboard.press("Enter")  # and it is closed where it was opened
    expect(title).to_have_count(0)


def test_the_name_of_a_long_frame_stays_in_view(show: Show, quiet_page: Page) -> None:
    picture = show(record(chain(60, guilty=40, within="long")), 800)
    frame = picture.root.get_by_test_id("frame").first
    title = frame.locator("[role=button]")

    def lefts() -> tuple[float, float, float]:
        frame_body = picture.root.locator(".gw-frame-body").first
        where = (picture.root.get_by_test_id("graph"), frame_body, title)
        window, body, name = (each.bounding_box() for each in where)
        assert window
        assert body
        assert name
        return window["x"], body["x"], name["x"]

    at_rest(quiet_page)
    window, body, name = lefts()
    assert body < window - 100  # the frame begins out of view
    assert abs(name - window) < 2
    expect(title).to_be_in_viewport(ratio=0.99)


def test_a_long_error_folds_and_the_picture_keeps_half_of_a_narrow_widget(show: Show) -> None:
    picture = show(record(program("stale")), 420, 640)
    more = picture.root.locator("[data-action=more]")
    expect(more).to_have_text("more")
    line = picture.error.locator(".gw-folded").bounding_box()
    assert line
    assert line["height"] < 24
    sizes = [picture.root.locator(at).bounding_box() for at in (".gw-window", ".gw-panel")]
    window, panel = (size["height"] if size else 0 for size in sizes)
    assert window >= panel
    assert window >= 150
    more.click()
    expect(more).to_have_attribute("aria-expanded", "true")
    expect(picture.error.locator(".gw-folded")).to_have_count(0)
    assert "detect_anomaly" in (picture.error.text_content() or "")
