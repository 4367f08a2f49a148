"""Adafactor (Shazeer and Stern, 2018)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..graph.tensor import Tensor
from .optimizer import Group, State
from .per_parameter import (
    WHOLE,
    PerParameter,
    Prepared,
    check_rate,
    learning_rate,
    next_step,
    state_number,
)

MEANS = ("row_var", "col_var")


class Adafactor(PerParameter):
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

    decoupled = True
    block = WHOLE
    options = ("lr", "beta2_decay", "eps", "d", "weight_decay", "foreach", "maximize")

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
        super().__init__(params, locals())

    def check(self, options: dict[str, Any]) -> None:
        """Each in its range."""
        lr, beta2_decay, eps, d, weight_decay, *_ = options.values()
        check_rate(lr)
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

    def start(self, state: State, parameter: Tensor, group: Group) -> None:
        """No steps yet, and no mean squares."""
        shape, dtype = parameter._data.shape, parameter._data.dtype
        state["step"] = state_number(0.0)
        if len(shape) > 1:
            state["row_var"] = Tensor._wrap(np.zeros((*shape[:-1], 1), dtype))
            state["col_var"] = Tensor._wrap(np.zeros((*shape[:-2], 1, shape[-1]), dtype))
        else:
            state["variance"] = Tensor._wrap(np.zeros(shape, dtype))

    def rule(self, parameter: Tensor, group: Group, state: State) -> Prepared:
        """With the step relative to the size that the parameter has before its decay."""
        data, step = parameter._data, next_step(state)
        least, smallest = group["eps"]
        least = np.finfo(data.dtype).eps if least is None else least
        size = float(np.linalg.norm(data)) / data.size**0.5
        alpha = max(smallest, size) * min(learning_rate(group), 1 / step**0.5)
        numbers = (step ** group["beta2_decay"], least, group["d"], alpha)
        return _adafactor, numbers, MEANS if data.ndim > 1 else ("variance",)


def _adafactor(numbers: Any, p: Any, g: Any, *more: Any) -> None:
    share, least, most, alpha = numbers
    *means, _ = more
    squares = np.multiply(g, g)
    if g.ndim > 1:
        row, column = means
        row += (squares.mean(-1, keepdims=True) - row) * share
        column += (squares.mean(-2, keepdims=True) - column) * share
        estimate = np.matmul(row, column)
        estimate /= np.maximum(row.mean(-2, keepdims=True), least)
    else:
        (estimate,) = means
        estimate += (squares - estimate) * share
    update = g / np.sqrt(np.maximum(estimate, least * least))
    cut = max(1.0, float(np.linalg.norm(update)) / (update.size**0.5 * most))
    update *= alpha / cut
    p -= update
