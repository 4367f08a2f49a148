"""The uniform distribution."""

from __future__ import annotations

from typing import Any

from ..dispatch.offer import FUNCTIONS as F
from . import constraints
from .distribution import Distribution, batch_shape_of, broadcast_all


class Uniform(Distribution):
    """The same density everywhere from `low` to `high`."""

    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(batch_shape_of((low, high), self.low), validate_args=validate_args)

    @property
    def arg_constraints(self) -> Any:
        """Each bound beyond the other."""
        return {
            "low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)
        }  # fmt: skip

    @property
    def support(self) -> Any:
        """Between the bounds."""
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Any:
        """The middle."""
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Any:
        """nan: there is no single mode."""
        return float("nan") * self.high

    @property
    def stddev(self) -> Any:
        """The width by √12."""
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Any:
        """The width squared by 12."""
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Values from those between 0 and 1."""
        shape = self._extended_shape(sample_shape)
        rand = F["rand"](shape, dtype=self.low.dtype)
        return self.low + rand * (self.high - self.low)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        inside = self.low.le(value).type_as(self.low).mul(self.high.gt(value).type_as(self.low))
        return F["log"](inside) - F["log"](self.high - self.low)

    def cdf(self, value: Any) -> Any:
        self._check_value(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Any) -> Any:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Any:
        """The logarithm of the width."""
        return F["log"](self.high - self.low)
