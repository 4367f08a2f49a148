"""Events of an fx graph for the widget: a box and a row for each node, as the graph has them."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

import graphwidget as torch
import graphwidget.fx
from graphwidget.recording.fold import Model
from tests.models import build

NAMES = ["mlp", "cnn", "resnet_block", "unet_bit", "vae", "lstm_classifier", "mixture", "lora"]


def graph_of(name: str) -> graphwidget.fx.Graph:
    model, _ = build(name, torch)
    graph: graphwidget.fx.Graph = torch.fx.symbolic_trace(model).graph
    return graph


def printed(graph: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[list[Any], list[str]]:
    """The rows and the head that ``print_tabular`` has laid out."""
    asked: list[Any] = []

    def tabulate(rows: Any, headers: Any) -> str:
        asked.extend((rows, headers))
        return ""

    monkeypatch.setitem(sys.modules, "tabulate", SimpleNamespace(tabulate=tabulate))
    graph.print_tabular()
    rows, head = asked
    return rows, head


def made(model: Model) -> dict[int, str]:
    """The node that each value is of, by name."""
    return {row["value"]: row["cells"]["name"] for row in model.rows if row["value"] is not None}


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_those_of_print_tabular(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graph_of(name)
    rows, head = printed(graph, monkeypatch)
    reported = graph.show().model.rows
    assert [list(row["cells"]) for row in reported] == [head] * len(rows)
    for row, (opcode, own, target, args, kwargs) in zip(reported, rows, strict=True):
        cells = row["cells"]
        assert (cells["opcode"], cells["name"]) == (opcode, own)
        assert (cells["args"], cells["kwargs"]) == (str(args), str(kwargs))
        assert cells["target"].rpartition(".")[2] in str(target)


@pytest.mark.parametrize("name", NAMES)
def test_each_row_has_a_box_that_reads_what_the_node_reads(name: str) -> None:
    graph = graph_of(name)
    model = graph.show().model
    names = made(model)
    calls = set()
    for row, node in zip(model.rows, graph.nodes, strict=True):
        if row["call"] is None:
            assert node.op in ("placeholder", "get_attr")
            assert model.values[row["value"]]["call"] is None
            continue
        call = model.calls[row["call"]]
        calls.add(row["call"])
        read = [names[each] for each in call["inputs"] if isinstance(each, int)]
        assert set(read) == {each.name for each in node.all_input_nodes}
        assert call["outputs"] == ([] if node.op == "output" else [row["value"]])
    assert calls == set(model.calls)


@pytest.mark.parametrize("name", NAMES)
def test_modules_around_a_node_are_its_groups(name: str) -> None:
    graph = graph_of(name)
    model = graph.show().model
    ended = set()
    here: list[int] = []
    for row, node in zip(model.rows, graph.nodes, strict=True):
        if row["call"] is None:
            continue
        around = []
        scope = model.calls[row["call"]]["scope"]
        while scope is not None:
            around.insert(0, scope)
            scope = model.scopes[scope]["parent"]
        paths = [path for path, _ in node.meta.get("nn_module_stack", {}).values()]
        if node.op == "call_module":
            assert paths.pop() == node.target
        assert [model.scopes[each]["name"] for each in around] == paths
        assert ended.isdisjoint(around)  # what was left is not entered again
        ended |= set(here) - set(around)
        here = around


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(3, 2)
        self.scale = torch.nn.Parameter(torch.tensor([1.5, -2.0]))

    def forward(self, x: Any) -> Any:
        return torch.relu(self.layer(x) * self.scale + 1)


def test_parameters_have_numbers_and_shapes_are_reported_when_they_are_known() -> None:
    module = torch.fx.symbolic_trace(Net())
    model = module.graph.show().model
    names = made(model)
    known = {names[key]: row["summary"] for key, row in model.values.items()}
    assert known["scale"][:3] == [[2], "float32", [1.5, -2.0]]
    assert {known[name][1] for name in ("x", "layer", "mul", "add", "relu")} == {""}
    torch.fx.passes.shape_prop.ShapeProp(module).propagate(torch.ones(4, 3))
    model = module.graph.show().model
    names = made(model)
    for key, row in model.values.items():
        if names[key] not in ("x", "scale"):
            assert row["summary"][:3] == [[4, 2], "float32", None]


def test_a_graph_that_was_changed_or_made_by_hand_is_shown() -> None:
    graph = graphwidget.fx.Graph()
    x = graph.placeholder("x")
    assert len(graph.show().model.rows) == 1
    unused = graph.call_method("exp", (x,))
    graph.output((x, [graph.call_function(torch.cat, ([x, x], 1))]))
    model = graph.show().model
    assert [row["cells"]["name"] for row in model.rows] == [node.name for node in graph.nodes]
    assert [unused.name in names for names in made(model).values()].count(True) == 1


def test_a_graph_that_is_out_of_order_is_shown_all_the_same() -> None:
    graph = graphwidget.fx.Graph()
    x = graph.placeholder("x")
    late = graph.call_function(torch.neg, (x,))
    early = graph.call_function(torch.add, (x, late))
    graph.output(early)
    late.prepend(early)
    with pytest.raises(RuntimeError):
        graph.lint()
    model = graph.show().model
    assert [row["cells"]["name"] for row in model.rows] == ["x", "add", "neg", "output"]
    names = made(model)
    read = [[names[i] for i in call["inputs"]] for call in model.calls.values()]
    assert read == [["x"], ["x"], ["add"]]


def test_it_is_one_page_and_without_widgets_a_picture() -> None:
    shown = graph_of("mlp").show()
    graph = graph_of("mlp")
    assert repr(shown) == f"<Graph: {len(graph.nodes)} nodes>"
    picture = shown._picture() or ""
    assert picture.count("<tr>") == 1 + len(graph.nodes)
    assert all(f"<td>{node.name}</td>" in picture for node in graph.nodes)
    assert picture.count("<img ") == 1
    with pytest.raises(NotImplementedError):  # no kernel: IPython shows the text
        graph._ipython_display_()
