"""A call that raised is reported with what it was given, the user's line, and the module it was
in: of graphwidget's own calls and of PyTorch's."""

from __future__ import annotations

import linecache
from typing import Any

import pytest
import torch

import graphwidget
from graphwidget.adapters.composite import Adapter
from graphwidget.recording.fold import Model, Row
from graphwidget.recording.recorder import Recorder

SETTING = """
x, y = torch.ones(2, 3), torch.ones(2, 4)
net = torch.nn.Sequential(torch.nn.Linear(2, 2))
deep = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Sequential(torch.nn.Linear(7, 2)))
{}
"""


def raised(line: str, library: Any) -> tuple[Model, BaseException]:
    """Return what is recorded of a program that ends in an error, and the error."""
    source = SETTING.format(line)
    adapter = Adapter(Recorder())
    filename = f"<program {hash(source)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    with adapter.observing():
        try:
            exec(compile(source, filename, "exec"), {"torch": library})
        except Exception as error:
            caught = error
        adapter.raised(caught)
    adapter.drain()
    return adapter.recorder.log.model(), caught


def around(model: Model, error: Row) -> list[str]:
    """The names of the scopes that the error stands in, the innermost first."""
    names, at = [], error["scope"]
    while at is not None:
        names.append(model.scopes[at]["name"])
        at = model.scopes[at]["parent"]
    return names


@pytest.mark.parametrize("library", [graphwidget, torch], ids=["ours", "torch"])
@pytest.mark.parametrize(
    ("call", "ops", "shapes", "within"),
    [
        ("x @ y", ("mm", "matmul"), [(2, 3), (2, 4)], []),
        ("x + y", ("add",), [(2, 3), (2, 4)], []),
        ("torch.mm(x, y)", ("mm",), [(2, 3), (2, 4)], []),
        ("torch.cat([x, y])", ("cat",), [(2, 3), (2, 4)], []),
        ("net(x)", ("addmm", "linear"), [(2,), (2, 2), (2, 3)], ["net[0]", "net"]),
        ("deep(x)", ("addmm", "linear"), [(2,), (2, 2), (2, 7)], ["deep[1][0]", "deep[1]", "deep"]),
        ("x.view(7)", ("view",), [(2, 3)], []),
        ("x.add_(y)", ("add",), [(2, 3), (2, 4)], []),
        ("x.sum(5)", ("sum.dim",), [(2, 3)], []),
        ("x.max(5)", ("max.dim",), [(2, 3)], []),
        ("x[7]", ("index",), [(2, 3)], []),
        ("torch.einsum('ij,jk', x, y)", ("einsum",), [(2, 3), (2, 4)], []),
        ("torch.nn.functional.nll_loss(x, y)", ("nll_loss",), [(2, 3), (2, 4)], []),
    ],
)
def test_a_call_that_raised(
    library: Any, call: str, ops: tuple[str, ...], shapes: list[tuple[int, ...]], within: list[str]
) -> None:
    model, caught = raised(call, library)
    [error] = model.errors
    assert error["kind"] == "call"
    assert error["op"] in ops
    assert (error["type"], error["message"]) == (type(caught).__name__, str(caught))
    assert model.sources[error["source"]]["text"] == call
    given = [tuple(model.values[value]["summary"][0]) for value in error["inputs"]]
    # our linear layer multiplies by the transposed weight, PyTorch's takes the weight
    assert sorted(given, key=lambda dims: (len(dims), sorted(dims))) == [
        dims if dims in given else dims[::-1] for dims in shapes
    ]
    assert around(model, error) == within


@pytest.mark.parametrize("library", [graphwidget, torch], ids=["ours", "torch"])
def test_what_was_computed_before_the_error_does_not_get_the_result_s_name(library: Any) -> None:
    model, _ = raised("out = deep(x)", library)
    assert "out" not in [name for value in model.values.values() for _, name in value["names"]]


@pytest.mark.parametrize("library", [graphwidget, torch], ids=["ours", "torch"])
@pytest.mark.parametrize(
    "line", ["1 / 0", "raise ValueError(x)", "undefined", "x.foo", "x.sum().backward()"]
)
def test_other_errors_are_no_calls(library: Any, line: str) -> None:
    model, _ = raised(line, library)
    assert [error for error in model.errors if error["kind"] == "call"] == []


@pytest.mark.parametrize("library", [graphwidget, torch], ids=["ours", "torch"])
@pytest.mark.parametrize(
    "lines", ["w = torch.ones(2, requires_grad=True); w.add_(1)", "l = (x * x).sum(); l.backward()"]
)
def test_what_autograd_explains_is_reported_once(library: Any, lines: str) -> None:
    model, _ = raised(lines, library)
    assert "call" not in [error["kind"] for error in model.errors]
    assert len(model.errors) <= 1


@pytest.mark.parametrize("library", [graphwidget, torch], ids=["ours", "torch"])
@pytest.mark.parametrize("call", ["x * w", "times(x)"])
def test_the_first_call_of_a_turn_that_raises_is_of_that_turn(library: Any, call: str) -> None:
    setting = "w = torch.ones(3, requires_grad=True)\ndef times(x):\n    return x * w\n"
    loop = "for x in [torch.ones(3), torch.ones(3), torch.ones(4)]:\n"
    model, _ = raised(f"{setting}{loop}    z = {call}\n    z.sum().backward()", library)
    [error] = model.errors
    scopes = [model.scopes[each] for each in ([] if error["scope"] is None else [error["scope"]])]
    while scopes and scopes[-1]["parent"] is not None:
        scopes.append(model.scopes[scopes[-1]["parent"]])
    assert [each["name"] for each in scopes if each["kind"] == "iteration"] == ["3"]
