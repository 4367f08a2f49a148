"""Adamax (Kingma and Ba, 2015)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..graph.tensor import Tensor
from .adam import update_average
from .optimizer import Group, State
from .per_parameter import PerParameter, Prepared, next_step


class Adamax(PerParameter):
    """Steps along the mean of recent gradients, divided by their largest recent size."""

    writes = ("addcdiv_",)
    options = (
        "lr", "betas", "eps", "weight_decay", "foreach", "maximize", "differentiable", "capturable",
    )  # fmt: skip
    checked = ("lr", "eps", "betas", "weight_decay")
    memory = ("exp_avg", "exp_inf")

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
        super().__init__(params, locals())

    def rule(self, group: Group, state: State, rate: float) -> Prepared:
        """With the correction of the mean for this step."""
        step = next_step(state)
        first, second = group["betas"]
        numbers = (1 - first, second, group["eps"], rate / (1 - first**step))
        return _adamax, numbers, self.memory


def _adamax(numbers: Any, p: Any, g: Any, mean: Any, largest: Any, s: Any) -> None:
    weight, keep, eps, rate = numbers
    update_average(mean, g, weight, s)
    largest *= keep
    np.abs(g, s)
    s += eps
    np.maximum(largest, s, out=largest)
    np.divide(mean, largest, s)
    s *= rate
    p -= s
