"""``torch.distributions.constraints``: what parameters and values must satisfy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..absent import refuse_others
from ..dispatch.offer import FUNCTIONS as F


class Constraint:
    """Condition on values; the last `event_dim` dims are one value.

    Args:
        text: its repr.
        check: returns a bool tensor, which values are allowed.
    """

    def __init__(
        self, text: str, check: Callable[[Any], Any], event_dim: int = 0, is_discrete: bool = False
    ) -> None:
        self._text, self.check = text, check
        self.event_dim, self.is_discrete = event_dim, is_discrete

    def __repr__(self) -> str:
        return self._text


def greater_than(lower_bound: Any) -> Constraint:
    """Values above a bound."""
    return Constraint(f"GreaterThan(lower_bound={lower_bound})", lambda value: lower_bound < value)


def less_than(upper_bound: Any) -> Constraint:
    """Values below a bound."""
    return Constraint(f"LessThan(upper_bound={upper_bound})", lambda value: value < upper_bound)


def interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """Values from one bound to another."""
    return Constraint(
        f"Interval(lower_bound={lower_bound}, upper_bound={upper_bound})",
        lambda value: (lower_bound <= value) & (value <= upper_bound),
    )


def integer_interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """Integers from one bound to another."""
    inside = interval(lower_bound, upper_bound)
    return Constraint(
        f"Integer{inside!r}", lambda value: (value % 1 == 0) & inside.check(value), is_discrete=True
    )


real = Constraint("Real()", lambda value: value == value)
real_vector = Constraint(
    "IndependentConstraint(Real(), 1)", lambda value: F["all"](value == value, dim=-1), 1
)
boolean = Constraint("Boolean()", lambda value: (value == 0) | (value == 1), is_discrete=True)
simplex = Constraint(
    "Simplex()",
    lambda value: F["all"](value >= 0, dim=-1) & ((value.sum(-1) - 1).abs() < 1e-6),
    1,
)
positive = greater_than(0.0)
unit_interval = interval(0.0, 1.0)

refuse_others(__name__)
