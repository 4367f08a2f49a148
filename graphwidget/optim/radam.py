"""RAdam (Liu et al., 2020)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from . import recorded
from .adam import average, average_square
from .optimizer import Group
from .stepping import Rule, Stepper, check_betas, check_options, count, number, rate_of, zeros


class RAdam(Stepper):
    """Adam that divides by the mean square only once its variance is known well enough.

    `foreach` chooses between implementations in PyTorch and changes nothing here; `capturable`
    is refused at the first step, as PyTorch does on the CPU.
    """

    recorded = recorded.radam

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
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
        """No steps yet, both means zero."""
        state["step"] = number(0.0)
        state["exp_avg"] = zeros(parameter)
        state["exp_avg_sq"] = zeros(parameter)

    def rule(self, group: Group, state: dict[str, Any]) -> tuple[Rule, Any, tuple[str, ...]]:
        """Plain momentum in the first steps, rectified Adam later."""
        step = count(state)
        first, second = group["betas"]
        rate = rate_of(group) / (1 - first**step)
        correction = 1 - second**step
        limit = 2 / (1 - second) - 1
        length = limit - 2 * step * (second**step) / correction
        scale = None
        if length > 5.0:
            shrunk = (length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)
            scale = rate * correction**0.5 * shrunk**0.5
        numbers = (1 - first, second, 1 - second, group["eps"], rate, scale)
        return _radam, numbers, ("exp_avg", "exp_avg_sq")


def _radam(numbers: Any, p: Any, g: Any, mean: Any, square: Any, s: Any, t: Any) -> None:
    weight, keep, weight2, eps, rate, scale = numbers
    average(mean, g, weight, s)
    average_square(square, g, keep, weight2, s)
    if scale is None:
        np.multiply(mean, rate, s)
    else:
        np.sqrt(square, s)
        s += eps
        np.divide(mean, s, s)
        s *= scale
    p -= s
