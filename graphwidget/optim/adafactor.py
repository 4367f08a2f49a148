"""Adafactor (Shazeer and Stern, 2018)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core import hot
from ..core.call_sites import call_site
from ..core.tensor import Tensor
from ..core.version import bump
from .optimizer import Group
from .stepping import Stepper, count, number, rate_of


class Adafactor(Stepper):
    """Steps along the gradient divided by the root of its mean square, of which matrices keep only
    the means of rows and columns; relative to the size of the parameter.

    Args:
        lr: the largest relative step.
        beta2_decay: how fast the memory of mean squares grows longer.
        eps: the smallest root mean square of the gradient (None: the dtype's eps) and of the
            parameter.
        d: updates whose root mean square is larger are cut down to it.

    Raises:
        ValueError: numbers out of range.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for words, value, fits in (
            ("Learning rate should be >= 0", lr, lr >= 0.0),
            ("beta2_decay should be <= 0", beta2_decay, beta2_decay <= 0.0),
            ("epsilon1 should be >= 0", eps[0], eps[0] is None or eps[0] >= 0.0),
            ("epsilon2 should be >= 0", eps[1], eps[1] >= 0.0),
            ("Clipping threshold d should be >= 1", d, d >= 1.0),
            ("weight_decay should be >= 0", weight_decay, weight_decay >= 0.0),
        ):
            if not fits:
                raise ValueError(f"{words} but is: {value}")
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def update(self, group: Group) -> None:
        """One step for the parameters of a group; those without gradient are left alone."""
        site = call_site()
        for parameter in group["params"]:
            grad = parameter._grad
            if grad is None:
                continue
            state = self.state[parameter]
            if not state:
                self.start(state, parameter, group)
            before = parameter._data.copy() if hot.observer is not None else None
            self._step(parameter, -grad._data if group["maximize"] else grad._data, state, group)
            for name in ("mul_", "add_") if group["weight_decay"] else ("add_",):
                bump(parameter, name, site)
            if before is not None:
                self._tell(parameter, before, group)

    def start(self, state: dict[str, Any], parameter: Tensor, group: Group) -> None:
        """No steps yet, and no mean squares."""
        shape, dtype = parameter._data.shape, parameter._data.dtype
        state["step"] = number(0.0)
        if len(shape) > 1:
            state["row_var"] = Tensor._wrap(np.zeros((*shape[:-1], 1), dtype))
            state["col_var"] = Tensor._wrap(np.zeros((*shape[:-2], 1, shape[-1]), dtype))
        else:
            state["variance"] = Tensor._wrap(np.zeros(shape, dtype))

    @staticmethod
    def _step(parameter: Tensor, grad: Any, state: dict[str, Any], group: Group) -> None:
        data, step, rate = parameter._data, count(state), rate_of(group)
        least, smallest = group["eps"]
        least = np.finfo(data.dtype).eps if least is None else least
        share = step ** group["beta2_decay"]
        root = data.size**0.5
        alpha = max(smallest, float(np.linalg.norm(data)) / root) * min(rate, 1 / step**0.5)
        if group["weight_decay"]:
            data *= 1 - rate * group["weight_decay"]
        squares = np.multiply(grad, grad)
        if grad.ndim > 1:
            row, column = state["row_var"]._data, state["col_var"]._data
            row += (squares.mean(-1, keepdims=True) - row) * share
            column += (squares.mean(-2, keepdims=True) - column) * share
            estimate = np.matmul(row, column)
            estimate /= np.maximum(row.mean(-2, keepdims=True), least)
        else:
            variance = state["variance"]._data
            variance += (squares - variance) * share
            estimate = variance
        update = grad / np.sqrt(np.maximum(estimate, least * least))
        cut = max(1.0, float(np.linalg.norm(update)) / (root * group["d"]))
        update *= alpha / cut
        data -= update
