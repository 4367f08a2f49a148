"""Notebooks: executed without a page, saved with their state, with the extension and without."""

from __future__ import annotations

import base64
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from graphwidget.recording import events as ev
from graphwidget.recording.fold import fold
from graphwidget.recording.log import unpack

from .kernel import Kernel, kernel

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"


def execute(*cells: str) -> Any:
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    return NotebookClient(book, kernel_name="python3", timeout=600).execute()


def logs(book: Any) -> dict[str, tuple[int, list[ev.Event]]]:
    """The packed logs that a notebook carries, by the model's id."""
    found = {}
    for model, content in book.metadata.widgets[STATE]["state"].items():
        for buffer in content.get("buffers", []):
            if buffer["path"] == ["packed"]:
                found[model] = unpack(base64.b64decode(buffer["data"]))
    return found


def test_an_executed_notebook_carries_the_log() -> None:
    book = execute(
        "import graphwidget as torch\ngraph = torch.watch()\ngraph",
        "w = torch.tensor([1.], requires_grad=True)\ny = (w + 2) * (w + 1)",
        "y.backward()",
    )
    output = book.cells[0].outputs[0]
    [(model, (first, events))] = logs(book).items()
    assert output.data[VIEW]["model_id"] == model
    assert output.data["text/plain"] == "<GraphWidget 0 ops, 0 nodes>"
    assert first == 0
    state = fold(events)
    assert state.values[state.names["\0w"]]["grad"][2] == [5.0]
    assert [cell["count"] for cell in state.cells] == [1, 2, 3]
    assert book.metadata.widgets[STATE]["state"][model]["state"]["count"] == len(events)


def test_a_notebook_with_the_extension() -> None:
    book = execute(
        "%load_ext graphwidget\nimport graphwidget as torch",
        "w = torch.tensor([1.], requires_grad=True)\ny = (w + 2) * (w + 1)",
        "2 + 2",
        "y.backward()",
    )
    assert "Save Widget State" in book.cells[0].outputs[0].text
    first, last = (
        next(o for o in cell.outputs if o.output_type == "display_data")
        for cell in (book.cells[1], book.cells[3])
    )
    assert first.data["text/plain"] == "<GraphWidget 3 ops, 4 nodes>"
    assert [o.output_type for o in book.cells[2].outputs] == ["execute_result"]
    assert last.data["text/plain"] == "<GraphWidget 3 ops, 4 nodes, backward done>"
    reported = logs(book)
    before = fold(reported[first.data[VIEW]["model_id"]][1])
    after = fold(reported[last.data[VIEW]["model_id"]][1])
    assert before.runs == {}
    assert before.values[before.names["\0w"]]["grad"] is None
    assert after.values[after.names["\0w"]]["grad"][2] == [5.0]
    assert after.values[after.names["\0y"]]["names"] == [["", "y"]]


def test_in_a_terminal_the_extension_says_what_can_be_had() -> None:
    lines = ["%load_ext graphwidget", "import torch", "w = torch.ones(2, requires_grad=True)"]
    lines += ["y = w.exp()", "y.mul_(2)", "y.sum().backward()", "import graphwidget"]
    lines += ["len(graphwidget.explain())"]
    command = [sys.executable, "-m", "IPython", "--simple-prompt", "--colors=NoColor"]
    output = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True).stdout
    assert "A terminal draws no graphs" in output
    assert "graph.to_html" in output
    assert "needed by" in output  # the error's note
    assert "Out[8]: 1" in output
    assert "<GraphWidget" not in output


@pytest.fixture(scope="module")
def shared() -> Iterator[Kernel]:
    with kernel() as started:
        started.run("import graphwidget as torch")
        yield started


def shown(observed: Any) -> list[str]:
    """The text of each graph that a cell displayed."""
    return [o["data"]["text/plain"] for o in observed.outputs if VIEW in o.get("data", {})]


def still(observed: Any) -> dict[str, str]:
    """The still picture below a graph, as it was at the end of the cell."""
    found: dict[str, str] = next(
        o["data"]
        for o in reversed(observed.outputs)
        if "graphwidget-still" in o.get("data", {}).get("text/html", "")
    )
    return found


PROGRAM = "w = torch.ones(2, requires_grad=True)\ny = (w * 2).sum()\ny.backward()"
LOADING = "import {module} as torch\n%load_ext graphwidget\n"
OF_ONE = ["<GraphWidget 2 ops, 3 nodes, backward done>"]


@pytest.mark.parametrize("module", ["graphwidget", "torch"])
@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([LOADING + PROGRAM], [OF_ONE]),
        (["%load_ext graphwidget\nimport {module} as torch\n" + PROGRAM], [OF_ONE]),
        ([LOADING, PROGRAM], [[], OF_ONE]),
        (["import {module} as torch", "%load_ext graphwidget", PROGRAM], [[], [], OF_ONE]),
        ([LOADING + PROGRAM, LOADING + PROGRAM], [OF_ONE, OF_ONE]),
        ([LOADING + PROGRAM, "%reload_ext graphwidget\n" + PROGRAM], [OF_ONE, OF_ONE]),
        ([LOADING + "raise ValueError", PROGRAM], [[], OF_ONE]),
        ([LOADING + PROGRAM + "\nraise ValueError", PROGRAM], [OF_ONE, OF_ONE]),
    ],
)
def test_a_graph_appears_from_the_line_on_that_loads_the_extension(
    shared: Kernel, cells: list[str], expected: list[list[str]], module: str
) -> None:
    shared.run("%reset -f")
    found = [shown(shared.run(cell.format(module=module))) for cell in cells]
    shared.run("%unload_ext graphwidget\nimport graphwidget as torch")
    assert found == expected


def test_off_records_nothing_and_on_again(shared: Kernel) -> None:
    shared.run("%load_ext graphwidget")
    assert len(shown(shared.run("x = torch.ones(1) + 1"))) == 1
    assert shared.run("%graph off").text.startswith("Recording is off")
    observer = "str(graphwidget.graph.listeners.get_observer())"
    shared.run("import graphwidget.graph.listeners")
    assert shared.value(observer) == "None"
    observed = shared.run("z = x * 2")
    assert shown(observed) == []
    assert observed.custom == observed.states == []
    assert "on, off" in shared.run("%graph maybe").text
    assert shared.run("%graph").text.startswith("Graphs are recorded")
    reported = still(shared.run("u = x * 3"))["text/plain"]
    assert reported == "<GraphWidget 2 ops, 0 nodes>"  # those of x and u, not that of z
    shared.run("%unload_ext graphwidget")


def test_off_when_the_first_graph_was_of_one_cell(shared: Kernel) -> None:
    shared.run("%load_ext graphwidget")
    shared.run("%%graph\nfirst = torch.ones(1) * 2")
    shared.run("%graph off")
    shared.run("import graphwidget.graph.listeners")
    assert shared.value("str(graphwidget.graph.listeners.get_observer())") == "None"
    assert shown(shared.run("later = first + 1")) == []
    shared.run("%graph on")
    assert len(shown(shared.run("last = first + 1"))) == 1
    shared.run("%unload_ext graphwidget")


def test_an_earlier_graph_shows_the_past_and_takes_no_commands(shared: Kernel) -> None:
    shared.run("%load_ext graphwidget")
    shared.run("one = torch.ones(1, requires_grad=True)\ntwo = one * 2")
    first = shared.models[-1]
    observed = shared.run("%%graph\nthree = two * 3")
    assert [s["past"] for s in observed.states if "past" in s]
    second = shared.models[-1]
    observed = shared.run("four = two * 4")
    assert [s["past"] for s in observed.states if "past" in s]
    for model in (first, second):
        [answer] = shared.ask({"type": "peek", "value": 1}, model).custom
        assert answer["type"] == "reject"
        assert "earlier cell" in answer["why"]
    shared.run("%unload_ext graphwidget")


def test_an_earlier_graph_stays_as_its_cell_left_it(shared: Kernel) -> None:
    shared.run("%load_ext graphwidget")
    cell = "b = torch.ones(2, requires_grad=True) * 2\nloss = (b * b).sum()"
    shared.run(f"{cell}\nb.add_(1)")
    first = shared.models[-1]
    reported = len(shared.ask({"type": "need", "from": 0}, first).events)
    shared.run(cell)  # the graph of the first run is gone
    later = shared.ask({"type": "need", "from": 0}, first).events
    assert later[reported:] == []
    shared.run("%unload_ext graphwidget")


def test_the_graph_of_one_cell(shared: Kernel) -> None:
    shared.run("old = torch.ones(1)")
    shared.run("%load_ext graphwidget")
    observed = shared.run("%%graph\nnew = old * 2\nprint('ran')\nnew")
    assert observed.text == "ran\n"
    assert len(shown(observed)) == 1
    assert still(observed)["text/plain"] == "<GraphWidget 1 op, 0 nodes>"
    assert any(o["kind"] == "execute_result" for o in observed.outputs)
    observed = shared.run("%%graph\n1 / 0")
    assert any(o.get("ename") == "ZeroDivisionError" for o in observed.outputs)
    shared.run("%unload_ext graphwidget")


def test_unloading_removes_every_hook(shared: Kernel) -> None:
    count = "sum(len(c) for c in get_ipython().events.callbacks.values())"
    before = shared.value(count)
    shared.run("%load_ext graphwidget")
    shared.run("%reload_ext graphwidget")
    shared.run("t = torch.ones(1) + 1")
    shared.run("%unload_ext graphwidget")
    assert shared.value(count) == before
    assert shared.run("print(__import__('graphwidget').graph.listeners.get_observer())").text == (
        "None\n"
    )
    assert "not found" in shared.run("%graph").text


def error_of(observed: Any) -> list[str]:
    """The lines of the one error that a cell raised."""
    [error] = [o for o in observed.outputs if o["kind"] == "error"]
    return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(error["traceback"])).splitlines()


def test_an_error_has_its_picture_and_ends_at_the_users_line(shared: Kernel) -> None:
    shared.run("leaf = torch.ones(2, requires_grad=True)\ndef write(x):\n    x += 1")
    long = error_of(shared.run("write(leaf)"))
    assert any("graphwidget/" in line for line in long)
    shared.run("%load_ext graphwidget")
    observed = shared.run("write(leaf)")
    assert shown(observed)
    kinds = ["view" if VIEW in o.get("data", {}) else o["kind"] for o in observed.outputs]
    assert kinds.index("view") < kinds.index("error")  # however long the traceback is
    short = error_of(observed)
    assert not any("graphwidget" in line for line in short)
    assert any("x += 1" in line for line in short)
    assert short[-1] == long[-1]
    assert any("1 / 0" in line for line in error_of(shared.run("1 / 0")))
    shared.run("%unload_ext graphwidget")
    assert any("graphwidget/" in line for line in error_of(shared.run("write(leaf)")))


def test_a_tensor_shows_its_graph(shared: Kernel) -> None:
    shared.run("leaf = torch.ones(2, requires_grad=True); made = leaf * 2")
    [output] = shared.run("made").outputs
    assert output["data"]["text/plain"] == "tensor([2., 2.], grad_fn=<MulBackward0>)"
    [output] = shared.run("leaf").outputs
    assert list(output["data"]) == ["text/plain"]


def test_commands_reach_values_of_earlier_cells(shared: Kernel) -> None:
    shared.run("%load_ext graphwidget")
    shared.run("p = torch.ones(1, requires_grad=True)\nq = p * 2")
    shared.run("r = q * 3")
    observed = shared.ask({"type": "need", "from": 0})
    [name] = [e for e in observed.events if e[0] == "name" and e[2] == "r"]
    names = observed.events[0][2]["names"]
    observed = shared.ask({"type": "retain_grad", "value": names["\0q"], "on": True})
    assert observed.events == [["flag", names["\0q"], True, True, None]]
    observed = shared.ask({"type": "backward", "value": name[1]})
    assert observed.events[-1][0] == "backward"
    shared.run("%unload_ext graphwidget")


@pytest.mark.parametrize("library", ["graphwidget", "torch"])
def test_a_run_draws_the_graph_behind_what_it_starts_from(library: str) -> None:
    book = execute(
        "%load_ext graphwidget",
        f"import {library} as torch\nx = torch.ones(2, requires_grad=True)\ny = (x * x).sum()",
        "import graphwidget\ngraph = graphwidget.watch()\ngraph.step(y)",
        "graph.step(y, retain_graph=True)",
        "z = (x * 3).sum()",
    )
    views = [[VIEW in output.get("data", {}) for output in cell.outputs] for cell in book.cells]
    assert any(views[2])
    [plain] = book.cells[3].outputs  # its picture stands above already
    assert plain["data"] == {"text/plain": "<backward run, ready>"}
    models = {model: fold(events) for model, (_, events) in logs(book).items()}
    stepped, last = (
        models[output["data"][VIEW]["model_id"]]
        for cell in (2, 4)
        for output in book.cells[cell].outputs
        if VIEW in output.get("data", {})
    )
    assert sorted(call["op"] for call in stepped.calls.values()) == ["mul", "sum"]
    # the cell after it goes on from what the cells before it made
    assert [call["op"] for call in last.calls.values()][-2:] == ["mul", "sum"]
    [leaf] = [value for value in last.values.values() if value["leaf"] and value["requires_grad"]]
    assert ["", "x"] in [list(name) for name in leaf["names"]]


def test_cells_that_only_define_a_model_or_look_have_no_picture() -> None:
    book = execute(
        "%load_ext graphwidget",
        "import torch\nx = torch.ones(3)\ny = x * 2",
        "net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.LSTM(4, 2))",
        "torch.zeros(3)",
        "made = {'a': torch.ones(2)}",
    )
    views = [[VIEW in output.get("data", {}) for output in cell.outputs] for cell in book.cells]
    assert list(map(any, views)) == [False, True, False, False, True]


def test_a_second_backward_of_what_earlier_cells_ran_is_explained() -> None:
    cells = [
        "%load_ext graphwidget\nimport torch\nx = torch.ones(1, 3)\ncell = torch.nn.RNNCell(3, 3)",
        "w = torch.ones(3, requires_grad=True)\ny = (w * x).exp().sum()\nh = cell(x)",
        "y.backward()",
        "y.backward()",
        "h = cell(x, h)\nh.sum().backward()",
        "h = cell(x, h)\nh.sum().backward()",
        "z = torch.relu(cell(x))\na, b = z.sum(), z.exp().sum()",
        "a.backward()",
        "b.backward()",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(book, kernel_name="python3", timeout=600, allow_errors=True).execute()
    errors = {
        nr: re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(each.traceback))
        for nr, cell in enumerate(book.cells, 1)
        for each in cell.outputs
        if each.output_type == "error"
    }
    assert list(errors) == [4, 6, 9]
    again, carried, shared = errors.values()
    assert "already ran in an earlier backward (cell 3, line 1)" in again
    assert "needed by  cell 2, line 2: y = (w * x).exp().sum()" in again
    assert "already ran in an earlier backward (cell 5, line 2)" in carried
    assert "caused by  cell 6, line 1: h = cell(x, h)" in carried
    assert "h = h.detach()" in carried
    assert "(a + b).backward()  # in place of line 1 of cell 8, and of this" in shared
