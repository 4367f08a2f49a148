"""The Pareto, Weibull and inverse gamma distributions: powers of others' values."""

from __future__ import annotations

from typing import Any, ClassVar

from ..dispatch.offer import FUNCTIONS as F
from . import constraints
from .continuous import Exponential
from .distribution import broadcast_all, forwarded_property
from .gamma_beta import Gamma
from .transformed_distribution import EULER, TransformedDistribution
from .transforms import AffineTransform, ExpTransform, PowerTransform


class Pareto(TransformedDistribution):
    """Pareto's power law above `scale`, with exponent `alpha`."""

    arg_constraints: ClassVar[Any] = {
        "alpha": constraints.positive, "scale": constraints.positive
    }  # fmt: skip
    _batched = ("scale", "alpha")
    mode = forwarded_property("scale")

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        steps = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, steps, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """inf for an alpha up to 1."""
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def variance(self) -> Any:
        """inf for an alpha up to 2."""
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """From `scale` on."""
        return constraints.greater_than_eq(self.scale)

    def entropy(self) -> Any:
        """log(scale / alpha) + 1 + 1 / alpha."""
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class Weibull(TransformedDistribution):
    """Weibull's distribution: `scale` times exponential values to the power 1 / concentration."""

    arg_constraints: ClassVar[Any] = {
        "scale": constraints.positive, "concentration": constraints.positive
    }  # fmt: skip
    support = constraints.positive

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self._begin(validate_args)

    def _begin(self, validate_args: bool | None) -> None:
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(F["ones_like"](self.scale), validate_args=validate_args)
        steps = [
            PowerTransform(exponent=self.concentration_reciprocal),
            AffineTransform(loc=0, scale=self.scale),
        ]
        TransformedDistribution.__init__(self, base, steps, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same with parameters of another shape."""
        made = type(self).__new__(type(self)) if _instance is None else _instance
        made.scale = self.scale.expand(batch_shape)
        made.concentration = self.concentration.expand(batch_shape)
        made._begin(False)
        made._validate_args = self._validate_args
        return made

    @property
    def mean(self) -> Any:
        """scale Γ(1 + 1 / concentration)."""
        return self.scale * F["exp"](F["lgamma"](1 + self.concentration_reciprocal))

    @property
    def mode(self) -> Any:
        """The likeliest value."""
        k = self.concentration
        return self.scale * ((k - 1) / k) ** k.reciprocal()

    @property
    def variance(self) -> Any:
        """scale² (Γ(1 + 2 / concentration) - Γ(1 + 1 / concentration)²)."""
        power = self.concentration_reciprocal
        square, mean = F["lgamma"](1 + 2 * power), F["lgamma"](1 + power)
        return self.scale.pow(2) * (F["exp"](square) - F["exp"](2 * mean))

    def entropy(self) -> Any:
        share = 1 - self.concentration_reciprocal
        return EULER * share + F["log"](self.scale * self.concentration_reciprocal) + 1


class InverseGamma(TransformedDistribution):
    """1 by gamma values."""

    arg_constraints: ClassVar[Any] = {
        "concentration": constraints.positive, "rate": constraints.positive
    }  # fmt: skip
    support = constraints.positive
    has_rsample = True
    concentration = forwarded_property("base_dist.concentration")
    rate = forwarded_property("base_dist.rate")

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        power = PowerTransform(-base.rate.new_ones(()))
        super().__init__(base, power, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """rate / (concentration - 1), or inf."""
        found = self.rate / (self.concentration - 1)
        return F["where"](self.concentration > 1, found, float("inf"))

    @property
    def mode(self) -> Any:
        """rate / (concentration + 1)."""
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Any:
        """The variance, or inf."""
        a = self.concentration
        found = self.rate.square() / ((a - 1).square() * (a - 2))
        return F["where"](a > 2, found, float("inf"))

    def entropy(self) -> Any:
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()
