"""Surroundings of recorded functions, read, changed and drawn from: never frozen in silence."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest

import graphwidget as torch
import graphwidget.static as tf

nn, F = torch.nn, torch.nn.functional
SCALE = 3.0


class Scaled(nn.Module):
    factor = 2.0

    def helper(self, x: Any) -> Any:
        return sum([x * SCALE * self.factor for _ in range(2)])

    def forward(self, x: Any) -> Any:
        return self.helper(x)


def test_globals_and_class_attributes_that_methods_name(monkeypatch: pytest.MonkeyPatch) -> None:
    model, x = Scaled(), torch.ones(2)
    static = tf.from_function(model, x)
    for where, name, value in ((__name__, "SCALE", 5.0), (Scaled, "factor", 7.0)):
        place = f"{where}.{name}" if isinstance(where, str) else where
        monkeypatch.setattr(place, *([value] if isinstance(where, str) else [name, value]))
        assert static(x).tolist() == model(x).tolist()
    assert len(static.recordings) == 3


def test_parameters_that_are_frozen_and_thawed() -> None:
    layer, x = nn.Linear(2, 2).requires_grad_(False), torch.ones(1, 2)
    static = tf.from_function(layer, x)
    assert not static(x).requires_grad
    layer.requires_grad_(True)
    static(x).sum().backward()
    assert layer.bias.grad.tolist() == [1.0, 1.0]


def test_parameters_are_read_at_each_call() -> None:
    layer, x = nn.Linear(2, 1), torch.ones(1, 2)
    static = torch.compile(layer)
    for change in (
        lambda: layer.load_state_dict({"weight": torch.ones(1, 2), "bias": torch.zeros(1)}),
        lambda: setattr(layer, "weight", nn.Parameter(torch.full((1, 2), 5.0))),
        lambda: setattr(layer.weight, "data", torch.full((1, 2), 7.0)),
        lambda: layer.weight.data.mul_(2),
    ):
        before = static(x).item()
        change()
        assert static(x).item() == layer(x).item() != before


def test_what_changes_python_around_it_runs_as_it_is() -> None:
    class Counter(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.calls = 0

        def forward(self, x: Any) -> Any:
            self.calls += 1
            return x * self.calls

    model, x = Counter(), torch.ones(1)
    static = torch.compile(model)
    assert [static(x).item() for _ in range(5)] == [1, 2, 3, 4, 5]
    assert model.calls == 5
    with pytest.raises(tf.NotStatic, match="it changes `calls`"):
        tf.from_function(Counter(), x)
    log: list[int] = []
    static = torch.compile(lambda x: log.append(1) or x * 2)
    for _ in range(4):
        static(x)
    assert len(log) == 4


def test_flags_and_gradients_that_it_changes() -> None:
    def takes_grad(x: Any) -> Any:
        x.grad = None
        return x * 2

    def wants_grad(x: Any) -> Any:
        return x.requires_grad_() * 2

    def switches(x: Any) -> Any:
        torch.set_grad_enabled(False)
        return x * 2

    def seeds(x: Any) -> Any:
        torch.manual_seed(0)
        return x + torch.rand(2)

    for function in (takes_grad, wants_grad, switches, seeds):
        compiled = torch.compile(function)
        seen = []
        for each in (compiled, compiled, function):
            x = torch.ones(2)
            if function is takes_grad:
                x.requires_grad_().sum().backward()
            found = each(x)
            seen.append((found.tolist(), found.requires_grad, x.requires_grad, x.grad,
                         torch.is_grad_enabled()))  # fmt: skip
            torch.set_grad_enabled(True)
        assert seen[0] == seen[1] == seen[2]
        x = torch.ones(2, requires_grad=function is takes_grad)
        x.grad = torch.ones(2) if function is takes_grad else None
        with pytest.raises(tf.NotStatic, match=r"changes requires_grad|seeds the random"):
            tf.from_function(function, x)
        torch.set_grad_enabled(True)


def test_hooks_of_modules() -> None:
    layer, x = nn.Linear(2, 2), torch.ones(1, 2, requires_grad=True)
    layer.register_forward_hook(lambda module, args, output: output * 2)
    static = tf.from_function(layer, x)
    assert static(x).tolist() == layer(x).tolist()
    observed: list[Any] = []
    layer.register_full_backward_hook(lambda *args: observed.append(args))
    compiled = torch.compile(layer)
    for _ in range(3):
        compiled(x).sum().backward()
    assert len(observed) == 3
    with pytest.raises(tf.NotStatic, match="BackwardHookFunction"):
        static(x)


def test_buffers_that_are_written() -> None:
    class Average(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", torch.zeros(()))
            self.register_buffer("mean", torch.zeros(3))

        def forward(self, x: Any) -> Any:
            self.count += 1
            self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
            self.mean[0] = 5
            return x - self.mean

    models = [Average(), Average()]
    static = tf.from_function(models[0])
    for seed in range(4):
        torch.manual_seed(seed)
        x = torch.randn(2, 3)
        found, wanted = static(x), models[1](x)
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
        for one, two in zip(models[0].buffers(), models[1].buffers(), strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-6)
    assert len(static.recordings) == 1


def test_arguments_that_share_memory() -> None:
    def function(a: Any, b: Any) -> Any:
        a.add_(1)
        return b * 2

    static = torch.compile(function)
    static(torch.ones(3), torch.ones(3))
    assert len(static.recordings) == 1
    for share in (lambda x: (x, x.detach()), lambda x: (x[:2], x[1:]), lambda x: (x, x)):
        found = static(*share(torch.ones(3)))
        assert found.tolist() == function(*share(torch.ones(3))).tolist()


def test_arguments_of_all_kinds() -> None:
    def function(x: Any, k: int = 2, *more: Any, s: float = 1.0, **named: Any) -> Any:
        return x * k + s + sum(more) + sum(named.values())

    static, x = tf.StaticFunction(function), torch.ones(2)
    calls: list[tuple[Any, Any]] = [
        ((x,), {}), ((x, 3), {}), ((x,), {"k": 3}), ((x,), {"s": 5}), ((), {"x": x}),
        ((x, 2, x, 4), {"z": x, "y": 2.0}), ((x, True), {}), ((x, 1), {}),
    ]  # fmt: skip
    for args, kwargs in calls * 2:
        assert static(*args, **kwargs).tolist() == function(*args, **kwargs).tolist()
    nested = tf.StaticFunction(lambda t: {"out": [t["a"][0] * t["b"]], "n": t["b"]})
    for argument in ({"a": [x], "b": 3}, {"b": 4, "a": (x,)}, {"a": [x], "b": x}):
        assert str(nested(argument)) == str(nested.function(argument))


def test_results_of_all_kinds() -> None:
    Pair = collections.namedtuple("Pair", "one, two")
    for function in (
        lambda x: collections.defaultdict(list, {"b": x + 1, "a": x * 2}),
        lambda x: collections.OrderedDict(z=x + 1, a=[x * 2, (x - 1, None, "word")]),
        lambda x: Pair(x + 1, {"k": Pair(x, 3)}), lambda x: None, lambda x: (x, x, x + 1),
    ):  # fmt: skip
        static = tf.from_function(function, torch.zeros(2))
        found, wanted = static(torch.ones(2)), function(torch.ones(2))
        assert type(found) is type(wanted)
        assert str(found) == str(wanted)
    compiled = torch.compile(lambda x: {1: x * 2, "a": x})  # keys that nobody can sort
    assert [compiled(torch.ones(1))[1].item() for _ in range(2)] == [2.0, 2.0]


# Random numbers -----------------------------------------------------------------------------------
def noise_and_choice(x: Any) -> Any:
    noise = torch.randn_like(x)
    if x.sum() > 0:
        return x + noise
    return torch.randperm(3) * F.dropout(x, 0.5) - noise


RANDOM = {
    "dropout": lambda x: F.dropout(x, 0.5) * 2,
    "dropout of a transposed tensor": lambda x: F.dropout(x.view(1, 3).t(), 0.3),
    "channels": lambda x: F.dropout1d(x.view(1, 3, 1).expand(1, 3, 4), 0.5),
    "factories": lambda x: x * torch.rand(3) + torch.randint(0, 9, (3,)) + torch.randn(20)[:3],
    "in place": lambda x: x + torch.empty(3).uniform_(-1, 1) + torch.zeros(3, 2).t().normal_()[0],
    "gumbel": lambda x: F.gumbel_softmax(x, tau=0.7),
    "checkpoint": lambda x: torch.utils.checkpoint.checkpoint(
        lambda y: F.dropout(y.exp(), 0.5), x, use_reentrant=False),
    "an if": noise_and_choice,
}  # fmt: skip


@pytest.mark.parametrize("name", RANDOM)
def test_random_numbers_are_drawn_anew_and_as_eager_draws_them(name: str) -> None:
    function = RANDOM[name]
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    static = tf.from_function(function, x)
    results = []
    for seed, sign in ((1, 1), (2, -1), (3, 1), (3, -1), (1, 1)):
        outcomes = []
        for each in (static, function):
            torch.manual_seed(seed)
            found = each(x * sign)
            (gradient,) = torch.autograd.grad((found**2).sum(), x)
            outcomes.append([*found.reshape(-1).tolist(), *gradient.tolist(), torch.rand(1).item()])
        np.testing.assert_allclose(*outcomes, rtol=1e-5)
        results.append(outcomes[0])
    assert results[0] == results[4] != results[2]
    assert len(static.recordings) == (2 if name == "an if" else 1)


# Users' Functions ---------------------------------------------------------------------------------
class Ten(torch.autograd.Function):
    """A backward that no formula has."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 10


def test_a_users_function_is_left_to_the_eager_engine() -> None:
    with pytest.raises(tf.NotStatic, match="it calls Ten, whose backward is the user's"):
        tf.from_function(lambda x: Ten.apply(x).sum(), torch.ones(2, requires_grad=True))
    compiled, x = torch.compile(lambda x: Ten.apply(x).sum()), torch.ones(2, requires_grad=True)
    for _ in range(2):
        assert torch.autograd.grad(compiled(x), x)[0].tolist() == [10, 10]
