"""Adamax (Kingma and Ba, 2015)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from . import recorded
from .adam import average
from .optimizer import Group
from .stepping import Rule, Stepper, check_betas, check_options, count, number, rate_of, zeros


class Adamax(Stepper):
    """Steps along the mean of recent gradients, divided by their largest recent size.

    `foreach` chooses between implementations in PyTorch and changes nothing here; `capturable`
    is refused at the first step, as PyTorch does on the CPU.
    """

    recorded = recorded.adamax
    writes = ("addcdiv_",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        check_options(
            defaults,
            lr="learning rate",
            eps="epsilon value",
        )
        check_betas(betas)
        check_options(defaults, weight_decay="weight_decay value")
        super().__init__(params, defaults)

    def start(self, state: dict[str, Any], parameter: Tensor, group: Group) -> None:
        """No steps yet, mean and size zero."""
        state["step"] = number(0.0)
        state["exp_avg"] = zeros(parameter)
        state["exp_inf"] = zeros(parameter)

    def rule(self, group: Group, state: dict[str, Any]) -> tuple[Rule, Any, tuple[str, ...]]:
        """With the correction of the mean for this step."""
        step = count(state)
        first, second = group["betas"]
        numbers = (1 - first, second, group["eps"], rate_of(group) / (1 - first**step))
        return _adamax, numbers, ("exp_avg", "exp_inf")


def _adamax(numbers: Any, p: Any, g: Any, mean: Any, largest: Any, s: Any, t: Any) -> None:
    weight, keep, eps, rate = numbers
    average(mean, g, weight, s)
    largest *= keep
    np.abs(g, s)
    s += eps
    np.maximum(largest, s, out=largest)
    np.divide(mean, largest, s)
    s *= rate
    p -= s
