"""A line search for the strong Wolfe conditions (Nocedal and Wright, 2006, algorithms 3.5, 3.6)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from ..graph.tensor import Tensor

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

    before, now, turns = start, look(size), 0
    bracket: list[Point] = []
    while turns < most:
        if too_high(now) or (turns > 1 and now.loss >= before.loss):
            bracket = [before, now]
            break
        if flat(now):
            return now.loss, now.grad, now.at, turns + 1
        if now.slope >= 0:
            bracket = [before, now]
            break
        bounds = (now.at + 0.01 * (now.at - before.at), now.at * 10)
        before, now = now, look(cubic_minimum(before, now, bounds))
        turns += 1
    if turns == most:
        bracket = [start, now]
    found, turns = _zoom(bracket, turns, most, direction, look, too_high, flat)
    return found.loss, found.grad, found.at, turns + 1


def _zoom(
    bracket: list[Point],
    turns: int,
    most: int,
    direction: Tensor,
    look: Callable[[float], Point],
    too_high: Callable[[Point], bool],
    flat: Callable[[Point], bool],
) -> tuple[Point, int]:
    """Shrink a bracket around a point that will do; the best one, and the turns so far."""
    reach = float(direction.abs().max())
    low, high = sorted(bracket, key=lambda point: point.loss)
    slow = False
    while turns < most and abs(high.at - low.at) * reach >= LEAST_CHANGE:
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
        turns += 1
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
    return low, turns
