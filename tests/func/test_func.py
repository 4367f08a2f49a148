"""``torch.func`` call by call: values, what stays differentiable, errors."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
import torch

import graphwidget
from tests.compare_engines import attempt, both, differences, is_tensor, numbers, source

CALLS = (Path(__file__).with_name("calls.txt")).read_text().strip().split("\n")


def bare(value: Any) -> Any:
    """Values without their graphs: which nodes made them differs where samples are looped over."""
    if is_tensor(value):
        return {
            "dtype": repr(value.dtype), "shape": tuple(value.shape), "numbers": numbers(value),
            "requires_grad": value.requires_grad,
        }  # fmt: skip
    if isinstance(value, dict):
        return {key: bare(each) for key, each in value.items()}
    return [bare(each) for each in value] if isinstance(value, (tuple, list)) else value


def outcome(engine: Any, call: str) -> Any:
    engine.manual_seed(0)
    scope = {
        "torch": engine,
        "x": engine.tensor([1.0, 2.0]),
        "w": engine.tensor([3.0, 4.0], requires_grad=True),
        "xr": engine.tensor([1.0, 2.0], requires_grad=True),
        **{name: getattr(engine.func, name) for name in graphwidget.func.__all__},
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return attempt(lambda: bare(eval(call, scope)))


@pytest.mark.parametrize("call", CALLS)
def test_call(call: str) -> None:
    found = differences(outcome(graphwidget, call), outcome(torch, call))
    assert not found, "\n".join(found)


MODES = {
    call: f"""
x, w = torch.linspace(0, 1, 3), torch.ones(3, requires_grad=True)
f, func = lambda y: (y.sin() * y).sum(), torch.func
def partly(y):
    with torch.no_grad():
        z = y * 2
    return (z * y).sum()
result = []
for mode in (torch.no_grad, torch.inference_mode, torch.enable_grad):
    with mode():
        found = {call}
        result.append([found.tolist(), found.requires_grad, torch.is_inference_mode_enabled()])
"""
    for call in (
        "func.grad(f)(x)",
        "func.grad_and_value(f)(x)[1]",
        "func.jacrev(torch.sin)(x)",
        "func.vjp(torch.sin, x)[1](torch.ones(3))[0]",
        "func.hessian(f)(x)",
        "func.jacfwd(torch.sin)(x)",
        "func.jvp(torch.sin, (x,), (torch.ones(3),))[1]",
        "func.vmap(func.grad(torch.sin))(x)",
        "func.grad(lambda y: func.grad(f)(y).sum())(x)",
        "func.grad(partly)(x)",
        "func.grad(lambda y: (y * (w if w.is_leaf else y)).sum())(x * 1)",
    )
}


@pytest.mark.parametrize("call", MODES)
def test_modes_of_the_caller(call: str) -> None:
    """They do not keep transforms from recording; what a function itself turns off is off."""
    if "(w if" in call:  # PyTorch's wrapped tensors may be saved in inference mode, ours are copies
        both(source(MODES[call].replace("torch.inference_mode, ", "")))
    else:
        both(source(MODES[call]))


def test_results_stay_differentiable_by_what_is_outside() -> None:
    for engine in (graphwidget, torch):
        w = engine.tensor(3.0, requires_grad=True)
        slope = engine.func.grad(lambda x, w=w: w * x**2)(engine.tensor(2.0))
        slope.backward()
        assert w.grad.item() == 4.0
        inside = engine.func.grad(lambda x: x**3)(engine.tensor(2.0))
        assert not inside.requires_grad


def test_gradients_of_samples() -> None:
    shown = []
    for engine in (graphwidget, torch):
        engine.manual_seed(0)
        model = engine.nn.Sequential(
            engine.nn.Linear(3, 4), engine.nn.Tanh(), engine.nn.Linear(4, 1)
        )
        params = {name: each.detach() for name, each in model.named_parameters()}
        batch, target = engine.ones(5, 3).cumsum(0), engine.arange(5.0).reshape(5, 1)

        def loss(
            params: Any, sample: Any, goal: Any, engine: Any = engine, model: Any = model
        ) -> Any:
            found = engine.func.functional_call(model, params, (sample,))
            return ((found - goal) ** 2).sum()

        each = engine.func.vmap(engine.func.grad(loss), in_dims=(None, 0, 0))
        shown.append(bare(each(params, batch, target)))
        shown.append(bare(engine.func.hessian(loss)(params, batch[0], target[0])))
    assert not differences(shown[:2], shown[2:])


def test_stacked_models() -> None:
    shown = []
    for engine in (graphwidget, torch):
        engine.manual_seed(0)
        models = [engine.nn.Linear(2, 3) for _ in range(3)]
        params, buffers = engine.func.stack_module_state(models)

        def call(params: Any, x: Any, engine: Any = engine, models: Any = models) -> Any:
            return engine.func.functional_call(models[0], params, (x,))

        found = engine.vmap(call, in_dims=(0, None))(params, engine.ones(2))
        shown.append([bare(params), bare(buffers), bare(found)])
    assert not differences(shown[0], shown[1])
