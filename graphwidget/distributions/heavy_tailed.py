"""The Fisher-Snedecor and the generalized Pareto distribution."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..dispatch.offer import FUNCTIONS as F
from . import constraints
from .distribution import Distribution, batch_shape_of, broadcast_all, forwarded_property
from .elementary_transforms import finfo_of
from .gamma_beta import Gamma


class FisherSnedecor(Distribution):
    """The ratio of two mean squares, of `df1` and `df2` degrees of freedom."""

    arg_constraints: ClassVar[Any] = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True
    _batched = ("df1", "df2", "_gamma1", "_gamma2")

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(batch_shape_of((df1, df2), self.df1), validate_args=validate_args)

    def _df2_above(self, least: int) -> Any:
        """`df2`, nan up to a number."""
        found = self.df2.clone()
        found[found <= least] = math.nan
        return found

    @property
    def mean(self) -> Any:
        """df2 / (df2 - 2), or nan."""
        df2 = self._df2_above(2)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Any:
        """The likeliest value, or nan."""
        found = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        found[self.df1 <= 2] = math.nan
        return found

    @property
    def variance(self) -> Any:
        """The variance, or nan."""
        df2 = self._df2_above(4)
        over = 2 * df2.pow(2) * (self.df1 + df2 - 2)
        return over / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Ratios of gamma values."""
        shape = self._extended_shape(sample_shape)
        over = self._gamma1.rsample(sample_shape).view(shape)
        under = self._gamma2.rsample(sample_shape).view(shape)
        tiny = float(finfo_of(under).tiny)
        under.clamp_(min=tiny)
        found = over / under
        found.clamp_(min=tiny)
        return found

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        a, b, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        beta = (a + b).lgamma() - a.lgamma() - b.lgamma()
        powers = a * ratio.log() + (a - 1) * F["log"](value)
        return beta + powers - (a + b) * F["log1p"](ratio * value)


class GeneralizedPareto(Distribution):
    """What exceeds `loc`: tails that fall like powers (a positive `concentration`), like
    exponentials (0), or end (a negative one)."""

    arg_constraints: ClassVar[Any] = {
        "loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real
    }  # fmt: skip
    has_rsample = True
    _batched = ("loc", "scale", "concentration")
    mode = forwarded_property("loc")

    def __init__(
        self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None
    ) -> None:
        given = (loc, scale, concentration)
        self.loc, self.scale, self.concentration = broadcast_all(*given)
        super().__init__(batch_shape_of(given, self.loc), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """From `loc` on, to the end of the tail."""
        end = self.loc - self.scale / self.concentration
        return constraints.interval(
            self.loc, F["where"](self.concentration < 0, end, math.inf)
        )  # fmt: skip

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Values of which uniform ones are the probabilities."""
        return self.icdf(F["rand"](self._extended_shape(sample_shape), dtype=self.loc.dtype))

    def _zero_concentration(self, zero: Any) -> tuple[Any, Any]:
        """Where the concentration is 0, and the concentration with a 1 there."""
        flat = F["isclose"](self.concentration, zero)
        ones = F["ones_like"](self.concentration)
        return flat, F["where"](flat, ones, self.concentration)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        z = (value - self.loc) / self.scale
        flat, shape = self._zero_concentration(F["tensor"](0.0))
        power = 1 / shape + F["ones_like"](z)
        fall = F["where"](power == 0, power, power * F["log1p"](shape * z))
        return -self.scale.log() - F["where"](flat, z, fall)

    def log_survival_function(self, value: Any) -> Any:
        """The logarithm of the probability of more than a value."""
        self._check_value(value)
        z = (value - self.loc) / self.scale
        flat, shape = self._zero_concentration(F["tensor"](0.0))
        return F["where"](flat, -z, -F["log1p"](shape * z) / shape)

    def log_cdf(self, value: Any) -> Any:
        """The logarithm of the probability of less than a value."""
        return F["log1p"](-F["exp"](self.log_survival_function(value)))

    def cdf(self, value: Any) -> Any:
        return F["exp"](self.log_cdf(value))

    def icdf(self, value: Any) -> Any:
        flat, shape = self._zero_concentration(F["zeros_like"](self.concentration))
        logarithm = F["log1p"](-value)
        bent = self.loc + self.scale / shape * F["expm1"](-shape * logarithm)
        return F["where"](flat, self.loc - self.scale * logarithm, bent)

    @property
    def mean(self) -> Any:
        """The mean, or nan where there is none."""
        there = self.concentration < 1
        shape = F["where"](there, self.concentration, 0.5)
        return F["where"](there, self.loc + self.scale / (1 - shape), math.nan)

    @property
    def variance(self) -> Any:
        """The variance, or nan where there is none."""
        there = self.concentration < 0.5
        shape = F["where"](there, self.concentration, 0.25)
        found = self.scale**2 / ((1 - shape) ** 2 * (1 - 2 * shape))
        return F["where"](there, found, math.nan)

    def entropy(self) -> Any:
        """log scale + concentration + 1."""
        return F["broadcast_to"](F["log"](self.scale) + self.concentration + 1, self._batch_shape)
