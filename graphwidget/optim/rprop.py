"""Resilient backpropagation (Riedmiller and Braun, 1993)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.factories import full_like
from ..core.tensor import Tensor
from . import recorded
from .optimizer import Group
from .stepping import Rule, Stepper, check_options, count, number, rate_of, zeros


class Rprop(Stepper):
    """Steps by the sign of the gradient; their size grows while it stays and shrinks on a change.

    `foreach` chooses between implementations in PyTorch and changes nothing here; `capturable`
    is refused at the first step, as PyTorch does on the CPU.
    """

    recorded = recorded.rprop
    on_xla = (True, True)
    writes = ("addcmul_",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        check_options(
            defaults,
            lr="learning rate",
        )
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, defaults)

    def start(self, state: dict[str, Any], parameter: Tensor, group: Group) -> None:
        """No steps yet, no gradient before, and steps of the learning rate."""
        state["step"] = number(0.0)
        state["prev"] = zeros(parameter)
        state["step_size"] = full_like(parameter, rate_of(group))

    def rule(self, group: Group, state: dict[str, Any]) -> tuple[Rule, Any, tuple[str, ...]]:
        """With the factors and bounds of the step sizes."""
        count(state)
        return _rprop, (*group["etas"], *group["step_sizes"]), ("prev", "step_size")


def _rprop(numbers: Any, p: Any, g: Any, before: Any, size: Any, s: Any, t: Any) -> None:
    shrink, grow, least, most = numbers
    np.multiply(g, before, s)
    turned = s < 0
    np.multiply(size, grow, size, where=s > 0)
    np.multiply(size, shrink, size, where=turned)
    np.clip(size, least, most, size)
    np.copyto(before, g)
    before[turned] = 0
    np.sign(before, s)
    s *= size
    p -= s
