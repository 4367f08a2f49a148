"""Saved tensors of nodes are read alike on every PyTorch, also on those that show them less."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

import graphwidget
from graphwidget.adapters.pytorch import saved_tensors
from tests.adapters import test_predictions as predictions
from tests.adapters.engines import native, real
from tests.adapters.faulty_programs import BROKEN
from tests.adapters.test_diagnosis import run

WATCHED: list[Callable[[], Any]] = [graphwidget.diagnose, graphwidget.watch]


@pytest.fixture
def older(monkeypatch: pytest.MonkeyPatch) -> None:
    """Return what PyTorch shows of a saved tensor before 2.10: only what backward would get."""
    monkeypatch.setattr(saved_tensors, "SHOWN", False)


@pytest.mark.parametrize("name", [name for name in BROKEN if BROKEN[name].kind == "stale"])
def test_an_older_pytorch_is_reported_the_same(name: str, older: None) -> None:
    wanted = BROKEN[name]
    (finding,), _, _ = run(wanted.source, name)
    assert (finding.kind, finding.culprit.text) == ("stale", wanted.culprit)
    assert wanted.reader is None or finding.reader.text == wanted.reader


def test_with_an_older_pytorch_it_is_known_that_backward_will_raise(older: None) -> None:
    predictions.test_that_backward_will_raise_is_known_with_both_lines(0)


def test_what_is_refused_says_what_was_written() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    y = x.exp()
    node = y.grad_fn
    assert saved_tensors.staleness_of(node, "result") is None
    y.mul_(2).add_(1)
    assert saved_tensors.staleness_of(node, "result") == saved_tensors.Stale((2, 3), 2, 0)


@pytest.mark.parametrize("watched", WATCHED)
@pytest.mark.parametrize("shown", [True, False])
def test_hooks_of_the_program_are_called_by_backward_alone(
    watched: Callable[[], Any], shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_tensors, "SHOWN", shown and saved_tensors.SHOWN)
    unpacked: list[torch.Tensor] = []

    def unpack(packed: torch.Tensor) -> torch.Tensor:
        unpacked.append(packed)
        return packed

    x = torch.randn(3, requires_grad=True)
    push = torch._C._autograd._push_saved_tensors_default_hooks
    with watched():
        with saved_tensors_hooks(lambda tensor: tensor, unpack):
            y = x.exp().relu_()
        assert unpacked == []
        y.sum().backward()
    assert len(unpacked) == 2
    assert torch._C._autograd._push_saved_tensors_default_hooks is push


@pytest.mark.parametrize("watched", WATCHED)
def test_a_checkpoint_computes_again_only_in_backward(
    watched: Callable[[], Any], older: None
) -> None:
    calls: list[str] = []

    def block(h: torch.Tensor) -> torch.Tensor:
        calls.append("forward")
        return (h.sin() * 2).exp()

    x = torch.randn(3, requires_grad=True)
    with watched():
        y = checkpoint(block, x, use_reentrant=False).sum()
        assert calls == ["forward"]
        y.backward()
    assert calls == ["forward", "forward"]


FUNCTION = """
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        result = x ** 3 * y
        ctx.save_for_backward(x, None, result)
        return result
    @staticmethod
    def backward(ctx, grad):
        x, _, result = ctx.saved_tensors
        return grad * 3 * x ** 2, None
p = torch.tensor([1., 2.], requires_grad=True)
x = p * 1
y = torch.ones(2)
q = Cube.apply(x, y)
x.mul_(3)
q.sum().backward()
"""


def test_what_a_custom_function_saves_is_reported_alike_on_both_engines() -> None:
    for engine in native, real:
        model, variables = engine(FUNCTION)
        names = {row["value"]: row["names"][-1][1] for row in model.values.values() if row["names"]}
        node = next(each for each in model.nodes.values() if each["name"] == "CubeBackward")
        kept = [each for each in node["saved"] if each["value"] is not None]
        assert [(names[each["value"]], each["version"]) for each in kept] == [("x", 0), ("q", 0)]
        assert [len(each["stale"]) for each in kept] == [1, 0]  # the line after it wrote into x
        assert model.errors[-1]["slot"] == kept[0]["slot"]
        assert "modified by an inplace operation" in str(variables["error"])


def test_a_custom_function_of_before_the_recording_tells_what_it_saved() -> None:
    namespace: dict[str, Any] = {"torch": graphwidget}
    exec(FUNCTION.rpartition("x.mul_")[0], namespace)
    with graphwidget.watch() as graph:
        namespace["s"] = namespace["q"].sum()
    node = next(each for each in graph.model.nodes.values() if each["name"] == "CubeBackward")
    assert len([each for each in node["saved"] if each["value"] is not None]) == 2


HOOKED = {
    "packed by a hook": "with autograd.graph.saved_tensors_hooks(keep, keep): y = body(x)",
    "recomputed in backward": "y = checkpoint.checkpoint(body, x, use_reentrant=False)",
}


@pytest.mark.parametrize("word", HOOKED)
@pytest.mark.parametrize("engine", [graphwidget, torch])
@pytest.mark.parametrize("shown", [True, False])
def test_what_hooks_keep_is_not_reported_as_saved(
    word: str, engine: Any, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_tensors, "SHOWN", shown and saved_tensors.SHOWN)
    checkpoints = importlib.import_module(f"{engine.__name__}.utils.checkpoint")
    names = {"autograd": engine.autograd, "checkpoint": checkpoints, "keep": lambda kept: kept}
    names |= {"x": engine.ones(2, requires_grad=True), "body": lambda x: x.exp().tanh()}
    with graphwidget.watch() as graph:
        exec(HOOKED[word], names)
        names["y"].sum().backward()
    saved = {
        node["name"]: [(slot["slot"], slot["value"], slot["text"]) for slot in node["saved"]]
        for node in graph.model.nodes.values()
        if node["saved"]
    }
    packed = [("result", None, word)]
    assert saved == {"ExpBackward0": packed, "TanhBackward0": packed}
    assert names["x"].grad is not None
