"""RAdam (Liu et al., 2020)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..graph.tensor import Tensor
from .adam import update_average, update_average_square
from .optimizer import Group, State
from .per_parameter import PerParameter, Prepared, next_step


class RAdam(PerParameter):
    """Adam that divides by the mean square only once its variance is known well enough."""

    options = (
        "lr", "betas", "eps", "weight_decay", "maximize", "foreach", "capturable",
        "decoupled_weight_decay", "differentiable",
    )  # fmt: skip
    checked = ("lr", "eps", "betas", "weight_decay")
    memory = ("exp_avg", "exp_avg_sq")

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
        super().__init__(params, locals())

    def rule(self, group: Group, state: State, rate: float) -> Prepared:
        """Plain momentum in the first steps, rectified Adam later."""
        step = next_step(state)
        first, second = group["betas"]
        rate /= 1 - first**step
        correction = 1 - second**step
        limit = 2 / (1 - second) - 1
        length = limit - 2 * step * (second**step) / correction
        scale = None
        if length > 5.0:
            shrunk = (length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)
            scale = rate * correction**0.5 * shrunk**0.5
        numbers = (1 - first, second, 1 - second, group["eps"], rate, scale)
        return _radam, numbers, self.memory


def _radam(numbers: Any, p: Any, g: Any, mean: Any, square: Any, s: Any) -> None:
    weight, keep, weight2, eps, rate, scale = numbers
    update_average(mean, g, weight, s)
    update_average_square(square, g, keep, weight2, s)
    if scale is None:
        np.multiply(mean, rate, s)
    else:
        np.sqrt(square, s)
        s += eps
        np.divide(mean, s, s)
        s *= scale
    p -= s
