"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..graph.tensor import Tensor
from .optimizer import Group, State
from .per_parameter import PerParameter, Prepared


class SGD(PerParameter):
    """`p -= lr * gradient`, with momentum and weight decay as in `torch.optim.SGD`.

    `foreach` and `fused` choose between implementations in PyTorch; they are kept as options and
    change nothing here.
    """

    newer_options = PerParameter.newer_options | {"fused": False}
    options = (
        "lr", "momentum", "dampening", "weight_decay", "nesterov", "maximize", "foreach",
        "differentiable", "fused",
    )  # fmt: skip
    checked = ("lr", "momentum", "weight_decay")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(params, locals())

    def check(self, options: dict[str, Any]) -> None:
        """Nesterov's momentum only where there is one."""
        super().check(options)
        if options["nesterov"] and (options["momentum"] <= 0 or options["dampening"] != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")

    def rule(self, group: Group, state: State, rate: float) -> Prepared:
        """Plain, with a first velocity, or with one that goes on."""
        momentum = group["momentum"]
        if momentum == 0:
            return _sgd, rate, ()
        numbers = rate, momentum, 1 - group["dampening"], group["nesterov"]
        return (
            (_sgd_first_momentum if state.pop("new", False) else _sgd_momentum),
            numbers,
            ("momentum_buffer",),
        )

    def start(self, state: State, parameter: Tensor, group: Group) -> None:
        """With momentum the first velocity is the first gradient."""
        if group["momentum"] != 0:
            state["momentum_buffer"] = Tensor._wrap(np.empty_like(parameter._data))
            state["new"] = True


def _sgd(rate: float, p: Any, g: Any, s: Any) -> None:
    p -= np.multiply(g, rate, s)


def _sgd_first_momentum(numbers: Any, p: Any, g: Any, velocity: Any, s: Any) -> None:
    np.copyto(velocity, g)
    _step_along_velocity(numbers, p, g, velocity, s)


def _sgd_momentum(numbers: Any, p: Any, g: Any, velocity: Any, s: Any) -> None:
    velocity *= numbers[1]
    velocity += g if numbers[2] == 1 else np.multiply(g, numbers[2], s)
    _step_along_velocity(numbers, p, g, velocity, s)


def _step_along_velocity(numbers: Any, p: Any, g: Any, velocity: Any, s: Any) -> None:
    rate, momentum, _, nesterov = numbers
    if nesterov:
        np.multiply(velocity, momentum, s)
        s += g
        s *= rate
    else:
        np.multiply(velocity, rate, s)
    p -= s
