"""The pause in a running cell, with its page played by the test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .kernel import PROGRAM, RUNS, TIMEOUT, WATCH, Gate, Heard, Kernel

BACKWARD = "y.backward()\nprint('over', w.grad)"
PATIENCE = "from graphwidget.widget import pausing\npausing.PATIENCE = pausing.SILENCE = {}\n"


@pytest.fixture
def book(shared: Kernel) -> Kernel:
    """A kernel whose graph pauses, with a page that has asked for its events."""
    shared.run("%reset -f")
    shared.run(PATIENCE.format(TIMEOUT) + WATCH + "graph.pause()\ngraph")
    if shared.subshell is None and not shared.value("hasattr(graph.comm, '_reply_subshell_for')"):
        shared.open_subshell()  # as JupyterLab does, and ipykernel before 7.4 asks of it
    shared.ask({"type": "need", "from": 0})
    shared.run(PROGRAM)
    return shared


class Page:
    """A page that answers each message about a pause, and presses buttons."""

    def __init__(self, book: Kernel) -> None:
        self.book = book
        self.pause: list[int] | None = None

    def wait(self) -> Heard:
        """All that is observed until the run waits, at another moment than before."""

        def moved(so_far: Heard) -> bool:
            return bool(so_far.pauses) and so_far.pauses[-1] not in (None, self.pause)

        observed = self.book.wait(moved)
        self.pause = observed.pauses[-1]
        self.book.send({"type": "here"})
        return observed

    def press(self, command: str, **fields: Any) -> None:
        """A command to the run that waits."""
        assert self.pause is not None, "nothing waits"
        number, run = self.pause
        self.book.send({"type": command, "run": run, "pause": number, **fields})


def test_backward_waits_before_its_first_node_and_the_cell_goes_on_at_its_end(
    book: Kernel,
) -> None:
    page = Page(book)
    cell = book.client.execute(BACKWARD)
    observed = page.wait()
    assert "backward" in observed.kinds
    assert "start" not in observed.kinds
    for step in range(5):  # mul, two adds, two leaves
        page.press("step", count=1)
        observed = page.wait() if step < 4 else book.listen(cell)
        assert observed.kinds.count("finish") == 1
    assert observed.text == "over tensor([5.])\n"
    assert observed.pauses[-1] is None


def test_running_to_a_node_and_to_the_end(book: Kernel) -> None:
    node = book.value("graph.model.values[graph.model.names['\\0a']]['node']")
    page = Page(book)
    cell = book.client.execute(BACKWARD)
    page.wait()
    page.press("until", node=node)
    observed = page.wait()
    assert [e for e in observed.events if e[0] == "finish"][-1][2] == node
    assert observed.text == ""
    page.press("step", count=1_000_000)
    assert book.listen(cell).text == "over tensor([5.])\n"


def test_a_command_to_an_earlier_moment_is_dropped(book: Kernel) -> None:
    page = Page(book)
    cell = book.client.execute(BACKWARD)
    page.wait()
    page.press("step", count=1)
    page.press("step", count=1)  # it answers what the first one answered
    kinds = page.wait().kinds
    page.press("step", count=1)
    assert [*kinds, *page.wait().kinds].count("finish") == 2
    page.press("step", count=1_000_000)
    book.listen(cell)


def test_other_commands_are_carried_out_during_the_pause(book: Kernel) -> None:
    value = book.value("graph.model.names['\\0a']")
    page = Page(book)
    cell = book.client.execute("y.backward()\nprint(a.grad)")
    page.wait()
    book.send({"type": "retain_grad", "value": value, "on": True})
    book.wait(lambda so_far: ["flag", value, True, True, None] in so_far.events)
    page.press("step", count=1_000_000)
    assert book.listen(cell).text == "tensor([2.])\n"


def test_abandoning_ends_the_cell(book: Kernel) -> None:
    page = Page(book)
    cell = book.client.execute(BACKWARD)
    page.wait()
    page.press("step", count=1)
    page.wait()
    page.press("abandon")
    observed = book.listen(cell)
    assert [o["ename"] for o in observed.outputs if o["kind"] == "error"] == ["KeyboardInterrupt"]
    assert observed.events[-1][2] == "abandoned"
    assert observed.text == ""


def test_interrupting_the_kernel_abandons_the_run(book: Kernel) -> None:
    page = Page(book)
    cell = book.client.execute(BACKWARD)
    page.wait()
    book.run_in_control("interrupt_request")
    observed = book.listen(cell)
    assert [o["ename"] for o in observed.outputs if o["kind"] == "error"] == ["KeyboardInterrupt"]
    assert [e for e in observed.events if e[0] == "done"][-1][2] == "abandoned"
    assert observed.pauses[-1] is None
    assert book.run("y.backward; print(w.grad)").text == "None\n"


def test_an_error_in_a_step_is_the_cells_own(book: Kernel) -> None:
    book.run("l = (a * a).sum()\na[0] = 7.")
    page = Page(book)
    cell = book.client.execute("l.backward()\nprint('never')")
    page.wait()
    page.press("step", count=1_000_000)
    observed = book.listen(cell)
    [error] = [o for o in observed.outputs if o["kind"] == "error"]
    assert "modified by an inplace operation" in error["evalue"]
    assert observed.text == ""
    assert [m for m in observed.custom if m["type"] == "reject"] == []


def test_where_nobody_answers_the_run_goes_through(book: Kernel) -> None:
    book.run(PATIENCE.format(0.2))
    observed = book.run(f"{BACKWARD}\n{PATIENCE.format(1e6)}(w * 2).backward()\nprint(w.grad)")
    assert observed.text.count("without a pause") == 1  # the second run does not wait at all
    assert observed.text.endswith("over tensor([5.])\ntensor([7.])\n")


def test_a_held_run_is_waited_for_in_a_cell(book: Kernel) -> None:
    book.run("graph.pause(False)")
    page = Page(book)
    cell = book.client.execute("graph.step(y).next().wait()\nprint(w.grad)")
    page.wait()
    page.press("step", count=1_000_000)
    assert book.listen(cell).text == "tensor([5.])\n"
    assert book.run("(w * 1).backward()\nprint(w.grad)").text == "tensor([6.])\n"


def test_a_page_is_answered_while_a_cell_runs(book: Kernel, tmp_path: Path) -> None:
    count, gate = book.value("graph.count"), Gate(tmp_path)
    cell = book.client.execute(f"{gate.cell}print('over')")
    book.wait(lambda so_far: RUNS in so_far.text)
    book.send({"type": "need", "from": count})
    observed = book.wait(lambda so_far: bool(so_far.pauses))
    assert observed.pauses == [None]
    assert observed.text == ""
    gate.open()
    assert book.listen(cell).text == "over\n"


def test_nothing_is_sent_before_a_page_has_asked(shared: Kernel) -> None:
    shared.run("%reset -f")
    shared.run(WATCH + "graph")
    observed = shared.run(PROGRAM + "for _ in range(600):\n    y = y * 1\n")
    assert observed.custom == []
    observed = shared.ask({"type": "need", "from": 0})
    assert observed.kinds.count("op") >= 600
    assert shared.run("z = y * 2").events != []
