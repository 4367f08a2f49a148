"""The widget in a real kernel, with its page played by the test."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from .kernel import PROGRAM, RUNS, WATCH, Gate, Heard, Kernel


@pytest.fixture
def book(shared: Kernel) -> Kernel:
    """A kernel with a fresh widget and the program's graph."""
    shared.run("%reset -f")
    shared.run(WATCH + "graph")
    shared.ask({"type": "need", "from": 0})
    shared.run(PROGRAM)
    return shared


def value(book: Kernel, name: str) -> int:
    return int(book.value(f"graph.model.names['\\0{name}']"))


def begin(book: Kernel) -> int:
    """Press "backward" on y; the id of the run."""
    observed = book.ask({"type": "backward", "value": value(book, "y")})
    [event] = [e for e in observed.events if e[0] == "backward"]
    assert event[5] is True  # live
    assert event[7] is None  # it stands on no line of the program
    return int(event[1])


def test_the_graph_is_sent_while_a_cell_runs(book: Kernel) -> None:
    message = book.client.execute(
        "import time\nfor _ in range(10):\n    z = a * 2\n    time.sleep(0.03)\n"
        "    u = z + 1\n    time.sleep(0.03)\nprint('over')"
    )
    observed = book.listen(message)
    assert len([m for m in observed.custom if m["type"] == "events"]) > 3


def named(observed: Heard) -> list[str]:
    return [event[2] for event in observed.events if event[0] == "name"]


def test_what_comes_before_a_pause_is_shown_in_the_pause(book: Kernel, tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    message = book.client.execute(f"p = a * 2\nq = p + 1\n{gate.cell}print('over')\nr = q * 2")
    assert "over" not in book.wait(lambda so_far: "q" in named(so_far)).text
    gate.open()
    assert "r" in named(book.listen(message))


def test_messages_follow_each_other_without_gap(book: Kernel) -> None:
    observed = book.run("for _ in range(1500):\n    z = a * 2\n")
    parts = [m for m in observed.custom if m["type"] == "events"]
    for before, after in pairwise(parts):
        assert after["from"] == before["from"] + len(before["events"])
    counts = [s["count"] for s in observed.states if "count" in s]
    assert counts[-1] == parts[-1]["from"] + len(parts[-1]["events"])


def test_cells_and_their_lines(book: Kernel) -> None:
    observed = book.run("pass\nq = a * 2\n")
    [source] = [e for e in observed.events if e[0] == "source"]
    [cell] = [e for e in observed.events if e[0] == "cell"]
    assert source[2:] == [cell[1], None, 2, "", "q = a * 2"]


def test_need_gives_the_whole_log(book: Kernel) -> None:
    count = book.value("graph.count")
    observed = book.ask({"type": "need", "from": 0})
    assert len(observed.events) == book.value("len(graph.events)") - 1  # the asking cell's own
    assert count <= len(observed.events)


def test_stepping_by_commands(book: Kernel) -> None:
    run = begin(book)
    observed = book.ask({"type": "step", "run": run, "count": 1})
    assert observed.kinds.count("start") == observed.kinds.count("finish") == 1
    assert book.run("print(w.grad)").text == "None\n"
    observed = book.ask({"type": "step", "run": run, "count": 10})
    assert observed.events[-1] == ["done", run, "ok"]
    assert book.run("print(w.grad, x.grad)").text == "tensor([5.]) tensor([2.])\n"


def test_until_a_node(book: Kernel) -> None:
    node = book.value("graph.model.values[graph.model.names['\\0a']]['node']")
    run = begin(book)
    observed = book.ask({"type": "until", "run": run, "node": node})
    assert [e for e in observed.events if e[0] == "finish"][-1][2] == node


def test_abandoning(book: Kernel) -> None:
    run = begin(book)
    book.ask({"type": "step", "run": run, "count": 1})
    observed = book.ask({"type": "abandon", "run": run})
    assert observed.events[-1] == ["done", run, "abandoned"]


def test_retain_grad_by_command(book: Kernel) -> None:
    number = value(book, "a")
    observed = book.ask({"type": "retain_grad", "value": number, "on": True})
    assert observed.events == [["flag", number, True, True, None]]
    assert book.run("print(a.retains_grad); y.backward(); print(a.grad)").text == (
        "True\ntensor([2.])\n"
    )
    observed = book.ask({"type": "retain_grad", "value": number, "on": False})
    assert observed.events == [["flag", number, True, False, None]]
    assert book.run("print(a.retains_grad)").text == "False\n"


def test_retain_grad_in_code_shows(book: Kernel) -> None:
    number = value(book, "b")
    observed = book.run("b.retain_grad()")
    assert ["flag", number, True, True, None] in observed.events


def test_peek(book: Kernel) -> None:
    book.run("big = torch.arange(1000.)")
    observed = book.ask({"type": "peek", "value": value(book, "big")})
    [reported] = observed.events
    assert len(reported[8][2]) == 1000
    assert sum(reported[8][4][2]) == 1000


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ({"type": "step", "run": 999_999, "count": 1}, "ended"),
        ({"type": "step", "run": "x", "count": 1}, "whole number"),
        ({"type": "backward", "value": 999_999}, "no longer keeps"),
        ({"type": "explode"}, "unknown command"),
    ],
)
def test_what_cannot_be_done_is_said(book: Kernel, command: dict[str, Any], why: str) -> None:
    [answer] = book.ask(command).custom
    assert answer["type"] == "reject"
    assert answer["re"] == command
    assert why in answer["why"]


def test_an_error_in_a_step_is_reported_and_said(book: Kernel) -> None:
    book.run("l = (a * a).sum()\na[0] = 7.")
    run = book.ask({"type": "backward", "value": value(book, "l")}).events[-1][1]
    observed = book.ask({"type": "step", "run": run, "count": 10})
    assert "error" in observed.kinds
    assert observed.events[-1] == ["done", run, "failed"]
    [reject] = [m for m in observed.custom if m["type"] == "reject"]
    assert "modified by an inplace operation" in reject["why"]


@pytest.mark.parametrize("subshell", [False, True])
def test_commands_during_a_cell_wait_for_its_end_and_run_on_the_main_thread(
    book: Kernel, tmp_path: Path, subshell: bool
) -> None:
    book.run(
        "import threading\nthreads = []\n"
        "handle = y.register_hook(lambda grad: threads.append(threading.current_thread().name))"
    )
    run, gate = begin(book), Gate(tmp_path)
    if subshell:
        book.open_subshell()
    try:
        message = book.client.execute(f"{gate.cell}print(w.grad)")
        book.wait(lambda so_far: RUNS in so_far.text)
        book.send({"type": "step", "run": run, "count": 100})
        if subshell:
            book.wait(lambda so_far: so_far.waiting is True)
        gate.open()
        observed = book.listen(message)
        assert observed.text == "None\n"
        if "done" not in observed.kinds:
            book.wait(lambda so_far: "done" in so_far.kinds)
    finally:
        book.subshell = None
    assert book.value("threads") == ["MainThread"]
    assert book.run("print(w.grad)").text == "tensor([5.])\n"


def test_an_exception_in_the_middle_of_a_cell(book: Kernel) -> None:
    observed = book.run("before = a * 2\n1 / 0\n")
    assert [e[2] for e in observed.events if e[0] == "name"] == ["before"]


def test_two_graphs_in_one_cell(book: Kernel) -> None:
    book.run(
        "with graphwidget.watch() as one:\n    p = torch.ones(1) + 1\n"
        "with graphwidget.watch() as two:\n    q = torch.ones(1) * 2\n    r = q + p\n"
    )
    assert book.run("print(one, two)").text == (
        "<GraphWidget 1 op, 0 nodes> <GraphWidget 2 ops, 0 nodes>\n"
    )


def test_a_widget_that_was_replaced_stays_as_it_was(book: Kernel) -> None:
    book.run("old = graph\nkept = a * 2\ngraph = graphwidget.watch()")
    before = book.value("[old.count, len(old.packed)]")
    book.run("kept.zero_()\nmore = kept + 1")
    assert book.value("[old.count, len(old.packed)]") == before
    assert book.value("len(old.events)") == before[0]


def test_a_long_loop_does_not_flood_the_page(book: Kernel) -> None:
    observed = book.run("for _ in range(40_000):\n    z = w.detach() * 2")
    assert len(observed.events) < 40_000
    assert book.value("len(graph.events)") <= 40_000  # of 30,000 records
    assert book.value("max(loop['count'] for loop in graph.model.loops.values())") == 40_000
