"""LBFGS (Nocedal and Wright, 2006): Newton's method with a curvature remembered from steps.

The line search is for the strong Wolfe conditions (Nocedal and Wright, 2006, algorithms 3.5, 3.6).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ..autograd.grad_mode import enable_grad, no_grad
from ..functions.shape.joins_splits import cat
from ..graph.tensor import Tensor
from .optimizer import Closure, Optimizer
from .per_parameter import check_options, learning_rate

DECREASE, CURVATURE = 1e-4, 0.9
LEAST_CHANGE = 1e-9


class Point(NamedTuple):
    """A place on the line: its distance, and there the loss, the gradient and the slope."""

    at: float
    loss: float
    grad: Tensor
    slope: float


def cubic_minimum(a: Point, b: Point, bounds: tuple[float, float] | None = None) -> float:
    """Return where the cubic through two points with their slopes is least, within bounds."""
    low, high = bounds or (min(a.at, b.at), max(a.at, b.at))
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.at - b.at)
    square = d1**2 - a.slope * b.slope
    if square < 0:
        return (low + high) / 2.0
    d2 = math.sqrt(square)
    left, right = (a, b) if a.at <= b.at else (b, a)
    part = (right.slope + d2 - d1) / (right.slope - left.slope + 2 * d2)
    return min(max(right.at - (right.at - left.at) * part, low), high)


def strong_wolfe(
    evaluate: Callable[[float], tuple[float, Tensor]],
    size: float,
    direction: Tensor,
    loss: float,
    grad: Tensor,
    slope: Tensor,
    most: int,
) -> tuple[float, Tensor, float, int]:
    """The loss, the gradient and the size of a step that goes down far enough and is flat enough,
    and how often `evaluate` was called; at most `most` times after the first."""
    start = Point(0.0, loss, grad.clone(), slope.item())

    def look(at: float) -> Point:
        loss, grad = evaluate(at)
        return Point(at, loss, grad, grad.dot(direction).item())

    def too_high(point: Point) -> bool:
        return point.loss > start.loss + DECREASE * point.at * start.slope

    def flat(point: Point) -> bool:
        return abs(point.slope) <= -CURVATURE * start.slope

    before, now, evaluations = start, look(size), 0
    bracket: list[Point] = []
    while evaluations < most:
        if too_high(now) or (evaluations > 1 and now.loss >= before.loss):
            bracket = [before, now]
            break
        if flat(now):
            return now.loss, now.grad, now.at, evaluations + 1
        if now.slope >= 0:
            bracket = [before, now]
            break
        bounds = (now.at + 0.01 * (now.at - before.at), now.at * 10)
        before, now = now, look(cubic_minimum(before, now, bounds))
        evaluations += 1
    if evaluations == most:
        bracket = [start, now]
    found, evaluations = _zoom(bracket, evaluations, most, direction, look, too_high, flat)
    return found.loss, found.grad, found.at, evaluations + 1


def _zoom(
    bracket: list[Point],
    evaluations: int,
    most: int,
    direction: Tensor,
    look: Callable[[float], Point],
    too_high: Callable[[Point], bool],
    flat: Callable[[Point], bool],
) -> tuple[Point, int]:
    """Shrink a bracket around a point that will do; the best one, and the evaluations so far."""
    reach = float(direction.abs().max())
    low, high = sorted(bracket, key=lambda point: point.loss)
    slow = False
    while evaluations < most and abs(high.at - low.at) * reach >= LEAST_CHANGE:
        left, right = min(low.at, high.at), max(low.at, high.at)
        at = cubic_minimum(*((low, high) if low.at <= high.at else (high, low)))
        margin = 0.1 * (right - left)
        if min(right - at, at - left) < margin:
            if slow or at >= right or at <= left:
                at = right - margin if abs(at - right) < abs(at - left) else left + margin
                slow = False
            else:
                slow = True
        else:
            slow = False
        now = look(at)
        evaluations += 1
        if too_high(now) or now.loss >= low.loss:
            high = now
            if high.loss < low.loss:
                low, high = high, low
            continue
        done = flat(now)
        if not done and now.slope * (high.at - low.at) >= 0:
            high = low
        low = now
        if done:
            break
    return low, evaluations


KEYS = (
    "func_evals", "n_iter", "al", "d", "t", "old_dirs", "old_stps", "ro", "H_diag",
    "prev_flat_grad", "prev_loss",
)  # fmt: skip
"""Keys of the state, in PyTorch's order."""


class LBFGS(Optimizer):
    """Minimizes all parameters together; `step` needs a closure, which it calls many times.

    `line_search_fn` is None (steps of the learning rate) or "strong_wolfe".

    Raises:
        ValueError: several parameter groups, or a negative learning rate.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        check_options(defaults, "lr")
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params: list[Any] = self.param_groups[0]["params"]

    def _gradient(self) -> Tensor:
        """All gradients as one vector."""
        return cat(
            [
                Tensor._wrap(np.zeros(each.numel(), each._data.dtype))
                if each.grad is None
                else each.grad.view(-1)
                for each in self._params
            ]
        )

    def _add_to_parameters(self, size: float, direction: Tensor) -> None:
        """Add a step to the parameters."""
        place = 0
        for each in self._params:
            count = each.numel()
            each.add_(direction[place : place + count].view_as(each), alpha=size)
            place += count

    def step(self, closure: Closure) -> Any:  # type: ignore[override]
        """Up to `max_iter` iterations; returns the loss before the first.

        Raises:
            RuntimeError: a line search that is not known.
        """
        state = self.state[self._params[0]]
        with no_grad():
            first = self._step(enable_grad()(closure))
        for key in KEYS:
            if key in state:
                state[key] = state.pop(key)
        return first

    def _step(self, evaluate: Closure) -> Any:
        group = self.param_groups[0]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first = evaluate()
        loss, grad, evaluations = float(first), self._gradient(), 1
        state["func_evals"] += 1
        if float(grad.abs().max()) <= group["tolerance_grad"]:
            return first
        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            direction = self._direction(state, grad, group["history_size"])
            before = state["prev_loss"] = loss
            size: Any = learning_rate(group)
            if state["n_iter"] == 1:
                size = min(1.0, float(1.0 / grad.abs().sum())) * size
            state["d"], state["t"] = direction, size
            slope = grad.dot(direction)
            if float(slope) > -group["tolerance_change"]:
                break
            last = iteration == group["max_iter"]
            left = group["max_eval"] - evaluations
            loss, grad, size, used = self._evaluate_along(
                evaluate, direction, size, (loss, grad, slope), left, last
            )
            state["t"] = size
            evaluations += used
            state["func_evals"] += used
            if last or evaluations >= group["max_eval"]:
                break
            if float(grad.abs().max()) <= group["tolerance_grad"]:
                break
            change = group["tolerance_change"]
            if float(direction.mul(size).abs().max()) <= change or abs(loss - before) < change:
                break
        return first

    def _evaluate_along(
        self,
        evaluate: Closure,
        direction: Tensor,
        size: float,
        now: tuple[float, Tensor, Tensor],
        left: int,
        last: bool,
    ) -> tuple[float, Tensor, float, int]:
        """Move along a direction: the loss and gradient there, the size of the step, and how
        often the closure was called."""
        loss, grad, slope = now
        search = self.param_groups[0]["line_search_fn"]
        if search is None:
            self._add_to_parameters(size, direction)
            if last:
                return loss, grad, size, 0
            return float(evaluate()), self._gradient(), size, 1
        if search != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        start = [each.clone() for each in self._params]

        def at(size: float) -> tuple[float, Tensor]:
            self._add_to_parameters(size, direction)
            found = float(evaluate()), self._gradient()
            for each, value in zip(self._params, start, strict=True):
                each.copy_(value)
            return found

        loss, grad, size, used = strong_wolfe(at, size, direction, loss, grad, slope, left)
        self._add_to_parameters(size, direction)
        return loss, grad, size, used

    def _direction(self, state: dict[str, Any], grad: Tensor, history: int) -> Tensor:
        """Minus the gradient times an estimate of the inverse Hessian, from the steps so far."""
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            state["prev_flat_grad"] = grad.clone()
            return grad.neg()
        changes, steps, inverses = state["old_dirs"], state["old_stps"], state["ro"]
        change = grad.sub(state["prev_flat_grad"])
        step = state["d"].mul(state["t"])
        product = change.dot(step)
        if float(product) > 1e-10:
            if len(changes) == history:
                for each in (changes, steps, inverses):
                    each.pop(0)
            changes.append(change)
            steps.append(step)
            inverses.append(1.0 / product)
            state["H_diag"] = product / change.dot(change)
        state["prev_flat_grad"].copy_(grad)
        factors = state.setdefault("al", [None] * history)
        found = grad.neg()
        for place in reversed(range(len(changes))):
            factors[place] = steps[place].dot(found) * inverses[place]
            found.add_(changes[place], alpha=-factors[place].item())
        found = found.mul(state["H_diag"])
        for place, each in enumerate(changes):
            back = each.dot(found) * inverses[place]
            found.add_(steps[place], alpha=(factors[place] - back).item())
        return found
