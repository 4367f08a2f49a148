"""Adam and AdamW (Kingma and Ba, 2015; Loshchilov and Hutter, 2019)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..functions.creation.factories import zeros_like
from ..graph.tensor import Tensor
from .optimizer import Group, State
from .per_parameter import PerParameter, Prepared, next_step


class Adam(PerParameter):
    """Steps along the mean of recent gradients, divided by the root of their mean square.

    `foreach`, `fused` and `capturable` choose between implementations in PyTorch; they change
    nothing here.
    """

    writes = ("addcdiv_",)
    options = (
        "lr", "betas", "eps", "weight_decay", "amsgrad", "maximize", "foreach", "capturable",
        "differentiable", "fused", "decoupled_weight_decay",
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
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        super().__init__(params, locals())

    def check(self, options: dict[str, Any]) -> None:
        """Two numbers for the betas, and one for the rate."""
        if isinstance(options["lr"], Tensor) and options["foreach"] and not options["capturable"]:
            raise ValueError(
                "lr as a Tensor is not supported for capturable=False and foreach=True"
            )
        super().check(options)
        if not all(isinstance(beta, float) for beta in options["betas"]):
            raise ValueError("betas must be either both floats or both Tensors")

    def start(self, state: State, parameter: Tensor, group: Group) -> None:
        """The initial state: no steps yet, and both means zero."""
        super().start(state, parameter, group)
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros_like(parameter)

    def rule(self, group: Group, state: State, rate: float) -> Prepared:
        """Adam's, with the corrections for this step; AMSGrad's keeps the largest mean square."""
        step = next_step(state)
        first, second = group["betas"]
        rate /= 1 - first**step
        root = (1 - second**step) ** 0.5
        numbers = (1 - first, second, 1 - second, root, group["eps"], rate)
        if group["amsgrad"]:
            return _amsgrad, numbers, (*self.memory, "max_exp_avg_sq")
        return _adam, numbers, self.memory


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameters themselves, not through the gradient."""

    newer_options = PerParameter.newer_options | {"decoupled_weight_decay": True}

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        PerParameter.__init__(self, params, locals() | {"decoupled_weight_decay": True})


def update_average(mean: Any, item: Any, weight: float, s: Any) -> None:
    """Move a running mean towards an array, in place."""
    np.subtract(item, mean, s)
    s *= weight
    mean += s


def update_average_square(mean: Any, item: Any, keep: float, weight: float, s: Any) -> None:
    """Move a running mean towards an array's square, in place."""
    mean *= keep
    np.multiply(item, item, s)
    s *= weight
    mean += s


def _adam(numbers: Any, p: Any, g: Any, mean: Any, square: Any, s: Any) -> None:
    weight, keep, weight2, root, eps, rate = numbers
    update_average(mean, g, weight, s)
    update_average_square(square, g, keep, weight2, s)
    _apply_update(p, mean, square, root, eps, rate, s)


def _amsgrad(numbers: Any, p: Any, g: Any, mean: Any, square: Any, largest: Any, s: Any) -> None:
    weight, keep, weight2, root, eps, rate = numbers
    update_average(mean, g, weight, s)
    update_average_square(square, g, keep, weight2, s)
    np.maximum(largest, square, out=largest)
    _apply_update(p, mean, largest, root, eps, rate, s)


def _apply_update(
    p: Any, mean: Any, square: Any, root: float, eps: float, rate: float, s: Any
) -> None:
    """p -= rate * mean / (sqrt(square) / root + eps)"""
    np.sqrt(square, s)
    s /= root
    s += eps
    np.divide(mean, s, s)
    s *= rate
    p -= s
