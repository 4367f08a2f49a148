"""RMSprop (Hinton, 2012)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from . import recorded
from .adam import average, average_square
from .optimizer import Group
from .stepping import Rule, Stepper, check_options, count, number, rate_of, zeros


class RMSprop(Stepper):
    """Steps along the gradient, divided by the root of the mean square of recent ones.

    `foreach` chooses between implementations in PyTorch and changes nothing here; `capturable`
    is refused at the first step, as PyTorch does on the CPU.
    """

    recorded = recorded.rmsprop
    on_xla = (True, True)

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
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        check_options(
            defaults,
            lr="learning rate",
            eps="epsilon value",
            momentum="momentum value",
            weight_decay="weight_decay value",
            alpha="alpha value",
        )
        super().__init__(params, defaults)

    def start(self, state: dict[str, Any], parameter: Tensor, group: Group) -> None:
        """No steps yet, and all means zero."""
        state["step"] = number(0.0)
        for name in ("square_avg", *_slots(group)):
            state[name] = zeros(parameter)

    def rule(self, group: Group, state: dict[str, Any]) -> tuple[Rule, Any, tuple[str, ...]]:
        """Divided by the root of the mean square, or of the variance when centered."""
        count(state)
        alpha = group["alpha"]
        numbers = (
            alpha,
            1 - alpha,
            group["eps"],
            group["momentum"],
            rate_of(group),
            group["centered"],
        )
        return _rmsprop, numbers, ("square_avg", *_slots(group))


def _slots(group: Group) -> tuple[str, ...]:
    """The state that options add."""
    momentum = ("momentum_buffer",) if group["momentum"] > 0 else ()
    return (*momentum, "grad_avg") if group["centered"] else momentum


def _rmsprop(numbers: Any, p: Any, g: Any, square: Any, *more: Any) -> None:
    keep, weight, eps, momentum, rate, centered = numbers
    *state, s, _ = more
    average_square(square, g, keep, weight, s)
    root = square
    if centered:
        mean = state[-1]
        average(mean, g, weight, s)
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
