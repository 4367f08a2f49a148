"""Adadelta (Zeiler, 2012)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from . import recorded
from .adam import average_square
from .optimizer import Group
from .stepping import Rule, Stepper, check_options, count, number, rate_of, zeros


class Adadelta(Stepper):
    """Steps as large as recent steps, along the gradient divided by its recent size.

    `foreach` chooses between implementations in PyTorch and changes nothing here; `capturable`
    is refused at the first step, as PyTorch does on the CPU.
    """

    recorded = recorded.adadelta
    on_xla = (False, False)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        check_options(
            defaults,
            lr="learning rate",
            rho="rho value",
            eps="epsilon value",
            weight_decay="weight_decay value",
        )
        if rho > 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        super().__init__(params, defaults)

    def start(self, state: dict[str, Any], parameter: Tensor, group: Group) -> None:
        """No steps yet, and both means zero."""
        state["step"] = number(0.0)
        state["square_avg"] = zeros(parameter)
        state["acc_delta"] = zeros(parameter)

    def rule(self, group: Group, state: dict[str, Any]) -> tuple[Rule, Any, tuple[str, ...]]:
        """With the mean squares of gradients and of steps."""
        count(state)
        rho = group["rho"]
        numbers = (rho, 1 - rho, group["eps"], rate_of(group))
        return _adadelta, numbers, ("square_avg", "acc_delta")


def _adadelta(numbers: Any, p: Any, g: Any, square: Any, steps: Any, s: Any, t: Any) -> None:
    keep, weight, eps, rate = numbers
    average_square(square, g, keep, weight, s)
    np.add(square, eps, s)
    np.sqrt(s, s)
    np.add(steps, eps, t)
    np.sqrt(t, t)
    t /= s
    t *= g
    average_square(steps, t, keep, weight, s)
    t *= rate
    p -= t
