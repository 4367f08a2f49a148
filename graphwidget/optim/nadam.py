"""NAdam (Dozat, 2016)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..functions.creation.factories import zeros_like
from ..graph.tensor import Tensor
from .adam import update_average, update_average_square
from .optimizer import Group, State
from .per_parameter import PerParameter, Prepared, next_step, state_number


class NAdam(PerParameter):
    """Adam with Nesterov's momentum."""

    writes = ("addcdiv_", "addcdiv_")
    options = (
        "lr", "betas", "eps", "weight_decay", "momentum_decay", "decoupled_weight_decay",
        "maximize", "foreach", "capturable", "differentiable",
    )  # fmt: skip
    checked = ("lr", "eps", "betas", "weight_decay", "momentum_decay")

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
        super().__init__(params, locals())

    def start(self, state: State, parameter: Tensor, group: Group) -> None:
        """No steps yet, both means zero."""
        state["step"] = state_number(0.0)
        state["mu_product"] = state_number(1.0)
        state["exp_avg"] = zeros_like(parameter)
        state["exp_avg_sq"] = zeros_like(parameter)

    def rule(self, group: Group, state: State, rate: float) -> Prepared:
        """With the momentum of this step and of the next."""
        step = next_step(state)
        first, second = group["betas"]
        decay = group["momentum_decay"]
        mu, following = (first * (1 - 0.5 * 0.96 ** (at * decay)) for at in (step, step + 1))
        product = state["mu_product"]._data
        product *= mu
        so_far = float(product)
        numbers = (
            *(1 - first, second, 1 - second, 1 - second**step, group["eps"]),
            *(rate * (1.0 - mu) / (1.0 - so_far), rate * following / (1.0 - so_far * following)),
        )
        return _nadam, numbers, ("exp_avg", "exp_avg_sq")


def _nadam(numbers: Any, p: Any, g: Any, mean: Any, square: Any, s: Any) -> None:
    weight, keep, weight2, correction, eps, rate, rate2 = numbers
    update_average(mean, g, weight, s)
    update_average_square(square, g, keep, weight2, s)
    np.divide(square, correction, s)
    np.sqrt(s, s)
    s += eps
    t = np.divide(g, s, out=...)
    t *= rate
    p -= t
    np.divide(mean, s, t)
    t *= rate2
    p -= t
