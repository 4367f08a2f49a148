"""Dynamic functions as static graphs: the same results and gradients as eager, the other way where
Python looks at numbers, and a refusal with the line where there is no graph."""

from __future__ import annotations

import copy
import inspect
import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import graphwidget as torch
import graphwidget.static as tf

nn = torch.nn


def tensors(*shapes: tuple[int, ...], seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [
        torch.tensor(rng.normal(size=shape), dtype=torch.float64, requires_grad=True)
        for shape in shapes
    ]


def same(one: Any, two: Any) -> None:
    """Results are equal in every respect but the nodes that made them."""
    if isinstance(one, torch.Tensor):
        assert one.dtype == two.dtype
        assert one.requires_grad == two.requires_grad
        np.testing.assert_allclose(
            one.detach().numpy(), two.detach().numpy(), rtol=1e-9, atol=1e-12
        )
    elif isinstance(one, dict):
        assert list(one) == list(two)
        same(list(one.values()), list(two.values()))
    elif isinstance(one, (tuple, list)):
        assert type(one) is type(two)
        for each, other in zip(one, two, strict=True):
            same(each, other)
    else:
        assert one == two


def total(results: Any) -> Any:
    leaves = results if isinstance(results, (tuple, list)) else [results]
    return sum((each * each).sum() for each in leaves if each.requires_grad)


def against_eager(function: Callable[..., Any], *shapes: tuple[int, ...], calls: int = 3) -> Any:
    static = tf.from_function(function, *tensors(*shapes, seed=99))
    for seed in range(calls):
        one, two = tensors(*shapes, seed=seed), tensors(*shapes, seed=seed)
        found, expected = static(*one), function(*two)
        same(found, expected)
        total(found).backward()
        total(expected).backward()
        for a, b in zip(one, two, strict=True):
            same(a.grad, b.grad)
    return static


def in_place(x: Any, y: Any) -> Any:
    z = x.clone()
    z[0] = 5.0
    part = z[1:].t()
    part.mul_(y[1:].t())
    z += 1
    z.view(-1)[2] = y.sum()
    return z, part


FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "arithmetic": (lambda x, y: (x * y + 2) / (y.abs() + 1) - x ** 2, (2, 3), (2, 3)),
    "broadcast": (lambda x, y: torch.tanh(x + y).mean(0) * y, (4, 3), (3,)),
    "several": (lambda x, y: (x.sum(1), y.exp(), (x @ y).relu()), (2, 3), (3, 2)),
    "views": (lambda x, y: x.t().reshape(-1)[1:4] * y.permute(1, 0)[0].sum(), (2, 3), (2, 3)),
    "joins": (lambda x, y: torch.cat([x, y]).softmax(-1) * torch.stack([x, y]).sum(0)[0],
              (2, 3), (2, 3)),
    "choices": (lambda x, y: torch.where(x > y, x * 2, y) + torch.maximum(x, y), (3, 3), (3, 3)),
    "indices": (lambda x, y: x[[0, 2]] + y[torch.tensor([1, 1])], (3, 2), (3, 2)),
    "in place": (in_place, (3, 3), (3, 3)),
    "constants": (lambda x, y: x * torch.arange(3.0) + torch.zeros(3) + y, (3,), (3,)),
    "no_grad": (lambda x, y: x * (lambda: y.detach() * 2)() + y, (3,), (3,)),
    "norms": (lambda x, y: nn.functional.layer_norm(x, (3,)) * x.norm() + y.std(), (2, 3), (2, 3)),
    "max": (lambda x, y: x.max(1).values * y.min(1)[0] + x.sort(1).values[:, 0], (2, 3), (2, 3)),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_compute_and_differentiate_as_eager(name: str) -> None:
    function, *shapes = FUNCTIONS[name]
    static = against_eager(function, *shapes)
    assert len(static.recordings) == 1


def random_function(seed: int) -> Callable[..., Any]:
    """A function of two (3, 3) tensors made of random steps."""
    steps = [
        lambda x, y: x + y, lambda x, y: x * y, lambda x, y: x @ y / 3, lambda x, y: torch.tanh(x),
        lambda x, y: (x * 0.3).exp() - y, lambda x, y: x.t(), lambda x, y: x.softmax(0) + y[0],
        lambda x, y: torch.where(x > y, x, y * 2), lambda x, y: x.sum(0, keepdim=True) + y,
        lambda x, y: x.clone().add_(y), lambda x, y: torch.cat([x, y])[1:4],
        lambda x, y: nn.functional.softplus(x) - y.mean(),
    ]  # fmt: skip
    rng = np.random.default_rng(seed)
    picks = [(int(rng.integers(len(steps))), *map(int, rng.integers(0, 2 + i, 2)))
             for i in range(int(rng.integers(4, 10)))]  # fmt: skip

    def function(x: Any, y: Any) -> Any:
        values = [x, y]
        for which, one, two in picks:
            values.append(steps[which](values[one], values[two]))
        return values[-1] + 0 * x + 0 * y

    return function


@pytest.mark.parametrize("seed", range(40))
def test_random_functions(seed: int) -> None:
    against_eager(random_function(seed), (3, 3), (3, 3), calls=2)


def test_an_if_is_recorded_for_each_way() -> None:
    def function(x: Any) -> Any:
        return x * 2 if x.sum() > 0 else x.exp()

    static = tf.from_function(function, torch.ones(2))
    for sign in (1, -1, 1, -1):
        x = torch.ones(2) * sign
        same(static(x), function(x))
    assert len(static.recordings) == 2


def test_a_loop_of_as_many_turns_as_the_numbers_say() -> None:
    def function(x: Any) -> Any:
        turns = 0
        while x.sum() < 10:
            x = x * 2
            turns += 1
        return x, turns

    static = tf.StaticFunction(function)
    for start in (1.0, 3.0, 1.5, 20.0):
        x = torch.tensor([start])
        same(static(x), function(x))


def test_numbers_that_python_takes_are_guarded() -> None:
    def function(x: Any) -> Any:
        return x * x[0].item() + float(x[1])

    static = tf.from_function(function, torch.tensor([1.0, 2.0]))
    for numbers in ([1.0, 2.0], [3.0, 2.0], [3.0, 5.0]):
        x = torch.tensor(numbers)
        same(static(x), function(x))


SIZED: list[Callable[[Any], Any]] = [
    lambda x: torch.nonzero(x - 1), lambda x: x[x > 1], lambda x: torch.masked_select(x, x > 1),
    torch.unique, lambda x: torch.unique(x, dim=0),
    lambda x: torch.bincount(x), lambda x: torch.bincount(x, x * 0.5),
]  # fmt: skip
"""Whose results are as large as values say."""


@pytest.mark.parametrize("sized", SIZED)
def test_sizes_that_values_decide_are_guarded(sized: Callable[[Any], Any]) -> None:
    def function(x: Any) -> Any:
        return sized(x).shape[0] + x.sum()

    static = tf.StaticFunction(function)
    for numbers in ([1, 2, 3], [1, 1, 1], [5, 1, 1], [0, 0, 0]):
        x = torch.tensor(numbers)
        same(static(x), function(x))


def test_other_shapes_and_types_are_recorded_anew() -> None:
    static = tf.from_function(lambda x: x * 2 + x.shape[0], torch.ones(2))
    same(static(torch.ones(3)), torch.ones(3) * 2 + 3)
    same(static(torch.ones(3, dtype=torch.float64)), torch.ones(3, dtype=torch.float64) * 2 + 3)
    assert len(static.recordings) == 3


REFUSED: dict[str, Callable[[Any], Any]] = {
    "random numbers of Python's": lambda x: x + random.random(),
    "a generator of its own": lambda x: x + torch.rand(2, generator=torch.Generator()),
    "random numbers in a way": lambda x: x + torch.bernoulli(x * 0.5),
    "a hook of a tensor": lambda x: (x.requires_grad_() * 2).register_hook(print) and x,
    "tensors inside an object": lambda x: SimpleNamespace(value=x + 1),
    "numpy() of a tensor": lambda x: torch.tensor(x.numpy() * 2),
    "printing of a tensor": lambda x: x * len(str(x)),
    "runs backward": lambda x: (x.requires_grad_() * 2).sum().backward() or x,
}

LATE = {"random numbers of Python's", "tensors inside an object"}
"""Reasons that are noticed when the function is over, and have no line."""


@pytest.mark.parametrize("reason", REFUSED)
def test_what_is_no_graph_is_refused_with_its_line(reason: str) -> None:
    function = REFUSED[reason]
    with pytest.raises(tf.NotStatic) as caught:
        tf.from_function(function, torch.ones(2))
    line = inspect.getsourcelines(function)[1]
    assert reason in str(caught.value)
    if reason not in LATE:
        assert f"{__file__}, line {line}" in str(caught.value)
    compiled = torch.compile(function)  # leaves it to the eager engine
    outcomes = []
    for each in (compiled, function):
        random.seed(3)
        torch.manual_seed(3)
        outcomes.append(each(torch.ones(2)))
    if isinstance(outcomes[0], SimpleNamespace):
        outcomes = [each.value for each in outcomes]
    same(*outcomes)


def test_surroundings_are_live() -> None:
    w, scale = torch.tensor([1.0, 2.0]), [3]

    def function(x: Any) -> Any:
        return x * w * scale[0]

    static = tf.from_function(function, torch.ones(2))
    w[0] = 10.0
    assert static(torch.ones(2)).tolist() == [30.0, 6.0]
    scale[0] = 1
    assert static(torch.ones(2)).tolist() == [10.0, 2.0]


def test_a_write_into_an_argument_arrives() -> None:
    def function(x: Any) -> Any:
        x[0] += 1
        return x * 2

    static = tf.from_function(function, torch.zeros(2))
    x = torch.zeros(2)
    version = x._version
    assert static(x).tolist() == [2.0, 0.0]
    assert x.tolist() == [1.0, 0.0]
    assert x._version > version


def model() -> Any:
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2), nn.LogSoftmax(-1)
    )


@pytest.mark.parametrize("door", [torch.compile, lambda m: torch.jit.trace(m, torch.ones(5, 3))])
def test_a_module_learns_as_eager_does(door: Callable[[Any], Any]) -> None:
    eager = model()
    original = copy.deepcopy(eager)
    static = door(original)
    if door is not torch.compile:  # the recording was a step of the running statistics
        eager(torch.ones(5, 3))
    steps = [torch.optim.SGD(each.parameters(), lr=0.1) for each in (eager, original)]
    for seed in range(4):
        x, target = torch.randn(5, 3), torch.tensor([0, 1, 1, 0, 1])
        for each, optimizer in zip((eager, static), steps, strict=True):
            optimizer.zero_grad()
            nn.functional.nll_loss(each(x), target).backward()
            optimizer.step()
        if seed == 2:
            eager.eval()
            static.eval()
    for one, two in zip(eager.state_dict().values(), original.state_dict().values(), strict=True):
        np.testing.assert_allclose(one.numpy(), two.numpy(), rtol=1e-5, atol=1e-7)


def test_double_backward_goes_through() -> None:
    def function(x: Any) -> Any:
        return (x**3).sum()

    static = tf.from_function(function, *tensors((3,)))
    seconds = []
    for each in (static, function):
        (x,) = tensors((3,), seed=1)
        (first,) = torch.autograd.grad(each(x), x, create_graph=True)
        seconds.append(torch.autograd.grad(first.sum(), x)[0])
    same(*seconds)


def test_a_write_between_forward_and_backward_is_found() -> None:
    static = tf.from_function(lambda x, y: (x * y).sum(), *tensors((3,), (3,)))
    x, y = tensors((3,), (3,), seed=1)
    loss = static(x, y)
    with torch.no_grad():
        y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_compile_decorates_functions_and_methods() -> None:
    class Scaler:
        factor = 2

        @torch.compile
        def scale(self, x: Any) -> Any:
            return x * self.factor

    scaler = Scaler()
    assert scaler.scale(torch.ones(2)).tolist() == [2.0, 2.0]
    scaler.factor = 5
    assert scaler.scale(torch.ones(2)).tolist() == [5.0, 5.0]
    with pytest.raises(tf.NotStatic):
        torch.compile(lambda x: torch.bernoulli(x), fullgraph=True)(torch.ones(2))
