"""Whole models as static graphs: results, gradients and buffers are eager's, call after call."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwidget as torch
import graphwidget.static as tf
from tests.models import MODELS, build

DOORS: dict[str, Callable[..., Any]] = {
    "from_function": lambda model, inputs: tf.from_function(model),
    "compile": lambda model, inputs: torch.compile(model, fullgraph=True),
    "trace": torch.jit.trace,
}


def tensors(results: Any) -> list[Any]:
    """The tensors of a result, in order."""
    if isinstance(results, torch.Tensor):
        return [results]
    parts = list(results.values()) if isinstance(results, dict) else results
    nested = isinstance(parts, (list, tuple))
    return [each for part in parts for each in tensors(part)] if nested else []


def step(model: Any, call: Any, inputs: tuple[Any, ...]) -> list[Any]:
    """The results of a call, the gradients of inputs and parameters, and the buffers."""
    given = [each.clone().requires_grad_() if each.is_floating_point() else each for each in inputs]
    model.zero_grad()
    outputs = tensors(call(*given))
    sum((each * each).mean() for each in outputs if each.requires_grad).backward()
    gradients = [each.grad for each in (*given, *model.parameters())]
    return [*outputs, *gradients, *model.buffers()]


def same(found: list[Any], wanted: list[Any]) -> None:
    assert [each is None for each in found] == [each is None for each in wanted]
    for one, two in zip(found, wanted, strict=True):
        if one is not None:
            assert one.dtype == two.dtype
            a, b = one.detach().numpy(), two.detach().numpy()
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("name", [name for name in MODELS if name != "custom_function"])
def test_a_model_learns_as_eager_does(name: str, training: bool) -> None:
    for door in DOORS.values():
        model, inputs = build(name, torch)
        model.train(training)
        eager = copy.deepcopy(model)
        static = door(model, inputs)
        if door is torch.jit.trace:  # the recording was a step of the running statistics
            eager(*inputs)
        optimizers = [torch.optim.SGD(each.parameters(), lr=0.05) for each in (model, eager)]
        for seed in range(4):
            torch.manual_seed(seed)
            given = tuple(
                torch.randn(each.shape) if each.is_floating_point() else each.flip(0)
                for each in inputs
            )
            outcomes = []
            for each, call in ((model, static), (eager, eager)):
                torch.manual_seed(100 + seed)  # dropout draws alike
                outcomes.append(step(each, call, given))
            same(*outcomes)
            for optimizer in optimizers:
                optimizer.step()
        function = getattr(static, "forward", static) if door is torch.jit.trace else static
        found = getattr(function, "recordings", None) or static.__dict__["_static"].recordings
        # trace is given inputs without gradients first
        assert len(found) <= (2 if door is torch.jit.trace else 1)


@pytest.mark.parametrize("name", ["mlp", "cnn", "lstm_classifier", "masked_attention"])
def test_another_batch_is_recorded_anew(name: str) -> None:
    model, (x,) = build(name, torch)
    model.eval()
    static = tf.from_function(model, x)
    for given in (x, torch.cat([x, x]), x[:1]):
        same([static(given)], [model(given)])
    assert len(static.recordings) == 3
