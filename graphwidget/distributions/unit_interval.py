"""The continuous Bernoulli and the Kumaraswamy distribution, on numbers between 0 and 1."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..autograd.grad_mode import no_grad
from ..dispatch.offer import FUNCTIONS as F
from ..nn.functional import binary_cross_entropy_with_logits
from . import constraints
from .bernoulli_categorical import ByProbability, clamp_probs
from .continuous import Uniform
from .distribution import batch_shape_of, broadcast_all, lazy_property
from .exp_family import ExponentialFamily
from .transformed_distribution import EULER, TransformedDistribution
from .transforms import AffineTransform, PowerTransform


class ContinuousBernoulli(ByProbability, ExponentialFamily):
    """Numbers between 0 and 1 of the density C(p) p**x (1 - p)**(1 - x).

    Between ``lims``, about a half, where the formulas divide by almost nothing, series stand for
    them. The constants are those of Loaiza-Ganem and Cunningham (arXiv:1907.06845).
    """

    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure: Any = 0
    _kept = ("_lims",)

    def __init__(
        self, probs: Any = None, logits: Any = None, lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        _, given = self._take(probs, logits)
        if probs is not None:
            if validate_args is not None and not constraints.unit_interval.check(self.probs).all():
                raise ValueError("The parameter probs has invalid values")
            self.probs = self._param = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(batch_shape_of((given,), self._param), validate_args=validate_args)

    @lazy_property
    def probs(self) -> Any:
        """The chances, neither 0 nor 1."""
        return clamp_probs(F["sigmoid"](self.logits))

    def _stable(self) -> Any:
        """Where the formulas hold."""
        low, high = self._lims
        return F["max"](F["le"](self.probs, low), F["gt"](self.probs, high))

    def _cut(self) -> Any:
        """The chances, where the formulas hold, else the lower limit."""
        flat = self._lims[0] * F["ones_like"](self.probs)
        return F["where"](self._stable(), self.probs, flat)

    def _cont_bern_log_norm(self) -> Any:
        """log C(p)."""
        p = self._cut()
        below = F["where"](F["le"](p, 0.5), p, F["zeros_like"](p))
        above = F["where"](F["ge"](p, 0.5), p, F["ones_like"](p))
        odds = F["log"](F["abs"](F["log1p"](-p) - F["log"](p)))
        away = F["where"](
            F["le"](p, 0.5), F["log1p"](-2.0 * below), F["log"](2.0 * above - 1.0)
        )  # fmt: skip
        square = F["pow"](self.probs - 0.5, 2)
        series = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * square) * square
        return F["where"](self._stable(), odds - away, series)

    @property
    def mean(self) -> Any:
        """p / (2p - 1) + 1 / log((1 - p) / p)."""
        p = self._cut()
        found = p / (2.0 * p - 1.0) + 1.0 / (F["log1p"](-p) - F["log"](p))
        x = self.probs - 0.5
        series = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * F["pow"](x, 2)) * x
        return F["where"](self._stable(), found, series)

    @property
    def stddev(self) -> Any:
        """The root of the variance."""
        return F["sqrt"](self.variance)

    @property
    def variance(self) -> Any:
        """p (p - 1) / (1 - 2p)² + 1 / log((1 - p) / p)²."""
        p = self._cut()
        odds = F["pow"](F["log1p"](-p) - F["log"](p), 2)
        found = p * (p - 1.0) / F["pow"](1.0 - 2.0 * p, 2) + 1.0 / odds
        x = F["pow"](self.probs - 0.5, 2)
        series = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return F["where"](self._stable(), found, series)

    def sample(self, sample_shape: Any = ()) -> Any:
        drawn = F["rand"](self._extended_shape(sample_shape), dtype=self.probs.dtype)
        with no_grad():
            return self.icdf(drawn)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Values of which uniform ones are the probabilities."""
        return self.icdf(F["rand"](self._extended_shape(sample_shape), dtype=self.probs.dtype))

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        logits, value = broadcast_all(self.logits, value)
        inner = -binary_cross_entropy_with_logits(logits, value, reduction="none")
        return inner + self._cont_bern_log_norm()

    def cdf(self, value: Any) -> Any:
        self._check_value(value)
        p = self._cut()
        powers = F["pow"](p, value) * F["pow"](1.0 - p, 1.0 - value)
        found = F["where"](self._stable(), (powers + p - 1.0) / (2.0 * p - 1.0), value)
        found = F["where"](F["ge"](value, 1.0), F["ones_like"](value), found)
        return F["where"](F["le"](value, 0.0), F["zeros_like"](value), found)

    def icdf(self, value: Any) -> Any:
        p = self._cut()
        upper = F["log1p"](-p + value * (2.0 * p - 1.0)) - F["log1p"](-p)
        return F["where"](self._stable(), upper / (F["log"](p) - F["log1p"](-p)), value)

    def entropy(self) -> Any:
        zero, one = F["log1p"](-self.probs), F["log"](self.probs)
        return self.mean * (zero - one) - self._cont_bern_log_norm() - zero

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return (self.logits,)

    def _log_normalizer(self, *natural_params: Any) -> Any:
        (x,) = natural_params
        low, high = self._lims[0] - 0.5, self._lims[1] - 0.5
        stable = F["max"](F["le"](x, low), F["gt"](x, high))
        cut = F["where"](stable, x, low * F["ones_like"](x))
        found = F["log"](F["abs"](F["expm1"](cut))) - F["log"](F["abs"](cut))
        series = 0.5 * x + F["pow"](x, 2) / 24.0 - F["pow"](x, 4) / 2880.0
        return F["where"](stable, found, series)


class Kumaraswamy(TransformedDistribution):
    """Kumaraswamy's distribution: 1 - (1 - u)**(1 / b) to the power 1 / a, of uniform u."""

    arg_constraints: ClassVar[Any] = {
        "concentration1": constraints.positive, "concentration0": constraints.positive
    }  # fmt: skip
    support = constraints.unit_interval
    has_rsample = True
    _batched = ("concentration1", "concentration0")

    def __init__(
        self, concentration1: Any, concentration0: Any, validate_args: bool | None = None
    ) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        low, high = (F["full_like"](self.concentration0, each) for each in (0, 1))
        steps = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        base = Uniform(low, high, validate_args=validate_args)
        super().__init__(base, steps, validate_args=validate_args)

    def _moment(self, n: int) -> Any:
        """The expectation of the n-th power."""
        a, b = self.concentration1, self.concentration0
        arg = 1 + n / a
        beta = F["lgamma"](arg) + F["lgamma"](b) - F["lgamma"](arg + b)
        return b * F["exp"](beta)

    @property
    def mean(self) -> Any:
        """The first moment."""
        return self._moment(1)

    @property
    def mode(self) -> Any:
        """The likeliest value; nan where that is at an end."""
        a, b = self.concentration1, self.concentration0
        found = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        found[(b < 1) | (a < 1)] = math.nan
        return found.exp()

    @property
    def variance(self) -> Any:
        """The second moment less the first one's square."""
        return self._moment(2) - F["pow"](self.mean, 2)

    def entropy(self) -> Any:
        a, b = self.concentration1, self.concentration0
        one, zero = 1 - a.reciprocal(), 1 - b.reciprocal()
        harmonic = F["digamma"](b + 1) + EULER
        return zero + one * harmonic - F["log"](a) - F["log"](b)
