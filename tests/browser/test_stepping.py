"""Walking through backward: the kernel's engine under the reader's hand, and time travel."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import WATCH, OpenNotebook, Screenshot
from tests.browser.lab import Notebook

TWO_PATHS = """\
w = torch.tensor([1.], requires_grad=True)
x = torch.tensor([2.], requires_grad=True)
a = x + w
b = w + 1
y = a * b"""
GRADS = "[None if t.grad is None else t.grad.tolist() for t in (w, x)]"


def ran(book: Notebook) -> int:
    """Return how many nodes the kernel's engine has run in its newest run."""
    return int(book.ask("len(list(graph.model.runs.values())[-1]['order'])"))


def test_buttons_and_keys_advance_the_engine_by_one_node(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, TWO_PATHS, "graph.step(y);"])
    book.run()
    picture = book.picture(0)
    expect(picture.state).to_have_text("paused in backward")
    assert (ran(book), book.ask(GRADS)) == (0, [None, None])
    for done, press in enumerate([picture.press, picture.key] * 3, start=1):
        press("next" if press == picture.press else "ArrowRight")
        if done > 5:  # mul, two adds, two leaves
            break
        expect(picture.root.locator(".gw-active, .gw-selected, .gw-tick").first).to_be_attached()
        book.page.wait_for_function(
            "([p, n]) => Number(p.textContent.split('/')[1]) >= n",
            arg=[picture.count.element_handle(), done],
        )
        assert ran(book) == done
    assert book.ask(GRADS) == [[5.0], [2.0]]
    expect(picture.state).to_have_text("latest")


def test_backward_pressed_on_a_value_is_live(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, TWO_PATHS])
    book.run()
    picture = book.picture(0)
    picture.card("y").click()
    effects = picture.root.get_by_test_id("backward-effects")
    expect(effects).to_contain_text("grad")
    picture.press("backward")
    expect(picture.state).to_have_text("paused in backward")
    assert book.ask(GRADS) == [None, None]
    picture.press("next")
    expect(picture.step).to_contain_text("MulBackward0")
    assert ran(book) == 1


def test_replay_forward_and_back(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, TWO_PATHS, "y.backward()"])
    book.run()
    picture = book.picture(0)
    expect(picture.count).not_to_have_text("0 / 0")
    last, total = picture.steps()
    assert last == total
    picture.press("previous")
    assert picture.steps() == (total - 1, total)
    expect(picture.state).to_have_text("back to latest")
    picture.key("ArrowLeft")
    assert picture.steps() == (total - 2, total)
    picture.key("Home")
    assert picture.steps() == (0, total)
    assert picture.seen().cards == []
    words = ""
    for shown in range(1, total + 1):
        picture.press("next")
        assert picture.steps()[0] == shown
        text = picture.step.text_content() or ""
        words = text if "MulBackward0" in text else words
    assert all(word in words for word in "ab32")  # names and numbers
    assert [picture.seen().card(n)["grad"] for n in "wx"] == ["[5.]", "[2.]"]
    picture.slide(2)
    assert picture.steps() == (3, total)
    picture.key("End")
    expect(picture.state).to_have_text("latest")
    assert book.ask(GRADS) == [[5.0], [2.0]]  # nothing was computed twice
    picture.key("Home")
    picture.root.locator("[data-action=speed]").select_option("8")
    picture.key(" ")
    expect(picture.state).to_have_text("latest")


def test_two_paths_multiply_and_add_up(notebook: OpenNotebook, screenshot: Screenshot) -> None:
    book = notebook([WATCH, TWO_PATHS, "y.backward()"])
    book.run()
    picture = book.picture(0)
    picture.card("w").click()
    expect(picture.paths).to_have_count(2)
    assert {(text or "").split("=")[-1].strip() for text in picture.paths.all_text_contents()} == {
        "2", "3",
    }  # fmt: skip
    expect(picture.sum).to_contain_text("2·1 + 3·1 = 5")
    screenshot(book, "two-paths")
