"""The retain_grad pin and the kernel's tensor are one."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import WATCH, OpenNotebook

PROGRAM = """\
w = torch.tensor([1.], requires_grad=True)
a = w * 2
b = a * 3
y = b * 4"""


def test_the_pin_changes_the_tensor_and_code_the_pin(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, PROGRAM, "y.backward()", "b.retain_grad()"])
    book.run(0, 1)
    picture = book.picture(0)
    expect(picture.pin("a")).to_have_attribute("aria-checked", "false")
    picture.pin("a").click()
    expect(picture.pin("a")).to_have_attribute("aria-checked", "true")
    assert book.ask("[a.retains_grad, b.retains_grad]") == [True, False]
    book.run(2)
    assert book.ask("[a.grad.tolist(), b.grad is None]") == [[12.0], True]
    expect(picture.card("a").locator(".gw-grad-text")).to_have_text("[12.]")
    book.run(3)  # and code moves the pin
    expect(picture.pin("b")).to_have_attribute("aria-checked", "true")


def test_in_the_middle_of_a_backward(notebook: OpenNotebook) -> None:
    book = notebook([WATCH, PROGRAM, "graph.step(y);"])
    book.run()
    picture = book.picture(0)
    picture.press("next")
    expect(picture.step).to_contain_text("MulBackward0")
    picture.pin("a").click()
    expect(picture.pin("a")).to_have_attribute("aria-checked", "true")
    picture.key("End")
    for _ in range(3):
        before = picture.steps()[1]
        picture.press("next")
        expect(picture.count).not_to_have_text(f"{before} / {before}")
    expect(picture.state).to_have_text("latest")
    assert book.ask("[a.grad.tolist(), w.grad.tolist()]") == [[12.0], [24.0]]
