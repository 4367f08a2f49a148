"""The core's own modes while somebody watches, and what they cost: nothing when off."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import graphwidget as torch
from graphwidget.autograd import accumulate_grad
from graphwidget.graph import listeners, runtime


def ops(graph: Any) -> list[str]:
    return [call["op"] for call in graph.model.calls.values()]


@pytest.fixture(autouse=True)
def nothing_is_on() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the recorder warns when it fails
        warnings.simplefilter("ignore", RuntimeWarning)
        yield
    assert listeners._listeners == {}
    assert runtime.observer is None
    assert not runtime.anomaly
    assert runtime.grad_everywhere


def test_saved_tensor_hooks_are_recorded_over() -> None:
    seen = []
    with torch.watch() as graph:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(
            lambda t: seen.append("pack") or t, lambda t: seen.append("unpack") or t
        ):
            y = (x * x).exp()
            z = y[[1, 0]]
        z.sum().backward()
    assert ops(graph) == ["mul", "exp", "index", "sum"]
    assert seen == ["pack"] * 4 + ["unpack"] * 4
    assert np.allclose(x.grad.numpy(), 2 * np.array([1, 2]) * np.exp([1, 4]))
    assert next(iter(graph.model.runs.values()))["status"] == "ok"


def test_inference_mode_is_recorded() -> None:
    with torch.watch() as graph:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        with torch.inference_mode():
            y = x * 2
            y.add_(1)
            z = y[0]
            z.mul_(2)
            torch.ones(2)[torch.tensor([1])]
        w = y.clone() * x
        y + x
    assert ops(graph)[:1] == ["mul"]
    assert w.requires_grad
    assert y.tolist() == [6.0, 5.0]


def test_anomaly_mode_is_recorded() -> None:
    with torch.watch() as graph:
        x = torch.tensor([0.0, 1.0], requires_grad=True)
        with torch.autograd.set_detect_anomaly(True):
            y = ((x * 0).sqrt() * 0).sum()
            warnings.filterwarnings("ignore", message="Error detected in SqrtBackward0")
            with pytest.raises(RuntimeError, match="nan values"):
                y.backward()
    assert [run["status"] for run in graph.model.runs.values()] == ["failed"]


def test_a_leaf_takes_its_first_gradient_without_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    copies, original = [], accumulate_grad.copy_in_layout

    def copy(*args: Any) -> Any:
        copies.append(args)
        return original(*args)

    monkeypatch.setattr(accumulate_grad, "copy_in_layout", copy)
    w = torch.ones(3, 2, requires_grad=True)
    for way in (nullcontext, torch.watch):
        w.grad = None
        with way():
            (w @ torch.ones(2, 1)).sum().backward()
        assert w.grad.tolist() == [[1.0, 1.0]] * 3
        assert not copies


class Cube(torch.autograd.Function):
    """A user's own op."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x * x


def test_a_function_is_one_op_of_a_recording() -> None:
    with torch.watch() as graph:
        x = torch.tensor(2.0, requires_grad=True)
        y = Cube.apply(x) * 2
        y.backward()
    assert [call["op"] for call in graph.model.calls.values()] == ["Cube", "mul"]
    assert x.grad.item() == 24
    assert next(iter(graph.model.runs.values()))["status"] == "ok"
