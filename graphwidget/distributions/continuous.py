"""Distributions of real numbers: normal, Laplace, Cauchy, uniform, exponential and their kin."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..autograd.grad_mode import no_grad
from ..dispatch.offer import FUNCTIONS as F
from . import constraints
from .distribution import Distribution, batch_shape_of, broadcast_all, forwarded_property
from .exp_family import ExponentialFamily, family


class _LocScale(Distribution):
    """Those that are moved and stretched."""

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _batched = ("loc", "scale")
    mean = mode = forwarded_property("loc")

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(batch_shape_of((loc, scale), self.loc), validate_args=validate_args)


@family(
    lambda self: (self.loc / self.scale.pow(2), -0.5 * self.scale.pow(2).reciprocal()),
    lambda x, y: -0.25 * x.pow(2) / y + 0.5 * F["log"](-math.pi / y),
)
class Normal(_LocScale, ExponentialFamily):
    """The normal distribution with mean `loc` and deviation `scale`."""

    stddev = forwarded_property("scale")

    @property
    def variance(self) -> Any:
        """`scale` squared."""
        return self.stddev.pow(2)

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return F["normal"](self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Values as `loc + eps scale`."""
        shape = self._extended_shape(sample_shape)
        zeros = F["zeros"](shape, dtype=self.loc.dtype)
        eps = F["normal"](zeros, F["ones"](shape, dtype=self.loc.dtype))
        return self.loc + eps * self.scale

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        var = self.scale**2
        log_scale = self.scale.log()
        return -((value - self.loc) ** 2) / (2 * var) - log_scale - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Any) -> Any:
        self._check_value(value)
        scaled = (value - self.loc) * self.scale.reciprocal() / math.sqrt(2)
        return 0.5 * (1 + F["erf"](scaled))

    def icdf(self, value: Any) -> Any:
        return self.loc + self.scale * F["erfinv"](2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Any:
        """½ + ½ log 2π + log scale."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + F["log"](self.scale)


class Laplace(_LocScale):
    """The Laplace distribution with mean `loc`."""

    @property
    def variance(self) -> Any:
        """2 scale²."""
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Any:
        """√2 scale."""
        return 2**0.5 * self.scale

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Values from uniform ones."""
        shape = self._extended_shape(sample_shape)
        eps = 2.0 ** (-23 if self.loc.dtype.itemsize == 4 else -52)
        u = self.loc.new_empty(shape).uniform_(eps - 1, 1)
        return self.loc - self.scale * u.sign() * F["log1p"](-u.abs())

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        return -F["log"](2 * self.scale) - F["abs"](value - self.loc) / self.scale

    def cdf(self, value: Any) -> Any:
        self._check_value(value)
        side, away = (value - self.loc).sign(), (value - self.loc).abs()
        return 0.5 - 0.5 * side * F["expm1"](-away / self.scale)

    def icdf(self, value: Any) -> Any:
        term = value - 0.5
        return self.loc - self.scale * term.sign() * F["log1p"](-2 * term.abs())

    def entropy(self) -> Any:
        """1 + log 2 scale."""
        return 1 + F["log"](2 * self.scale)


class Cauchy(_LocScale):
    """Cauchy's distribution about `loc`, which has no mean."""

    @property
    def mean(self) -> Any:
        """nan."""
        return F["full"](self._extended_shape(), math.nan, dtype=self.loc.dtype)

    @property
    def variance(self) -> Any:
        """inf."""
        return F["full"](self._extended_shape(), math.inf, dtype=self.loc.dtype)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Values as `loc + eps scale`."""
        shape = self._extended_shape(sample_shape)
        return self.loc + self.loc.new_empty(shape).cauchy_() * self.scale

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        away = (value - self.loc) / self.scale
        return -math.log(math.pi) - self.scale.log() - (away**2).log1p()

    def cdf(self, value: Any) -> Any:
        self._check_value(value)
        return F["atan"]((value - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value: Any) -> Any:
        return F["tan"](math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self) -> Any:
        """log 4π + log scale."""
        return math.log(4 * math.pi) + self.scale.log()


class Uniform(Distribution):
    """The same density everywhere from `low` to `high`."""

    has_rsample = True
    _batched = ("low", "high")

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(batch_shape_of((low, high), self.low), validate_args=validate_args)

    @property
    def arg_constraints(self) -> Any:
        """Each bound beyond the other."""
        return {
            "low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)
        }  # fmt: skip

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """Between the bounds."""
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Any:
        """The middle."""
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Any:
        """There is none: nan."""
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


@family(lambda self: (-self.rate,), lambda x: -F["log"](-x))
class Exponential(ExponentialFamily):
    """The time until something happens that happens `rate` times in a unit of time."""

    arg_constraints: ClassVar[Any] = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _batched = ("rate",)

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(batch_shape_of((rate,), self.rate), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """1 / rate."""
        return self.rate.reciprocal()

    @property
    def mode(self) -> Any:
        """0."""
        return F["zeros_like"](self.rate)

    @property
    def stddev(self) -> Any:
        """1 / rate."""
        return self.rate.reciprocal()

    @property
    def variance(self) -> Any:
        """1 / rate²."""
        return self.rate.pow(-2)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Values of rate 1, divided by the rate."""
        shape = self._extended_shape(sample_shape)
        return self.rate.new_empty(shape).exponential_() / self.rate

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Any) -> Any:
        self._check_value(value)
        return 1 - F["exp"](-self.rate * value)

    def icdf(self, value: Any) -> Any:
        return -F["log1p"](-value) / self.rate

    def entropy(self) -> Any:
        """1 - log rate."""
        return 1.0 - F["log"](self.rate)
