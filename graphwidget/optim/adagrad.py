"""Adagrad (Duchi, Hazan and Singer, 2011)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..functions.creation.factories import full_like
from ..graph.tensor import Tensor
from .optimizer import Group, State
from .per_parameter import PerParameter, Prepared, next_step, state_number


class Adagrad(PerParameter):
    """Steps along the gradient, divided by the root of the sum of squares of all so far."""

    writes = ("addcdiv_",)
    options = (
        "lr", "lr_decay", "eps", "weight_decay", "initial_accumulator_value", "foreach", "maximize",
        "differentiable", "fused",
    )  # fmt: skip
    checked = ("lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(params, locals())
        for group in self.param_groups:
            for parameter in group["params"]:
                self.start(self.state[parameter], parameter, group)

    def start(self, state: State, parameter: Tensor, group: Group) -> None:
        """The initial state: no steps yet, and the sum with its first value."""
        state["step"] = state_number(0.0)
        state["sum"] = full_like(parameter, self.defaults["initial_accumulator_value"])

    def rule(self, group: Group, state: State, rate: float) -> Prepared:
        """With a learning rate that may fall from step to step."""
        step = next_step(state)
        rate /= 1 + (step - 1) * group["lr_decay"]
        return _adagrad, (rate, group["eps"]), ("sum",)


def _adagrad(numbers: Any, p: Any, g: Any, total: Any, s: Any) -> None:
    rate, eps = numbers
    total += np.multiply(g, g, s)
    np.sqrt(total, s)
    s += eps
    np.divide(g, s, s)
    s *= rate
    p -= s
