"""Averaged stochastic gradient descent (Polyak and Juditsky, 1992)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from . import recorded
from .optimizer import Group
from .stepping import Rule, Stepper, check_options, count, number, rate_of, zeros


class ASGD(Stepper):
    """Gradient descent that keeps the average of the parameters, from step `t0` on, in `ax`.

    `foreach` chooses between implementations in PyTorch and changes nothing here; `capturable`
    is refused at the first step, as PyTorch does on the CPU.
    """

    recorded = recorded.asgd
    captured = "params, mus, etas, and state_steps"
    writes = ("mul_", "add_")

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
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        check_options(
            defaults,
            lr="learning rate",
            weight_decay="weight_decay value",
        )
        super().__init__(params, defaults)

    def start(self, state: dict[str, Any], parameter: Tensor, group: Group) -> None:
        """No steps yet, and no average."""
        state["step"] = number(0.0)
        state["eta"] = number(rate_of(group))
        state["mu"] = number(1.0)
        state["ax"] = zeros(parameter)

    def rule(self, group: Group, state: dict[str, Any]) -> tuple[Rule, Any, tuple[str, ...]]:
        """With the rate and the weight of the average of this step; those of the next are kept."""
        step = count(state)
        eta, mu = state["eta"]._data, state["mu"]._data
        numbers = (float(eta), float(mu), group["lambd"])
        rate = rate_of(group)
        eta[...] = rate / ((1 + group["lambd"] * rate * step) ** group["alpha"])
        mu[...] = 1 / max(1, step - group["t0"])
        return _asgd, numbers, ("ax",)


def _asgd(numbers: Any, p: Any, g: Any, mean: Any, s: Any, t: Any) -> None:
    eta, mu, decay = numbers
    p *= 1 - decay * eta
    p -= np.multiply(g, eta, s)
    if mu == 1:
        np.copyto(mean, p)
    else:
        np.subtract(p, mean, s)
        s *= mu
        mean += s
