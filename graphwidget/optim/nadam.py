"""NAdam (Dozat, 2016)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from . import recorded
from .adam import average, average_square
from .optimizer import Group
from .stepping import Rule, Stepper, check_betas, check_options, count, number, rate_of, zeros


class NAdam(Stepper):
    """Adam with Nesterov's momentum.

    `foreach` chooses between implementations in PyTorch and changes nothing here; `capturable`
    is refused at the first step, as PyTorch does on the CPU.
    """

    recorded = recorded.nadam
    captured = "params, mu_products and state_steps"
    writes = ("addcdiv_", "addcdiv_")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
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
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        check_options(
            defaults,
            lr="learning rate",
            eps="epsilon value",
        )
        check_betas(betas)
        check_options(
            defaults, weight_decay="weight_decay value", momentum_decay="momentum_decay value"
        )
        super().__init__(params, defaults)

    def start(self, state: dict[str, Any], parameter: Tensor, group: Group) -> None:
        """No steps yet, both means zero."""
        state["step"] = number(0.0)
        state["mu_product"] = number(1.0)
        state["exp_avg"] = zeros(parameter)
        state["exp_avg_sq"] = zeros(parameter)

    def rule(self, group: Group, state: dict[str, Any]) -> tuple[Rule, Any, tuple[str, ...]]:
        """With the momentum of this step and of the next."""
        step = count(state)
        first, second = group["betas"]
        decay = group["momentum_decay"]
        mu, following = (first * (1 - 0.5 * 0.96 ** (at * decay)) for at in (step, step + 1))
        product = state["mu_product"]._data
        product *= mu
        so_far, rate = float(product), rate_of(group)
        numbers = (
            *(1 - first, second, 1 - second, 1 - second**step, group["eps"]),
            *(rate * (1.0 - mu) / (1.0 - so_far), rate * following / (1.0 - so_far * following)),
        )
        return _nadam, numbers, ("exp_avg", "exp_avg_sq")


def _nadam(numbers: Any, p: Any, g: Any, mean: Any, square: Any, s: Any, t: Any) -> None:
    weight, keep, weight2, correction, eps, rate, rate2 = numbers
    average(mean, g, weight, s)
    average_square(square, g, keep, weight2, s)
    np.divide(square, correction, s)
    np.sqrt(s, s)
    s += eps
    np.divide(g, s, t)
    t *= rate
    p -= t
    np.divide(mean, s, t)
    t *= rate2
    p -= t
