"""What a notebook shows of a graph: a row and a box for each node, a wire for each thing read."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET

import pytest

import graphwidget as torch
import graphwidget.fx
from graphwidget.fx.box_layout import draw
from tests.models import build

NAMES = ["mlp", "cnn", "resnet_block", "unet_bit", "vae", "lstm_classifier", "mixture", "lora"]


def graph_of(name: str) -> graphwidget.fx.Graph:
    model, _ = build(name, torch)
    graph: graphwidget.fx.Graph = torch.fx.symbolic_trace(model).graph
    return graph


@pytest.mark.parametrize("name", NAMES)
def test_rows_boxes_and_wires_are_the_nodes(name: str) -> None:
    graph = graph_of(name)
    nodes = list(graph.nodes)
    tree = ET.fromstring(graph._repr_html_().replace("<style>", "<style><![CDATA[").replace(
        "</style>", "]]></style>"))  # fmt: skip
    rows = [[cell.text for cell in row] for row in tree.findall(".//tr[@data-n]")]
    assert [row[:2] for row in rows] == [[node.op, node.name] for node in nodes]
    assert [row[3:] for row in rows] == [[str(node.args), str(node.kwargs)] for node in nodes]
    boxes = tree.findall(".//g[@data-n]")
    assert [box.find("text").text for box in boxes] == [node.name for node in nodes]  # type: ignore[union-attr]
    assert [box.get("data-op") for box in boxes] == [node.op for node in nodes]
    wires = {(int(each.get("data-from", "")), int(each.get("data-to", "")))
             for each in tree.findall(".//path")}  # fmt: skip
    place = {node: i for i, node in enumerate(nodes)}
    assert wires == {(place[each], i) for i, node in enumerate(nodes)
                     for each in node.all_input_nodes}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_boxes_lie_below_what_they_read_and_apart(name: str) -> None:
    nodes = list(graph_of(name).nodes)
    place = {node: i for i, node in enumerate(nodes)}
    reads = [[place[each] for each in node.all_input_nodes] for node in nodes]
    widths = [10.0 * len(node.name) for node in nodes]
    drawing = draw(widths, reads)
    for i, inputs in enumerate(reads):
        assert all(drawing.boxes[each][1] < drawing.boxes[i][1] for each in inputs)
    for (i, one), (j, two) in itertools.combinations(drawing.boxes.items(), 2):
        assert one[1] != two[1] or abs(one[0] - two[0]) >= (widths[i] + widths[j]) / 2
    for i, (x, y) in drawing.boxes.items():
        assert widths[i] / 2 <= x + 1e-6 <= drawing.width - widths[i] / 2 + 1e-3
        assert 0 <= y <= drawing.height
    for points in drawing.wires.values():  # a wire that passes a layer passes between its boxes
        for x, y in points[1:-1]:
            for i, (at, level) in drawing.boxes.items():
                assert level != y or abs(at - x) >= widths[i] / 2


def test_names_cannot_break_out_of_the_page() -> None:
    graph = graphwidget.fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.call_function(torch.add, (x, "<script>&")))
    text = graph._repr_html_()
    assert "<script>" not in text
    assert "&lt;script&gt;&amp;" in text


def test_large_and_empty_graphs_are_tables() -> None:
    graph = graphwidget.fx.Graph()
    assert "<svg" not in graph._repr_html_()
    x = graph.placeholder("x")
    for _ in range(300):
        x = graph.call_function(torch.neg, (x,))
    text = graph._repr_html_()
    assert text.count("<tr ") == 301
    assert "<svg" not in text
