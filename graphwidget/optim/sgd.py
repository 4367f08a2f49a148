"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..core.tensor import Tensor
from .optimizer import Group, Optimizer


class SGD(Optimizer):
    """`p -= lr * gradient`, with momentum and weight decay as in `torch.optim.SGD`.

    `foreach`, `differentiable` and `fused` choose between implementations in PyTorch; they are
    kept as options and change nothing here.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if float(lr) < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def update(self, group: Group) -> None:
        """One step for a group; a parameter without gradient is left alone."""
        momentum, lr = group["momentum"], group["lr"]
        rate = lr.item() if isinstance(lr, Tensor) else lr
        for parameter in group["params"]:
            if parameter.grad is None:
                continue
            gradient = -parameter.grad if group["maximize"] else parameter.grad
            if group["weight_decay"] != 0:
                gradient = gradient.add(parameter, alpha=group["weight_decay"])
            if momentum != 0:
                velocity = self._velocity(parameter, gradient, momentum, group["dampening"])
                nesterov = group["nesterov"]
                gradient = gradient.add(velocity, alpha=momentum) if nesterov else velocity
            parameter.add_(gradient, alpha=-rate)

    def _velocity(
        self, parameter: Tensor, gradient: Tensor, momentum: float, dampening: float
    ) -> Tensor:
        """The momentum buffer with this gradient taken in; the first is a copy of it."""
        state = self.state[parameter]
        velocity: Tensor | None = state.get("momentum_buffer")
        if velocity is None:
            velocity = gradient.detach().clone()
        else:
            velocity.mul_(momentum).add_(gradient, alpha=1 - dampening)
        state["momentum_buffer"] = velocity
        return velocity
