"""The harness itself, on a widget of five lines."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import OpenNotebook

COUNTER = '''
import anywidget, traitlets
class Counter(anywidget.AnyWidget):
    _esm = """
    export default { render({ model, el }) {
      const button = document.createElement("button");
      button.className = "counter";
      const show = () => { button.textContent = model.get("value"); };
      button.onclick = () => { model.set("value", model.get("value") + 1); model.save_changes(); };
      model.on("change:value", show); show(); el.append(button);
    } };
    """
    value = traitlets.Int(40).tag(sync=True)
counter = Counter()
counter
'''


def test_drives_a_widget_both_ways(notebook: OpenNotebook) -> None:
    book = notebook([COUNTER, "print('hello'); counter.value = 41"])
    book.run()
    button = book.cell(0).locator("button.counter")
    expect(button).to_have_text("41")
    button.click()
    expect(button).to_have_text("42")
    assert book.ask("counter.value") == 42
    assert book.text(1) == "hello\n"
    assert "ZeroDivisionError" in book.text(book.type("1 / 0"))


def test_reload_theme_restart_and_save(notebook: OpenNotebook) -> None:
    book = notebook(["import os\npid = os.getpid()\npid"])
    book.run()
    pid = book.ask("pid")
    book.theme("dark")
    book.reload()
    assert book.ask("pid") == pid
    book.theme("light")
    assert book.save().cells[0].outputs[0].data["text/plain"] == str(pid)
    book.restart()
    assert book.ask("'pid' in globals()") is False
