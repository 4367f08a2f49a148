"""RMSprop (Hinton, 2012)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..functions.creation.factories import zeros_like
from ..graph.tensor import Tensor
from .adam import update_average, update_average_square
from .optimizer import Group, State
from .per_parameter import PerParameter, Prepared, next_step


class RMSprop(PerParameter):
    """Steps along the gradient, divided by the root of the mean square of recent ones."""

    options = (
        "lr", "momentum", "alpha", "eps", "centered", "weight_decay", "capturable", "foreach",
        "maximize", "differentiable",
    )  # fmt: skip
    checked = ("lr", "eps", "momentum", "weight_decay", "alpha")
    memory = ("square_avg",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, locals())

    def start(self, state: State, parameter: Tensor, group: Group) -> None:
        """The initial state: no steps yet, and all means zero."""
        super().start(state, parameter, group)
        for name in _state_names(group):
            state[name] = zeros_like(parameter)

    def rule(self, group: Group, state: State, rate: float) -> Prepared:
        """Divided by the root of the mean square, or of the variance when centered."""
        next_step(state)
        alpha = group["alpha"]
        numbers = (
            alpha,
            1 - alpha,
            group["eps"],
            group["momentum"],
            rate,
            group["centered"],
        )
        return _rmsprop, numbers, (*self.memory, *_state_names(group))


def _state_names(group: Group) -> tuple[str, ...]:
    """The state that options add."""
    momentum = ("momentum_buffer",) if group["momentum"] > 0 else ()
    return (*momentum, "grad_avg") if group["centered"] else momentum


def _rmsprop(numbers: Any, p: Any, g: Any, square: Any, *more: Any) -> None:
    keep, weight, eps, momentum, rate, centered = numbers
    *state, s = more
    update_average_square(square, g, keep, weight, s)
    root = square
    if centered:
        mean = state[-1]
        update_average(mean, g, weight, s)
        np.multiply(mean, mean, s)
        root = np.subtract(square, s, s)
    np.sqrt(root, s)
    s += eps
    np.divide(g, s, s)
    if momentum > 0:
        velocity = state[0]
        velocity *= momentum
        velocity += s
        np.multiply(velocity, rate, s)
    else:
        s *= rate
    p -= s
