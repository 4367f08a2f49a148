"""Adadelta (Zeiler, 2012)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..graph.tensor import Tensor
from .adam import update_average_square
from .optimizer import Group, State
from .per_parameter import PerParameter, Prepared, next_step


class Adadelta(PerParameter):
    """Steps as large as recent steps, along the gradient divided by its recent size."""

    options = (
        "lr", "rho", "eps", "weight_decay", "maximize", "capturable", "foreach", "differentiable",
    )  # fmt: skip
    checked = ("lr", "rho", "eps", "weight_decay")
    memory = ("square_avg", "acc_delta")

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
        super().__init__(params, locals())

    def check(self, options: dict[str, Any]) -> None:
        """A share `rho` besides."""
        super().check(options)
        if options["rho"] > 1.0:
            raise ValueError(f"Invalid rho value: {options['rho']}")

    def rule(self, group: Group, state: State, rate: float) -> Prepared:
        """With the mean squares of gradients and of steps."""
        next_step(state)
        rho = group["rho"]
        numbers = (rho, 1 - rho, group["eps"], rate)
        return _adadelta, numbers, self.memory


def _adadelta(numbers: Any, p: Any, g: Any, square: Any, steps: Any, s: Any) -> None:
    keep, weight, eps, rate = numbers
    update_average_square(square, g, keep, weight, s)
    np.add(square, eps, s)
    np.sqrt(s, s)
    t = np.add(steps, eps, out=...)
    np.sqrt(t, t)
    t /= s
    t *= g
    update_average_square(steps, t, keep, weight, s)
    t *= rate
    p -= t
