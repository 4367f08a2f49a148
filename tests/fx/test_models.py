"""Whole models traced by both engines: nodes, code, tables, results and refusals."""

from __future__ import annotations

import pytest
import torch

import graphwidget
from tests.fx.test_programs import Program, differences
from tests.models import MODELS

TRACED = """
from tests.models import build

def refused(text):
    said("refused", text)

model, inputs = build(NAME, torch)
model.eval()
traced = None
try:
    traced = symbolic_trace(model)
except Exception as error:
    refused(f"{type(error).__name__}: {error}")
if traced is not None:
    show(traced, *inputs)
    said([(node.op, node.name, [str(user) for user in node.users]) for node in traced.graph.nodes])
    said(traced.code)
"""
CHANGED = (
    TRACED
    + """
if traced is not None:
    nodes = [node for node in traced.graph.nodes if node.op in ("call_module", "call_function")]
    first = nodes[0]
    with traced.graph.inserting_after(first):
        if "getitem" not in {node.name.split("_")[0] for node in first.users}:
            doubled = traced.graph.call_function(torch.mul, (first, 1.5))
            first.replace_all_uses_with(doubled, lambda user: user is not doubled)
    with traced.graph.inserting_before(nodes[-1]):
        unused = traced.graph.call_method("neg", (nodes[0],))
    said([node.name for node in traced.graph.nodes])
    said(attempt(lambda: traced.graph.erase_node(first)))
    traced.graph.erase_node(unused)
    traced.graph.lint()
    traced.recompile()
    show(traced, *inputs)
"""
)
CONCRETE = """
from tests.models import build
model, inputs = build("gru", torch)
show(symbolic_trace(model, concrete_args={"h": None}), *inputs)
model, inputs = build("nested_outputs", torch)
show(symbolic_trace(model, concrete_args={"scale": 3.0}))
"""


def both(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs, ours = (Program(each, body, monkeypatch) for each in (torch, graphwidget))
    assert ours.reported, "the program says nothing"
    found = differences(ours.reported, theirs.reported)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_traced_and_changed_alike(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    both(CHANGED.replace("NAME", repr(name)), monkeypatch)


def test_concrete_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    both(CONCRETE, monkeypatch)
