"""Averaged stochastic gradient descent (Polyak and Juditsky, 1992)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..functions.creation.factories import zeros_like
from ..graph.tensor import Tensor
from .optimizer import Group, State
from .per_parameter import PerParameter, Prepared, learning_rate, next_step, state_number


class ASGD(PerParameter):
    """Gradient descent that keeps the average of the parameters, from step `t0` on, in `ax`."""

    writes = ("mul_", "add_")
    options = (
        "lr", "lambd", "alpha", "t0", "weight_decay", "foreach", "maximize", "differentiable",
        "capturable",
    )  # fmt: skip
    checked = ("lr", "weight_decay")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, locals())

    def start(self, state: State, parameter: Tensor, group: Group) -> None:
        """No steps yet, and no average."""
        state["step"] = state_number(0.0)
        state["eta"] = state_number(learning_rate(group))
        state["mu"] = state_number(1.0)
        state["ax"] = zeros_like(parameter)

    def rule(self, group: Group, state: State, rate: float) -> Prepared:
        """With the rate and the weight of the average of this step; those of the next are kept."""
        step = next_step(state)
        eta, mu = state["eta"]._data, state["mu"]._data
        numbers = (float(eta), float(mu), group["lambd"])
        eta[...] = rate / ((1 + group["lambd"] * rate * step) ** group["alpha"])
        mu[...] = 1 / max(1, step - group["t0"])
        return _asgd, numbers, ("ax",)


def _asgd(numbers: Any, p: Any, g: Any, mean: Any, s: Any) -> None:
    eta, mu, decay = numbers
    p *= 1 - decay * eta
    p -= np.multiply(g, eta, s)
    if mu == 1:
        np.copyto(mean, p)
    else:
        np.subtract(p, mean, s)
        s *= mu
        mean += s
