"""Resilient backpropagation (Riedmiller and Braun, 1993)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..functions.creation.factories import full_like, zeros_like
from ..graph.tensor import Tensor
from .optimizer import Group, State
from .per_parameter import PerParameter, Prepared, learning_rate, next_step, state_number


class Rprop(PerParameter):
    """Steps by the sign of the gradient; their size grows while it stays, and shrinks otherwise."""

    writes = ("addcmul_",)
    options = ("lr", "etas", "step_sizes", "foreach", "maximize", "differentiable", "capturable")

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
        super().__init__(params, locals())

    def check(self, options: dict[str, Any]) -> None:
        """A factor that shrinks, and one that grows."""
        super().check(options)
        shrink, grow = options["etas"]
        if not 0.0 < shrink < 1.0 < grow:
            raise ValueError(f"Invalid eta values: {shrink}, {grow}")

    def start(self, state: State, parameter: Tensor, group: Group) -> None:
        """No steps yet, no gradient before, and steps of the learning rate."""
        state["step"] = state_number(0.0)
        state["prev"] = zeros_like(parameter)
        state["step_size"] = full_like(parameter, learning_rate(group))

    def rule(self, group: Group, state: State, rate: float) -> Prepared:
        """With the factors and bounds of the step sizes."""
        next_step(state)
        return _rprop, (*group["etas"], *group["step_sizes"]), ("prev", "step_size")


def _rprop(numbers: Any, p: Any, g: Any, before: Any, size: Any, s: Any) -> None:
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
