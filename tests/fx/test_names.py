"""Names of ``torch.fx`` that are here, and the names of their arguments."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from typing import Any

import pytest
import torch
import torch.fx

import graphwidget
import graphwidget.fx
from tests.structure.tree import PACKAGE

ABSENT = {
    # sizes that are symbols
    "create_size_node", "create_storage_offset_node", "create_stride_node", "materialize_symint",
    "materialize_symints", "shape_env",
    # nests of arguments, and code that is changed
    "additional_globals", "check_mutable_operations", "on_generate_code", "param_shapes_constant",
    "process_inputs", "process_outputs", "proxy_buffer_attributes", "trace_asserts",
    # signatures of overloads
    "normalized_arguments",
    # corners of modules and nodes
    "boxed_run", "delete_all_unused_submodules", "delete_submodule", "insert_arg", "to_folder",
    "update_arg", "update_kwarg",
}  # fmt: skip
CLASSES = [
    "CodeGen", "Graph", "GraphModule", "Interpreter", "Node", "Proxy", "Tracer",
]  # fmt: skip


SHORTER = {
    "gen_fn_def", "python_code", "print_readable", "replace_all_uses_with", "run", "Graph",
    "Tracer",
}  # fmt: skip
"""Functions that take fewer options than PyTorch's."""


def public(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def parameters(function: object) -> list[tuple[str, object]]:
    return [
        (each.name, each.kind)
        for each in inspect.signature(function).parameters.values()  # type: ignore[arg-type]
    ]


def test_what_the_package_names() -> None:
    assert {*torch.fx.__all__} - {*graphwidget.fx.__all__} == {
        "Transformer", "replace_pattern",
    }  # fmt: skip
    beyond = {*graphwidget.fx.__all__} - {*dir(torch.fx)}
    assert beyond == set()


def instance(engine: Any, name: str) -> Any:
    """An object of a class."""
    fx = engine.fx
    module = fx.symbolic_trace(lambda x: x + 1)
    node = next(iter(module.graph.nodes))
    made = {"Graph": module.graph, "GraphModule": module, "Node": node, "Proxy": fx.Proxy(node)}
    cls = getattr(fx, name)
    return made[name] if name in made else cls() if name in ("CodeGen", "Tracer") else cls(module)


@pytest.mark.parametrize("name", CLASSES)
def test_members(name: str) -> None:
    theirs = public(instance(torch, name)) - public(torch.nn.Module())
    assert theirs - public(instance(graphwidget, name)) - ABSENT == set()


@pytest.mark.parametrize("name", CLASSES)
def test_members_take_the_same_arguments(name: str) -> None:
    ours, theirs = getattr(graphwidget.fx, name), getattr(torch.fx, name)
    known = {*dir(ours)} - ABSENT
    own = {each for each in vars(theirs) if not each.startswith("_") and each in known}
    differing = {
        each: (parameters(getattr(ours, each)), parameters(getattr(theirs, each)))
        for each in own
        if inspect.isfunction(getattr(theirs, each))
        and parameters(getattr(ours, each)) != parameters(getattr(theirs, each))
        and each not in SHORTER
    }
    assert differing == {}
    assert parameters(ours) == parameters(theirs) or name in SHORTER


def test_functions_take_the_same_arguments() -> None:
    for name in ("symbolic_trace", "wrap", "map_arg", "has_side_effect"):
        ours, theirs = getattr(graphwidget.fx, name), getattr(torch.fx, name)
        assert parameters(ours) == parameters(theirs), name


def test_it_loads_when_it_is_used() -> None:
    code = """
import sys
import graphwidget as torch
assert not any(name.startswith("graphwidget.fx") for name in sys.modules)
print(torch.fx.symbolic_trace(lambda x: x.relu()).code.split()[0])
"""
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, check=True
    )
    assert result.stdout == "def\n"


def test_imports_as_torch() -> None:
    code = """
import graphwidget
graphwidget.as_torch()
import torch.fx as fx
from torch.fx import symbolic_trace
from torch.fx._symbolic_trace import Tracer
from torch.fx.graph_module import GraphModule
from torch.fx.immutable_collections import immutable_list
from torch.fx.node import Argument, Target, map_aggregate
from torch.fx.passes.shape_prop import ShapeProp
from torch.fx.proxy import TraceError
assert Tracer is fx.Tracer
print(symbolic_trace(lambda x: x + 1).graph)
"""
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, check=True
    )
    assert result.stdout.startswith("graph():\n    %x : [num_users=1] = placeholder[target=x]\n")


def test_the_table_says_what_it_needs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "tabulate", None)
    said = []
    for engine in (torch, graphwidget):
        with pytest.raises(ImportError):
            engine.fx.symbolic_trace(lambda x: x).graph.print_tabular()
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]


def test_readable_code_and_pickles_without_the_rest() -> None:
    module = graphwidget.fx.symbolic_trace(graphwidget.nn.Sequential(graphwidget.nn.ReLU()))
    assert module.print_readable(False).startswith("class Sequential(torch.nn.Module):\n")
    with pytest.raises(NotImplementedError, match="is not part of graphwidget's engine"):
        module.print_readable(False, colored=True)
    with pytest.raises(TypeError, match="is not part of graphwidget's engine"):
        pickle.dumps(module)


class Listing(graphwidget.fx.CodeGen):
    def process_inputs(self, inputs: Any) -> Any:
        return inputs


def test_what_only_pytorch_has_is_refused() -> None:
    fx = graphwidget.fx
    module = fx.symbolic_trace(lambda x: x + 1)
    for refused in (
        lambda: fx.Tracer(param_shapes_constant=True),
        lambda: module.graph.set_codegen(Listing()),
        lambda: module.graph.on_generate_code(lambda _: None),
        lambda: fx.symbolic_trace(lambda x, pair: x, concrete_args={"pair": (1, 2)}),
        lambda: module.to_folder("there"),
        lambda: fx.Transformer,
    ):
        with pytest.raises((NotImplementedError, AttributeError), match="is not part of graphw"):
            refused()
